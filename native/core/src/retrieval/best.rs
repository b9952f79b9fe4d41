//! The best of many scores, in an order that is total.

/// Room for more than is wanted, so that cutting back to it is rare.
const SPARE_ROOM: usize = 3;

/// The `count` highest of `scored`, best first, ties by key.
pub(super) fn best<K: Ord + Copy>(scored: impl Iterator<Item = (K, f32)>, count: usize) -> Vec<(K, f32)> {
    let better = |a: &(K, f32), b: &(K, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let room = count * (1 + SPARE_ROOM);
    let mut found: Vec<(K, f32)> = Vec::with_capacity(room);
    // Lower scores can't be among the best any more.
    let mut least = f32::NEG_INFINITY;
    for entry in scored {
        if entry.1 < least {
            continue;
        }
        if found.len() == room && count > 0 {
            let (_, last, _) = found.select_nth_unstable_by(count - 1, better);
            least = last.1;
            found.truncate(count);
        }
        found.push(entry);
    }
    found.sort_unstable_by(better);
    found.truncate(count);
    found
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
            prop_assert_eq!(best(scored.into_iter().rev(), count), expected);
        }
    }
}
