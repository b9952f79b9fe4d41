//! Holds a vector with its sketch, which is all that a segment takes of it.

use super::layout::row_bytes;
use super::quantise::QuantisedVector;
use super::sketch;

/// A vector with its sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct SketchedVector {
    pub(super) vector: QuantisedVector,
    pub(super) sketch: Vec<u8>,
}

impl SketchedVector {
    /// Makes the sketch of a vector.
    pub fn of(vector: QuantisedVector) -> Self {
        let mut row = vec![0; row_bytes(vector.dimensions())];
        row[..vector.dimensions()].copy_from_slice(vector.values());
        Self { sketch: sketch::of(&row), vector }
    }
}
