//! Caches the postings of frequent terms by LRU, bounded by bytes.
//!
//! A few terms are in a third of all chunks and in every other query, and mapping their postings to chunks takes longer
//! than scoring them. The cache never changes a result. An insertion that needs room scans all entries for the least
//! recently used one; there are some dozens of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::error::Result;
use codecairn_index::view::View;
use codecairn_lexical::LexicalIndex;
use codecairn_lexical::analyzer::QueryTerm;

use super::chunk_postings::ChunkPostings;

/// Bytes of cached postings. Only branches of about a million chunks reach the bound: a frequent term takes some
/// megabytes there, and queries in prose have dozens.
const MAX_CACHE_BYTES: usize = 256 << 20;
/// Terms with fewer postings are not cached: mapping them takes microseconds.
const MIN_CACHED_POSTINGS: usize = 1024;

/// The cached postings by term, for all threads.
#[derive(Debug, Default)]
pub(super) struct PostingCache(Mutex<LruEntries>);

#[derive(Debug, Default)]
struct LruEntries {
    by_word: HashMap<String, Entry>,
    bytes: usize,
    /// A counter of look-ups, the clock of the LRU order.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    postings: Arc<ChunkPostings>,
    used: u64,
}

impl PostingCache {
    /// The postings of a term in the branch, from the cache or mapped now.
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

    /// Caches the postings of a term, if they fit into `room` at all; evicts the least recently used terms.
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
