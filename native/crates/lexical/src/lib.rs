//! The inverted index: an analyzer for identifiers, immutable memory-mapped segments, and BM25.
//!
//! A segment covers a contiguous range of documents and never changes. It stores term frequencies and field lengths,
//! and neither scores nor texts, positions or paths. Document frequencies and average lengths are taken over the
//! documents that are searched, so scores do not depend on how documents are spread over segments.
//!
//! | file | content |
//! |---|---|
//! | `analyzer/` | text → terms, the same for documents and queries |
//! | `batch` | analysed documents, made in parallel |
//! | `builder`, `chain` | batches → a segment in memory |
//! | `layout`, `writer` | the file format and its writer |
//! | `terms`, `posting`, `segment` | its reader |
//! | `index`, `score` | all segments as one, and BM25 |
//! | `placement` | a segment without its place, for another store |
//! | `packed_segment` | a segment in bytes that the caller stores, as the memory does |
//! | `frequency_list`, `top_k` | decoded postings, and the best of many scores |
//! | `translation/` | questions in other languages → English words |
//! | `merge`, `verify` | merging segments, and checking one against its checksum |

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

pub mod analyzer;
mod batch;
mod builder;
mod chain;
mod frequency_list;
mod index;
mod interner;
mod layout;
mod length;
mod merge;
mod packed_segment;
mod placement;
mod posting;
mod score;
mod segment;
mod terms;
mod top_k;
pub mod translation;
mod varint;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use batch::{AnalyzedBatch, Document};
pub use builder::SegmentBuilder;
pub use frequency_list::FrequencyList;
pub use index::{ExactMatch, LexicalIndex};
pub use length::{FieldLengths, dequantise};
pub use merge::merge;
pub use packed_segment::PackedSegment;
pub use placement::{format_name, put_in, take_out};
pub use score::{Bm25, Field, Posting, TermPostings, average_length, idf};
pub use top_k::{TopK, top_k};
pub use writer::SegmentFile;
