//! How near the words of a path are to the query.
//!
//! A pool has some hundred files and a branch's paths stay what they are, so a path is embedded when a pool first has it
//! and its vector kept. What is kept never changes a result.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::embed::{Embedder, Scratch};
use crate::parallel::map_each;
use crate::view::{FileIndex, View};

use super::search::SIDE_BY_SIDE;

/// Bytes of vectors kept; paths met after that are embedded anew each time.
const KEPT_BYTES: usize = 32 << 20;
/// Paths compared at a time: each sum waits for its own last addition only.
const LANES: usize = 8;

/// The vectors of one branch's paths.
#[derive(Debug)]
pub(super) struct PathVectors {
    by_file: Vec<OnceLock<Arc<[f32]>>>,
    kept_bytes: AtomicUsize,
}

impl PathVectors {
    /// None yet, for a branch of so many files.
    pub(super) fn new(files: usize) -> Self {
        let mut by_file = Vec::new();
        by_file.resize_with(files, OnceLock::new);
        Self { by_file, kept_bytes: AtomicUsize::new(0) }
    }

    /// The cosines of the paths of a `pool` of files to `query`, in their order.
    pub(super) fn cosines(
        &self,
        pool: &[(FileIndex, f32)],
        query: &[f32],
        view: &View,
        embedder: &dyn Embedder,
    ) -> Vec<f32> {
        let is_large = view.chunk_count() >= SIDE_BY_SIDE;
        let vector = |scratch: &mut Scratch, &(file, _): &(FileIndex, f32)| {
            self.vector(file, || embedder.embed_query(view.file(file).path, scratch).into())
        };
        products(&map_each(pool, is_large, Scratch::default, vector), query)
    }

    fn vector(&self, file: FileIndex, embed: impl FnOnce() -> Arc<[f32]>) -> Arc<[f32]> {
        let slot = &self.by_file[file.0 as usize];
        if let Some(kept) = slot.get() {
            return Arc::clone(kept);
        }
        let vector = embed();
        let bytes = size_of_val(&*vector);
        if self.kept_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEPT_BYTES {
            Arc::clone(slot.get_or_init(|| vector))
        } else {
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
            vector
        }
    }
}

/// The product of each vector with `query`, added up in the order of dimensions.
fn products(vectors: &[Arc<[f32]>], query: &[f32]) -> Vec<f32> {
    let mut products = Vec::with_capacity(vectors.len());
    for group in vectors.chunks(LANES) {
        // The last group is filled up with its first vector.
        let group: [&[f32]; LANES] = std::array::from_fn(|lane| &**group.get(lane).unwrap_or(&group[0]));
        let len = group.iter().map(|vector| vector.len()).fold(query.len(), usize::min);
        let group = group.map(|vector| &vector[..len]);
        let mut sums = [0.0f32; LANES];
        for (at, value) in query[..len].iter().enumerate() {
            for (sum, vector) in sums.iter_mut().zip(&group) {
                *sum += vector[at] * value;
            }
        }
        products.extend_from_slice(&sums);
    }
    products.truncate(vectors.len());
    products
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_product_is_what_it_is_alone() {
        let vectors: Vec<Arc<[f32]>> =
            (0..19).map(|row| (0..33).map(|at| ((row * 37 + at * 11) % 17) as f32 / 7.0 - 1.0).collect()).collect();
        let query: Vec<f32> = (0..33).map(|at| (at % 5) as f32 / 3.0 - 0.5).collect();
        let alone: Vec<f32> =
            vectors.iter().map(|vector| vector.iter().zip(&query).map(|(a, b)| a * b).sum()).collect();
        assert_eq!(products(&vectors, &query), alone);
        assert!(products(&[], &query).is_empty());
    }
}
