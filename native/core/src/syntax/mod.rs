//! What a parse tells besides the chunks: definitions, references, imports, inheritance, comments.
//!
//! Parsing never fails: it returns what could be read and [`Diagnostic`]s.

mod record;

pub use record::{Diagnostic, Import, Inheritance, Reference, ReferenceKind, Symbol, Syntax};
