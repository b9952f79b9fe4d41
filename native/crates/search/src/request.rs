//! Defines a search request, and the ranked chunks that answer it.

use codecairn_base::span::LineSpan;
use codecairn_index::view::ChunkIndex;

use super::filter::Filters;
use super::fusion::Fusion;
use super::query::Query;
use super::ranker::Ranking;

/// A search request.
#[derive(Debug)]
pub struct Request<'a> {
    /// The query.
    pub query: &'a Query,
    /// Its vector in the space of the provider; without one, the built-in model's vectors are searched.
    pub query_vector: Option<&'a [f32]>,
    /// Conditions on hits.
    pub filters: &'a Filters,
    /// At most this many results.
    pub limit: usize,
    /// The score that files are ordered by.
    pub ranking: Ranking,
    /// The fusion of the retrievers' lists.
    pub fusion: Fusion,
    /// Whether to return each feature's contribution.
    pub explain: bool,
    /// How many tokens the spans of all results may have together; without one, no spans are chosen.
    pub token_budget: Option<usize>,
}

/// The contribution of a feature to a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: &'static str,
    /// Its value.
    pub value: f32,
    /// Its value times its weight.
    pub part: f32,
}

/// A ranked chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedChunk {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The score that decides the order, higher is better.
    pub score: f32,
    /// How probably the file has what the query needs, of a query in words.
    pub confidence: Option<f32>,
    /// The contributions of all features, if requested.
    pub contributions: Vec<Contribution>,
    /// The chosen spans of its file, the most probable first, if there is a token budget.
    pub spans: Vec<RankedSpan>,
}

/// A chunk of a ranked file that is worth its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSpan {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// How probably it is what the query needs, of all chunks of the ranked files.
    pub probability: f32,
    /// Its lines that the budget has room for, in order.
    pub shown: Vec<LineSpan>,
    /// The lines of each way to show it, if an explanation was requested: empty where there is none such.
    pub ways: Vec<Vec<LineSpan>>,
    /// The contributions of all features, if requested.
    pub contributions: Vec<Contribution>,
}
