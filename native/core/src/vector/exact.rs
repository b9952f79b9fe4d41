//! Looks at every live vector: the truth that the other methods are measured by.

use std::ops::Range;

use super::query::Query;
use super::segment::VectorSegment;
use super::simd::Kernel;
use super::top::Top;
use crate::bitmap::Bitmap;
use crate::id::DocId;

/// From so many live rows of 64 on, computing all is faster than picking: rows are then read in a
/// straight line.
const DENSE: u32 = 24;

/// The best `wanted` live documents among the given blocks of a segment.
pub(super) fn scan(
    segment: &VectorSegment,
    blocks: Range<usize>,
    query: &Query,
    live: &Bitmap,
    wanted: usize,
    kernel: Kernel,
) -> Top {
    let mut top = Top::new(wanted);
    let (rows, scales, width) = (segment.rows(), segment.scales(), query.values.len());
    let mut products = [0i32; 64];
    let mut scores = [0f32; 64];
    for block in blocks {
        let mask = segment.live_in_block(block, live);
        let start = block * 64;
        if mask.count_ones() < DENSE {
            for_each_bit(mask, |bit| {
                let row = start + bit;
                kernel.dots(&query.values, &rows[row * width..(row + 1) * width], &mut products[..1]);
                top.push(DocId((segment.first() + row) as u32), query.score(products[0], scales[row]));
            });
            continue;
        }
        let len = (segment.len() - start).min(64);
        kernel.dots(&query.values, &rows[start * width..(start + len) * width], &mut products[..len]);
        for ((score, &product), &scale) in scores.iter_mut().zip(&products[..len]).zip(&scales[start..]) {
            *score = query.score(product, scale);
        }
        // Few blocks hold anything that enters the best: one pass without branches finds them.
        let threshold = top.threshold();
        if scores[..len].iter().filter(|&&score| score >= threshold).count() > 0 {
            for_each_bit(mask, |bit| top.push(DocId((segment.first() + start + bit) as u32), scores[bit]));
        }
    }
    top
}

/// Calls `act` with the place of each set bit, lowest first.
pub(super) fn for_each_bit(mut mask: u64, mut act: impl FnMut(usize)) {
    while mask != 0 {
        act(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}
