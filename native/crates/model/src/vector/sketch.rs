//! Reduces a vector to one bit per dimension: where it points, roughly, in an eighth of the bytes.
//!
//! The bits are the signs of the vector after a fixed random rotation: signs flipped at random, then
//! a Walsh-Hadamard transform over the largest powers of two that fit. Without the rotation, models
//! whose first dimensions carry most (principal components) would waste most bits.
//!
//! The query is not cut to bits: its rotated values, in [`LEVELS`] steps, are added up with the
//! signs of each row, which estimates the product about twice as well as counting equal bits (the
//! estimator of `RaBitQ`, Gao and Long, 2024, without its per-row correction). Four dimensions make a
//! table of sixteen sums that stays in a register, and 64 documents lie side by side, so that one
//! instruction looks up 32 of them (the layout of "Quicker ADC", André et al., 2019). All of it is
//! whole numbers.
//!
//! A search takes the documents with the highest estimates ([`candidates`](super::sketch_scan::candidates)) to be
//! scored exactly.

use std::ops::{Add, Mul, Sub};
use std::sync::LazyLock;

use super::block::GROUP_BYTES;
use super::layout::row_bytes;
use super::quantise::MAX_DIMENSIONS;

/// Values that one register holds.
const EIGHT: usize = 8;
/// Highest step of a rotated query value: four of them fit 6 bits, so four tables add up in a byte.
const LEVELS: i64 = 15;

/// Dimensions of a row whose rotated values fit 16 bits, if none of its own is the lowest of 8 bits.
const FITS_16_BITS: usize = 256;

/// The bits of a padded row: those of four dimensions in each byte.
pub(super) fn of(row: &[i8]) -> Vec<u8> {
    if row.len() > FITS_16_BITS || row.contains(&i8::MIN) {
        return signs(&rotated::<i32>(row));
    }
    // Half as wide, twice as many are computed at once.
    let mut values = [0i16; FITS_16_BITS];
    rotate(row, &mut values[..row.len()]);
    signs(&values[..row.len()])
}

/// The bits of rotated values, whose number is a multiple of four.
fn signs<T: Value>(values: &[T]) -> Vec<u8> {
    /// Moves the lowest bits of four bytes, in little-endian order, side by side into the highest byte.
    const GATHER: u32 = 1 << 24 | 1 << 17 | 1 << 10 | 1 << 3;
    let mut sketch = Vec::with_capacity(values.len() / 4);
    for some in values.chunks(64) {
        let mut flags = [0; 64];
        for (flag, value) in flags.iter_mut().zip(some) {
            *flag = u8::from(*value > T::default());
        }
        let gathered = |flags: &[u8; 4]| (u32::from_le_bytes(*flags).wrapping_mul(GATHER) >> 24) as u8;
        sketch.extend(flags[..some.len()].as_chunks().0.iter().map(gathered));
    }
    sketch
}

/// What rows are rotated in: whole numbers that all sums of a row fit.
trait Value: Copy + Default + PartialOrd + From<i8> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl Value for i16 {}
impl Value for i32 {}

/// Sets the bits of the document in place `slot` of a block of zeros there.
///
/// The four bits of group `g` are the low half of byte `32 g + slot` for the first 32 documents, the
/// high half of byte `32 g + slot - 32` for the others.
pub(super) fn put(sketch: &[u8], slot: usize, block: &mut [u8]) {
    let (at, shift) = (slot % GROUP_BYTES, slot / GROUP_BYTES * 4);
    for (bits, group) in sketch.iter().zip(block.chunks_exact_mut(GROUP_BYTES)) {
        group[at] |= bits << shift;
    }
}

/// The tables of a padded query row: for each group of four dimensions and each pattern of signs,
/// how well they agree. Sums over all groups of 16,384 dimensions fit 16 bits.
pub(super) fn tables(row: &[i8]) -> Vec<[u8; 16]> {
    let values = rotated::<i32>(row);
    let peak = values.iter().map(|value| i64::from(value.abs())).max().unwrap_or(0).max(1);
    let levels = LEVELS.min(i64::from(u16::MAX) / values.len() as i64);
    values
        .chunks_exact(4)
        .map(|group| {
            let steps = [0, 1, 2, 3].map(|at| ((i64::from(group[at]) + peak) * levels + peak) / (2 * peak));
            let agreement = |pattern: usize| -> i64 {
                (0..4).map(|at| if pattern >> at & 1 == 1 { steps[at] } else { levels - steps[at] }).sum()
            };
            std::array::from_fn(|pattern| agreement(pattern) as u8)
        })
        .collect()
}

/// The highest sum that the tables can give.
pub(super) fn highest(tables: &[[u8; 16]]) -> usize {
    tables.iter().map(|table| usize::from(*table.iter().max().expect("invariant: sixteen entries"))).sum()
}

fn rotated<T: Value>(row: &[i8]) -> Vec<T> {
    let mut values = vec![T::default(); row.len()];
    rotate(row, &mut values);
    values
}

/// Writes the rotated row into as many values.
fn rotate<T: Value>(row: &[i8], values: &mut [T]) {
    for ((value, &number), &sign) in values.iter_mut().zip(row).zip(SIGNS.iter()) {
        *value = T::from(number) * T::from(sign);
    }
    let mut rest = values;
    while !rest.is_empty() {
        let (block, others) = rest.split_at_mut(1 << rest.len().ilog2());
        walsh_hadamard(block);
        rest = others;
    }
}

/// The signs by which the values of a row are multiplied: bits of the splitmix64 sequence, so that all builds agree.
static SIGNS: LazyLock<Vec<i8>> = LazyLock::new(|| {
    let sign = |at: usize| 1 - 2 * (splitmix64(at / 64) >> (at % 64) & 1) as i8;
    (0..row_bytes(MAX_DIMENSIONS)).map(sign).collect()
});

/// The `index`-th number of the sequence.
fn splitmix64(index: usize) -> u64 {
    let mut state = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}

/// The fast Walsh-Hadamard transform, unscaled, of a power of two of values. The steps may be taken in any order: the
/// wide ones, which the processor does side by side, come first.
fn walsh_hadamard<T: Value>(values: &mut [T]) {
    let mut half = values.len() / 2;
    while half >= EIGHT {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half /= 2;
    }
    let (eights, rest) = values.as_chunks_mut::<EIGHT>();
    for eight in eights {
        for half in [4, 2, 1] {
            let before = *eight;
            for (at, value) in eight.iter_mut().enumerate() {
                let other = before[at ^ half];
                *value = if at & half == 0 { before[at] + other } else { other - before[at] };
            }
        }
    }
    for half in [2, 1] {
        for pair in rest.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
    }
}

/// Bytes of a sketch of 256 dimensions, those of the built-in model.
const USUAL: usize = 32;

/// In how many bits a sketch agrees with each of `rows`.
#[allow(clippy::inline_always, reason = "it takes on the instructions of its caller only as a part of it")]
#[inline(always)]
pub(super) fn agreements(sketch: &[u8], rows: &[u8]) -> Vec<u16> {
    let width = sketch.len().max(1);
    let mut found = vec![0; rows.len() / width];
    if let Ok(sketch) = <&[u8; USUAL]>::try_from(sketch) {
        // The length is known here, so that nothing is asked and nothing is called for a row.
        let sketch = words(sketch);
        for (at, row) in rows.as_chunks::<USUAL>().0.iter().enumerate() {
            let row = words(row);
            let mut differing = 0;
            let mut word = 0;
            while word < USUAL / 8 {
                differing += (sketch[word] ^ row[word]).count_ones();
                word += 1;
            }
            found[at] = (USUAL * 8) as u16 - differing as u16;
        }
        return found;
    }
    for (at, row) in rows.chunks_exact(width).enumerate() {
        found[at] = agreement(sketch, row);
    }
    found
}

#[allow(clippy::inline_always, reason = "see above")]
#[inline(always)]
fn words(bytes: &[u8; USUAL]) -> [u64; USUAL / 8] {
    let bytes = bytes.as_chunks::<8>().0;
    // `map` of an array would be a call for each row.
    [
        u64::from_le_bytes(bytes[0]),
        u64::from_le_bytes(bytes[1]),
        u64::from_le_bytes(bytes[2]),
        u64::from_le_bytes(bytes[3]),
    ]
}

/// In how many bits two sketches agree; what one has beyond the other is passed over.
#[allow(clippy::inline_always, reason = "it takes on the instructions of its caller only as a part of it")]
#[inline(always)]
fn agreement(left: &[u8], right: &[u8]) -> u16 {
    let (left_words, left_rest) = left.as_chunks::<8>();
    let (right_words, right_rest) = right.as_chunks::<8>();
    let words: u32 = left_words
        .iter()
        .zip(right_words)
        .map(|(left, right)| (!(u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right))).count_ones())
        .sum();
    let bits =
        words + left_rest.iter().zip(right_rest).map(|(left, right)| (!(left ^ right)).count_ones()).sum::<u32>();
    bits as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::block::{BLOCK, block_bytes};
    use super::super::simd::Kernel;
    use super::*;

    #[test]
    fn sketches_of_any_length_are_compared_bit_by_bit() {
        for width in [1, 7, 8, 31, 32, 40] {
            let bytes: Vec<u8> = (0..width * 4).map(|at| (at * 37 % 251) as u8).collect();
            let (sketch, rows) = bytes.split_at(width);
            let bit = |row: &[u8], at: usize| row[at / 8] >> (at % 8) & 1;
            let same = |row: &[u8]| (0..width * 8).filter(|at| bit(row, *at) == bit(sketch, *at)).count() as u16;
            let expected: Vec<u16> = rows.chunks(width).map(same).collect();
            assert_eq!(super::super::simd::agreements(sketch, rows), expected);
            assert_eq!(agreements(sketch, rows), expected);
        }
    }

    /// The estimate of one row alone, by definition.
    fn estimate(query: &[i8], row: &[i8]) -> usize {
        let bits: Vec<bool> = rotated::<i32>(row).iter().map(|&value| value > 0).collect();
        tables(query)
            .iter()
            .zip(bits.chunks_exact(4))
            .map(|(table, bits)| {
                let pattern = bits.iter().enumerate().fold(0, |pattern, (at, &bit)| pattern | usize::from(bit) << at);
                usize::from(table[pattern])
            })
            .sum()
    }

    #[test]
    fn a_row_agrees_with_itself_and_not_with_its_opposite() {
        let row: Vec<i8> = (0..192).map(|i: i32| ((i * 37) % 101 - 50) as i8).collect();
        let opposite: Vec<i8> = row.iter().map(|value| -value).collect();
        let (highest, middle) = (highest(&tables(&row)), 192 * LEVELS as usize / 2);
        assert_eq!(estimate(&row, &row), highest);
        assert!(highest > middle && estimate(&row, &opposite) < middle);
    }

    #[test]
    fn one_strong_dimension_does_not_decide_all_bits() {
        let mut rows = [[1i8; 256], [-1i8; 256]];
        for row in &mut rows {
            row[0] = 3;
        }
        let signs = rows.map(|row| rotated::<i32>(&row).iter().map(|&value| value > 0).collect::<Vec<_>>());
        let differing = signs[0].iter().zip(&signs[1]).filter(|(a, b)| a != b).count();
        assert!(differing > 200, "{differing}");
    }

    #[test]
    fn rows_of_the_largest_values_have_the_same_bits_in_16_bits() {
        let signed = |row: &[i8], at: usize| if rotated::<i32>(&[1; 256])[at] > 0 { row[at] } else { -row[at] };
        for largest in [i8::MAX, -i8::MAX] {
            let row = [largest; 256];
            let aligned: Vec<i8> = (0..256).map(|at| signed(&row, at)).collect();
            for row in [&row[..], &row[..64], &row[..192], &aligned] {
                assert_eq!(signs(&rotated::<i16>(row)), signs(&rotated::<i32>(row)));
                assert_eq!(of(row), signs(&rotated::<i32>(row)));
            }
        }
        let lowest = [i8::MIN; 256];
        assert_eq!(of(&lowest), signs(&rotated::<i32>(&lowest)));
    }

    #[test]
    fn sums_of_the_widest_vectors_fit() {
        let tables = tables(&vec![127; super::super::quantise::MAX_DIMENSIONS]);
        assert!(u16::try_from(highest(&tables)).is_ok());
    }

    proptest! {
        #[test]
        fn rows_have_the_same_bits_in_16_bits(row in proptest::collection::vec(-127i8..=127, 64..=256)) {
            let row = &row[..row.len() / 64 * 64];
            prop_assert_eq!(of(row), signs(&rotated::<i32>(row)));
        }

        #[test]
        fn every_kernel_sums_what_the_definition_says(rows in proptest::collection::vec(proptest::collection::vec(-127i8..127, 192), 1..65), query in proptest::collection::vec(-127i8..127, 192), floor in 1_200u16..1_700) {
            let mut block = vec![0; block_bytes(192)];
            for (slot, row) in rows.iter().enumerate() {
                put(&of(row), slot, &mut block);
            }
            for kernel in Kernel::available() {
                let mut sums = [0; BLOCK];
                let reaching = kernel.sketch_sums(&tables(&query), &block, floor, &mut sums);
                for (slot, row) in rows.iter().enumerate() {
                    prop_assert_eq!(usize::from(sums[slot]), estimate(&query, row), "{:?}", kernel);
                    prop_assert_eq!(reaching >> slot & 1 == 1, sums[slot] >= floor, "{:?}", kernel);
                }
            }
        }
    }
}
