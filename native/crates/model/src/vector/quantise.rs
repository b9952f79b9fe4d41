//! Quantises vectors to 8 bits, in which they are stored, searched and compared.

use codecairn_base::error::{Error, Result};

use super::simd::{Kernel, ROW_ALIGNMENT};

/// Most dimensions of a vector: the dot product of two such rows fits an `i32`, the estimate of a
/// sketch fits 16 bits.
pub(super) const MAX_DIMENSIONS: usize = 16_384;

/// A vector of length one as `scale` times whole numbers from -127 to 127.
///
/// The scale is one over the length of the *rounded* values, so that the product of two vectors is
/// their cosine and a vector's product with itself is one.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantisedVector {
    scale: f32,
    values: Vec<i8>,
}

/// Rounds a vector of any length to 8 bits; the longest value becomes ±127.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is empty, has too many dimensions, or has a value that is not a
/// finite number.
pub fn quantise(vector: &[f32]) -> Result<QuantisedVector> {
    if vector.is_empty() || vector.len() > MAX_DIMENSIONS {
        return Err(Error::InvalidArgument(format!("a vector of {} dimensions", vector.len())));
    }
    if let Some(at) = vector.iter().position(|value| !value.is_finite()) {
        return Err(Error::InvalidArgument(format!("dimension {at} of a vector is not a finite number")));
    }
    let peak = vector.iter().fold(0.0f32, |peak, value| peak.max(value.abs()));
    if peak == 0.0 {
        return Ok(QuantisedVector { scale: 0.0, values: vec![0; vector.len()] });
    }
    // In f64 neither the division nor the product can overflow or lose a small vector.
    let step = 127.0 / f64::from(peak);
    let values = vector.iter().map(|&value| rounded(f64::from(value) * step)).collect();
    Ok(QuantisedVector::of(values))
}

/// `value`, from -127 to 127, rounded as by [`f64::round`], which is a call where the processor is only known to be an x86-64.
/// What is added is the largest number below a half: with a half itself, the number below .5 would become 1.
#[inline]
fn rounded(value: f64) -> i8 {
    const BELOW_HALF: f64 = 0.5_f64.next_down();
    (value + BELOW_HALF.copysign(value)) as i32 as i8
}

impl QuantisedVector {
    pub(super) fn of(values: Vec<i8>) -> Self {
        Self { scale: scale_of(&values), values }
    }

    /// The factor of the values; zero for a vector of zeros.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// The rounded values, one per dimension.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }

    /// Whether it points nowhere; such a vector is never found.
    pub fn is_zero(&self) -> bool {
        self.scale == 0.0
    }

    /// The bytes for storage: one per dimension. The scale follows from them.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytemuck::cast_slice(&self.values).to_vec()
    }

    /// The vector read back from [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the bytes are not those of a vector with so many dimensions.
    pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Result<Self> {
        let values: Vec<i8> = bytemuck::cast_slice(bytes).to_vec();
        if values.len() != dimensions || dimensions == 0 || values.contains(&i8::MIN) {
            return Err(Error::InvalidArgument(format!(
                "{} bytes are no vector of {dimensions} dimensions",
                bytes.len()
            )));
        }
        Ok(Self::of(values))
    }

    /// The cosine with another vector of as many dimensions; 0 where one points nowhere.
    pub fn cosine(&self, other: &Self) -> f32 {
        debug_assert_eq!(self.dimensions(), other.dimensions(), "vectors of one space");
        // The product of as many dimensions as a vector may have fits.
        let mut product = [0];
        if self.dimensions() == other.dimensions() && self.dimensions().is_multiple_of(ROW_ALIGNMENT) {
            Kernel::detect().dots(&self.values, &other.values, &mut product);
        } else {
            product[0] = self.values.iter().zip(&other.values).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        }
        product[0] as f32 * (self.scale * other.scale)
    }

    /// The values as numbers again, a vector of length one.
    #[cfg(test)]
    pub(crate) fn to_floats(&self) -> Vec<f32> {
        self.values.iter().map(|&value| f32::from(value) * self.scale).collect()
    }
}

/// One over the length of `values`, exact up to the last rounding; zero for zeros.
pub(super) fn scale_of(values: &[i8]) -> f32 {
    let square: u32 = values.iter().map(|&value| u32::from(value.unsigned_abs()).pow(2)).sum();
    if square == 0 { 0.0 } else { (1.0 / f64::from(square).sqrt()) as f32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f64 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        assert!(quantise(&[]).is_err());
        assert!(quantise(&[0.0, f32::NAN]).is_err());
        assert!(quantise(&[f32::INFINITY]).is_err());
        assert!(quantise(&vec![1.0; MAX_DIMENSIONS + 1]).is_err());
        assert!(QuantisedVector::from_bytes(&[1, 2], 3).is_err());
        assert!(QuantisedVector::from_bytes(&[1, 0x80], 2).is_err(), "-128 is never written");
        assert!(QuantisedVector::from_bytes(&[], 0).is_err());
    }

    #[test]
    fn values_are_rounded_as_the_standard_library_does() {
        let near_halves = (-127..=126).flat_map(|whole| {
            let half = f64::from(whole) + 0.5;
            [half.next_down(), half, half.next_up(), f64::from(whole)]
        });
        for value in near_halves.chain([0.0, -0.0, 127.0, f64::MIN_POSITIVE]) {
            assert_eq!(rounded(value), value.round() as i8, "{value:?}");
        }
    }

    #[test]
    fn zeros_point_nowhere() {
        let zeros = quantise(&[0.0, -0.0]).unwrap();
        assert!(zeros.is_zero() && zeros.to_floats() == [0.0, 0.0]);
        assert!(zeros.cosine(&quantise(&[1.0, 2.0]).unwrap()).abs() < f32::MIN_POSITIVE);
    }

    #[test]
    fn the_smallest_and_largest_numbers_are_vectors() {
        for factor in [f32::MAX, 1e-44] {
            assert_eq!(quantise(&[factor, 0.0, -factor]).unwrap().values(), [127, 0, -127]);
        }
    }

    proptest! {
        #[test]
        fn angles_survive(vector in proptest::collection::vec(-1.0f32..1.0, 64), other in proptest::collection::vec(-1.0f32..1.0, 64)) {
            let (a, b) = (quantise(&vector).unwrap(), quantise(&other).unwrap());
            prop_assert!((f64::from(a.cosine(&b)) - cosine(&a.to_floats(), &b.to_floats())).abs() < 1e-5);
            let (a, b) = (a.to_floats(), b.to_floats());
            prop_assert!((cosine(&a, &vector) - 1.0).abs() < 1e-3);
            prop_assert!((cosine(&a, &b) - cosine(&vector, &other)).abs() < 0.02);
            prop_assert!((a.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
        }

        #[test]
        fn a_cosine_is_the_same_with_the_instructions_of_rows_and_without(vector in proptest::collection::vec(-9.0f32..9.0, 128)) {
            // Zeros behind a vector change nothing but how many dimensions there are.
            let (a, b) = (quantise(&vector[..64]).unwrap(), quantise(&vector[64..]).unwrap());
            let with_zero = |range: std::ops::Range<usize>| {
                quantise(&vector[range].iter().copied().chain([0.0]).collect::<Vec<_>>()).unwrap()
            };
            let other = with_zero(0..64).cosine(&with_zero(64..128));
            prop_assert_eq!(a.cosine(&b).to_bits(), other.to_bits());
        }

        #[test]
        fn bytes_bring_the_same_vector_back(vector in proptest::collection::vec(-9.0f32..9.0, 1..70)) {
            let quantised = quantise(&vector).unwrap();
            prop_assert_eq!(QuantisedVector::from_bytes(&quantised.to_bytes(), vector.len()).unwrap(), quantised);
        }
    }
}
