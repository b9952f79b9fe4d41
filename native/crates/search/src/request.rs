//! A search request, and the ranked chunks that answer it.

use codecairn_index::view::ChunkIndex;

use super::filter::Filters;
use super::fusion::Fusion;
use super::query::Query;
use super::ranker::Ranking;

/// What is asked for.
#[derive(Debug)]
pub struct Request<'a> {
    /// The query.
    pub query: &'a Query,
    /// Its vector in the outside space, if there is one; else the built-in model's vectors are searched.
    pub query_vector: Option<&'a [f32]>,
    /// Conditions on hits.
    pub filters: &'a Filters,
    /// At most this many results.
    pub limit: usize,
    /// What decides the order.
    pub ranking: Ranking,
    /// How the pool is made.
    pub fusion: Fusion,
    /// Whether to say why.
    pub explain: bool,
}

/// One feature's part in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: &'static str,
    /// Its value.
    pub value: f32,
    /// Its value times its weight.
    pub part: f32,
}

/// A place, ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedChunk {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The score that decides the order, higher is better.
    pub score: f32,
    /// Why, if asked for.
    pub contributions: Vec<Contribution>,
}
