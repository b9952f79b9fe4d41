//! Words to chunks: an analyzer that knows identifiers, immutable mapped segments, and BM25.
//!
//! A segment covers a contiguous range of documents and never changes. It stores frequencies and
//! lengths only, no scores: document frequencies and average lengths are those of the documents that
//! are searched, so scores do not depend on how documents are spread over segments. It stores no
//! text, no positions and no paths.
//!
//! | file | what it is |
//! |---|---|
//! | `analyzer/` | text → terms, the same for documents and queries |
//! | `batch` | some documents analysed, made in parallel |
//! | `builder`, `chain` | batches → a segment in memory |
//! | `layout`, `writer` | the file |
//! | `terms`, `posting`, `segment` | reading it |
//! | `index`, `score` | all segments as one, and BM25 |
//! | `merge`, `verify` | segments → one segment; is it whole |

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod analyzer;
mod batch;
mod builder;
mod chain;
mod index;
mod interner;
mod layout;
mod length;
mod merge;
mod posting;
mod score;
mod segment;
mod terms;
mod varint;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use batch::{AnalyzedBatch, Document};
pub use builder::SegmentBuilder;
pub use index::{ExactMatch, LexicalIndex};
pub use length::{FieldLengths, dequantise};
pub use merge::merge;
pub use score::{Bm25, Field, Posting, TermPostings, idf};
pub use writer::SegmentFile;
