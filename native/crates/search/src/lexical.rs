//! The lexical retriever: scores all files of a branch by the terms of a query.
//!
//! The branch is scored in ranges of whole files, each by one thread, so that the scores of a range stay in the
//! processor's cache; only three scores per file are written for the whole branch. Files are chosen by these. All other
//! scores are computed for the chosen files alone, by [`describe`](LexicalScores::describe).

use std::ops::Range;

use bytemuck::zeroed_vec;
use rayon::prelude::*;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::parallel::{map_each, on_all_threads};
use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_lexical::{TopK, top_k};

use super::fusion::DEPTH;
use super::max_score::{MaxScoreBuffers, TermPostings};
use super::scorer::Scorer;
use super::scores::MIN_PARALLEL_CHUNKS;
use super::scores::{ChunkScoreBuffer, ChunkScores, FileWords};
use super::top_k_threshold::TopKThreshold;

/// Ranges that a branch is cut into, as far as [`RANGE_CHUNKS`] allows, so that all threads end at about the same time.
const TARGET_RANGES: u32 = 16;
/// Chunks of a range: enough to pay for its overhead, and few enough for their scores to fit the processor's cache. A
/// range of one large file may have more.
const RANGE_CHUNKS: Range<u32> = 4096..16_384;
/// Postings from which on parallel scoring pays.
const MIN_PARALLEL_POSTINGS: usize = 32_768;

/// The lexical scores of a query, by file; zero where no term matches.
#[derive(Debug)]
pub(super) struct LexicalScores<'a> {
    /// By file: the highest text score of its chunks that pass; exact for the [`DEPTH`] best files.
    pub bodies: Vec<f32>,
    /// By file: the highest score of names among its chunks that pass.
    pub names: Vec<f32>,
    /// By file: the text score of the whole file.
    pub file_bodies: Vec<f32>,
    /// All scores of the files that were [described](Self::describe), in their order.
    pub files: Vec<FileWords>,
    /// The chunks with the best bodies among those that pass, best first, ties by number.
    pub best: Vec<(ChunkIndex, f32)>,
    scorer: Scorer<'a>,
    view: &'a View,
}

/// The bounds of a scan.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanOptions {
    /// The number of best chunks to list.
    pub wanted: usize,
    /// The number of best files by text whose scores must be exact.
    pub files: usize,
    /// Chunks of a range.
    pub range_chunks: u32,
}

/// A range of files with its chunks and the scores to fill in.
struct FileRange<'f> {
    chunks: Range<u32>,
    files: Range<u32>,
    bodies: &'f mut [f32],
    names: &'f mut [f32],
    file_bodies: &'f mut [f32],
}

/// Buffers that a thread reuses for its ranges.
#[derive(Default)]
struct ScanBuffers {
    texts: MaxScoreBuffers,
    /// Scores of names by chunk; all zeros between two uses.
    names: Vec<f32>,
    /// The chunks with a score of names, as offsets from the first.
    named: Vec<u32>,
}

impl<'a> LexicalScores<'a> {
    /// Scores all files. Scores of chunks count the `allowed` ones alone; the `wanted` best of them are listed.
    pub(super) fn compute(scorer: Scorer<'a>, view: &'a View, allowed: Option<&Bitmap>, wanted: usize) -> Self {
        let range_chunks = (view.chunk_count() as u32 / TARGET_RANGES).clamp(RANGE_CHUNKS.start, RANGE_CHUNKS.end);
        Self::of(scorer, view, allowed, ScanOptions { wanted, files: DEPTH, range_chunks })
    }

    pub(super) fn of(scorer: Scorer<'a>, view: &'a View, allowed: Option<&Bitmap>, options: ScanOptions) -> Self {
        let zeros = || -> Vec<f32> { zeroed_vec(view.file_count()) };
        let (mut bodies, mut names, mut file_bodies) = (zeros(), zeros(), zeros());
        let ranges = split_files(view, [&mut bodies, &mut names, &mut file_bodies], options.range_chunks);
        // Each of the best files has a chunk with the file's score, so as many chunks reach the threshold.
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

    /// Computes all scores of the files of a pool, over the allowed chunks.
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

/// Splits the files of a branch, with three scores each, into ranges of about `range_chunks` chunks.
fn split_files<'f>(
    view: &View,
    [mut bodies, mut names, mut file_bodies]: [&'f mut [f32]; 3],
    range_chunks: u32,
) -> Vec<FileRange<'f>> {
    let mut ranges = Vec::new();
    let (mut first, mut start) = (0u32, 0u32);
    while !bodies.is_empty() {
        let wanted = start.saturating_add(range_chunks).min(view.chunk_count() as u32);
        // A file that crosses the end of the range begins the next range, unless it is alone.
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

/// Scores a range; returns its best chunks.
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
