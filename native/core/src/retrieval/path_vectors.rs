//! How near the words of a path are to the query, beside the words of all paths.
//!
//! A pool has some hundred files and a branch's paths stay what they are, so a path is embedded when a pool first has it
//! and its vector kept. What is kept never changes a result.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::embed::Scratch;
use crate::parallel::map_each;
use crate::view::FileIndex;

/// Bytes of vectors kept; paths met after that are embedded anew each time.
const KEPT_BYTES: usize = 32 << 20;
/// Paths compared at a time: each sum waits for its own last addition only.
const LANES: usize = 8;
/// Paths that the mean is taken over, evenly spread: more of them would hardly move it.
const SAMPLE: usize = 1024;

/// The vectors of one branch's paths.
#[derive(Debug)]
pub(super) struct PathVectors {
    by_file: Vec<OnceLock<Arc<[f32]>>>,
    /// What all paths have in common, which tells none apart.
    mean: OnceLock<Vec<f32>>,
    kept_bytes: AtomicUsize,
}

impl PathVectors {
    /// None yet, for a branch of so many files.
    pub(super) fn new(files: usize) -> Self {
        let mut by_file = Vec::new();
        by_file.resize_with(files, OnceLock::new);
        Self { by_file, mean: OnceLock::new(), kept_bytes: AtomicUsize::new(0) }
    }

    /// By how much the paths of a `pool` of files are nearer to `query` than the mean of all paths is, in their order.
    /// `embed` gives a path's vector, the same each time.
    pub(super) fn nearness(
        &self,
        pool: &[(FileIndex, f32)],
        query: &[f32],
        on_all: bool,
        embed: impl Fn(&mut Scratch, FileIndex) -> Vec<f32> + Sync,
    ) -> Vec<f32> {
        let of_file =
            |scratch: &mut Scratch, &(file, _): &(FileIndex, f32)| self.vector(file, || embed(scratch, file).into());
        let vectors = map_each(pool, on_all, Scratch::default, of_file);
        let common: f32 = self.mean(on_all, embed).iter().zip(query).map(|(a, b)| a * b).sum();
        let mut products = products(&vectors, query);
        for product in &mut products {
            *product -= common;
        }
        products
    }

    fn mean(&self, on_all: bool, embed: impl Fn(&mut Scratch, FileIndex) -> Vec<f32> + Sync) -> &[f32] {
        self.mean.get_or_init(|| {
            let step = self.by_file.len().div_ceil(SAMPLE).max(1);
            let sampled: Vec<FileIndex> =
                (0..self.by_file.len()).step_by(step).map(|file| FileIndex(file as u32)).collect();
            let vectors = map_each(&sampled, on_all, Scratch::default, |scratch, &file| embed(scratch, file));
            let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
            for vector in &vectors {
                mean.iter_mut().zip(vector).for_each(|(mean, value)| *mean += value / vectors.len() as f32);
            }
            mean
        })
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

    #[test]
    fn nearness_is_counted_from_what_all_paths_have_in_common() {
        let of_file = |_: &mut Scratch, file: FileIndex| vec![1.0, file.0 as f32];
        let pool = [(FileIndex(3), 0.0), (FileIndex(0), 0.0)];
        let paths = PathVectors::new(4);
        for _ in 0..2 {
            assert_eq!(paths.nearness(&pool, &[5.0, 2.0], false, of_file), [3.0, -3.0]);
        }
        assert!(PathVectors::new(0).nearness(&[], &[1.0], false, of_file).is_empty());
    }
}
