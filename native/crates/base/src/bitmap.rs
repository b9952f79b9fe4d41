//! Stores a dense set of numbers below a fixed length, one bit each: the documents of a branch, or those that a filter
//! lets through. Membership takes O(1), counting and iterating O(len / 64).
//!
//! Invariant: bits at and beyond the length are never set, so that counting words counts members.

/// A set of numbers below a fixed length, one bit each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// The empty set over the numbers `0..len`.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// The set over the numbers `0..len` with these bits, least significant first within a word.
    pub fn of_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        if let Some(last) = words.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last &= (1 << (len % 64)) - 1;
        }
        Self { words, len }
    }

    /// Adds `index`.
    ///
    /// # Panics
    /// If `index` is not below the length: a caller's bug that would otherwise lose a document.
    pub fn set(&mut self, index: usize) {
        assert!(index < self.len, "bit {index} lies beyond the length {}", self.len);
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Whether `index` is a member; `false` beyond the length.
    pub fn get(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// One past the largest number that fits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no number fits; see [`count`](Self::count) for whether none is a member.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let start = index * 64;
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| start + rest.trailing_zeros() as usize)
        })
    }

    /// The largest member.
    pub fn last(&self) -> Option<usize> {
        let (at, word) = self.words.iter().enumerate().rfind(|(_, word)| **word != 0)?;
        Some(at * 64 + 63 - word.leading_zeros() as usize)
    }

    /// The bits, least significant first within a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The members of both, with this set's length.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut words = self.words.clone();
        for (index, word) in words.iter_mut().enumerate() {
            *word &= other.words.get(index).copied().unwrap_or(0);
        }
        Self { words, len: self.len }
    }

    /// The members of either, with the greater length.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let (long, short) = if self.len >= other.len { (self, other) } else { (other, self) };
        let mut union = long.clone();
        for (word, more) in union.words.iter_mut().zip(&short.words) {
            *word |= more;
        }
        union
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(len: usize, members: &[usize]) -> Bitmap {
        let mut bitmap = Bitmap::new(len);
        for &member in members {
            bitmap.set(member);
        }
        bitmap
    }

    #[test]
    fn nothing_is_a_member_beyond_the_length() {
        let bitmap = of(65, &[0, 64]);
        assert!(bitmap.get(64) && !bitmap.get(65) && !bitmap.get(1_000_000));
        assert_eq!((bitmap.len(), bitmap.count(), bitmap.words()), (65, 2, &[1, 1][..]));
    }

    #[test]
    #[should_panic(expected = "beyond the length")]
    fn setting_beyond_the_length_is_refused() {
        of(65, &[65]);
    }

    #[test]
    fn sets_of_different_length_combine() {
        let (short, long) = (of(3, &[1, 2]), of(130, &[2, 129]));
        assert_eq!(short.and(&long), of(3, &[2]));
        assert_eq!(long.and(&short), of(130, &[2]));
        assert_eq!(short.or(&long), of(130, &[1, 2, 129]));
        assert_eq!(long.or(&short), of(130, &[1, 2, 129]));
    }

    proptest! {
        #[test]
        fn it_behaves_as_a_sorted_set(left in proptest::collection::btree_set(0usize..300, 0..80), right in proptest::collection::btree_set(0usize..300, 0..80)) {
            let list = |set: &std::collections::BTreeSet<usize>| set.iter().copied().collect::<Vec<_>>();
            let (a, b) = (of(300, &list(&left)), of(300, &list(&right)));
            prop_assert_eq!(a.iter().collect::<Vec<_>>(), list(&left));
            prop_assert_eq!(a.count(), left.len());
            prop_assert_eq!(a.and(&b).iter().collect::<Vec<_>>(), left.intersection(&right).copied().collect::<Vec<_>>());
            prop_assert_eq!(a.or(&b).iter().collect::<Vec<_>>(), left.union(&right).copied().collect::<Vec<_>>());
        }
    }
}
