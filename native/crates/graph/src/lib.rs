//! The code graph: symbols, the references between them, and how certain each reference is.
//!
//! The facts of a file are stored with its content: symbols, references with their receivers, imports, bases, and
//! bindings that give names their types. The target of a reference depends on the other files of the branch, so it is
//! resolved at query time: nothing has to be recomputed when a branch is switched or a file changes.
//!
//! A name is resolved by its language's rules: scopes, the file, imports and re-exports, the package, members of the
//! receiver's type. A name that can't be resolved so is searched for by name alone, which gives candidates and no
//! facts.
//!
//! A SCIP index takes precedence where it has the name and is still valid for the files.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod scip;

mod bare_calls;
mod branch;
mod changed_symbols;
mod common_names;
mod community_label;
mod conditions;
mod constructors;
mod cpp_types;
mod edge;
mod edges;
mod exports;
mod extensions;
mod family;
mod file_facts;
mod full_graph;
mod full_graph_builder;
mod globals;
mod graph_algorithms;
mod graph_statistics;
mod implementations;
mod implicit_interfaces;
mod import_names;
mod linkage;
mod locals;
mod lua_tables;
mod members;
mod modules;
mod name_places;
mod name_resolution;
mod overloads;
mod overrides;
mod paths;
mod prototypes;
mod queries;
mod reachability;
mod receiver;
mod renamed_dependencies;
mod repository_layout;
mod resolver;
mod scip_evidence;
mod scip_resolution;
mod scoped_name;
mod symbol;
mod type_parameters;
mod types;
mod unresolved;
mod value;

pub use branch::BranchCache;
pub use edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
pub use queries::Graph;
pub use queries::{Node, Occurrence, Role};
pub use reachability::Direction;
pub use scip_evidence::WrittenTimes;
pub use symbol::SymbolId;
pub use unresolved::MAX_PLACES;
