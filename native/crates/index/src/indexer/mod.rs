//! The indexer: walk, compare, parse, embed, commit, derive, publish.
//!
//! One thread reads files ahead within bounds, all cores prepare them, and one thread commits them in order. The
//! catalog is published last, in one transaction with the list of live segments, so a failure before leaves the branch
//! as it was; the next run finds contents that are already committed by their hash.

mod backpressure;
mod branch_counts;
mod commit;
mod compaction;
mod derived_files;
mod fatal_contents;
mod graphs;
mod merge_policy;
mod outcome;
mod pending_texts;
mod pipeline;
#[cfg(test)]
mod pipeline_tests;
mod plan;
mod prepare;
mod report;
mod restore_terms;
mod restore_vectors;
mod run;
mod scope;
mod segment_files;
mod term_segments;
mod text_locations;
mod tree;
mod vector_segments;
mod vector_spaces;

pub use compaction::close_gaps;
pub use fatal_contents::fatal_contents;
pub use graphs::{unlist_graphs, update_graphs};
pub use pending_texts::{TextSpans, blobs_of, places_of};
pub use plan::{LookOptions, Plan, current_branch};
pub use report::IndexReport;
pub use run::{FILE_GRACE_NS, Phase, Progress, RunOptions, index};
pub use scope::Scope;
pub use segment_files::{graph_file, lexical_files, vector_files};
pub use tree::{TreeChange, index_tree};
pub use vector_spaces::{SpaceName, pending_in, publish_vectors};
