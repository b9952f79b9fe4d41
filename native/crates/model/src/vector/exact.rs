//! Scores every live vector: exact search, in O(live vectors · dimensions), which the other methods are measured
//! against.

use std::ops::Range;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::DocId;

use super::block::{BLOCK, bits, for_each_bit};
use super::query::Query;
use super::segment::VectorSegment;
use super::simd::{Kernel, prefetch};
use super::top_k::TopK;

/// From so many live rows of 64 on, computing all is faster than picking: rows are then read in a
/// straight line.
const DENSE: u32 = 40;
/// Rows that are asked of memory before they are needed: picked rows lie far apart, and waiting for
/// each in turn would take longer than all else.
const AHEAD: usize = 8;
/// Picked rows gathered over blocks.
const GATHERED: usize = 256;
/// Rows computed at once while as many of the next block are asked of memory: by itself the processor looks ahead no
/// further than a page of memory, which is sixteen rows.
const RUN: usize = 8;

/// Puts the live documents among the given blocks of a segment to the best found so far.
pub(super) fn scan(
    segment: &VectorSegment,
    blocks: Range<usize>,
    query: &Query,
    live: &Bitmap,
    kernel: Kernel,
    top: &mut TopK,
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
pub(super) fn pick(segment: &VectorSegment, picked: &[usize], query: &Query, kernel: Kernel, top: &mut TopK) {
    let (rows, scales, width) = (segment.rows(), segment.scales(), query.values.len());
    let row_at = |row: usize| &rows[row * width..(row + 1) * width];
    let prefetch_row = |row: usize| prefetch(bytemuck::cast_slice(row_at(row)));
    for &row in picked.iter().take(AHEAD) {
        prefetch_row(row);
    }
    let mut product = [0];
    for (at, &row) in picked.iter().enumerate() {
        if let Some(&ahead) = picked.get(at + AHEAD) {
            prefetch_row(ahead);
        }
        kernel.dots(&query.values, row_at(row), &mut product);
        top.push(DocId((segment.first() + row) as u32), query.score(product[0], scales[row]));
    }
}

fn scan_block(segment: &VectorSegment, block: usize, mask: u64, query: &Query, kernel: Kernel, top: &mut TopK) {
    let (start, width) = (block * BLOCK, query.values.len());
    let len = (segment.len() - start).min(BLOCK);
    let (here, next) = segment.rows()[start * width..].split_at(len * width);
    let (mut products, mut scores) = ([0i32; BLOCK], [f32::NEG_INFINITY; BLOCK]);
    for (run, rows) in here.chunks(RUN * width).enumerate() {
        prefetch(bytemuck::cast_slice(next.chunks(RUN * width).nth(run).unwrap_or_default()));
        let at = run * RUN;
        kernel.dots(&query.values, rows, &mut products[at..at + rows.len() / width]);
    }
    for ((score, &product), &scale) in scores.iter_mut().zip(&products[..len]).zip(&segment.scales()[start..]) {
        *score = query.score(product, scale);
    }
    for_each_bit(mask & reaching(&scores, top.threshold()), |bit| {
        top.push(DocId((segment.first() + start + bit) as u32), scores[bit]);
    });
}

/// A bit for each score that is at least `threshold`.
fn reaching(scores: &[f32; BLOCK], threshold: f32) -> u64 {
    bits(std::array::from_fn(|at| scores[at] >= threshold))
}
