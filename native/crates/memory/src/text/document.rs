//! Reduces a document to its terms, hashed and counted.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::error::Result;
use codecairn_lexical::analyzer::{for_each_prose_term, query_terms, stem};
use codecairn_lexical::{Field, PackedSegment};

use super::marks;

/// A term of the index: the hash of a stem, or a mark.
pub(super) type Term = u64;

/// The terms of one document with how often they occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Document {
    terms: BTreeMap<Term, (Field, u16)>,
}

impl Document {
    /// The terms of some texts; those of a text of weight two count twice. `said` is the text that marks are derived
    /// from.
    pub(crate) fn of(fields: &[(&str, u16)], said: &str, speaker: &str) -> Self {
        let mut terms: BTreeMap<Term, (Field, u16)> = BTreeMap::new();
        for (text, weight) in fields {
            for_each_prose_term(text, |term| {
                let (_, count) = terms.entry(hash(&stem(term))).or_insert((Field::Body, 0));
                *count = count.saturating_add(*weight);
            });
        }
        for mark in marks::of(said, speaker) {
            // Marks are no words, so they have a field of their own: the length of the text does not count them.
            terms.insert(mark, (Field::Names, 1));
        }
        Self { terms }
    }

    /// The segment of this document alone.
    pub(super) fn pack(&self) -> Result<PackedSegment> {
        PackedSegment::of_document(self.terms.iter().map(|(term, (field, count))| (key(*term), *field, *count)))
    }
}

/// A term as the index stores it.
pub(super) fn key(term: Term) -> [u8; 8] {
    term.to_be_bytes()
}

/// The distinct terms of a statement, as hashes of their stems.
pub(crate) fn term_hashes(text: &str) -> BTreeSet<u64> {
    query_terms(text).iter().map(|term| hash(&term.stem)).collect()
}

pub(super) fn hash(stem: &str) -> Term {
    xxh3_64(stem.as_bytes())
}
