//! What the words of a query find in all files of a branch.
//!
//! The branch is gone through in stretches of whole files, each by one thread: its scores stay in the processor's cache
//! and nothing of the size of the branch is written but what is kept of each file.

use std::ops::Range;

use bytemuck::zeroed_vec;
use rayon::prelude::*;

use crate::bitmap::Bitmap;
use crate::parallel::on_all_threads;
use crate::view::{ChunkIndex, FileIndex, View};

use super::best::{Best, best};
use super::scores::{ChunkScores, FileWords, Scorer, Stretch};

/// Chunks of a stretch, unless its last file has more: their scores take half a megabyte.
const STRETCH: u32 = 16_384;
/// Places of words from which on it pays to wake threads.
const PARALLEL: usize = 32_768;

/// What the words of a query find: by file, zero where nothing matches.
#[derive(Debug)]
pub(super) struct LexicalScores<'a> {
    /// By file.
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
    first_file: FileIndex,
    files: &'f mut [FileWords],
}

impl<'a> LexicalScores<'a> {
    /// Scores all files, by the chunks that are allowed where scores are of chunks; `wanted` of the best are listed.
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
        let mut files: Vec<FileWords> = zeroed_vec(view.file_count());
        let mut pieces = pieces(view, &mut files, stretch);
        pieces.retain(|piece| scorer.is_in(&piece.chunks));
        let look = |room: &mut Stretch, piece| look(&scorer, view, (allowed, wanted), room, piece);
        let found: Vec<Vec<(ChunkIndex, f32)>> = if scorer.len() < PARALLEL {
            let mut room = Stretch::default();
            pieces.into_iter().map(|piece| look(&mut room, piece)).collect()
        } else {
            on_all_threads(|| pieces.into_par_iter().map_init(Stretch::default, look).collect())
        };
        let best = best(found.into_iter().flatten(), wanted);
        Self { files, best, rarity: scorer.rarity(), scorer, view }
    }

    /// The scores of the chunks of one file, in their order.
    pub(super) fn of_file(&self, file: FileIndex) -> Vec<ChunkScores> {
        let mut stretch = Stretch::default();
        self.scorer.score(&self.view.chunk_range(file), &mut stretch);
        stretch.into_scores()
    }
}

/// All files of a branch in pieces of about so many chunks.
fn pieces<'f>(view: &View, mut files: &'f mut [FileWords], stretch: u32) -> Vec<Piece<'f>> {
    let mut pieces = Vec::new();
    let (mut first, mut start) = (0u32, 0u32);
    while !files.is_empty() {
        let wanted = start.saturating_add(stretch).min(view.chunk_count() as u32);
        // The file that reaches beyond the stretch begins the next one, unless it is the only one.
        let next = if wanted == view.chunk_count() as u32 {
            first + files.len() as u32
        } else {
            view.file_of(ChunkIndex(wanted)).0.max(first + 1)
        };
        let (here, rest) = files.split_at_mut((next - first) as usize);
        let end = view.chunk_range(FileIndex(next - 1)).end;
        pieces.push(Piece { chunks: start..end, first_file: FileIndex(first), files: here });
        (files, first, start) = (rest, next, end);
    }
    pieces
}

/// Scores a piece; returns the best chunks of it.
fn look(
    scorer: &Scorer<'_>,
    view: &View,
    (allowed, wanted): (Option<&Bitmap>, usize),
    stretch: &mut Stretch,
    Piece { chunks, first_file, files }: Piece<'_>,
) -> Vec<(ChunkIndex, f32)> {
    scorer.score_files(&chunks, files, first_file);
    scorer.score(&chunks, stretch);
    let (columns, mut best) = (view.postings(), Best::new(wanted));
    stretch.drain(|chunk, scores| {
        if allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize)) {
            files[(columns.file_of(chunk).0 - first_file.0) as usize].raise(scores);
            if scores.body > 0.0 {
                best.push(chunk, scores.body);
            }
        }
    });
    best.into_sorted()
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
