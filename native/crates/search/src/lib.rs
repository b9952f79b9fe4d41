//! The search pipeline: retrievers, fusion, features, ranking, spans.
//!
//! Files are ranked first, then the best chunk of each is chosen, so a file gives at most one result. The order is
//! total (by score, ties by path) and depends on the branch's content alone: equal inputs give equal output.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod answer_places;
mod candidate_pool;
mod chunk_evidence;
mod chunk_postings;
mod definitions;
mod excerpts;
mod features;
mod filter;
mod fusion;
mod knapsack;
mod lexical;
mod max_score;
mod mentions;
mod models;
mod norms;
mod path_nearness;
mod path_vectors;

mod posting_cache;
mod query;
mod query_vectors;
mod query_words;
mod ranked_files;
mod ranker;
mod request;
mod result_confidence;
mod scorer;
mod scores;
mod search;
mod searcher;
mod similar_chunks;
mod span_features;
mod span_ranker;
mod span_ranking;
mod span_selection;
mod term_weights;
mod top_k_threshold;
mod vectors;

pub use features::{FEATURES, FeatureVector};
pub use filter::Filters;
pub use fusion::Fusion;
pub use models::Models;
pub use norms::LengthNorms;
pub use query::{Query, QueryKind, stemmed_words, translated};
pub use ranker::Ranking;
pub use request::{Contribution, RankedChunk, RankedSpan, Request};
pub use search::Texts;
pub use searcher::Searcher;
