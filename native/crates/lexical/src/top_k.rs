//! Selects the k best of many scores: O(n) on average, in memory of O(k); ties go to the lower key.

/// Multiples of k that are buffered beyond k, so that cutting back by quickselect is rare.
const SPARE_FACTOR: usize = 3;

/// Keeps the k best of the pushed entries.
#[derive(Debug)]
pub struct TopK<K> {
    count: usize,
    found: Vec<(K, f32)>,
    /// Lower scores can't be among the best.
    least: f32,
}

impl<K: Ord + Copy> TopK<K> {
    /// An empty list for the `count` best.
    pub fn new(count: usize) -> Self {
        Self { count, found: Vec::new(), least: f32::NEG_INFINITY }
    }

    /// Offers an entry.
    #[inline]
    pub fn push(&mut self, key: K, score: f32) {
        if score >= self.least {
            self.keep(key, score);
        }
    }

    fn keep(&mut self, key: K, score: f32) {
        let room = self.count * (1 + SPARE_FACTOR);
        if self.found.len() >= room && self.count > 0 {
            let (_, last, _) = self.found.select_nth_unstable_by(self.count - 1, better);
            self.least = last.1;
            self.found.truncate(self.count);
        }
        self.found.push((key, score));
    }

    /// A lower score is not among the best.
    pub fn threshold(&self) -> f32 {
        self.least
    }

    /// Whether more than `count` entries were pushed.
    pub fn is_cut(&self) -> bool {
        self.found.len() > self.count || self.least > f32::NEG_INFINITY
    }

    /// The entries, best first, ties by key.
    pub fn into_sorted(mut self) -> Vec<(K, f32)> {
        self.found.sort_unstable_by(better);
        self.found.truncate(self.count);
        self.found
    }
}

fn better<K: Ord>(one: &(K, f32), other: &(K, f32)) -> std::cmp::Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

/// The `count` highest of `scored`, best first, ties by key.
pub fn top_k<K: Ord + Copy>(scored: impl Iterator<Item = (K, f32)>, count: usize) -> Vec<(K, f32)> {
    let mut best = TopK::new(count);
    scored.for_each(|(key, score)| best.push(key, score));
    best.into_sorted()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_what_sorting_all_and_cutting_gives(scores in proptest::collection::vec(0u8..30, 0..400), count in 0usize..50) {
            let scored: Vec<(usize, f32)> = scores.iter().map(|&score| f32::from(score)).enumerate().collect();
            let mut expected = scored.clone();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(count);
            prop_assert_eq!(top_k(scored.into_iter().rev(), count), expected);
        }
    }
}
