//! Holds the lexical scores of chunks and files, by kind of evidence.

use std::ops::Range;

use bytemuck::Zeroable;

use codecairn_index::view::ChunkIndex;

/// Chunks of a branch from which on terms and vectors are searched in parallel.
pub(super) const MIN_PARALLEL_CHUNKS: usize = 16_384;

/// The lexical scores of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable)]
#[repr(C)]
pub(super) struct ChunkScores {
    /// Stemmed terms in the body.
    pub body: f32,
    /// Terms as written in the body.
    pub exact: f32,
    /// Stemmed terms in the names that the chunk defines.
    pub names: f32,
    /// Stemmed terms in comments.
    pub comments: f32,
    /// The share of the query, weighted by IDF, that the chunk has; independent of its length.
    pub coverage: f32,
    /// The share of the query that the names of the chunk have, reduced by the other words of these names.
    pub name_coverage: f32,
    /// The number of words of its names that the query has.
    pub(super) in_names: f32,
    /// Whether any term was found in it, 0 or 1.
    is_touched: u32,
}

/// The lexical scores of a file.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable)]
#[repr(C)]
pub(super) struct FileWords {
    /// The best of each score among its chunks that pass.
    pub best: ChunkScores,
    /// Stemmed terms in the whole file.
    pub body: f32,
    /// Stemmed terms in all names that it defines.
    pub names: f32,
    /// The share of the query, weighted by IDF among files, that the whole file has.
    pub coverage: f32,
    /// The same of all names that it defines.
    pub names_coverage: f32,
}

impl FileWords {
    /// Raises the best scores by those of one of its chunks.
    #[inline]
    pub(super) fn raise(&mut self, scores: &ChunkScores) {
        let best = &mut self.best;
        best.body = best.body.max(scores.body);
        best.exact = best.exact.max(scores.exact);
        best.names = best.names.max(scores.names);
        best.comments = best.comments.max(scores.comments);
        best.coverage = best.coverage.max(scores.coverage);
        best.name_coverage = best.name_coverage.max(scores.name_coverage);
    }
}

/// Scores of the chunks of a file, in a buffer that is reused for one file after the other.
#[derive(Debug, Default)]
pub(super) struct ChunkScoreBuffer {
    start: u32,
    /// By offset from the first chunk; all zeros between two uses.
    scores: Vec<ChunkScores>,
    /// Chunks with scores, counted from the first one, each once.
    touched: Vec<u32>,
    /// By term: the position of the last file in its postings.
    pub(super) near: Vec<usize>,
}

impl ChunkScoreBuffer {
    /// Makes room for the scores of these chunks and for this many terms.
    pub(super) fn begin(&mut self, chunks: &Range<u32>, words: usize) {
        debug_assert!(self.touched.is_empty(), "the scores of one file at a time");
        self.start = chunks.start;
        self.near.resize(words, 0);
        if self.scores.len() < chunks.len() {
            self.scores.resize(chunks.len(), ChunkScores::zeroed());
        }
    }

    /// The scores of a chunk, to be added to.
    #[inline]
    pub(super) fn touch(&mut self, chunk: u32) -> &mut ChunkScores {
        let at = chunk - self.start;
        let scores = &mut self.scores[at as usize];
        if scores.is_touched == 0 {
            scores.is_touched = 1;
            self.touched.push(at);
        }
        scores
    }

    /// Calls `each` with the chunks in which anything was found, in no order.
    #[inline]
    pub(super) fn for_each_touched(&mut self, mut each: impl FnMut(ChunkIndex, &mut ChunkScores)) {
        for at in &self.touched {
            each(ChunkIndex(self.start + at), &mut self.scores[*at as usize]);
        }
    }

    /// Calls `each` with the chunks in which anything was found, in no order, and is empty afterwards.
    pub(super) fn drain(&mut self, mut each: impl FnMut(ChunkIndex, &ChunkScores)) {
        for at in self.touched.drain(..) {
            let scores = &mut self.scores[at as usize];
            each(ChunkIndex(self.start + at), scores);
            *scores = ChunkScores::zeroed();
        }
    }

    /// The scores of all its chunks.
    pub(super) fn into_scores(self) -> Vec<ChunkScores> {
        self.scores
    }
}
