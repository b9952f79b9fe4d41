//! The full-text index inside the database: a document is searchable in the transaction that stores it.
//!
//! The analyzer is that of the code index. Terms are stored as hashes of their stems, so no word of a removed text
//! stays in a dictionary. New documents are in a tail of small rows; a long tail becomes a segment, and segments of one
//! level are merged into a larger one, as in a log-structured merge tree. Document frequencies are counted over the
//! searched spaces: a project has its own.
//!
//! A segment also has the session of each event, so that one pass over the postings scores events, their neighbours and
//! whole sessions.

mod document;
mod document_frequencies;
mod index_parts;
mod marks;
mod posting;
mod question;
mod rarity;
mod score;
mod score_bounds;
mod search;
mod segment;
mod top_k;

pub(super) use document::{Document, term_hashes};
pub(super) use index_parts::SegmentCache;
pub(super) use question::Question;
pub(super) use rarity::rarities;
pub(super) use score_bounds::FACT_SURROUNDINGS;
pub(super) use search::{EventFilter, Search, SearchHit, search};
pub(super) use segment::{merge_largest, put, remove};

/// A space of documents: the events or the facts of one project.
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
