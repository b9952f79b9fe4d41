//! Fills a budget with at most one way of each item: the multiple-choice knapsack.
//!
//! Greedy by steps along the upper convex hull of each item's ways, the step with the most value for its cost first
//! (Sinha and Zoltners, "The multiple-choice knapsack problem", 1979): less than one step below the best, in
//! O(n log n) for n ways. Ties go to the first item. Items are in groups, which cost something by themselves.

/// What a way costs, and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Way {
    pub(super) cost: u32,
    pub(super) value: f32,
}

/// A thing that can be shown, in one of several ways.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// The number of its group.
    pub(super) group: usize,
    pub(super) ways: Vec<Way>,
}

/// The limits of a choice.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// What everything may cost together.
    pub(super) budget: u32,
    /// What a group costs with its first item.
    pub(super) group_cost: u32,
    /// The most items of a group.
    pub(super) group_items: usize,
    /// Steps with less value for each unit of cost are not taken, but for the first.
    pub(super) min_rate: f32,
    /// The item that is taken before all others, in the way of the most value that fits.
    pub(super) first: Option<usize>,
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
pub(super) fn fill(items: &[Item], limits: &Limits) -> Vec<Option<usize>> {
    let mut steps: Vec<Step> =
        items.iter().enumerate().flat_map(|(number, item)| hull_steps(number, &item.ways)).collect();
    steps.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let mut left = limits.budget;
    let mut taken = vec![None; items.len()];
    let mut is_closed = vec![false; items.len()];
    let mut in_group = vec![0; items.iter().map(|item| item.group + 1).max().unwrap_or(0)];
    let mut is_empty = true;
    if let Some(first) = limits.first
        && let Some(way) = best_within(&items[first].ways, left.saturating_sub(limits.group_cost), 0.0)
    {
        left -= items[first].ways[way].cost + limits.group_cost;
        (taken[first], is_closed[first], is_empty) = (Some(way), true, false);
        in_group[items[first].group] = 1;
    }
    for Step { rate, item, way, cost } in steps {
        if rate < limits.min_rate && !is_empty {
            break;
        }
        let is_first = taken[item].is_none();
        let group: &mut usize = &mut in_group[items[item].group];
        let of_group = if *group == 0 { limits.group_cost } else { 0 };
        let cost = cost + of_group;
        let is_open = !is_closed[item] && (!is_first || *group < limits.group_items);
        match left.checked_sub(cost).filter(|_| is_open) {
            Some(rest) => {
                (left, taken[item], is_empty) = (rest, Some(way), false);
                *group += usize::from(is_first);
            }
            // Later steps of the item begin where this one ends; a way beside the hull may fit in its place.
            None if is_open => {
                let so_far = taken[item].map_or(Way { cost: 0, value: 0.0 }, |way: usize| items[item].ways[way]);
                let room = (left + so_far.cost).saturating_sub(if is_first { of_group } else { 0 });
                if let Some(way) = best_within(&items[item].ways, room, so_far.value) {
                    left = left + so_far.cost - items[item].ways[way].cost - if is_first { of_group } else { 0 };
                    (taken[item], is_empty) = (Some(way), false);
                    *group += usize::from(is_first);
                }
                is_closed[item] = true;
            }
            None => is_closed[item] = true,
        }
    }
    taken
}

/// The way of the most value that costs at most so much, if it is worth more than `value`.
fn best_within(ways: &[Way], cost: u32, value: f32) -> Option<usize> {
    let fits = (0..ways.len()).filter(|&way| ways[way].cost <= cost && ways[way].value > value);
    fits.max_by(|&a, &b| ways[a].value.total_cmp(&ways[b].value).then(b.cmp(&a)))
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

    /// Items of which each is a group, from costs and values of their ways.
    fn items(items: &[&[(u32, f32)]]) -> Vec<Item> {
        let way = |&(cost, value): &(u32, f32)| Way { cost, value };
        let item = |(group, ways): (usize, &&[(u32, f32)])| Item { group, ways: ways.iter().map(way).collect() };
        items.iter().enumerate().map(item).collect()
    }

    fn within(budget: u32) -> Limits {
        Limits { budget, group_cost: 0, group_items: usize::MAX, min_rate: 0.0, first: None }
    }

    #[test]
    fn small_steps_of_many_items_come_before_the_last_step_of_one() {
        let items = items(&[&[(10, 5.0), (100, 6.0)], &[(10, 4.0), (40, 4.1)]]);
        assert_eq!(fill(&items, &within(20)), [Some(0), Some(0)]);
        assert_eq!(fill(&items, &within(110)), [Some(1), Some(0)]);
        assert_eq!(fill(&items, &within(1_000)), [Some(1), Some(1)]);
    }

    #[test]
    fn a_way_below_the_hull_is_taken_only_where_no_other_fits() {
        let items = items(&[&[(10, 1.0), (20, 10.0), (15, 0.5)]]);
        assert_eq!(fill(&items, &within(15)), [Some(0)]);
        assert_eq!(fill(&items, &within(9)), [None]);
        assert_eq!(fill(&items, &within(20)), [Some(1)]);
    }

    #[test]
    fn nothing_fits_no_budget_and_the_first_of_equals_is_taken() {
        let items = items(&[&[(10, 1.0)], &[(10, 1.0)], &[]]);
        assert_eq!(fill(&items, &within(9)), [None, None, None]);
        assert_eq!(fill(&items, &within(10)), [Some(0), None, None]);
    }

    #[test]
    fn steps_that_are_not_worth_it_are_left_out_but_for_the_first() {
        let items = items(&[&[(10, 1.0), (100, 1.5)], &[(10, 0.2)]]);
        let limits = |min_rate| Limits { min_rate, ..within(1_000) };
        assert_eq!(fill(&items, &limits(0.005)), [Some(1), Some(0)]);
        assert_eq!(fill(&items, &limits(0.015)), [Some(0), Some(0)]);
        assert_eq!(fill(&items, &limits(0.05)), [Some(0), None]);
        assert_eq!(fill(&items, &limits(9.0)), [Some(0), None]);
    }

    #[test]
    fn the_first_is_taken_in_its_best_way_before_all_others() {
        let items = items(&[&[(10, 5.0)], &[(10, 1.0), (30, 1.1)]]);
        let limits = |budget| Limits { first: Some(1), group_cost: 2, ..within(budget) };
        assert_eq!(fill(&items, &limits(44)), [Some(0), Some(1)]);
        assert_eq!(fill(&items, &limits(35)), [None, Some(1)]);
        assert_eq!(fill(&items, &limits(31)), [Some(0), Some(0)]);
    }

    #[test]
    fn a_group_costs_once_and_has_so_many_items() {
        let mut some = items(&[&[(10, 3.0)], &[(10, 2.0)], &[(10, 1.0)]]);
        for item in &mut some {
            item.group = 0;
        }
        let limits = |budget, group_items| Limits { group_cost: 5, group_items, ..within(budget) };
        assert_eq!(fill(&some, &limits(14, 3)), [None, None, None]);
        assert_eq!(fill(&some, &limits(25, 3)), [Some(0), Some(0), None]);
        assert_eq!(fill(&some, &limits(99, 2)), [Some(0), Some(0), None]);
    }

    /// The best value by trying everything.
    fn best(items: &[Item], budget: u32) -> f32 {
        let Some((item, rest)) = items.split_first() else { return 0.0 };
        let with = |way: &Way| Some(way.value + best(rest, budget.checked_sub(way.cost)?));
        item.ways.iter().filter_map(with).fold(best(rest, budget), f32::max)
    }

    proptest! {
        #[test]
        fn what_is_taken_fits_and_is_less_than_one_step_below_the_best(
            items in prop::collection::vec(prop::collection::vec((1u32..30, 0u32..50), 0..4), 0..5),
            budget in 0u32..80,
        ) {
            let way = |(cost, value): (u32, u32)| Way { cost, value: value as f32 };
            let items: Vec<Item> = items
                .into_iter()
                .enumerate()
                .map(|(group, ways)| Item { group, ways: ways.into_iter().map(way).collect() })
                .collect();
            let taken = fill(&items, &within(budget));
            let ways = || items.iter().zip(&taken).filter_map(|(item, taken)| taken.map(|at| item.ways[at]));
            prop_assert!(ways().map(|way| way.cost).sum::<u32>() <= budget);
            let most = items.iter().flat_map(|item| &item.ways).map(|way| way.value).fold(0.0, f32::max);
            prop_assert!(ways().map(|way| way.value).sum::<f32>() >= best(&items, budget) - most - 1e-3);
        }
    }
}
