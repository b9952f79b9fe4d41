//! Collects the scores of the chunks of ranked files, as evidence for what a query needs; linear in the chunks.

use std::collections::BTreeMap;

use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_model::vector::{Query as VectorQuery, VectorIndex};

use super::lexical::LexicalScores;
use super::query::Query;
use super::span_features::{FileEvidence, scores_of};

/// The chunks of ranked files, as evidence for one query.
pub(super) struct ChunkEvidence<'a> {
    view: &'a View,
    lexical: &'a LexicalScores<'a>,
    vectors: (&'a VectorIndex, &'a VectorQuery),
    /// The number of the query's identifiers that a chunk defines; a name counts again with its scope.
    defining: BTreeMap<ChunkIndex, u8>,
}

impl<'a> ChunkEvidence<'a> {
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
