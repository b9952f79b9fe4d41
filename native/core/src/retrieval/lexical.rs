//! What the words of a query find in all files of a branch.
//!
//! The branch is gone through in stretches of whole files, each by one thread: its scores stay in the processor's cache
//! and nothing of the size of the branch is written but what is kept of each file. That is what files are chosen by; all
//! that is known of them is found afterwards for those that are.

use std::ops::Range;

use bytemuck::zeroed_vec;
use rayon::prelude::*;

use crate::bitmap::Bitmap;
use crate::parallel::{map_each, on_all_threads};
use crate::view::{ChunkIndex, FileIndex, View};

use super::best::{Best, best};
use super::scores::{ChunkScores, FileWords, Scorer, Stretch};
use super::search::SIDE_BY_SIDE;

/// Chunks of a stretch, unless its last file has more: their scores take an eighth of a megabyte.
const STRETCH: u32 = 16_384;
/// Places of words from which on it pays to wake threads.
const PARALLEL: usize = 32_768;

/// What the words of a query find: by file, zero where nothing matches.
#[derive(Debug)]
pub(super) struct LexicalScores<'a> {
    /// By file: the best text among its chunks that pass.
    pub bodies: Vec<f32>,
    /// By file: the best names among its chunks that pass.
    pub names: Vec<f32>,
    /// By file: the text of the whole file.
    pub file_bodies: Vec<f32>,
    /// By file: all scores of those that were [described](Self::describe).
    pub files: Vec<FileWords>,
    /// The chunks with the best bodies among those that pass, best first, ties by number.
    pub best: Vec<(ChunkIndex, f32)>,
    /// By term of the query: how rare its stem is among files.
    pub rarity: Vec<f32>,
    scorer: Scorer<'a>,
    view: &'a View,
}

/// Files that follow each other, with their chunks and the scores to be found.
struct Piece<'f> {
    chunks: Range<u32>,
    files: Range<u32>,
    bodies: &'f mut [f32],
    names: &'f mut [f32],
    file_bodies: &'f mut [f32],
}

/// Scores of the texts and the names of a piece's chunks: zeros while nobody uses it.
#[derive(Default)]
struct Room {
    bodies: Vec<f32>,
    names: Vec<f32>,
    /// The chunks that have scores of names, counted from the first.
    named: Vec<u32>,
}

impl<'a> LexicalScores<'a> {
    /// Surveys all files, by the chunks that are allowed where scores are of chunks; `wanted` of the best are listed.
    pub(super) fn compute(scorer: Scorer<'a>, view: &'a View, allowed: Option<&Bitmap>, wanted: usize) -> Self {
        Self::of(scorer, view, allowed, wanted, STRETCH)
    }

    pub(super) fn of(
        scorer: Scorer<'a>,
        view: &'a View,
        allowed: Option<&Bitmap>,
        wanted: usize,
        stretch: u32,
    ) -> Self {
        let zeros = || -> Vec<f32> { zeroed_vec(view.file_count()) };
        let (mut bodies, mut names, mut file_bodies) = (zeros(), zeros(), zeros());
        let mut pieces = pieces(view, [&mut bodies, &mut names, &mut file_bodies], stretch);
        pieces.retain(|piece| scorer.is_in(&piece.chunks));
        let look = |room: &mut Room, piece| look(&scorer, view, (allowed, wanted), room, piece);
        let found: Vec<Vec<(ChunkIndex, f32)>> = if scorer.len() < PARALLEL {
            let mut room = Room::default();
            pieces.into_iter().map(|piece| look(&mut room, piece)).collect()
        } else {
            on_all_threads(|| pieces.into_par_iter().map_init(Room::default, look).collect())
        };
        let (best, rarity) = (best(found.into_iter().flatten(), wanted), scorer.rarity());
        Self { bodies, names, file_bodies, files: zeroed_vec(view.file_count()), best, rarity, scorer, view }
    }

    /// Finds all scores of the files of a pool, by the chunks that are allowed.
    pub(super) fn describe(&mut self, pool: &[(FileIndex, f32)], allowed: Option<&Bitmap>) {
        let passes = |chunk: ChunkIndex| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize));
        let describe = |stretch: &mut Stretch, &(file, _): &(FileIndex, f32)| {
            self.scorer.describe((file, &self.view.chunk_range(file)), passes, stretch)
        };
        let words = map_each(pool, self.view.chunk_count() >= SIDE_BY_SIDE, Stretch::default, describe);
        for (&(file, _), words) in pool.iter().zip(words) {
            self.files[file.0 as usize] = words;
        }
    }

    /// The scores of the chunks of one file, in their order.
    pub(super) fn of_file(&self, file: FileIndex) -> Vec<ChunkScores> {
        let mut stretch = Stretch::default();
        self.scorer.score(&self.view.chunk_range(file), &mut stretch);
        stretch.into_scores()
    }
}

/// All files of a branch, with three scores each, in pieces of about so many chunks.
fn pieces<'f>(
    view: &View,
    [mut bodies, mut names, mut file_bodies]: [&'f mut [f32]; 3],
    stretch: u32,
) -> Vec<Piece<'f>> {
    let mut pieces = Vec::new();
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
        pieces.push(Piece {
            chunks: start..end,
            files: first..next,
            bodies: bodies.split_off_mut(..count).unwrap_or_default(),
            names: names.split_off_mut(..count).unwrap_or_default(),
            file_bodies: file_bodies.split_off_mut(..count).unwrap_or_default(),
        });
        (first, start) = (next, end);
    }
    pieces
}

/// Scores a piece; returns the best chunks of it.
fn look(
    scorer: &Scorer<'_>,
    view: &View,
    (allowed, wanted): (Option<&Bitmap>, usize),
    room: &mut Room,
    Piece { chunks, files, bodies, names, file_bodies }: Piece<'_>,
) -> Vec<(ChunkIndex, f32)> {
    scorer.survey_files(&files, file_bodies);
    room.fit(chunks.len());
    let Room { bodies: of_chunks, names: chunk_names, named } = room;
    let of_chunks = &mut of_chunks[..chunks.len()];
    scorer.survey(&chunks, of_chunks, chunk_names, named);
    let passes = |chunk: u32| allowed.is_none_or(|allowed| allowed.get(chunk as usize));
    let mut best = Best::new(wanted);
    for (file, highest_body) in files.clone().map(FileIndex).zip(bodies) {
        let range = view.chunk_range(file);
        let here = (range.start - chunks.start) as usize..(range.end - chunks.start) as usize;
        let scores = &mut of_chunks[here];
        if allowed.is_some() {
            scores
                .iter_mut()
                .zip(range.clone())
                .filter(|(_, chunk)| !passes(*chunk))
                .for_each(|(score, _)| *score = 0.0);
        }
        *highest_body = highest(scores);
        if *highest_body > 0.0 && *highest_body >= best.least() {
            for (chunk, &mut score) in range.zip(scores) {
                if score > 0.0 {
                    best.push(ChunkIndex(chunk), score);
                }
            }
        }
    }
    of_chunks.fill(0.0);
    let columns = view.postings();
    for at in named.drain(..) {
        let (chunk, score) = (chunks.start + at, std::mem::take(&mut chunk_names[at as usize]));
        if passes(chunk) {
            let of_file = &mut names[(columns.file_of(ChunkIndex(chunk)).0 - files.start) as usize];
            *of_file = of_file.max(score);
        }
    }
    best.into_sorted()
}

impl Room {
    /// Makes room for the scores of so many chunks.
    fn fit(&mut self, chunks: usize) {
        if self.bodies.len() < chunks {
            self.bodies.resize(chunks, 0.0);
            self.names.resize(chunks, 0.0);
        }
    }
}

/// The highest of scores, zero without any. None is negative, and such numbers are ordered as their bits are.
fn highest(scores: &[f32]) -> f32 {
    let (groups, rest) = scores.as_chunks::<4>();
    let mut lanes = [0i32; 4];
    for group in groups {
        for (lane, score) in lanes.iter_mut().zip(group) {
            *lane = (*lane).max(score.to_bits() as i32);
        }
    }
    let rest = rest.iter().map(|score| score.to_bits() as i32);
    f32::from_bits(lanes.into_iter().chain(rest).fold(0, i32::max) as u32)
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
