//! The full-text index inside the database: a document is searchable in the transaction that stores it.
//!
//! The inverted index is that of the code, [`codecairn_lexical`]: its analyzer, segments, merging and BM25. What is the
//! memory's own is where segments lie, who speaks in which session, and which signals rank a document. A segment is a row
//! with its documents; frequencies are counted over the searched spaces: a project has its own. Terms are stored as hashes
//! of their stems, so no word of a removed text stays in a dictionary.
//!
//! The segments of a space are read as one run of documents, so that neighbours in a session are found however documents
//! are spread over segments, and one pass over the postings scores events, their neighbours and whole sessions.

mod document;
mod marks;
mod question;
mod rarity;
mod score;
mod score_bounds;
mod search;
mod segment;
mod space_index;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_lexical::analyzer::ANALYZER_VERSION;
use codecairn_lexical::translation::DICTIONARY_VERSION;

pub(super) use document::{Document, term_hashes};
pub(super) use question::Question;
pub(super) use rarity::rarities;
pub(super) use score_bounds::FACT_SURROUNDINGS;
pub(super) use search::{EventFilter, Search, SearchHit, search};
pub(super) use segment::{merge_largest, problems, put, remove, replace};
pub(super) use space_index::SegmentCache;

/// Changes whenever the same document would be indexed differently, besides the versions of the analyzer and its words.
const FORMAT: u64 = 2;
const VERSION: u64 = FORMAT << 48 | (DICTIONARY_VERSION as u64) << 16 | ANALYZER_VERSION as u64;
/// The key in `meta` of the version that the index was built with.
const VERSION_KEY: &str = "text_version";

/// Whether the index was built by this version; another one can't be searched and is rebuilt.
pub(super) fn is_current(database: &Database) -> Result<bool> {
    Ok(database.number(VERSION_KEY)? == VERSION)
}

/// Empties the index, to be rebuilt by this version. Runs inside a transaction.
pub(super) fn reset(database: &Database) -> Result<()> {
    database.script("DELETE FROM text_segment;")?;
    database.set_number(VERSION_KEY, VERSION)
}

/// A space of documents: the events or the facts of one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Space(i64);

impl Space {
    pub(super) const fn events(project: i64) -> Self {
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
