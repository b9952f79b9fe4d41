//! SCIP indexes: what a compiler or a type checker found out about names, in a file that its indexer wrote.
//!
//! Only read here, never written. What is read is reduced to names, symbols and where those are defined; whether that still
//! holds for a file is judged by whoever has its text. Any bytes give an index or an error.

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
