//! Places of frequent words, kept from one query to the next.
//!
//! A few words stand in a third of all chunks and in every other query. Turning their postings to places takes longer than
//! all that is done with them. What is kept never changes a result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::error::Result;
use codecairn_index::view::View;
use codecairn_lexical::LexicalIndex;
use codecairn_lexical::analyzer::QueryTerm;

use super::chunk_postings::ChunkPostings;

/// Bytes of places kept at most. Only branches of about a million chunks have so many, where a frequent word takes some
/// megabytes and queries in words have dozens of them.
const MAX_CACHE_BYTES: usize = 256 << 20;
/// Words with fewer are found again in no time.
const MIN_CACHED_POSTINGS: usize = 1024;

/// The words that queries had, as far as there is room; who was not asked for longest goes first.
#[derive(Debug, Default)]
pub(super) struct PostingCache(Mutex<LruEntries>);

#[derive(Debug, Default)]
struct LruEntries {
    by_word: HashMap<String, Entry>,
    bytes: usize,
    /// Rises with each use.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    postings: Arc<ChunkPostings>,
    used: u64,
}

impl PostingCache {
    /// The places of a word in the branch.
    pub(super) fn find(&self, term: &QueryTerm, view: &View, index: &LexicalIndex) -> Result<Arc<ChunkPostings>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&term.term);
        if let Some(known) = known {
            return Ok(known);
        }
        let found = Arc::new(ChunkPostings::find(term, view, index)?);
        if found.len() >= MIN_CACHED_POSTINGS {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).keep(&term.term, &found, MAX_CACHE_BYTES);
        }
        Ok(found)
    }
}

impl LruEntries {
    fn get(&mut self, word: &str) -> Option<Arc<ChunkPostings>> {
        self.now += 1;
        let entry = self.by_word.get_mut(word)?;
        entry.used = self.now;
        Some(Arc::clone(&entry.postings))
    }

    /// Keeps the places of a word, if there is room for them without others.
    fn keep(&mut self, word: &str, postings: &Arc<ChunkPostings>, room: usize) {
        let bytes = postings.bytes();
        if bytes > room || self.by_word.contains_key(word) {
            return;
        }
        while self.bytes + bytes > room {
            let oldest = self.by_word.iter().min_by_key(|(_, entry)| entry.used).map(|(word, _)| word.clone());
            let Some(gone) = oldest.and_then(|word| self.by_word.remove(&word)) else { return };
            self.bytes -= gone.postings.bytes();
        }
        self.bytes += bytes;
        self.by_word.insert(word.to_owned(), Entry { postings: Arc::clone(postings), used: self.now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_longest_makes_room() {
        let mut known = LruEntries::default();
        let of = |count| Arc::new(ChunkPostings::of_chunks(0..count));
        let one = of(1).bytes();
        known.keep("a", &of(4), 10 * one);
        known.keep("b", &of(5), 10 * one);
        assert_eq!(known.get("a").unwrap().len(), 4);
        known.keep("c", &of(6), 10 * one);
        assert!(known.get("b").is_none());
        assert_eq!((known.get("a").unwrap().len(), known.get("c").unwrap().len(), known.bytes), (4, 6, 10 * one));
        known.keep("d", &of(11), 10 * one);
        assert!(known.get("d").is_none() && known.get("a").is_some());
    }
}
