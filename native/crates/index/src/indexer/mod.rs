//! From a folder to an index: walk, compare, parse, embed, commit, derive, publish.
//!
//! All cores prepare what one thread reads ahead, within bounds, and another one takes in. The catalog is published last, in one transaction with the list of live segments, so
//! whatever happens before leaves the branch as it was; contents already committed are found again
//! by their hash.

mod catch_up;
mod close_gaps;
mod commit;
mod count;
mod derive;
mod derive_terms;
mod derive_vectors;
mod embed_stored;
mod flow;
mod outcome;
mod pipeline;
#[cfg(test)]
mod pipeline_tests;
mod plan;
mod prepare;
mod report;
mod run;
mod scope;
mod segments;
mod spaces;
mod tree;
mod waiting_texts;

pub use close_gaps::close_gaps;
pub use derive::{lexical_files, vector_files};
pub use plan::{Look, Plan, current_branch};
pub use report::IndexReport;
pub use run::{FILE_GRACE_NS, Phase, Progress, RunOptions, index};
pub use scope::Scope;
pub use spaces::{SpaceName, pending_in, publish_vectors};
pub use tree::{TreeChange, index_tree};
pub use waiting_texts::{TextPlaces, blobs_of, places_of};
