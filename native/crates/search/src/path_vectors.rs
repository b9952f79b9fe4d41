//! Computes the cosine of a path to the query, less the cosine of the mean of all paths.
//!
//! A path is embedded when a pool first has it, and its vector is cached: a pool has some hundred files, and the paths
//! of a branch do not change. The cache never changes a result.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use codecairn_base::error::Result;
use codecairn_base::parallel::map_each;
use codecairn_index::view::FileIndex;
use codecairn_model::embed::Scratch;
use codecairn_model::vector::{QuantisedVector, quantise};

/// Bytes of cached vectors; the paths beyond are embedded each time.
const KEPT_BYTES: usize = 32 << 20;
/// Paths in the sample that the mean is taken over, evenly spread; a larger sample hardly changes it.
const SAMPLE: usize = 1024;
/// Paths to embed from which on parallel work pays.
const MANY: usize = 64;

/// The vectors of one branch's paths.
#[derive(Debug)]
pub(super) struct PathVectors {
    by_file: Vec<OnceLock<QuantisedVector>>,
    /// The mean of all paths' vectors.
    mean: OnceLock<Vec<f32>>,
    kept_bytes: AtomicUsize,
}

impl PathVectors {
    /// An empty cache for a branch of `files` files.
    pub(super) fn new(files: usize) -> Self {
        let mut by_file = Vec::new();
        by_file.resize_with(files, OnceLock::new);
        Self { by_file, mean: OnceLock::new(), kept_bytes: AtomicUsize::new(0) }
    }

    /// The cosine of each path of `pool` to `query`, less that of the mean of all paths, in the order of the pool.
    /// `embed` must give the same vector for a path each time.
    ///
    /// # Errors
    /// As [`quantise`].
    pub(super) fn nearness(
        &self,
        pool: &[(FileIndex, f32)],
        query: &[f32],
        embed: impl Fn(&mut Scratch, FileIndex) -> Vec<f32> + Sync,
    ) -> Result<Vec<f32>> {
        let common: f32 = self.mean(&embed).iter().zip(query).map(|(a, b)| a * b).sum();
        let query = quantise(query)?;
        let slot = |file: FileIndex| &self.by_file[file.0 as usize];
        let unknown = pool.iter().filter(|entry| slot(entry.0).get().is_none()).count();
        let nearness = |scratch: &mut Scratch, &(file, _): &(FileIndex, f32)| {
            let cosine = match slot(file).get() {
                Some(known) => query.cosine(known),
                None => query.cosine(&self.keep(slot(file), quantise(&embed(scratch, file))?)),
            };
            Ok(cosine - common)
        };
        map_each(pool, unknown >= MANY, Scratch::default, nearness).into_iter().collect()
    }

    fn mean(&self, embed: impl Fn(&mut Scratch, FileIndex) -> Vec<f32> + Sync) -> &[f32] {
        if let Some(mean) = self.mean.get() {
            return mean;
        }
        // Computed before the cell is locked, at worst by several queries: a thread of the pool that waits for its part
        // of the work may run another query, which would deadlock on the cell.
        let step = self.by_file.len().div_ceil(SAMPLE).max(1);
        let sampled: Vec<FileIndex> =
            (0..self.by_file.len()).step_by(step).map(|file| FileIndex(file as u32)).collect();
        let of_file = |scratch: &mut Scratch, &file: &FileIndex| embed(scratch, file);
        let vectors = map_each(&sampled, sampled.len() >= MANY, Scratch::default, of_file);
        let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
        for vector in &vectors {
            mean.iter_mut().zip(vector).for_each(|(mean, value)| *mean += value / vectors.len() as f32);
        }
        self.mean.get_or_init(|| mean)
    }

    /// Caches a vector if there is room for it.
    fn keep<'a>(&self, slot: &'a OnceLock<QuantisedVector>, vector: QuantisedVector) -> Cow<'a, QuantisedVector> {
        let bytes = vector.dimensions();
        if self.kept_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEPT_BYTES {
            Cow::Borrowed(slot.get_or_init(|| vector))
        } else {
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
            Cow::Owned(vector)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use super::*;

    #[test]
    fn nearness_is_counted_from_what_all_paths_have_in_common() {
        let of_file = |_: &mut Scratch, file: FileIndex| if file.0 < 2 { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        let pool = [(FileIndex(3), 0.0), (FileIndex(0), 0.0)];
        let paths = PathVectors::new(4);
        for _ in 0..2 {
            assert_eq!(paths.nearness(&pool, &[0.0, 1.0], of_file).unwrap(), [0.5, -0.5]);
        }
        assert!(PathVectors::new(0).nearness(&[], &[1.0], of_file).unwrap().is_empty());
    }

    #[test]
    fn a_thread_that_waits_for_its_part_may_take_up_another_query() {
        let of_file = |_: &mut Scratch, file: FileIndex| {
            // The other thread comes in time to take its half, and is busy when the maker of the mean has done its own.
            std::thread::sleep(Duration::from_millis(if file.0 == MANY as u32 { 300 } else { 1 }));
            vec![1.0, file.0 as f32]
        };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let shared = Arc::new((PathVectors::new(2 * MANY), threads));
        let (done, answers) = mpsc::channel();
        for _ in 0..4 {
            let (shared, done) = (Arc::clone(&shared), done.clone());
            std::thread::spawn(move || {
                let (paths, threads) = &*shared;
                let pool: Vec<(FileIndex, f32)> = (0..2 * MANY as u32).map(|file| (FileIndex(file), 0.0)).collect();
                done.send(threads.install(|| paths.nearness(&pool, &[0.0, 1.0], of_file).unwrap()))
            });
            // The next query comes while the first one still makes the mean.
            std::thread::sleep(Duration::from_millis(10));
        }
        let answers: Vec<Vec<f32>> =
            (0..4).map(|_| answers.recv_timeout(Duration::from_mins(1)).expect("none waits for itself")).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }

    #[test]
    fn what_is_kept_changes_nothing() {
        let of_file =
            |_: &mut Scratch, file: FileIndex| (0..64).map(|at| ((file.0 * 37 + at * 11) % 17) as f32 - 8.0).collect();
        let pool: Vec<(FileIndex, f32)> = (0..200).map(|file| (FileIndex(file), 0.0)).collect();
        let query: Vec<f32> = (0..64).map(|at| (at % 5) as f32 - 2.0).collect();
        let paths = PathVectors::new(200);
        let first = paths.nearness(&pool, &query, of_file).unwrap();
        assert_eq!(paths.nearness(&pool, &query, of_file).unwrap(), first);
        let full = PathVectors::new(200);
        full.kept_bytes.store(KEPT_BYTES, Ordering::Relaxed);
        assert_eq!(full.nearness(&pool, &query, of_file).unwrap(), first);
        assert!(full.by_file.iter().all(|slot| slot.get().is_none()));
    }
}
