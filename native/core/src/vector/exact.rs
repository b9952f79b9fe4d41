//! Looks at every live vector: the truth that the other methods are measured by.

use std::ops::Range;

use super::query::Query;
use super::segment::VectorSegment;
use super::simd::{Kernel, prefetch};
use super::sketch::BLOCK;
use super::top::Top;
use crate::bitmap::Bitmap;
use crate::id::DocId;

/// From so many live rows of 64 on, computing all is faster than picking: rows are then read in a
/// straight line.
const DENSE: u32 = 40;
/// Rows that are asked of memory before they are needed: picked rows lie far apart, and waiting for
/// each in turn would take longer than all else.
const AHEAD: usize = 8;
/// Picked rows gathered over blocks.
const GATHERED: usize = 256;

/// Puts the live documents among the given blocks of a segment to the best found so far.
pub(super) fn scan(
    segment: &VectorSegment,
    blocks: Range<usize>,
    query: &Query,
    live: &Bitmap,
    kernel: Kernel,
    top: &mut Top,
) {
    let mut picked = Vec::with_capacity(GATHERED);
    for block in blocks {
        let mask = segment.live_in_block(block, live);
        if mask.count_ones() >= DENSE {
            scan_block(segment, block, mask, query, kernel, top);
            continue;
        }
        if picked.len() + DENSE as usize > GATHERED {
            pick(segment, &picked, query, kernel, top);
            picked.clear();
        }
        for_each_bit(mask, |bit| picked.push(block * BLOCK + bit));
    }
    pick(segment, &picked, query, kernel, top);
}

/// Puts the documents in the given rows of a segment to the best found so far.
pub(super) fn pick(segment: &VectorSegment, picked: &[usize], query: &Query, kernel: Kernel, top: &mut Top) {
    let (rows, scales, width) = (segment.rows(), segment.scales(), query.values.len());
    let row_at = |row: usize| &rows[row * width..(row + 1) * width];
    for &row in picked.iter().take(AHEAD) {
        prefetch(row_at(row));
    }
    let mut product = [0];
    for (at, &row) in picked.iter().enumerate() {
        if let Some(&ahead) = picked.get(at + AHEAD) {
            prefetch(row_at(ahead));
        }
        kernel.dots(&query.values, row_at(row), &mut product);
        top.push(DocId((segment.first() + row) as u32), query.score(product[0], scales[row]));
    }
}

fn scan_block(segment: &VectorSegment, block: usize, mask: u64, query: &Query, kernel: Kernel, top: &mut Top) {
    let (start, width) = (block * BLOCK, query.values.len());
    let len = (segment.len() - start).min(BLOCK);
    let (mut products, mut scores) = ([0i32; BLOCK], [0f32; BLOCK]);
    kernel.dots(&query.values, &segment.rows()[start * width..(start + len) * width], &mut products[..len]);
    for ((score, &product), &scale) in scores.iter_mut().zip(&products[..len]).zip(&segment.scales()[start..]) {
        *score = query.score(product, scale);
    }
    // Few blocks hold anything that enters the best: one pass without branches finds them.
    let threshold = top.threshold();
    if scores[..len].iter().filter(|&&score| score >= threshold).count() > 0 {
        for_each_bit(mask, |bit| top.push(DocId((segment.first() + start + bit) as u32), scores[bit]));
    }
}

/// Calls `act` with the place of each set bit, lowest first.
pub(super) fn for_each_bit(mut mask: u64, mut act: impl FnMut(usize)) {
    while mask != 0 {
        act(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}
