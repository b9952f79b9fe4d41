//! Selects the best scores by quickselect: O(n) on average. Scores that tie with the last are kept; equal scores are
//! sorted by document.

use codecairn_base::id::DocId;

/// Keeps the `wanted` best scores and whatever ties with the last of them.
///
/// Ties are kept so that the set does not depend on document numbers, which depend on history.
#[derive(Debug, Clone)]
pub(super) struct TopK {
    wanted: usize,
    /// Scores below it can't be among the best any more.
    threshold: f32,
    kept: Vec<(DocId, f32)>,
    room: usize,
}

impl TopK {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, threshold: f32::NEG_INFINITY, kept: Vec::new(), room: (wanted * 2).max(256) }
    }

    /// The score that a newcomer must reach.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    pub(super) fn push(&mut self, doc: DocId, score: f32) {
        if score >= self.threshold {
            self.kept.push((doc, score));
            if self.kept.len() >= self.room {
                self.shrink();
                self.room = (self.kept.len() * 2).max(self.room);
            }
        }
    }

    /// The best of both.
    pub(super) fn joined(mut self, other: Self) -> Self {
        other.kept.into_iter().for_each(|(doc, score)| self.push(doc, score));
        self
    }

    /// Best first; equal scores by document.
    pub(super) fn into_sorted(mut self) -> Vec<(DocId, f32)> {
        self.shrink();
        self.kept.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        self.kept
    }

    fn shrink(&mut self) {
        if self.wanted == 0 {
            self.kept.clear();
        } else if self.kept.len() > self.wanted {
            let (_, last, _) =
                self.kept.select_nth_unstable_by(self.wanted - 1, |left, right| right.1.total_cmp(&left.1));
            self.threshold = last.1;
            self.kept.retain(|(_, score)| *score >= self.threshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_wanted_is_nothing_kept() {
        let mut top = TopK::new(0);
        (0..1_000).for_each(|doc| top.push(DocId(doc), 1.0));
        assert!(top.into_sorted().is_empty());
    }

    proptest! {
        #[test]
        fn it_keeps_what_sorting_keeps_and_the_ties(scores in proptest::collection::vec(0u8..40, 0..900), wanted in 1usize..300, cut in 0usize..900) {
            let scored: Vec<_> = scores.iter().zip(0u32..).map(|(&score, doc)| (DocId(doc), f32::from(score))).collect();
            let mut expected = scored.clone();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let last = expected.get(wanted - 1).map_or(f32::MIN, |entry| entry.1);
            expected.retain(|entry| entry.1 >= last);
            let (mut left, mut right) = (TopK::new(wanted), TopK::new(wanted));
            for (index, &(doc, score)) in scored.iter().enumerate() {
                if index < cut { left.push(doc, score) } else { right.push(doc, score) }
            }
            prop_assert_eq!(right.joined(left).into_sorted(), expected);
        }
    }
}
