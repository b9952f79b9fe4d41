//! One bit per dimension: where a vector points, roughly, in an eighth of the bytes.
//!
//! The bits are the signs of the vector after a fixed random rotation: signs flipped at random, then
//! a Walsh-Hadamard transform over the largest powers of two that fit. Without the rotation, models
//! whose first dimensions carry most (principal components) would waste most bits. The number of
//! equal bits grows with the cosine (Charikar, "Similarity estimation techniques from rounding
//! algorithms", 2002). All of it is whole numbers.
//!
//! A search takes the documents with the fewest differing bits, [`candidates`], to be scored exactly.

use std::ops::Range;

use super::exact::for_each_bit;
use super::query::Query;
use super::segment::VectorSegment;
use super::simd::Kernel;
use crate::bitmap::Bitmap;
use crate::id::DocId;

/// Appends the sketch of a padded row, a bit per byte of it.
pub(super) fn sketch(row: &[i8], words: &mut Vec<u64>) {
    let mut rotated: Vec<i32> = Vec::with_capacity(row.len());
    for (index, &value) in row.iter().enumerate() {
        let value = i32::from(value);
        rotated.push(if flips(index / 64) >> (index % 64) & 1 == 1 { -value } else { value });
    }
    let mut rest = &mut rotated[..];
    while !rest.is_empty() {
        let width = 1 << rest.len().ilog2();
        let (block, others) = rest.split_at_mut(width);
        walsh_hadamard(block);
        rest = others;
    }
    for chunk in rotated.chunks_exact(64) {
        words.push(chunk.iter().enumerate().fold(0, |word, (bit, &value)| word | u64::from(value > 0) << bit));
    }
}

/// Which signs of the `index`-th 64 values flip: the splitmix64 sequence, so that all builds agree.
fn flips(index: usize) -> u64 {
    let mut state = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}

/// The fast Walsh-Hadamard transform, unscaled, of a power of two of values.
fn walsh_hadamard(values: &mut [i32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

/// Live documents by the number of bits that differ, the nearest ones.
#[derive(Debug, Clone)]
pub(super) struct Nearest {
    wanted: usize,
    /// Documents farther away than this can't be among the nearest any more.
    limit: usize,
    /// How many documents were kept at each distance up to the limit.
    counts: Vec<usize>,
    total: usize,
    kept: Vec<(DocId, u32)>,
}

impl Nearest {
    pub(super) fn new(wanted: usize, bits: usize) -> Self {
        Self { wanted, limit: bits, counts: vec![0; bits + 1], total: 0, kept: Vec::new() }
    }

    fn push(&mut self, doc: DocId, distance: u32) {
        let distance_index = distance as usize;
        if distance_index > self.limit {
            return;
        }
        self.kept.push((doc, distance));
        self.counts[distance_index] += 1;
        self.total += 1;
        while self.limit > 0 && self.total - self.counts[self.limit] >= self.wanted {
            self.total -= self.counts[self.limit];
            self.limit -= 1;
        }
    }

    pub(super) fn extend(&mut self, other: Self) {
        other.kept.into_iter().for_each(|(doc, distance)| self.push(doc, distance));
    }

    /// At least as many documents as were wanted, if there are, and all that tie with the farthest;
    /// in rising order.
    pub(super) fn into_docs(self) -> Vec<DocId> {
        let limit = self.limit;
        let mut docs: Vec<_> =
            self.kept.into_iter().filter(|(_, distance)| *distance as usize <= limit).map(|(doc, _)| doc).collect();
        docs.sort_unstable();
        docs
    }
}

/// The nearest live documents among the given blocks of a segment, by their sketches.
pub(super) fn candidates(
    segment: &VectorSegment,
    blocks: Range<usize>,
    query: &Query,
    live: &Bitmap,
    wanted: usize,
    kernel: Kernel,
) -> Nearest {
    let width = query.sketch.len();
    let mut nearest = Nearest::new(wanted, width * 64);
    let mut distances = [0u32; 64];
    for block in blocks {
        let mask = segment.live_in_block(block, live);
        if mask == 0 {
            continue;
        }
        let start = block * 64;
        let len = (segment.len() - start).min(64);
        let sketches = &segment.sketches()[start * width..(start + len) * width];
        kernel.distances(&query.sketch, sketches, &mut distances[..len]);
        let limit = nearest.limit as u32;
        if distances[..len].iter().filter(|&&distance| distance <= limit).count() > 0 {
            for_each_bit(mask, |bit| nearest.push(DocId((segment.first() + start + bit) as u32), distances[bit]));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bits(row: &[i8]) -> Vec<u64> {
        let mut words = Vec::new();
        sketch(row, &mut words);
        words
    }

    #[test]
    fn opposite_vectors_differ_in_nearly_every_bit() {
        let row: Vec<i8> = (0..192).map(|i: i32| ((i * 37) % 101 - 50) as i8).collect();
        let opposite: Vec<i8> = row.iter().map(|value| -value).collect();
        let differing: u32 = bits(&row).iter().zip(bits(&opposite)).map(|(a, b)| (a ^ b).count_ones()).sum();
        assert!(differing > 185, "{differing}");
    }

    #[test]
    fn one_strong_dimension_does_not_decide_all_bits() {
        let mut rows = [[1i8; 256], [-1i8; 256]];
        for row in &mut rows {
            row[0] = 3;
        }
        let differing: u32 = bits(&rows[0]).iter().zip(bits(&rows[1])).map(|(a, b)| (a ^ b).count_ones()).sum();
        assert!(differing > 200, "{differing}");
    }

    proptest! {
        #[test]
        fn nearest_are_those_of_sorting_with_all_ties(distances in proptest::collection::vec(0u32..65, 0..400), wanted in 1usize..100, cut in 0usize..400) {
            let mut halves = [Nearest::new(wanted, 64), Nearest::new(wanted, 64)];
            for (index, &distance) in distances.iter().enumerate() {
                halves[usize::from(index < cut)].push(DocId(index as u32), distance);
            }
            let [mut nearest, other] = halves;
            nearest.extend(other);
            let mut sorted = distances.clone();
            sorted.sort_unstable();
            let last = sorted.get(wanted - 1).or(sorted.last()).copied().unwrap_or(0);
            let expected: Vec<_> = distances.iter().zip(0u32..).filter(|(d, _)| **d <= last).map(|(_, doc)| DocId(doc)).collect();
            prop_assert_eq!(nearest.into_docs(), expected);
        }
    }
}
