//! The code graph: who uses what, and how sure that is.
//!
//! What a file says of itself is stored with its content: symbols, uses with their receivers, imports, bases, and what
//! tells the types of names. Where a use leads depends on the other files of the branch, so it is found when it is asked:
//! nothing has to be computed anew when a branch is switched or a file changes.
//!
//! A name is traced as its language would: scopes, the file, imports and re-exports, the package, members of the type of
//! what stands before it. What can't be traced so is looked for by name alone, which gives candidates and no facts.
//!
//! Where a SCIP index says what a name means, and still holds for the files, that is the answer.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod scip;

mod branch;
mod changed_symbols;
mod common_names;
mod community_label;
mod edge;
mod edges;
mod exports;
mod family;
mod file_facts;
mod full_graph;
mod full_graph_builder;
mod globals;
mod graph_algorithms;
mod graph_statistics;
mod members;
mod modules;
mod name_resolution;
mod overrides;
mod paths;
mod queries;
mod reachability;
mod receiver;
mod repository_layout;
mod resolver;
mod scip_evidence;
mod scip_resolution;
mod scoped_name;
mod symbol;
mod types;
mod value;

pub use branch::BranchCache;
pub use edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
pub use queries::Graph;
pub use queries::{Node, Occurrence, Role};
pub use reachability::Direction;
pub use scip_evidence::WrittenTimes;
pub use symbol::SymbolId;
