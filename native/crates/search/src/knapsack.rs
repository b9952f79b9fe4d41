//! Fills a budget with at most one way of each item: the multiple-choice knapsack.
//!
//! Greedy by steps along the upper convex hull of each item's ways, the step with the most value for its cost first
//! (Sinha and Zoltners, "The multiple-choice knapsack problem", 1979): less than one step below the best, in
//! O(n log n) for n ways. Ties go to the first item.

/// What a way costs, and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Way {
    pub(super) cost: u32,
    pub(super) value: f32,
}

/// A step from one way of an item to a dearer one.
struct Step {
    /// Value for each unit of cost.
    rate: f32,
    item: usize,
    way: usize,
    /// What it costs more than the way before.
    cost: u32,
}

/// The number of the way that is taken of each item, if any.
pub(super) fn fill(items: &[Vec<Way>], budget: u32) -> Vec<Option<usize>> {
    let mut steps: Vec<Step> = items.iter().enumerate().flat_map(|(item, ways)| hull_steps(item, ways)).collect();
    steps.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let mut left = budget;
    let mut taken = vec![None; items.len()];
    let mut is_closed = vec![false; items.len()];
    for Step { item, way, cost, .. } in steps {
        match left.checked_sub(cost).filter(|_| !is_closed[item]) {
            Some(rest) => (left, taken[item]) = (rest, Some(way)),
            // Later steps of the item begin where this one ends.
            None => is_closed[item] = true,
        }
    }
    taken
}

/// The steps along the upper convex hull of an item's ways, from nothing: each gains less for its cost than the last.
fn hull_steps(item: usize, ways: &[Way]) -> Vec<Step> {
    let mut by_cost: Vec<usize> = (0..ways.len()).collect();
    by_cost.sort_by_key(|&way| ways[way].cost);
    let rate = |from: Way, to: Way| (to.value - from.value) / (to.cost - from.cost).max(1) as f32;
    let mut hull: Vec<(Way, usize)> = vec![(Way { cost: 0, value: 0.0 }, usize::MAX)];
    for number in by_cost {
        let way = ways[number];
        if hull.last().is_some_and(|(last, _)| way.value <= last.value) {
            continue;
        }
        while let [.., (before, _), (last, _)] = hull[..]
            && rate(last, way) >= rate(before, last)
        {
            hull.pop();
        }
        hull.push((way, number));
    }
    let step = |pair: &[(Way, usize)]| {
        let ((from, _), (to, way)) = (pair[0], pair[1]);
        Step { rate: rate(from, to), item, way, cost: to.cost - from.cost }
    };
    hull.windows(2).map(step).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ways(ways: &[(u32, f32)]) -> Vec<Way> {
        ways.iter().map(|&(cost, value)| Way { cost, value }).collect()
    }

    #[test]
    fn small_steps_of_many_items_come_before_the_last_step_of_one() {
        let items = [ways(&[(10, 5.0), (100, 6.0)]), ways(&[(10, 4.0), (40, 4.1)])];
        assert_eq!(fill(&items, 20), [Some(0), Some(0)]);
        assert_eq!(fill(&items, 110), [Some(1), Some(0)]);
        assert_eq!(fill(&items, 1_000), [Some(1), Some(1)]);
    }

    #[test]
    fn a_way_below_the_hull_is_never_taken() {
        let items = [ways(&[(10, 1.0), (20, 10.0), (15, 0.5)])];
        assert_eq!(fill(&items, 14), [None]);
        assert_eq!(fill(&items, 20), [Some(1)]);
    }

    #[test]
    fn nothing_fits_no_budget_and_the_first_of_equals_is_taken() {
        let items = [ways(&[(10, 1.0)]), ways(&[(10, 1.0)]), Vec::new()];
        assert_eq!(fill(&items, 9), [None, None, None]);
        assert_eq!(fill(&items, 10), [Some(0), None, None]);
    }

    /// The best value by trying everything.
    fn best(items: &[Vec<Way>], budget: u32) -> f32 {
        let Some((ways, rest)) = items.split_first() else { return 0.0 };
        let with = |way: &Way| Some(way.value + best(rest, budget.checked_sub(way.cost)?));
        ways.iter().filter_map(with).fold(best(rest, budget), f32::max)
    }

    proptest! {
        #[test]
        fn what_is_taken_fits_and_is_less_than_one_step_below_the_best(
            items in prop::collection::vec(prop::collection::vec((1u32..30, 0u32..50), 0..4), 0..5),
            budget in 0u32..80,
        ) {
            let items: Vec<Vec<Way>> = items
                .into_iter()
                .map(|ways| ways.into_iter().map(|(cost, value)| Way { cost, value: value as f32 }).collect())
                .collect();
            let taken = fill(&items, budget);
            let ways = || items.iter().zip(&taken).filter_map(|(ways, taken)| taken.map(|at| ways[at]));
            prop_assert!(ways().map(|way| way.cost).sum::<u32>() <= budget);
            let most = items.iter().flatten().map(|way| way.value).fold(0.0, f32::max);
            prop_assert!(ways().map(|way| way.value).sum::<f32>() >= best(&items, budget) - most - 1e-3);
        }
    }
}
