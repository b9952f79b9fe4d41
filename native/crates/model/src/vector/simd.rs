//! Computes dot products of rows and sums over sketches, with the instructions that the processor offers.
//!
//! Rows are padded with zeros to a multiple of [`ROW_ALIGNMENT`] bytes, so no kernel has a tail.
//! Every kernel computes the same whole numbers: no saturation, no rounding. The portable one is the
//! definition, and a test holds the others to it.

#![allow(unsafe_code, reason = "vector instructions need it; each block names what makes it sound")]
#![allow(clippy::wildcard_imports, reason = "the instructions' names carry their own prefix")]

use super::block::{BLOCK, GROUP_BYTES, bits};

/// Rows are this many bytes long or a multiple of it: one AVX-512 register.
pub(super) const ROW_ALIGNMENT: usize = 64;
/// Bytes that memory hands over at once.
const LINE: usize = 64;

/// A set of instructions to compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Any processor.
    Portable,
    /// AVX-512 with VNNI: four products of bytes added up in one instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Any 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// All kernels, the fastest first.
    const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512Vnni,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
        Self::Portable,
    ];

    /// The fastest kernel for the processor that this runs on.
    pub(super) fn detect() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }

    /// The kernels that run here, the fastest first.
    pub(super) fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kernel| kernel.is_available())
    }

    fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            Self::Portable => true,
        }
    }

    /// Dot products of `query` with each of the rows that lie one after the other in `rows`.
    ///
    /// # Panics
    /// If the lengths don't fit each other or [`ROW_ALIGNMENT`].
    pub(super) fn dots(self, query: &[i8], rows: &[i8], products: &mut [i32]) {
        assert!(query.len().is_multiple_of(ROW_ALIGNMENT) && rows.len() == query.len() * products.len());
        match self {
            Self::Portable => portable::dots(query, rows, products),
            // SAFETY: `available` found these instructions, and the lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => unsafe { x86::dots_avx512_vnni(query, rows, products) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::dots_avx2(query, rows, products) },
            // SAFETY: NEON is part of the architecture, and the lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => unsafe { arm::dots(query, rows, products) },
        }
    }

    /// Sums of the sixteen-entry tables over a block of 64 sketches, see [`sketch`](super::sketch), and
    /// a bit for each sum that is at least `threshold`.
    ///
    /// # Panics
    /// If the block does not hold 32 bytes per table, or the number of tables is no multiple of four.
    pub(super) fn sketch_sums(self, tables: &[[u8; 16]], block: &[u8], floor: u16, sums: &mut [u16; BLOCK]) -> u64 {
        assert!(tables.len().is_multiple_of(4) && block.len() == tables.len() * GROUP_BYTES);
        match self {
            Self::Portable => {
                portable::sketch_sums(tables, block, sums);
                bits(std::array::from_fn(|at| sums[at] >= floor))
            }
            // SAFETY: `available` found AVX2, and the lengths were checked above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512Vnni => unsafe { x86::sketch_sums(tables, block, floor, sums) },
            // SAFETY: NEON is part of the architecture, and the lengths were checked above.
            #[cfg(target_arch = "aarch64")]
            Self::Neon => {
                unsafe { arm::sketch_sums(tables, block, sums) };
                bits(std::array::from_fn(|at| sums[at] >= floor))
            }
        }
    }
}

/// One minus the cosine of two graph nodes: `width` bytes of row, then the bytes of an f32 scale.
///
/// The closure may be called with pointers to whole nodes only, which is what usearch does with
/// vectors of `width + 4` bytes.
pub(super) fn cosine_distance(kernel: Kernel, width: usize) -> Box<dyn Fn(*const i8, *const i8) -> f32 + Send + Sync> {
    Box::new(move |left, right| {
        // SAFETY: usearch hands in two of the vectors that were added or searched with, which have
        // `width + 4` bytes each and outlive the call.
        let [left, right] = [left, right].map(|node| unsafe { std::slice::from_raw_parts(node, width + 4) });
        let scale = |node: &[i8]| f32::from_le_bytes([0, 1, 2, 3].map(|at| node[width + at].cast_unsigned()));
        let mut product = [0];
        kernel.dots(&left[..width], &right[..width], &mut product);
        1.0 - product[0] as f32 * (scale(left) * scale(right))
    })
}

/// In how many bits a sketch agrees with each of `rows`, counted by an instruction where there is one. A sketch has
/// fewer than 65,536 bits.
pub fn agreements(sketch: &[u8], rows: &[u8]) -> Vec<u16> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the instruction was just found.
        return unsafe { x86::agreements(sketch, rows) };
    }
    super::sketch::agreements(sketch, rows)
}

/// Asks memory for bytes that are needed soon, where there is a stable instruction for it.
#[inline]
pub(super) fn prefetch(bytes: &[u8]) {
    for line in bytes.chunks(LINE) {
        // SAFETY: a prefetch changes nothing that the program can see.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast());
        };
        #[cfg(not(target_arch = "x86_64"))]
        let _ = line;
    }
}

mod portable {
    use super::{BLOCK, GROUP_BYTES};

    pub(super) fn dots(query: &[i8], rows: &[i8], products: &mut [i32]) {
        for (row, product) in rows.chunks_exact(query.len()).zip(products) {
            *product = row.iter().zip(query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        }
    }

    pub(super) fn sketch_sums(tables: &[[u8; 16]], block: &[u8], sums: &mut [u16; BLOCK]) {
        sums.fill(0);
        let (low, high) = sums.split_at_mut(GROUP_BYTES);
        for (table, group) in tables.iter().zip(block.chunks_exact(GROUP_BYTES)) {
            for ((low, high), byte) in low.iter_mut().zip(high.iter_mut()).zip(group) {
                *low += u16::from(table[usize::from(byte & 15)]);
                *high += u16::from(table[usize::from(byte >> 4)]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, GROUP_BYTES};

    /// Counting bits is one instruction here, where the portable way takes a dozen.
    #[target_feature(enable = "popcnt")]
    pub(super) unsafe fn agreements(sketch: &[u8], rows: &[u8]) -> Vec<u16> {
        super::super::sketch::agreements(sketch, rows)
    }

    /// The instruction multiplies unsigned by signed bytes, so rows are moved up by 128 (flipping
    /// the top bit) and 128 · Σ query is taken off again. The sums are 32 bits wide and don't saturate.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn dots_avx512_vnni(query: &[i8], rows: &[i8], products: &mut [i32]) {
        let width = query.len();
        let flip = _mm512_set1_epi8(i8::MIN);
        let mut excess = _mm512_setzero_si512();
        for at in (0..width).step_by(64) {
            // SAFETY: the query is a multiple of 64 bytes long; the load needs no alignment.
            excess = _mm512_dpbusd_epi32(excess, flip, unsafe { _mm512_loadu_si512(query.as_ptr().add(at).cast()) });
        }
        for (index, product) in products.iter_mut().enumerate() {
            let mut sum = _mm512_setzero_si512();
            for at in (0..width).step_by(64) {
                // SAFETY: there are `products.len()` rows as long as the query, see above.
                let (row, query) = unsafe {
                    let row = _mm512_loadu_si512(rows.as_ptr().add(index * width + at).cast());
                    (row, _mm512_loadu_si512(query.as_ptr().add(at).cast()))
                };
                sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(row, flip), query);
            }
            *product = _mm512_reduce_add_epi32(_mm512_sub_epi32(sum, excess));
        }
    }

    /// Bytes are widened to 16 bits first: products of two pairs then fit 32 bits exactly.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots_avx2(query: &[i8], rows: &[i8], products: &mut [i32]) {
        let width = query.len();
        for (index, product) in products.iter_mut().enumerate() {
            let mut sum = _mm256_setzero_si256();
            for at in (0..width).step_by(16) {
                // SAFETY: the query is a multiple of 16 bytes long, and there are `products.len()` rows
                // like it; the loads need no alignment.
                let (row, query) = unsafe {
                    let row = _mm_loadu_si128(rows.as_ptr().add(index * width + at).cast());
                    (row, _mm_loadu_si128(query.as_ptr().add(at).cast()))
                };
                let pairs = _mm256_madd_epi16(_mm256_cvtepi8_epi16(row), _mm256_cvtepi8_epi16(query));
                sum = _mm256_add_epi32(sum, pairs);
            }
            let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b01_00_11_10));
            *product = _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b10_11_00_01)));
        }
    }

    /// A table is looked up for 32 documents at a time. Four lookups fit a byte; then the bytes at
    /// even and odd places are added to sums of 16 bits apart, and woven together at the end.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sketch_sums(tables: &[[u8; 16]], block: &[u8], floor: u16, sums: &mut [u16; BLOCK]) -> u64 {
        let low_half = _mm256_set1_epi8(15);
        let low_byte = _mm256_set1_epi16(255);
        let mut wide = [[_mm256_setzero_si256(); 2]; 2];
        for group in (0..tables.len()).step_by(4) {
            let mut narrow = [_mm256_setzero_si256(); 2];
            // Plain indices: the compiler does not inline zipped chunks into this function.
            for group in group..group + 4 {
                // SAFETY: there are `tables.len()` tables of 16 bytes and groups of 32, a multiple of
                // four of them; the loads need no alignment.
                let (table, bits) = unsafe {
                    let table = _mm_loadu_si128(tables.as_ptr().add(group).cast());
                    (table, _mm256_loadu_si256(block.as_ptr().add(group * GROUP_BYTES).cast()))
                };
                let table = _mm256_broadcastsi128_si256(table);
                let low = _mm256_and_si256(bits, low_half);
                let high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), low_half);
                narrow[0] = _mm256_add_epi8(narrow[0], _mm256_shuffle_epi8(table, low));
                narrow[1] = _mm256_add_epi8(narrow[1], _mm256_shuffle_epi8(table, high));
            }
            for half in 0..2 {
                wide[half][0] = _mm256_add_epi16(wide[half][0], _mm256_and_si256(narrow[half], low_byte));
                wide[half][1] = _mm256_add_epi16(wide[half][1], _mm256_srli_epi16(narrow[half], 8));
            }
        }
        let floor = _mm256_set1_epi16(floor.cast_signed());
        let mut mask = 0;
        for (half, [even, odd]) in wide.into_iter().enumerate() {
            let (low, high) = (_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd));
            let first = _mm256_permute2x128_si256(low, high, 0x20);
            let second = _mm256_permute2x128_si256(low, high, 0x31);
            // SAFETY: half of the sums are 64 bytes; the stores need no alignment.
            unsafe {
                let sums = sums.as_mut_ptr().add(half * GROUP_BYTES);
                _mm256_storeu_si256(sums.cast(), first);
                _mm256_storeu_si256(sums.add(16).cast(), second);
            }
            // A sum is at least the floor if it is the greater of both.
            let first = _mm256_cmpeq_epi16(_mm256_max_epu16(first, floor), first);
            let second = _mm256_cmpeq_epi16(_mm256_max_epu16(second, floor), second);
            let flags = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, second), 0b11_01_10_00);
            mask |= u64::from(_mm256_movemask_epi8(flags).cast_unsigned()) << (half * GROUP_BYTES);
        }
        mask
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::*;

    use super::{BLOCK, GROUP_BYTES};

    /// Products of bytes fit 16 bits; they are added in pairs to 32 bits before the next ones come.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn dots(query: &[i8], rows: &[i8], products: &mut [i32]) {
        let width = query.len();
        for (index, product) in products.iter_mut().enumerate() {
            let mut sums = [vdupq_n_s32(0); 2];
            for at in (0..width).step_by(16) {
                // SAFETY: the query is a multiple of 16 bytes long, and there are `products.len()` rows
                // like it.
                let (row, query) =
                    unsafe { (vld1q_s8(rows.as_ptr().add(index * width + at)), vld1q_s8(query.as_ptr().add(at))) };
                sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(row), vget_low_s8(query)));
                sums[1] = vpadalq_s16(sums[1], vmull_high_s8(row, query));
            }
            *product = vaddvq_s32(vaddq_s32(sums[0], sums[1]));
        }
    }

    /// A table is looked up for 16 documents at a time; four lookups fit a byte and are then added
    /// to sums of 16 bits.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn sketch_sums(tables: &[[u8; 16]], block: &[u8], sums: &mut [u16; BLOCK]) {
        // In order of documents: the low halves of the first and second 16 bytes, then the high halves.
        let mut wide = [[vdupq_n_u16(0); 2]; 4];
        let low_half = vdupq_n_u8(15);
        for group in (0..tables.len()).step_by(4) {
            let mut narrow = [vdupq_n_u8(0); 4];
            for group in group..group + 4 {
                // SAFETY: there are `tables.len()` tables of 16 bytes and groups of 32, a multiple of
                // four of them.
                let (table, left, right) = unsafe {
                    let bits = block.as_ptr().add(group * GROUP_BYTES);
                    (vld1q_u8(tables.as_ptr().add(group).cast()), vld1q_u8(bits), vld1q_u8(bits.add(16)))
                };
                narrow[0] = vaddq_u8(narrow[0], vqtbl1q_u8(table, vandq_u8(left, low_half)));
                narrow[1] = vaddq_u8(narrow[1], vqtbl1q_u8(table, vandq_u8(right, low_half)));
                narrow[2] = vaddq_u8(narrow[2], vqtbl1q_u8(table, vshrq_n_u8::<4>(left)));
                narrow[3] = vaddq_u8(narrow[3], vqtbl1q_u8(table, vshrq_n_u8::<4>(right)));
            }
            for part in 0..4 {
                wide[part][0] = vaddw_u8(wide[part][0], vget_low_u8(narrow[part]));
                wide[part][1] = vaddw_high_u8(wide[part][1], narrow[part]);
            }
        }
        for (sums, wide) in sums.chunks_exact_mut(16).zip(wide) {
            // SAFETY: a quarter of the sums are 32 bytes.
            unsafe {
                vst1q_u16(sums.as_mut_ptr(), wide[0]);
                vst1q_u16(sums.as_mut_ptr().add(8), wide[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_products_do_not_saturate() {
        for kernel in Kernel::available() {
            for (a, b) in [(127, 127), (-127, 127), (-127, -127), (-128, -127), (-128, 127)] {
                let mut products = [0; 2];
                kernel.dots(&[b; 1_024], &[a; 2_048], &mut products);
                assert_eq!(products, [i32::from(a) * i32::from(b) * 1_024; 2], "{kernel:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn rows_that_do_not_fit_are_refused() {
        Kernel::detect().dots(&[0; 64], &[0; 65], &mut [0]);
    }

    proptest! {
        #[test]
        fn all_kernels_agree(blocks in 1usize..5, rows in 0usize..6, seed in any::<u64>()) {
            let mut state = seed;
            let mut byte = move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            };
            let query: Vec<i8> = (0..blocks * 64).map(|_| byte().cast_signed().max(-127)).collect();
            let values: Vec<i8> = (0..blocks * 64 * rows).map(|_| byte().cast_signed()).collect();
            let mut products = vec![0; rows];
            Kernel::Portable.dots(&query, &values, &mut products);
            for kernel in Kernel::available() {
                let mut others = vec![0; rows];
                kernel.dots(&query, &values, &mut others);
                prop_assert_eq!(&others, &products, "{:?}", kernel);
            }
        }
    }
}
