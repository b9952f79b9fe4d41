//! Verifies a segment: decodes it whole and checks its sections against each other, in time linear to its size.

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::error::Result;

use super::layout::{BLOCK_ENTRY, STEM_ENTRY, TERMS_PER_BLOCK, u32_at, u64_at};
use super::length::quantise;
use super::posting::Decoded;
use super::segment::{Segment, SegmentBytes};
use super::terms::stem_hash;

/// Checks the body's checksum, the order of terms, postings and stems, the block index, and that the lengths are
/// the sums of the frequencies.
pub(super) fn verify<B: SegmentBytes>(segment: &Segment<B>) -> Result<()> {
    verify_checksum(segment)?;
    let damaged = |detail: &str| segment.damaged(detail);
    let stems = check_terms(segment).map_err(damaged)?;
    check_stems(segment, &stems).map_err(damaged)
}

/// Checks the body's checksum alone.
pub(super) fn verify_checksum<B: SegmentBytes>(segment: &Segment<B>) -> Result<()> {
    if xxh3_64(segment.body()) == segment.header().body_checksum {
        Ok(())
    } else {
        Err(segment.damaged("the body's checksum does not match"))
    }
}

/// Checks terms and postings; returns the hash by which each term is listed by stem, if it differs from it.
fn check_terms<B: SegmentBytes>(segment: &Segment<B>) -> Decoded<Vec<Option<u32>>> {
    let terms = segment.terms();
    let mut totals = vec![[0u32; 3]; segment.header().count as usize];
    let (mut cursor, mut last, mut number, mut stems) = (terms.reader(), Vec::new(), 0usize, Vec::new());
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
        stems.push(std::str::from_utf8(&cursor.term).ok().and_then(stem_hash));
        last.clone_from(&cursor.term);
        if range.is_empty() {
            return Err("a term without postings");
        }
        segment.postings(range).for_each(|document, found| {
            let total = &mut totals[document as usize];
            for (sum, more) in total.iter_mut().zip([found.body, found.names.into(), found.comments.into()]) {
                *sum = sum.saturating_add(more.into());
            }
        })?;
        number += 1;
    }
    if cursor.at != terms.dictionary.len() || cursor.postings_at != terms.postings_bytes {
        return Err("there are bytes after the last term");
    }
    let fits = |(index, total): (usize, &[u32; 3])| segment.length_codes(index) == total.map(quantise);
    if totals.iter().enumerate().all(fits) { Ok(stems) } else { Err("lengths are not the sums of frequencies") }
}

/// Checks that the list by stem has all terms that differ from their stem, by the hash of each, in order.
fn check_stems<B: SegmentBytes>(segment: &Segment<B>, hashes: &[Option<u32>]) -> Decoded<()> {
    let terms = segment.terms();
    let expected = hashes.iter().flatten().count();
    if terms.stem_count() != expected || terms.stems.len() != expected * STEM_ENTRY {
        return Err("the list by stem has not all terms");
    }
    let mut last = None;
    for position in 0..expected {
        let entry = terms.stem_entry(position)?;
        let listed = hashes.get(entry.1 as usize).copied().flatten();
        if last.is_some_and(|last| last >= entry) || listed != Some(entry.0) {
            return Err("the list by stem is out of order");
        }
        last = Some(entry);
    }
    Ok(())
}
