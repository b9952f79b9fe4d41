//! Scans sketches for the documents whose vectors may be the nearest.

use std::ops::Range;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::DocId;

use super::block::{BLOCK, for_each_bit};
use super::nearest::Nearest;
use super::query::Query;
use super::segment::VectorSegment;
use super::simd::{Kernel, prefetch};

/// Blocks that are asked of memory before they are needed: by itself the processor looks ahead no further than a page
/// of memory, which is two blocks of the built-in model.
const AHEAD: usize = 8;

/// Puts the live documents among the given blocks of a segment to those with the highest estimates.
pub(super) fn candidates(
    segment: &VectorSegment,
    blocks: Range<usize>,
    query: &Query,
    live: &Bitmap,
    kernel: Kernel,
    nearest: &mut Nearest,
) {
    let mut sums = [0u16; BLOCK];
    for block in blocks {
        let mask = segment.live_in_block(block, live);
        if mask == 0 {
            continue;
        }
        if block + AHEAD < segment.blocks() {
            prefetch(segment.sketch_block(block + AHEAD));
        }
        let reaching = kernel.sketch_sums(&query.tables, segment.sketch_block(block), nearest.threshold(), &mut sums);
        let start = segment.first() + block * BLOCK;
        for_each_bit(mask & reaching, |bit| {
            nearest.push(DocId((start + bit) as u32), sums[bit]);
        });
    }
}
