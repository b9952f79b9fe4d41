//! Caches words between texts, one cache per thread: the words of earlier texts, and a model's result for each.
//!
//! Invariant: it speeds embedding up and never changes a result. Its size is bounded by so many words as its model
//! wants and the words of one text; it is cleared when a text begins and it is full, or when it is handed to another
//! model.

use xxhash_rust::xxh3::xxh3_64;

/// Room to work in for one thread; hand the same one to each call.
#[derive(Debug, Default)]
pub struct Scratch {
    owner: u64,
    pub(super) words: WordTable,
    /// One row of the model's width per word (feature hashing).
    pub(super) rows: Vec<i8>,
    /// Where each word's vocabulary rows begin in `pieces` (static model).
    pub(super) piece_starts: Vec<u32>,
    /// Vocabulary rows, word after word (static model).
    pub(super) pieces: Vec<u32>,
    /// How often each vocabulary row was met in the text (static model).
    pub(super) row_counts: Vec<u32>,
    /// Vocabulary rows met in the text, in order (static model).
    pub(super) met: Vec<u32>,
}

impl Scratch {
    /// Prepares for one text of the model `owner`; words of another model are cleared, and all after `most_words`.
    pub(super) fn begin(&mut self, owner: u64, most_words: usize) {
        if self.owner != owner || self.words.len() >= most_words {
            *self = Self { owner, ..Self::default() };
        }
        self.words.begin();
    }
}

/// Distinct words, numbered as they come, with their counts in the current text.
#[derive(Debug, Default)]
pub(super) struct WordTable {
    /// Open addressing by hash: word number plus one, zero for a free slot. A power of two long.
    slots: Vec<u32>,
    entries: Vec<Entry>,
    text: Vec<u8>,
    /// Words of the current text in order of first occurrence.
    met: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    start: u32,
    len: u32,
    count: u32,
}

impl WordTable {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn begin(&mut self) {
        for word in self.met.drain(..) {
            self.entries[word as usize].count = 0;
        }
    }

    /// Counts `word` and returns its number and whether it was never met before.
    pub(super) fn count(&mut self, word: &str) -> (usize, bool) {
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = xxh3_64(word.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while let Some(index) = (self.slots[slot] as usize).checked_sub(1) {
            let entry = &mut self.entries[index];
            let start = entry.start as usize;
            if entry.hash == hash && &self.text[start..start + entry.len as usize] == word.as_bytes() {
                if entry.count == 0 {
                    self.met.push(index as u32);
                }
                entry.count += 1;
                return (index, false);
            }
            slot = (slot + 1) & mask;
        }
        let index = self.entries.len();
        self.slots[slot] = index as u32 + 1;
        self.entries.push(Entry { hash, start: self.text.len() as u32, len: word.len() as u32, count: 1 });
        self.text.extend_from_slice(word.as_bytes());
        self.met.push(index as u32);
        (index, true)
    }

    /// The words of the current text in order of first occurrence, with their counts.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.met.iter().map(|&word| (word as usize, self.entries[word as usize].count))
    }

    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(1_024);
        self.slots.clear();
        self.slots.resize(len, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_belong_to_one_text_and_numbers_stay() {
        let mut scratch = Scratch::default();
        scratch.begin(1, 1000);
        assert_eq!(["b", "a", "b"].map(|word| scratch.words.count(word)), [(0, true), (1, true), (0, false)]);
        assert_eq!(scratch.words.entries().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
        scratch.begin(1, 1000);
        assert_eq!(["c", "a"].map(|word| scratch.words.count(word)), [(2, true), (1, false)]);
        assert_eq!(scratch.words.entries().collect::<Vec<_>>(), [(2, 1), (1, 1)]);
    }

    #[test]
    fn another_model_or_a_full_table_starts_anew() {
        let mut scratch = Scratch::default();
        scratch.begin(1, 1000);
        scratch.words.count("a");
        scratch.begin(2, 1000);
        assert_eq!(scratch.words.len(), 0);
        for word in 0..1000 {
            assert_eq!(scratch.words.count(&word.to_string()), (word, true));
        }
        assert_eq!(scratch.words.count("77"), (77, false));
        scratch.begin(2, 1000);
        assert_eq!(scratch.words.len(), 0);
    }
}
