//! Full text in the database itself: a document is searchable in the transaction that stores it.
//!
//! The analyzer is the code index's: identifiers in their parts, every script, Chinese, Japanese and Korean in pairs.
//! Terms are kept as hashes of their stems, so no word of a removed text stays behind in a dictionary. New documents
//! stand in a tail of small rows; when it is long, they become a segment, and segments become larger ones, as in the
//! code index, but in rows. Frequencies are counted over the spaces that a search looks at: a project has its own.
//!
//! A segment also knows the session of each event, so that what was said around an event, and in its session, speaks for
//! it in the same pass over the postings.

mod document;
mod document_frequencies;
mod index_parts;
mod marks;
mod posting;
mod question;
mod score;
mod score_bounds;
mod search;
mod segment;
mod top_k;

pub(super) use document::{Document, term_hashes};
pub(super) use index_parts::SegmentCache;
pub(super) use question::Question;
pub(super) use score_bounds::FACT_SURROUNDINGS;
pub(super) use search::{EventFilter, Search, SearchHit, search};
pub(super) use segment::{merge_largest, put, remove};

/// What is searched together: the events or the facts of one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Space(i64);

impl Space {
    pub(super) fn events(project: i64) -> Self {
        Self(project * 2)
    }

    pub(super) fn facts(project: i64) -> Self {
        Self(project * 2 + 1)
    }

    pub(super) fn is_facts(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn number(self) -> i64 {
        self.0
    }
}
