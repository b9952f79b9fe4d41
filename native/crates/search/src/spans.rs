//! Chooses the best chunk of a ranked file by a weighted sum of its scores, each divided by the file's highest; ties go
//! to the first.

use std::collections::BTreeMap;

use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_model::vector::{Query as VectorQuery, VectorIndex};
use codecairn_syntax::kind::Kind;

use super::lexical::LexicalScores;
use super::query::Query;
use super::span_features::{FileEvidence, TELLING_BYTES, scores_of};

/// The weight of each score in the order of the [features](super::span_features), after division by the file's
/// highest. Coverage counts most: scores that depend on length prefer short chunks, such as imports and one-line helpers.
const WEIGHTS: [f32; 7] = [1.0, 1.0, 0.5, 0.3, 0.0, 0.2, 0.5];
/// The bonus of a chunk for each identifier of the query that it defines: it ranks above any mention, and a definition
/// in the named scope above one in another.
const DEFINES: f32 = 5.0;
/// The bonus of a definition over code between definitions.
const DEFINITION: f32 = 0.3;
/// The penalty of a test, which has all the words of the code it tests.
const TEST: f32 = -0.6;

/// The chunks of ranked files, as evidence for one query.
pub(super) struct Spans<'a> {
    view: &'a View,
    lexical: &'a LexicalScores<'a>,
    vectors: (&'a VectorIndex, &'a VectorQuery),
    /// The number of the query's identifiers that a chunk defines; a name counts again with its scope.
    defining: BTreeMap<ChunkIndex, u8>,
}

impl<'a> Spans<'a> {
    /// For `query`, with its vector.
    pub(super) fn new(
        query: &Query,
        view: &'a View,
        lexical: &'a LexicalScores<'a>,
        vectors: (&'a VectorIndex, &'a VectorQuery),
    ) -> Self {
        let mut defining = BTreeMap::new();
        for chunk in query.identifiers.iter().flat_map(|identifier| view.chunks_defining(identifier)) {
            let count: &mut u8 = defining.entry(chunk).or_default();
            *count = count.saturating_add(1);
        }
        Self { view, lexical, vectors, defining }
    }

    /// The chunks of `file` that pass, with their scores.
    pub(super) fn evidence(&self, file: FileIndex, passes: impl Fn(ChunkIndex) -> bool) -> FileEvidence {
        let chunks: Vec<ChunkIndex> = self.view.chunks_of(file).filter(|&chunk| passes(chunk)).collect();
        let (first, of_file) = (self.view.chunk_range(file).start, self.lexical.of_file(file));
        let (index, query) = self.vectors;
        let scores = chunks
            .iter()
            .map(|chunk| {
                let cosine = index.score(self.view.chunk(*chunk).doc, query).unwrap_or(0.0);
                scores_of(&of_file[(chunk.0 - first) as usize], cosine)
            })
            .collect();
        let defines = chunks.iter().map(|chunk| self.defining.get(chunk).copied().unwrap_or(0)).collect();
        FileEvidence { chunks, scores, defines }
    }
}

/// The best chunk of a file, of which at least one passes; ties go to the first.
pub(super) fn best_chunk(view: &View, FileEvidence { chunks, scores, defines }: &FileEvidence) -> ChunkIndex {
    let mut rates = vec![0.0f32; chunks.len()];
    for (at, weight) in WEIGHTS.into_iter().enumerate() {
        let best = scores.iter().map(|scores| scores[at]).fold(0.0, f32::max);
        if best > 0.0 {
            rates.iter_mut().zip(scores).for_each(|(rate, scores)| *rate += weight * scores[at] / best);
        }
    }
    for ((rate, chunk), defines) in rates.iter_mut().zip(chunks).zip(defines) {
        let row = view.chunk(*chunk);
        if matches!(row.kind, Kind::Block | Kind::Module) {
            // Code between definitions that is short loses up to half its score, in proportion.
            let telling = (row.span.len() as f32 / TELLING_BYTES).min(1.0);
            *rate *= 0.5 + 0.5 * telling;
        } else {
            *rate += DEFINITION;
        }
        if row.is_test {
            *rate += TEST;
        }
        *rate += DEFINES * f32::from(*defines);
    }
    let best = rates.iter().zip(chunks).max_by(|a, b| a.0.total_cmp(b.0).then(b.1.cmp(a.1)));
    best.map_or(chunks[0], |(_, chunk)| *chunk)
}
