//! Reduces a document to its terms, hashed and counted.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use codecairn_lexical::analyzer::{for_each_term, query_terms, stem};

use super::marks;

/// Bytes of one term in a packed document: its hash, and how often it occurs.
const TERM_BYTES: usize = 10;

/// The terms of one document with how often they occur, ascending by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(super) terms: Vec<(i64, u16)>,
    pub(super) length: u32,
}

impl Document {
    /// The terms of some texts; those of a text of weight two count twice. `said` is the text that marks are derived
    /// from.
    pub(crate) fn of(fields: &[(&str, u16)], said: &str, speaker: &str) -> Self {
        let mut counts: BTreeMap<i64, u16> = BTreeMap::new();
        let mut length = 0_u32;
        for (text, weight) in fields {
            for_each_term(text, |term| {
                let count = counts.entry(hash(&stem(term))).or_default();
                *count = count.saturating_add(*weight);
                length = length.saturating_add(u32::from(*weight));
            });
        }
        for mark in marks::of(said, speaker) {
            counts.insert(mark, 1);
        }
        Self { terms: counts.into_iter().collect(), length }
    }

    pub(super) fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.terms.len() * TERM_BYTES);
        for (term, count) in &self.terms {
            bytes.extend(term.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        bytes
    }
}

/// The terms of a packed document.
pub(super) fn unpack(bytes: &[u8]) -> impl Iterator<Item = (i64, u16)> + '_ {
    bytes.as_chunks::<TERM_BYTES>().0.iter().map(read_term)
}

/// How often a term occurs in a packed document.
pub(super) fn count_in(bytes: &[u8], term: i64) -> Option<u16> {
    let terms = bytes.as_chunks::<TERM_BYTES>().0;
    terms.binary_search_by_key(&term, |bytes| read_term(bytes).0).ok().map(|at| read_term(&terms[at]).1)
}

fn read_term(bytes: &[u8; TERM_BYTES]) -> (i64, u16) {
    let (term, count) = bytes.split_first_chunk::<8>().expect("invariant: ten bytes");
    (i64::from_le_bytes(*term), u16::from_le_bytes([count[0], count[1]]))
}

/// The distinct terms of a statement, as hashes of their stems.
pub(crate) fn term_hashes(text: &str) -> BTreeSet<i64> {
    query_terms(text).iter().map(|term| hash(&term.stem)).collect()
}

pub(super) fn hash(stem: &str) -> i64 {
    xxh3_64(stem.as_bytes()) as i64
}
