//! Verifies a segment: decodes it whole and checks its sections against each other, in time linear to its size.

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::error::Result;

use super::layout::{BLOCK_ENTRY, STEM_ENTRY, TERMS_PER_BLOCK, u32_at, u64_at};
use super::length::quantise;
use super::posting::{Decoded, Frequencies};
use super::segment::{Segment, SegmentBytes};
use super::terms::stem_hash;

/// Checks the body's checksum, the order of terms, postings and stems, and the block index: whatever is looked up in the
/// segment can be read. Terms must be text.
pub(super) fn verify_structure<B: SegmentBytes>(segment: &Segment<B>) -> Result<()> {
    verify_checksum(segment)?;
    let is_text = |term: &[u8]| std::str::from_utf8(term).map(drop).map_err(|_| "a term is not text");
    let checked = check_terms(segment, is_text, |_, _| {}).and_then(|()| check_stems(segment, |_| true));
    checked.map(drop).map_err(|detail| segment.damaged(detail))
}

/// The same, and what is derived: that the lengths are the sums of the frequencies, and that each term is listed by its
/// stem. It takes twice as long.
pub(super) fn verify<B: SegmentBytes>(segment: &Segment<B>) -> Result<()> {
    verify_checksum(segment)?;
    check_derived(segment).map_err(|detail| segment.damaged(detail))
}

/// Checks the body's checksum alone.
pub(super) fn verify_checksum<B: SegmentBytes>(segment: &Segment<B>) -> Result<()> {
    if xxh3_64(segment.body()) == segment.header().body_checksum {
        Ok(())
    } else {
        Err(segment.damaged("the body's checksum does not match"))
    }
}

/// Checks the structure of terms and postings, with what `each_term` and `each_posting` make of them.
fn check_terms<B: SegmentBytes>(
    segment: &Segment<B>,
    mut each_term: impl FnMut(&[u8]) -> Decoded<()>,
    mut each_posting: impl FnMut(u32, Frequencies),
) -> Decoded<()> {
    let terms = segment.terms();
    let (mut cursor, mut last, mut number) = (terms.reader(), Vec::new(), 0usize);
    loop {
        let block = number / TERMS_PER_BLOCK * BLOCK_ENTRY;
        let begins = number.is_multiple_of(TERMS_PER_BLOCK) && number < terms.count as usize;
        if begins
            && (u32_at(terms.blocks, block).map(|at| at as usize), u64_at(terms.blocks, block + 4))
                != (Some(cursor.at), Some(cursor.postings_at))
        {
            return Err("the block index does not fit the dictionary");
        }
        let Some(range) = cursor.advance()? else { break };
        if cursor.term <= last {
            return Err("terms are out of order");
        }
        last.clone_from(&cursor.term);
        if range.is_empty() {
            return Err("a term without postings");
        }
        each_term(&cursor.term)?;
        segment.postings(range).for_each(&mut each_posting)?;
        number += 1;
    }
    if cursor.at == terms.dictionary.len() && cursor.postings_at == terms.postings_bytes {
        return Ok(());
    }
    Err("there are bytes after the last term")
}

/// Checks that the list by stem is in order and has only entries that fit; how many it has.
fn check_stems<B: SegmentBytes>(segment: &Segment<B>, fits: impl Fn((u32, u32)) -> bool) -> Decoded<usize> {
    let terms = segment.terms();
    let count = terms.stem_count();
    if terms.stems.len() != count * STEM_ENTRY {
        return Err("the list by stem ends early");
    }
    let mut last = None;
    for position in 0..count {
        let entry = terms.stem_entry(position)?;
        if last.is_some_and(|last| last >= entry) || entry.1 >= terms.count || !fits(entry) {
            return Err("the list by stem is out of order");
        }
        last = Some(entry);
    }
    Ok(count)
}

/// Checks terms, postings, lengths and stems.
fn check_derived<B: SegmentBytes>(segment: &Segment<B>) -> Decoded<()> {
    let mut totals = vec![[0u32; 3]; segment.header().count as usize];
    let mut stems = Vec::new();
    let add = |document: u32, found: Frequencies| {
        let total = &mut totals[document as usize];
        for (sum, more) in total.iter_mut().zip([found.body, found.names.into(), found.comments.into()]) {
            *sum = sum.saturating_add(more.into());
        }
    };
    let stem = |term: &[u8]| {
        stems.push(std::str::from_utf8(term).ok().and_then(stem_hash));
        Ok(())
    };
    check_terms(segment, stem, add)?;
    let fits = |(index, total): (usize, &[u32; 3])| segment.length_codes(index) == total.map(quantise);
    if !totals.iter().enumerate().all(fits) {
        return Err("lengths are not the sums of frequencies");
    }
    let listed = check_stems(segment, |(hash, term)| stems.get(term as usize).copied().flatten() == Some(hash))?;
    if listed == stems.iter().flatten().count() { Ok(()) } else { Err("the list by stem has not all terms") }
}
