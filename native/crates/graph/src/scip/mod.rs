//! SCIP indexes: the definitions and references that a compiler's or a type checker's indexer wrote to a file.
//!
//! Indexes are read and never written. Of an index only names, symbols and definitions are kept; whether a document is
//! still valid for its file is checked elsewhere, against the text. Any bytes give an index or an error.

mod file;
mod index;
mod name;
mod position;
#[cfg(test)]
pub(crate) mod test_index;
mod wire;

pub use file::{ScipFile, find};
pub use index::Index;
pub(crate) use index::{Document, DocumentNumber, Name, SymbolNumber, name_hash};

/// Bytes that are no SCIP index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;
