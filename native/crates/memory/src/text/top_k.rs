//! Selects the k best of many documents, independent of the order of insertion: O(n) on average, ties go to the newest.

use crate::signals::Signals;

/// The buffer holds this multiple of k before it is cut back.
const CUT: usize = 2;

/// A document with its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) score: f32,
    pub(super) doc: i64,
    /// Where it is: the part, and its place there.
    pub(super) part: usize,
    pub(super) place: u32,
    pub(super) signals: Signals,
}

/// The highest scores seen so far.
pub(super) struct TopK {
    limit: usize,
    floor: f32,
    is_full: bool,
    kept: Vec<Candidate>,
}

impl TopK {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, floor: f32::MIN, is_full: false, kept: Vec::with_capacity(limit * CUT) }
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        // Equal scores are kept until the cut, in which the newest wins.
        if candidate.score < self.floor {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= self.limit * CUT {
            self.cut();
        }
    }

    /// Documents with a lower score are not among the best.
    pub(super) fn threshold(&self) -> f32 {
        self.floor
    }

    fn cut(&mut self) {
        if self.kept.len() > self.limit && self.limit > 0 {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, Self::order);
            self.floor = last.score;
            self.kept.truncate(self.limit);
            self.is_full = true;
        }
    }

    /// The best, in order, and whether there were more.
    pub(super) fn into_sorted(mut self) -> (Vec<Candidate>, bool) {
        self.cut();
        self.kept.sort_by(Self::order);
        (self.kept, self.is_full)
    }

    fn order(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
        right.score.total_cmp(&left.score).then(right.doc.cmp(&left.doc)).then(right.part.cmp(&left.part))
    }
}
