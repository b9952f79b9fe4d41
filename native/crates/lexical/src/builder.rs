//! Builds a segment in memory: documents are appended to it before it is written.

use std::path::Path;

use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};

use super::batch::AnalyzedBatch;
use super::chain::{Chain, ChainArena};
use super::interner::Interner;
use super::posting;
use super::writer::{SegmentFile, SegmentWriter};

/// Collects analysed documents until they are written as one segment. It needs about three times the memory of the file
/// that it writes.
#[derive(Debug)]
pub struct SegmentBuilder {
    first: DocId,
    terms: Interner,
    /// By term: its encoded postings.
    postings: Vec<TermPostings>,
    arena: ChainArena,
    lengths: Vec<[u8; 3]>,
    /// By term of the batch being pushed: the term here, plus one; zero while not looked up.
    numbers: Vec<u32>,
    encoded: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default)]
struct TermPostings {
    chain: Chain,
    /// One past the last document.
    expected: u32,
}

impl SegmentBuilder {
    /// An empty segment whose documents will be numbered from `first`.
    pub fn new(first: DocId) -> Self {
        Self {
            first,
            terms: Interner::default(),
            postings: Vec::new(),
            arena: ChainArena::default(),
            lengths: Vec::new(),
            numbers: Vec::new(),
            encoded: Vec::new(),
        }
    }

    /// Appends the documents of `batch` that `keep` marks; they get the next numbers in order.
    ///
    /// # Panics
    /// If `keep` does not have one entry per document, which would number documents wrongly.
    pub fn push(&mut self, batch: &AnalyzedBatch, keep: &[bool]) {
        assert_eq!(batch.len(), keep.len(), "one mark per document");
        let strings: Vec<&[u8]> = batch.terms().iter().collect();
        self.numbers.clear();
        self.numbers.resize(strings.len(), 0);
        for ((lengths, occurrences), _) in batch.documents().zip(keep).filter(|(_, keep)| **keep) {
            let document = self.lengths.len() as u32;
            for &(local, found) in occurrences {
                let number = &mut self.numbers[local as usize];
                if *number == 0 {
                    *number = self.terms.intern(strings[local as usize]) + 1;
                    self.postings.resize(self.terms.len(), TermPostings::default());
                }
                let term = &mut self.postings[*number as usize - 1];
                self.encoded.clear();
                posting::put(&mut self.encoded, document, term.expected, found);
                term.expected = document + 1;
                self.arena.append(&mut term.chain, &self.encoded);
            }
            self.lengths.push(lengths);
        }
    }

    /// Number of documents taken.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether no document was taken.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Memory in use, by which a caller bounds it.
    pub fn byte_size(&self) -> usize {
        self.terms.byte_size()
            + self.arena.byte_size()
            + size_of::<TermPostings>() * self.postings.capacity()
            + size_of::<[u8; 3]>() * self.lengths.capacity()
    }

    /// Writes the segment to `folder` and syncs it; a file of that name appears only when it is whole.
    ///
    /// # Errors
    /// Input and output errors.
    pub fn write(self, folder: &Path, generation: Generation) -> Result<SegmentFile> {
        // Most terms differ in their first eight bytes, which are compared without following a pointer.
        let mut order: Vec<(u64, u32)> =
            (0..self.terms.len() as u32).map(|term| (first_bytes(self.terms.get(term)), term)).collect();
        order.sort_unstable_by(|(left, left_term), (right, right_term)| {
            left.cmp(right).then_with(|| self.terms.get(*left_term).cmp(self.terms.get(*right_term)))
        });
        let mut writer = SegmentWriter::create(folder, self.first, generation, &self.lengths)?;
        let mut encoded = self.encoded;
        for (_, term) in order {
            encoded.clear();
            self.arena.read(&self.postings[term as usize].chain, &mut encoded);
            writer.push(self.terms.get(term), &encoded)?;
        }
        writer.publish()
    }
}

/// The first eight bytes of a term as a big-endian number, padded with zeros: numbers compare as terms do.
fn first_bytes(term: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = term.len().min(8);
    first[..length].copy_from_slice(&term[..length]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_never_contradict_the_order_of_terms() {
        let terms: [&[u8]; 9] =
            [b"", b"\0", b"\0\0", b"a", b"a\0", b"ab", b"abcdefgh", b"abcdefgh1", "\u{e4}bc".as_bytes()];
        assert!(terms.is_sorted());
        assert!(terms.is_sorted_by_key(|term| first_bytes(term)));
    }
}
