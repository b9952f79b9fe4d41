//! Maintains the score of the k-th best file so far, shared by all threads that score files.
//!
//! The scores above the threshold are kept in a buffer of k plus [`SPARE_CAPACITY`] entries, which is cut back to k by
//! quickselect: amortised constant time per score.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Entries beyond k, so that cutting back is rare.
const SPARE_CAPACITY: usize = 64;

/// A lower bound of the k-th best score. It rises while files are scored; a file below it can't be among the best k.
#[derive(Debug)]
pub(super) struct TopKThreshold {
    wanted: usize,
    best: Mutex<Vec<f32>>,
    /// The bits of the threshold.
    reached: AtomicU32,
}

impl TopKThreshold {
    /// A threshold of zero for the `wanted` best files.
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, best: Mutex::default(), reached: AtomicU32::new(0) }
    }

    /// A score that at least `wanted` files reach; zero while fewer were scored.
    pub(super) fn value(&self) -> f32 {
        f32::from_bits(self.reached.load(Ordering::Relaxed))
    }

    /// Raises the threshold by the scores of more files.
    pub(super) fn update(&self, scores: &[f32]) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = self.value();
        for &score in scores.iter().filter(|score| **score > reached) {
            best.push(score);
            if best.len() >= self.wanted + SPARE_CAPACITY {
                self.cut(&mut best);
            }
        }
        if best.len() >= self.wanted {
            self.cut(&mut best);
        }
    }

    fn cut(&self, best: &mut Vec<f32>) {
        let Some(last) = self.wanted.checked_sub(1) else { return best.clear() };
        let (_, last, _) = best.select_nth_unstable_by(last, |one, other| other.total_cmp(one));
        self.reached.store(last.to_bits(), Ordering::Relaxed);
        best.truncate(self.wanted);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::float_cmp, reason = "equal to the bit is what is promised")]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_many_files_as_are_wanted_reach_it_and_no_more_lie_above(
            pieces in proptest::collection::vec(proptest::collection::vec(0u8..50, 0..90), 0..6),
            wanted in 1usize..40,
        ) {
            let floor = TopKThreshold::new(wanted);
            let mut all: Vec<f32> = Vec::new();
            for piece in pieces {
                let scores: Vec<f32> = piece.into_iter().map(f32::from).collect();
                floor.update(&scores);
                all.extend(scores.into_iter().filter(|score| *score > 0.0));
                all.sort_by(|one, other| other.total_cmp(one));
                prop_assert_eq!(floor.value(), all.get(wanted - 1).copied().unwrap_or(0.0));
            }
        }
    }
}
