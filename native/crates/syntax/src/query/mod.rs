//! Compiles tree-sitter queries, and matches them with an engine of our own.
//!
//! Tree-sitter's query cursor costs half as much as the parse, even for one pattern. Our queries are small trees of
//! node kinds and fields, so they are compiled into tables that are looked up by node kind while walking the
//! flat [`Tree`](super::tree::Tree) once; that costs a few per cent of the parse. The subset of the query language that
//! is understood is what [`form`] parses; everything else is an error when the query is compiled, never a silent
//! difference. Tests hold the results against tree-sitter's own engine.

mod capture;
mod compile;
mod error;
mod expand;
mod form;
mod matcher;
mod predicate;
mod source;

pub(crate) use capture::{MAX_SCOPES, MarkKind, Roles, StepNumber};
pub(crate) use compile::Query;
pub use error::QueryError;
pub(crate) use matcher::Matcher;
pub use source::{QueryFile, query_files, query_text};
