//! Chooses the best chunk of a ranked file.

use std::collections::BTreeMap;

use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_model::vector::{Query as VectorQuery, VectorIndex};
use codecairn_syntax::kind::Kind;

use super::lexical::LexicalScores;
use super::query::Query;
use super::scores::ChunkScores;

// The weights of each kind of evidence inside a file, after division by the file's highest value. Coverage counts most:
// scores that depend on length prefer short chunks, such as imports and one-line helpers.

/// Coverage of the query by the chunk.
const COVERAGE: f32 = 1.0;
/// Coverage of the query by the names that the chunk defines.
const NAME_COVERAGE: f32 = 1.0;
/// BM25 of stems in the text.
const BODY: f32 = 0.5;
/// BM25 of exact terms in the text.
const EXACT: f32 = 0.3;
/// BM25 of stems in comments.
const COMMENTS: f32 = 0.2;
/// Cosine to the query.
const VECTOR: f32 = 0.5;
/// The bonus of a chunk for each identifier of the query that it defines: it ranks above any mention, and a definition
/// in the named scope above one in another.
const DEFINES: f32 = 5.0;
/// The bonus of a definition over code between definitions.
const DEFINITION: f32 = 0.3;
/// The penalty of a test, which has all the words of the code it tests.
const TEST: f32 = -0.6;
/// Code between definitions that is shorter than this loses up to half its score, in proportion.
const TELLING_BYTES: f32 = 160.0;

/// One of a chunk's scores.
type ScoreField = fn(&ChunkScores) -> f32;

/// Scores the chunks of a file for one query.
pub(super) struct Spans<'a> {
    view: &'a View,
    lexical: &'a LexicalScores<'a>,
    vectors: Option<(&'a VectorIndex, &'a VectorQuery)>,
    /// The number of the query's identifiers that a chunk defines; a name counts again with its scope.
    defining: BTreeMap<ChunkIndex, u8>,
}

impl<'a> Spans<'a> {
    /// For `query`, with its vector if there is one.
    pub(super) fn new(
        query: &Query,
        view: &'a View,
        lexical: &'a LexicalScores<'a>,
        vectors: Option<(&'a VectorIndex, &'a VectorQuery)>,
    ) -> Self {
        let mut defining = BTreeMap::new();
        for chunk in query.identifiers.iter().flat_map(|identifier| view.chunks_defining(identifier)) {
            let count: &mut u8 = defining.entry(chunk).or_default();
            *count = count.saturating_add(1);
        }
        Self { view, lexical, vectors, defining }
    }

    /// The best chunk of `file` among those that pass; ties go to the first.
    pub(super) fn best(&self, file: FileIndex, passes: impl Fn(ChunkIndex) -> bool) -> Option<ChunkIndex> {
        let chunks: Vec<ChunkIndex> = self.view.chunks_of(file).filter(|&chunk| passes(chunk)).collect();
        let (first, of_file) = (self.view.chunk_range(file).start, self.lexical.of_file(file));
        let mut rates = vec![0.0f32; chunks.len()];
        let columns: [(ScoreField, f32); 5] = [
            (|scores| scores.coverage, COVERAGE),
            (|scores| scores.name_coverage, NAME_COVERAGE),
            (|scores| scores.body, BODY),
            (|scores| scores.exact, EXACT),
            (|scores| scores.comments, COMMENTS),
        ];
        for (score, weight) in columns {
            add(&mut rates, chunks.iter().map(|chunk| score(&of_file[(chunk.0 - first) as usize])), weight);
        }
        if let Some((index, query)) = self.vectors {
            let cosine = |chunk: &ChunkIndex| index.score(self.view.chunk(*chunk).doc, query).unwrap_or(0.0).max(0.0);
            let cosines: Vec<f32> = chunks.iter().map(cosine).collect();
            add(&mut rates, cosines.into_iter(), VECTOR);
        }
        for (rate, chunk) in rates.iter_mut().zip(&chunks) {
            let row = self.view.chunk(*chunk);
            if matches!(row.kind, Kind::Block | Kind::Module) {
                let telling = (row.span.len() as f32 / TELLING_BYTES).min(1.0);
                *rate *= 0.5 + 0.5 * telling;
            } else {
                *rate += DEFINITION;
            }
            if row.is_test {
                *rate += TEST;
            }
            *rate += DEFINES * f32::from(self.defining.get(chunk).copied().unwrap_or(0));
        }
        let best = rates.iter().zip(chunks).max_by(|a, b| a.0.total_cmp(b.0).then(b.1.cmp(&a.1)));
        best.map(|(_, chunk)| chunk)
    }
}

/// Adds each score's share of the best.
fn add(rates: &mut [f32], scores: impl Iterator<Item = f32> + Clone, weight: f32) {
    let best = scores.clone().fold(0.0, f32::max);
    if best > 0.0 {
        rates.iter_mut().zip(scores).for_each(|(rate, score)| *rate += weight * score / best);
    }
}
