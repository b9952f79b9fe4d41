//! Defines a search request, and the ranked chunks that answer it.

use codecairn_base::span::{ByteSpan, LineSpan};
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
    /// The chosen places of its file, in order of their lines, if there is a token budget.
    pub spans: Vec<RankedSpan>,
}

/// A place of a ranked file that is worth its tokens: a definition, or a piece of one.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSpan {
    /// The most probable of its chunks.
    pub chunk: ChunkIndex,
    /// The first and the last of its chunks, which are neighbours.
    pub chunks: (ChunkIndex, ChunkIndex),
    /// The line with the name of the definition that it is a later piece of: its number and its bytes.
    pub head: Option<(u32, ByteSpan)>,
    /// How probably it is what the query needs, of all places of the ranked files.
    pub probability: f32,
    /// Its lines that the budget has room for, in order; the head comes first where it is shown.
    pub shown: Vec<LineSpan>,
    /// The lines of each way to show it, if an explanation was requested: empty where there is none such.
    pub ways: Vec<Vec<LineSpan>>,
    /// The contributions of all features of its most probable chunk, if requested.
    pub contributions: Vec<Contribution>,
}
