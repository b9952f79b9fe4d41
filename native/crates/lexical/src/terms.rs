//! The sorted dictionary of a segment and the way from a stem to its terms.
//!
//! Terms are sorted by bytes and front-coded in blocks of 16: each is stored without the prefix that it shares with the
//! term before (the first of a block is stored whole) as a byte with both lengths, 15 meaning that a byte with the rest
//! follows, then the remaining bytes, then the length of its postings as a varint. The block index has twelve bytes a
//! block: its offset in the dictionary and that of its postings. A look-up is a binary search over blocks and a scan of
//! one.
//!
//! Stems are not stored. Terms that differ from their stem are listed, eight bytes each: half of the xxh3-64 of the
//! stem, and the term's number, sorted in that order. The group of a stem is found by binary search for its hash and
//! checked by stemming the decoded terms; a term that is its own stem is found in the dictionary.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::analyzer::{MAX_TERM_BYTES, stem};
use super::layout::{BLOCK_ENTRY, STEM_ENTRY, TERMS_PER_BLOCK, u32_at, u64_at};
use super::posting::Decoded;
use super::varint;

/// Lengths from here on continue in a byte of their own.
const LONG: usize = 15;

/// A dictionary being written, in order of terms.
#[derive(Debug, Default)]
pub(super) struct TermsWriter {
    pub(super) dictionary: Vec<u8>,
    pub(super) blocks: Vec<u8>,
    pub(super) count: u32,
    pub(super) postings_bytes: u64,
    last: Vec<u8>,
    /// Hash of the stem and number of each term that differs from it.
    stems: Vec<(u32, u32)>,
}

impl TermsWriter {
    /// Appends `term`, which follows the one before in byte order, with the length of its postings.
    pub(super) fn push(&mut self, term: &[u8], postings: usize) {
        debug_assert!(self.count == 0 || self.last.as_slice() < term, "terms rise");
        debug_assert!(term.len() <= MAX_TERM_BYTES, "terms are cut");
        let is_first = (self.count as usize).is_multiple_of(TERMS_PER_BLOCK);
        if is_first {
            let at = u32::try_from(self.dictionary.len()).expect("invariant: a segment has less than 4 GiB of terms");
            self.blocks.extend_from_slice(&at.to_le_bytes());
            self.blocks.extend_from_slice(&self.postings_bytes.to_le_bytes());
        }
        let shared = if is_first { 0 } else { self.last.iter().zip(term).take_while(|(a, b)| a == b).count() };
        let rest = &term[shared..];
        self.dictionary.push((shared.min(LONG) | rest.len().min(LONG) << 4) as u8);
        for length in [shared, rest.len()] {
            if length >= LONG {
                self.dictionary.push((length - LONG) as u8);
            }
        }
        self.dictionary.extend_from_slice(rest);
        varint::put(&mut self.dictionary, postings as u32);
        if let Some(hash) = std::str::from_utf8(term).ok().and_then(stem_hash) {
            self.stems.push((hash, self.count));
        }
        self.last.clear();
        self.last.extend_from_slice(term);
        self.postings_bytes += postings as u64;
        self.count += 1;
    }

    /// The list of terms by stem.
    pub(super) fn stems(&mut self) -> Vec<u8> {
        self.stems.sort_unstable();
        self.stems.iter().flat_map(|(hash, number)| [hash.to_le_bytes(), number.to_le_bytes()].concat()).collect()
    }
}

/// The hash under which a term is listed by stem, if it differs from its stem.
pub(super) fn stem_hash(term: &str) -> Option<u32> {
    let stem = stem(term);
    (stem != term).then(|| hash(&stem))
}

fn hash(stem: &str) -> u32 {
    xxh3_64(stem.as_bytes()) as u32
}

/// The dictionary of an open segment. Any bytes are allowed; invalid ones are errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) dictionary: &'a [u8],
    pub(super) blocks: &'a [u8],
    pub(super) stems: &'a [u8],
    pub(super) count: u32,
    pub(super) postings_bytes: u64,
}

impl<'a> Terms<'a> {
    /// The range of the postings of `term`, if it is in the dictionary.
    pub(super) fn find(&self, term: &[u8]) -> Decoded<Option<Range<usize>>> {
        // The last block whose first term is not above the one sought.
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.head(middle)? <= term { low = middle + 1 } else { high = middle }
        }
        let Some(block) = low.checked_sub(1) else { return Ok(None) };
        let mut cursor = self.cursor(block)?;
        for _ in 0..TERMS_PER_BLOCK {
            let Some(postings) = cursor.advance()? else { break };
            match cursor.term.as_slice().cmp(term) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(postings)),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// The ranges of the postings of all terms with this stem.
    pub(super) fn group(&self, sought: &str) -> Decoded<Vec<Range<usize>>> {
        let mut group = Vec::new();
        if stem(sought) == sought
            && let Some(postings) = self.find(sought.as_bytes())?
        {
            group.push(postings);
        }
        let hash = hash(sought);
        let (mut low, mut high) = (0, self.stem_count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.stem_entry(middle)?.0 < hash { low = middle + 1 } else { high = middle }
        }
        for position in low..self.stem_count() {
            let (of_term, number) = self.stem_entry(position)?;
            if of_term != hash {
                break;
            }
            let (term, postings) = self.term(number)?;
            if stem(&term) == sought {
                group.push(postings);
            }
        }
        Ok(group)
    }

    pub(super) fn stem_count(&self) -> usize {
        self.stems.len() / STEM_ENTRY
    }

    /// Hash of the stem and number of the term at `position` of the list by stem.
    pub(super) fn stem_entry(&self, position: usize) -> Decoded<(u32, u32)> {
        let at = position * STEM_ENTRY;
        let entry = u32_at(self.stems, at).zip(u32_at(self.stems, at + 4));
        entry.ok_or("the list by stem ends early")
    }

    /// The term of this number and the range of its postings.
    pub(super) fn term(&self, number: u32) -> Decoded<(String, Range<usize>)> {
        if number >= self.count {
            return Err("the list by stem has a term beyond the last");
        }
        let mut cursor = self.cursor(number as usize / TERMS_PER_BLOCK)?;
        let mut postings = None;
        for _ in 0..=number as usize % TERMS_PER_BLOCK {
            postings = cursor.advance()?;
        }
        let term = String::from_utf8(cursor.term).map_err(|_| "a term is not text")?;
        Ok((term, postings.ok_or("a block ends early")?))
    }

    /// The first term of `block`.
    fn head(&self, block: usize) -> Decoded<&'a [u8]> {
        let mut cursor = self.cursor(block)?;
        let (shared, rest) = cursor.lengths()?;
        let head = cursor.dictionary.get(cursor.at..cursor.at + rest).filter(|_| shared == 0);
        head.ok_or("a block begins with half a term")
    }

    /// Reads on from the first term of `block`.
    pub(super) fn cursor(&self, block: usize) -> Decoded<TermCursor<'a>> {
        let entry = block * BLOCK_ENTRY;
        let at = u32_at(self.blocks, entry).ok_or("the block index ends early")?;
        let postings_at = u64_at(self.blocks, entry + 4).ok_or("the block index ends early")?;
        Ok(TermCursor {
            dictionary: self.dictionary,
            at: at as usize,
            left: self.count.checked_sub((block * TERMS_PER_BLOCK) as u32).ok_or("a block beyond the last")?,
            term: Vec::new(),
            postings_at,
            postings_bytes: self.postings_bytes,
        })
    }

    /// Reads all terms from the first on, without the block index.
    pub(super) fn reader(&self) -> TermCursor<'a> {
        let (dictionary, postings_bytes) = (self.dictionary, self.postings_bytes);
        TermCursor { dictionary, at: 0, left: self.count, term: Vec::new(), postings_at: 0, postings_bytes }
    }

    fn block_count(&self) -> usize {
        self.blocks.len() / BLOCK_ENTRY
    }
}

/// Reads terms one after another, over the ends of blocks.
#[derive(Debug)]
pub(super) struct TermCursor<'a> {
    dictionary: &'a [u8],
    pub(super) at: usize,
    left: u32,
    /// The term last read.
    pub(super) term: Vec<u8>,
    pub(super) postings_at: u64,
    postings_bytes: u64,
}

impl TermCursor<'_> {
    /// Moves to the next term and returns the range of its postings; `None` after the last.
    pub(super) fn advance(&mut self) -> Decoded<Option<Range<usize>>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let (shared, rest) = self.lengths()?;
        if shared > self.term.len() || shared + rest > MAX_TERM_BYTES {
            return Err("a term is longer than terms are");
        }
        let rest = self.dictionary.get(self.at..self.at + rest).ok_or("the dictionary ends early")?;
        self.at += rest.len();
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        let length = varint::get(self.dictionary, &mut self.at).ok_or("the dictionary ends early")?;
        let start = self.postings_at;
        let end = start.checked_add(length.into()).filter(|end| *end <= self.postings_bytes);
        self.postings_at = end.ok_or("postings beyond the last")?;
        Ok(Some(start as usize..self.postings_at as usize))
    }

    /// How many bytes the next term shares with the last one, and how many follow.
    fn lengths(&mut self) -> Decoded<(usize, usize)> {
        let lengths = usize::from(self.byte()?);
        Ok((self.length(lengths & LONG)?, self.length(lengths >> 4)?))
    }

    fn length(&mut self, coded: usize) -> Decoded<usize> {
        if coded < LONG { Ok(coded) } else { Ok(LONG + usize::from(self.byte()?)) }
    }

    fn byte(&mut self) -> Decoded<u8> {
        let byte = *self.dictionary.get(self.at).ok_or("the dictionary ends early")?;
        self.at += 1;
        Ok(byte)
    }
}
