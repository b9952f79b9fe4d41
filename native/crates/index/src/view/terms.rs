//! Stores the inverted index of words in paths as sorted columns; a word is found by bisection.

use std::collections::HashMap;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::image::{Column, Image, ImageBuilder};

/// The frequency of a word in a file's path and in its stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PathPosting {
    pub(super) file: u32,
    pub(super) in_path: u8,
    pub(super) in_stem: u8,
    pub(super) zero: u16,
}

/// The columns of a table: bytes of the words, their ends, the ends of their postings, the postings.
pub(super) type TermColumns = [Column; 4];

/// Sorted words with their postings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'a> {
    bytes: &'a [u8],
    ends: &'a [u32],
    posting_ends: &'a [u32],
    postings: &'a [PathPosting],
}

impl<'a> Terms<'a> {
    pub(super) fn of(image: &'a Image, columns: TermColumns) -> Self {
        let [bytes, ends, posting_ends, postings] = columns;
        Self {
            bytes: image.column(bytes),
            ends: image.column(ends),
            posting_ends: image.column(posting_ends),
            postings: image.column(postings),
        }
    }

    /// The words from the first one that is not below `word` on.
    pub(super) fn from(&self, word: &[u8]) -> Range<usize> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.word(middle) < word { low = middle + 1 } else { high = middle }
        }
        low..self.ends.len()
    }

    /// The postings of exactly this word.
    pub(super) fn find(&self, word: &[u8]) -> &'a [PathPosting] {
        let at = self.from(word).start;
        if at < self.ends.len() && self.word(at) == word { self.postings(at) } else { &[] }
    }

    /// A word by its number.
    pub(super) fn word(&self, at: usize) -> &'a [u8] {
        range(self.bytes, self.ends, at)
    }

    /// The postings of a word by its number, by file.
    pub(super) fn postings(&self, at: usize) -> &'a [PathPosting] {
        range(self.postings, self.posting_ends, at)
    }
}

fn range<'a, T>(values: &'a [T], ends: &[u32], at: usize) -> &'a [T] {
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    &values[start as usize..ends[at] as usize]
}

/// Gathers words file by file.
#[derive(Debug, Default)]
pub(super) struct TermsBuilder(HashMap<Box<str>, Vec<PathPosting>>);

impl TermsBuilder {
    /// Adds a word of `file`; files come in order.
    pub(super) fn add(&mut self, word: &str, file: u32, in_path: u8, in_stem: u8) {
        let posting = PathPosting { file, in_path, in_stem, zero: 0 };
        match self.0.get_mut(word) {
            Some(list) => list.push(posting),
            None => drop(self.0.insert(word.into(), vec![posting])),
        }
    }

    /// Appends the table's columns.
    pub(super) fn push(self, image: &mut ImageBuilder, columns: TermColumns) {
        let mut words: Vec<_> = self.0.into_iter().collect();
        words.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let (mut bytes, mut ends, mut posting_ends, mut postings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (word, list) in words {
            bytes.extend_from_slice(word.as_bytes());
            ends.push(bytes.len() as u32);
            postings.extend(list);
            posting_ends.push(postings.len() as u32);
        }
        image.push(columns[0], bytes);
        image.push(columns[1], ends);
        image.push(columns[2], posting_ends);
        image.push(columns[3], postings);
    }
}
