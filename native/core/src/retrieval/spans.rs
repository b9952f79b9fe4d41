//! The best span inside a file that has been chosen.

use crate::bitmap::Bitmap;
use crate::kind::Kind;
use crate::view::{ChunkIndex, FileIndex, View};

use super::query::Query;
use super::scores::LexicalScores;
use super::vectors::VectorScores;

/// How much each kind of evidence counts inside a file. A chunk that defines the very name asked
/// for wins over any mention.
const NAMES: f32 = 0.5;
const DEFINES: f32 = 3.0;
/// Between equals, a definition is the better answer than what lies between definitions.
const DEFINITION: f32 = 0.05;
/// A span below this many bytes shows too little to be an answer: it loses score in proportion.
const TELLING_BYTES: f32 = 160.0;

/// Chunk scores of one query, each divided by its best.
#[derive(Debug)]
pub(super) struct SpanScores {
    scores: Vec<f32>,
}

impl SpanScores {
    /// Scores all chunks for `query`.
    pub(super) fn compute(query: &Query, view: &View, lexical: &LexicalScores, vectors: &VectorScores) -> Self {
        let best = |scores: &[f32]| scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let (best_body, best_names) = (best(&lexical.body), best(&lexical.names));
        let mut scores: Vec<f32> = lexical
            .body
            .iter()
            .zip(&lexical.names)
            .map(|(body, names)| body / best_body + NAMES * names / best_names)
            .collect();
        let nearest = vectors.nearest.first().map_or(1.0, |entry| entry.1).max(f32::MIN_POSITIVE);
        for &(ChunkIndex(chunk), cosine) in &vectors.nearest {
            scores[chunk as usize] += cosine.max(0.0) / nearest;
        }
        for identifier in &query.identifiers {
            for ChunkIndex(chunk) in view.chunks_defining(identifier) {
                scores[chunk as usize] += DEFINES;
            }
        }
        Self { scores }
    }

    /// One chunk's score.
    pub(super) fn score(&self, chunk: ChunkIndex) -> f32 {
        self.scores[chunk.0 as usize]
    }

    /// The best chunk of `file` among those allowed; the first one if nothing tells them apart.
    pub(super) fn best(&self, view: &View, file: FileIndex, allowed: Option<&Bitmap>) -> Option<ChunkIndex> {
        let rate = |chunk: ChunkIndex| {
            let row = view.chunk(chunk);
            let telling = (row.span.len() as f32 / TELLING_BYTES).min(1.0);
            let definition = if matches!(row.kind, Kind::Block | Kind::Module) { 0.0 } else { DEFINITION };
            self.score(chunk) * (0.5 + 0.5 * telling) + definition
        };
        view.chunks_of(file)
            .filter(|chunk| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize)))
            .max_by(|&a, &b| rate(a).total_cmp(&rate(b)).then(b.cmp(&a)))
    }
}
