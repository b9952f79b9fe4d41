//! What the words of a query find in all files of a branch.
//!
//! The branch is gone through in stretches of whole files, each by one thread: its scores stay in the processor's cache
//! and nothing of the size of the branch is written but what is kept of each file. That is what files are chosen by; all
//! that is known of them is found afterwards for those that are.

use std::ops::Range;

use bytemuck::zeroed_vec;
use rayon::prelude::*;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::parallel::{map_each, on_all_threads};
use codecairn_index::view::{ChunkIndex, FileIndex, View};

use super::fusion::DEPTH;
use super::max_score::{MaxScoreBuffers, TermPostings};
use super::scorer::Scorer;
use super::scores::MIN_PARALLEL_CHUNKS;
use super::scores::{ChunkScoreBuffer, ChunkScores, FileWords};
use super::top_k::{TopK, top_k};
use super::top_k_threshold::TopKThreshold;

/// Stretches that a branch is cut into, so that all threads end at about the same time, and chunks of each: enough to be
/// worth beginning with, and few enough for their scores to stay near the processor. The last file may bring more.
const MIN_RANGES: u32 = 16;
const RANGE_CHUNKS: Range<u32> = 4096..16_384;
/// Places of words from which on it pays to wake threads.
const MIN_PARALLEL_POSTINGS: usize = 32_768;

/// What the words of a query find: by file, zero where nothing matches.
#[derive(Debug)]
pub(super) struct LexicalScores<'a> {
    /// By file: the best text among its chunks that pass, for those that may be among the [`DEPTH`] best by it.
    pub bodies: Vec<f32>,
    /// By file: the best names among its chunks that pass.
    pub names: Vec<f32>,
    /// By file: the text of the whole file.
    pub file_bodies: Vec<f32>,
    /// All scores of the files that were [described](Self::describe), in their order.
    pub files: Vec<FileWords>,
    /// The chunks with the best bodies among those that pass, best first, ties by number.
    pub best: Vec<(ChunkIndex, f32)>,
    scorer: Scorer<'a>,
    view: &'a View,
}

/// How a branch is gone through.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanOptions {
    /// So many of the best chunks are listed.
    pub wanted: usize,
    /// So many of the best files by text must be exact.
    pub files: usize,
    /// Chunks of a stretch.
    pub stretch: u32,
}

/// Files that follow each other, with their chunks and the scores to be found.
struct FileRange<'f> {
    chunks: Range<u32>,
    files: Range<u32>,
    bodies: &'f mut [f32],
    names: &'f mut [f32],
    file_bodies: &'f mut [f32],
}

/// Room for the scores of a piece.
#[derive(Default)]
struct ScanBuffers {
    texts: MaxScoreBuffers,
    /// Scores of the names of its chunks: zeros while nobody uses it.
    names: Vec<f32>,
    /// The chunks that have some, counted from the first.
    named: Vec<u32>,
}

impl<'a> LexicalScores<'a> {
    /// Surveys all files, by the chunks that are allowed where scores are of chunks; `wanted` of the best are listed.
    pub(super) fn compute(scorer: Scorer<'a>, view: &'a View, allowed: Option<&Bitmap>, wanted: usize) -> Self {
        let stretch = (view.chunk_count() as u32 / MIN_RANGES).clamp(RANGE_CHUNKS.start, RANGE_CHUNKS.end);
        Self::of(scorer, view, allowed, ScanOptions { wanted, files: DEPTH, stretch })
    }

    pub(super) fn of(scorer: Scorer<'a>, view: &'a View, allowed: Option<&Bitmap>, options: ScanOptions) -> Self {
        let zeros = || -> Vec<f32> { zeroed_vec(view.file_count()) };
        let (mut bodies, mut names, mut file_bodies) = (zeros(), zeros(), zeros());
        let ranges = split_files(view, [&mut bodies, &mut names, &mut file_bodies], options.stretch);
        // Each of the best files has a chunk at least as good, so this many chunks reach it too.
        let threshold = TopKThreshold::new(options.files.max(options.wanted));
        let scan = |buffers: &mut ScanBuffers, range| {
            scan_range(&scorer, view, allowed, (&threshold, options.wanted), buffers, range)
        };
        let found: Vec<Vec<(ChunkIndex, f32)>> = if scorer.len() < MIN_PARALLEL_POSTINGS {
            let mut buffers = ScanBuffers::default();
            ranges.into_iter().map(|range| scan(&mut buffers, range)).collect()
        } else {
            on_all_threads(|| ranges.into_par_iter().map_init(ScanBuffers::default, scan).collect())
        };
        let best = top_k(found.into_iter().flatten(), options.wanted);
        Self { bodies, names, file_bodies, files: Vec::new(), best, scorer, view }
    }

    /// Finds all scores of the files of a pool, by the chunks that are allowed.
    pub(super) fn describe(&mut self, pool: &[(FileIndex, f32)], allowed: Option<&Bitmap>) {
        let passes = |chunk: ChunkIndex| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize));
        let describe = |buffer: &mut ChunkScoreBuffer, &(file, _): &(FileIndex, f32)| {
            self.scorer.describe(file, &self.view.chunk_range(file), passes, buffer)
        };
        self.files =
            map_each(pool, self.view.chunk_count() >= MIN_PARALLEL_CHUNKS, ChunkScoreBuffer::default, describe);
    }

    /// The scores of the chunks of one file, in their order.
    pub(super) fn of_file(&self, file: FileIndex) -> Vec<ChunkScores> {
        let mut buffer = ChunkScoreBuffer::default();
        self.scorer.score(file, &self.view.chunk_range(file), &mut buffer, |_, _| {});
        buffer.into_scores()
    }
}

/// All files of a branch, with three scores each, in ranges of about so many chunks.
fn split_files<'f>(
    view: &View,
    [mut bodies, mut names, mut file_bodies]: [&'f mut [f32]; 3],
    stretch: u32,
) -> Vec<FileRange<'f>> {
    let mut ranges = Vec::new();
    let (mut first, mut start) = (0u32, 0u32);
    while !bodies.is_empty() {
        let wanted = start.saturating_add(stretch).min(view.chunk_count() as u32);
        // The file that reaches beyond the stretch begins the next one, unless it is the only one.
        let next = if wanted == view.chunk_count() as u32 {
            first + bodies.len() as u32
        } else {
            view.file_of(ChunkIndex(wanted)).0.max(first + 1)
        };
        let count = (next - first) as usize;
        let end = view.chunk_range(FileIndex(next - 1)).end;
        ranges.push(FileRange {
            chunks: start..end,
            files: first..next,
            bodies: bodies.split_off_mut(..count).unwrap_or_default(),
            names: names.split_off_mut(..count).unwrap_or_default(),
            file_bodies: file_bodies.split_off_mut(..count).unwrap_or_default(),
        });
        (first, start) = (next, end);
    }
    ranges
}

/// Scores a piece; returns the best chunks of it.
fn scan_range(
    scorer: &Scorer<'_>,
    view: &View,
    allowed: Option<&Bitmap>,
    (threshold, wanted): (&TopKThreshold, usize),
    buffers: &mut ScanBuffers,
    FileRange { chunks, files, bodies, names, file_bodies }: FileRange<'_>,
) -> Vec<(ChunkIndex, f32)> {
    let words: Vec<TermPostings<'_>> = scorer.stems().map(|word| (word, word.postings.in_files(&files))).collect();
    let passes = |chunk: u32| allowed.is_none_or(|allowed| allowed.get(chunk as usize));
    let place_of = |chunk: u32| (view.file_of(ChunkIndex(chunk)).0 - files.start) as usize;
    scorer.score_files(files.start, &words, file_bodies);
    let mut best = TopK::new(wanted);
    let (mut of_file, mut ends_at) = (0, 0);
    for &(at, score) in scorer.max_scores(&chunks, &words, threshold.value(), &mut buffers.texts) {
        let chunk = chunks.start + at;
        if chunk >= ends_at {
            of_file = place_of(chunk);
            ends_at = view.chunk_range(FileIndex(files.start + of_file as u32)).end;
        }
        if passes(chunk) {
            bodies[of_file] = bodies[of_file].max(score);
            best.push(ChunkIndex(chunk), score);
        }
    }
    threshold.update(bodies);
    buffers.names.resize(buffers.names.len().max(chunks.len()), 0.0);
    scorer.score_names(chunks.start, &words, &mut buffers.names, &mut buffers.named);
    for at in buffers.named.drain(..) {
        let (chunk, score) = (chunks.start + at, std::mem::take(&mut buffers.names[at as usize]));
        if passes(chunk) {
            let of_file = &mut names[place_of(chunk)];
            *of_file = of_file.max(score);
        }
    }
    best.into_sorted()
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
