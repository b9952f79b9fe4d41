//! Finds the chunks that are most similar to a piece of code, by reciprocal rank fusion of vectors and shared words;
//! ties go to the first by path and position.

use codecairn_base::error::Result;
use codecairn_index::view::ChunkIndex;
use codecairn_model::embed::Scratch;
use codecairn_model::vector::Query as VectorQuery;

use super::filter::Filters;
use super::fusion::RANK_CONSTANT;
use super::lexical::LexicalScores;
use super::query::{Query, QueryKind};
use super::request::RankedChunk;
use super::searcher::Searcher;
use super::vectors::VectorScores;

/// The number of terms that the lexical side searches for: the rarest ones of the text.
const TERMS: usize = 64;
/// The number of chunks that each side adds.
const DEPTH: usize = 200;

impl Searcher {
    /// The chunks most like `text`, best first: by vector and by shared words, fused by rank. Chunks
    /// for which `is_excluded` holds are left out, and a text that occurs several times is shown once.
    pub fn similar(
        &self,
        text: &str,
        query_vector: Option<&[f32]>,
        filters: &Filters,
        limit: usize,
        is_excluded: impl Fn(ChunkIndex) -> bool,
    ) -> Result<Vec<RankedChunk>> {
        let allowed = filters.apply(&self.view)?;
        let allowed = allowed.as_ref();
        let own = self.embedder.embed_document(text, &mut Scratch::default());
        let (index, vector) = self.space(query_vector, &own);
        let near = VectorQuery::new(vector)?;
        let vectors = VectorScores::compute(&near, &self.view, allowed, index, self.vector_method)?;
        let mut query = Query::parse(text);
        query.kind = QueryKind::Natural;
        query.identifiers.clear();
        let mut terms = query
            .terms
            .into_iter()
            .map(|term| Ok((self.lexical.term_postings(&term.term, self.view.live())?.len(), term)))
            .collect::<Result<Vec<_>>>()?;
        terms.sort_by_key(|(frequency, _)| *frequency);
        query.terms = terms.into_iter().map(|(_, term)| term).take(TERMS).collect();
        let by_words = LexicalScores::compute(self.scorer(&query)?, &self.view, allowed, DEPTH).best;
        let mut fused = std::collections::BTreeMap::<ChunkIndex, f32>::new();
        for list in [&vectors.nearest, &by_words] {
            for (position, &(chunk, _)) in list.iter().take(DEPTH).enumerate() {
                *fused.entry(chunk).or_default() += 1.0 / (RANK_CONSTANT + position as f32 + 1.0);
            }
        }
        let mut ranked: Vec<(ChunkIndex, f32)> = fused.into_iter().filter(|&(chunk, _)| !is_excluded(chunk)).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut seen = std::collections::BTreeSet::new();
        ranked.retain(|&(chunk, _)| seen.insert(self.view.chunk(chunk).doc));
        ranked.truncate(limit);
        Ok(ranked
            .into_iter()
            .map(|(chunk, score)| RankedChunk {
                chunk,
                score,
                confidence: None,
                contributions: Vec::new(),
                spans: Vec::new(),
            })
            .collect())
    }
}
