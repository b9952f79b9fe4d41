//! From a query to ranked places: retrievers, fusion, features, ranking, spans.
//!
//! Files are ranked first, then the best span inside each is chosen; one result a file. The order is
//! total and depends on the branch's content alone: equal inputs give equal output.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod best;
mod define;
mod features;
mod filter;
mod floor;
mod fusion;
mod gathering;
mod known_places;
mod lexical;
mod mentions;
mod norms;
mod order;
mod path_vectors;
mod places;
mod pool;
mod query;
mod query_vectors;
mod ranking;
mod scorer;
mod scores;
mod search;
mod similar;
mod spans;
mod survey;
mod vectors;
mod weights;

pub use features::{FEATURES, FeatureVector};
pub use filter::Filters;
pub use fusion::Fusion;
pub use norms::LengthNorms;
pub use query::{Query, QueryKind};
pub use ranking::{Ranker, Ranking};
pub use search::{Contribution, Ranked, Request, Searcher, Texts};
