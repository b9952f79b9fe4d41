//! Selects the documents with the highest estimates in one pass, by counting sums, which are small whole numbers:
//! amortised O(1) per document. Documents that tie with the last are kept.

use codecairn_base::id::DocId;

/// Keeps at least the `wanted` documents with the highest sums, and all that tie with the last of
/// them: sums are small whole numbers, so counting them tells at any time which can still matter.
#[derive(Debug, Clone)]
pub(super) struct Nearest {
    wanted: usize,
    /// Sums below it can't be among the highest any more.
    floor: u16,
    /// How many documents were kept with each sum from the floor on.
    counts: Vec<u32>,
    total: usize,
    kept: Vec<(DocId, u16)>,
    room: usize,
}

impl Nearest {
    /// For sums up to `highest`.
    pub(super) fn new(wanted: usize, highest: usize) -> Self {
        Self {
            wanted,
            floor: 0,
            counts: vec![0; highest + 1],
            total: 0,
            kept: Vec::new(),
            room: (wanted * 4).max(1_024),
        }
    }

    /// The sum that a newcomer must reach.
    pub(super) fn threshold(&self) -> u16 {
        self.floor
    }

    /// Leaves out what is below `threshold`, as so many documents elsewhere are not.
    pub(super) fn raise(&mut self, floor: u16) {
        while self.floor < floor {
            self.total -= self.counts[usize::from(self.floor)] as usize;
            self.floor += 1;
        }
    }

    pub(super) fn push(&mut self, doc: DocId, sum: u16) {
        if sum < self.floor {
            return;
        }
        if self.kept.len() >= self.room {
            self.kept.retain(|(_, sum)| *sum >= self.floor);
            self.room = self.room.max(self.kept.len() * 2);
        }
        self.kept.push((doc, sum));
        self.counts[usize::from(sum)] += 1;
        self.total += 1;
        let mut lowest = self.counts[usize::from(self.floor)] as usize;
        while self.total > lowest && self.total - lowest >= self.wanted {
            self.total -= lowest;
            self.floor += 1;
            lowest = self.counts[usize::from(self.floor)] as usize;
        }
    }

    /// The highest of both.
    pub(super) fn joined(mut self, other: Self) -> Self {
        let floor = other.floor;
        self.raise(floor);
        other.kept.into_iter().filter(|(_, sum)| *sum >= floor).for_each(|(doc, sum)| self.push(doc, sum));
        self
    }

    /// The documents, in rising order.
    pub(super) fn into_docs(self) -> Vec<DocId> {
        let floor = self.floor;
        let mut docs: Vec<_> = self.kept.into_iter().filter(|(_, sum)| *sum >= floor).map(|(doc, _)| doc).collect();
        docs.sort_unstable();
        docs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nearest_are_those_of_sorting_with_all_ties(sums in proptest::collection::vec(0u16..65, 0..3_000), wanted in 1usize..300, cut in 0usize..3_000, is_told: bool) {
            let (mut other, mut nearest) = (Nearest::new(wanted, 64), Nearest::new(wanted, 64));
            for (index, &sum) in sums.iter().enumerate() {
                if index == cut && is_told {
                    nearest.raise(other.threshold());
                }
                let half = if index < cut { &mut other } else { &mut nearest };
                half.push(DocId(index as u32), sum);
            }
            let nearest = nearest.joined(other);
            let mut sorted = sums.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let last = sorted.get(wanted - 1).or(sorted.last()).copied().unwrap_or(0);
            let expected: Vec<_> = sums.iter().zip(0u32..).filter(|(sum, _)| **sum >= last).map(|(_, doc)| DocId(doc)).collect();
            prop_assert_eq!(nearest.into_docs(), expected);
        }
    }
}
