//! Dot products and bit distances of many rows, with what the processor offers.
//!
//! Rows are padded with zeros to a multiple of [`ROW_ALIGNMENT`] bytes, so no kernel has a tail.
//! Every kernel computes the same whole numbers: no saturation, no rounding. The portable one is the
//! definition, and a test holds the others to it.

#![allow(unsafe_code, reason = "vector instructions need it; each block names what makes it sound")]
#![allow(clippy::wildcard_imports, reason = "the instructions' names carry their own prefix")]

/// Rows are this many bytes long or a multiple of it: one AVX-512 register.
pub(super) const ROW_ALIGNMENT: usize = 64;

/// A set of instructions to compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Any processor.
    Portable,
    /// AVX-512 with VNNI: four products of bytes added up in one instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    /// AVX2 with POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Any 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// The fastest kernel for the processor that this runs on.
    pub(super) fn detect() -> Self {
        *Self::available().last().expect("invariant: the portable kernel is always there")
    }

    /// The kernels that run here, the fastest last.
    pub(super) fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "some processors have the portable kernel only")]
        let mut kernels = vec![Self::Portable];
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            kernels.push(Self::Avx2);
            if ["avx512f", "avx512bw", "avx512vnni"].iter().all(|feature| has(feature)) {
                kernels.push(Self::Avx512Vnni);
            }
        }
        kernels
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

    /// How many bits of `query` differ in each of the rows that lie one after the other in `rows`.
    ///
    /// # Panics
    /// If the lengths don't fit each other.
    pub(super) fn distances(self, query: &[u64], rows: &[u64], distances: &mut [u32]) {
        assert!(rows.len() == query.len() * distances.len());
        match self {
            // SAFETY: `available` found POPCNT.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512Vnni => unsafe { x86::distances(query, rows, distances) },
            _ => portable::distances(query, rows, distances),
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

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        _ => is_x86_feature_detected!("avx512vnni"),
    }
}

mod portable {
    pub(super) fn dots(query: &[i8], rows: &[i8], products: &mut [i32]) {
        for (row, product) in rows.chunks_exact(query.len()).zip(products) {
            *product = row.iter().zip(query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        }
    }

    #[inline]
    pub(super) fn distances(query: &[u64], rows: &[u64], distances: &mut [u32]) {
        // A width that the compiler knows lets it unroll: 256 dimensions are the built-in models'.
        if let Ok(query) = <&[u64; 4]>::try_from(query) {
            for (row, distance) in rows.chunks_exact(4).zip(distances) {
                *distance = query.iter().zip(row).map(|(a, b)| (a ^ b).count_ones()).sum();
            }
            return;
        }
        for (row, distance) in rows.chunks_exact(query.len()).zip(distances) {
            *distance = query.iter().zip(row).map(|(a, b)| (a ^ b).count_ones()).sum();
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// The instruction multiplies unsigned by signed bytes, so rows are moved up by 128 (flipping
    /// the top bit) and 128 · Σ query is taken off again. The sums are 32 bits wide and don't saturate.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn dots_avx512_vnni(query: &[i8], rows: &[i8], products: &mut [i32]) {
        let steps = query.len() / 64;
        let excess = 128 * query.iter().map(|&value| i32::from(value)).sum::<i32>();
        let flip = _mm512_set1_epi8(i8::MIN);
        for (row, product) in rows.chunks_exact(query.len()).zip(products) {
            let mut sums = [_mm512_setzero_si512(); 2];
            for step in 0..steps {
                // SAFETY: both slices hold `steps` blocks of 64 bytes; the loads need no alignment.
                let (a, b) = unsafe {
                    (
                        _mm512_loadu_si512(row.as_ptr().add(step * 64).cast()),
                        _mm512_loadu_si512(query.as_ptr().add(step * 64).cast()),
                    )
                };
                sums[step % 2] = _mm512_dpbusd_epi32(sums[step % 2], _mm512_xor_si512(a, flip), b);
            }
            *product = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])) - excess;
        }
    }

    /// Bytes are widened to 16 bits first: products of two pairs then fit 32 bits exactly.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots_avx2(query: &[i8], rows: &[i8], products: &mut [i32]) {
        for (row, product) in rows.chunks_exact(query.len()).zip(products) {
            let mut sums = [_mm256_setzero_si256(); 2];
            for step in 0..query.len() / 16 {
                // SAFETY: both slices hold whole blocks of 16 bytes; the loads need no alignment.
                let (a, b) = unsafe {
                    (
                        _mm_loadu_si128(row.as_ptr().add(step * 16).cast()),
                        _mm_loadu_si128(query.as_ptr().add(step * 16).cast()),
                    )
                };
                let pairs = _mm256_madd_epi16(_mm256_cvtepi8_epi16(a), _mm256_cvtepi8_epi16(b));
                sums[step % 2] = _mm256_add_epi32(sums[step % 2], pairs);
            }
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b01_00_11_10));
            *product = _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b10_11_00_01)));
        }
    }

    #[target_feature(enable = "popcnt")]
    pub(super) unsafe fn distances(query: &[u64], rows: &[u64], distances: &mut [u32]) {
        super::portable::distances(query, rows, distances);
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::*;

    /// Products of bytes fit 16 bits; they are added in pairs to 32 bits before the next ones come.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn dots(query: &[i8], rows: &[i8], products: &mut [i32]) {
        for (row, product) in rows.chunks_exact(query.len()).zip(products) {
            let mut sums = [vdupq_n_s32(0); 2];
            for step in 0..query.len() / 16 {
                // SAFETY: both slices hold whole blocks of 16 bytes.
                let (a, b) =
                    unsafe { (vld1q_s8(row.as_ptr().add(step * 16)), vld1q_s8(query.as_ptr().add(step * 16))) };
                sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(a), vget_low_s8(b)));
                sums[1] = vpadalq_s16(sums[1], vmull_high_s8(a, b));
            }
            *product = vaddvq_s32(vaddq_s32(sums[0], sums[1]));
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
            let bits: Vec<u64> = (0..blocks * (rows + 1)).map(|_| u64::from_le_bytes([0; 8].map(|_: u8| byte()))).collect();
            let (mut products, mut distances) = (vec![0; rows], vec![0; rows]);
            Kernel::Portable.dots(&query, &values, &mut products);
            Kernel::Portable.distances(&bits[..blocks], &bits[blocks..], &mut distances);
            for kernel in Kernel::available() {
                let (mut others, mut apart) = (vec![0; rows], vec![0; rows]);
                kernel.dots(&query, &values, &mut others);
                kernel.distances(&bits[..blocks], &bits[blocks..], &mut apart);
                prop_assert_eq!(&others, &products, "{:?}", kernel);
                prop_assert_eq!(&apart, &distances, "{:?}", kernel);
            }
        }
    }
}
