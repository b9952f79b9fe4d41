//! Prepares a query vector for comparisons with many others.

use codecairn_base::error::Result;

use super::layout::row_bytes;
use super::quantise::{QuantisedVector, quantise};
use super::sketch;

/// A query: the 8-bit vector, padded as rows are, and its sketch tables.
#[derive(Debug, Clone)]
pub struct Query {
    dimensions: usize,
    pub(super) scale: f32,
    pub(super) values: Vec<i8>,
    pub(super) tables: Vec<[u8; 16]>,
}

impl Query {
    /// A query for what lies near `vector`, of any length.
    ///
    /// # Errors
    /// As [`quantise`].
    pub fn new(vector: &[f32]) -> Result<Self> {
        Ok(Self::of(&quantise(vector)?))
    }

    /// A query for what lies near a stored vector.
    pub fn of(vector: &QuantisedVector) -> Self {
        let mut values = vector.values().to_vec();
        values.resize(row_bytes(vector.dimensions()), 0);
        let tables = sketch::tables(&values);
        Self { dimensions: vector.dimensions(), scale: vector.scale(), values, tables }
    }

    /// Length of the vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Whether it points nowhere, and so finds nothing.
    pub fn is_zero(&self) -> bool {
        self.scale == 0.0
    }

    /// The cosine, from a row's product with this query and the row's scale. All scores come from here.
    pub(super) fn score(&self, product: i32, scale: f32) -> f32 {
        product as f32 * (self.scale * scale)
    }
}
