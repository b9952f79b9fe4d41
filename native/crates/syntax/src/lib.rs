//! Parses texts into chunks and facts: definitions, references, imports, inheritance, comments.
//!
//! Parsing never fails: it returns what could be read and [`Diagnostic`]s.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod chunk;
pub mod kind;
pub mod language;

#[cfg(test)]
mod agreement;
mod arena;
mod c_tokens;
mod class_macros;
mod collect;
mod declaration_macros;
mod expression;
mod guard;
mod limit;
mod lost_macros;
mod lost_regions;
mod macro_statements;
mod macro_tokens;
mod name;
mod pack;
mod parse;
mod parse_sandbox;
mod query;
mod record;
mod resolve;
mod rows;
mod scopes;
mod tree;
mod values;
mod variables;

pub(crate) use collect::{Facts, Mark};
pub(crate) use limit::ParseLimit;
pub(crate) use lost_macros::add_lost_macros;
pub(crate) use name::Naming;
pub(crate) use parse::Grammar;
pub use parse::{ParseFailure, check_queries};
pub(crate) use parse_sandbox::ParseSandbox;
pub(crate) use query::MarkKind;
pub use query::{QueryError, QueryFile, query_files, query_text};
pub use record::{
    Binding, Diagnostic, Evidence, Extent, Import, Inheritance, Reference, ReferenceKind, Symbol, Syntax,
};
pub use resolve::POINTER_METHODS;
pub(crate) use resolve::resolve;
pub use rows::FactsReader;
pub(crate) use scopes::ChunkName;
pub(crate) use tree::{NodeNumber, Tree};
