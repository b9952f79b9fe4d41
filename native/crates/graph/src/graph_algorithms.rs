//! Runs `PageRank`, label propagation, and Tarjan's strongly connected components on the full graph, each round or run
//! in O(nodes + edges).

use std::collections::BTreeMap;

use super::full_graph::{FullGraph, NodeNumber};

/// Rounds of the power iteration: by then the initial ranks contribute less than 0.2 %.
const PAGE_RANK_ROUNDS: usize = 40;

/// The damping factor (Brin and Page 1998).
const DAMPING: f64 = 0.85;

/// The maximum number of rounds of label propagation, which mostly converges much earlier.
const MAX_LABEL_ROUNDS: usize = 50;

impl FullGraph {
    /// The `PageRank` of each node, from users to used symbols, weighted by the number of uses. The sum is 1. Each of
    /// the [`PAGE_RANK_ROUNDS`] rounds takes O(nodes + edges).
    pub(crate) fn importance(&self) -> Vec<f64> {
        let count = self.nodes.len();
        let even = 1.0 / count.max(1) as f64;
        let mut ranks = vec![even; count];
        let out: Vec<f64> =
            (0..count).map(|node| self.uses.of(node as u32).iter().map(|link| f64::from(link.uses)).sum()).collect();
        for _ in 0..PAGE_RANK_ROUNDS {
            let idle: f64 = (0..count).filter(|&node| out[node] == 0.0).map(|node| ranks[node]).sum();
            let base = (1.0 - DAMPING) * even + DAMPING * idle * even;
            let next = (0..count as u32).map(|node| {
                let passed: f64 = self
                    .used_by
                    .of(node)
                    .iter()
                    .map(|link| ranks[link.node as usize] * f64::from(link.uses) / out[link.node as usize])
                    .sum();
                base + DAMPING * passed
            });
            ranks = next.collect();
        }
        ranks
    }

    /// The community of each node by label propagation (Raghavan et al. 2007), in O(nodes + edges) per round. Nodes are
    /// updated in a fixed order and ties keep the label, else go to the smallest, so equal graphs give equal
    /// communities. A community's number is that of its first node.
    pub(crate) fn communities(&self) -> Vec<NodeNumber> {
        let count = self.nodes.len() as u32;
        let mut labels: Vec<NodeNumber> = (0..count).collect();
        let mut weights: BTreeMap<NodeNumber, u64> = BTreeMap::new();
        for _ in 0..MAX_LABEL_ROUNDS {
            let mut has_changed = false;
            for node in 0..count {
                weights.clear();
                for link in self.uses.of(node).iter().chain(self.used_by.of(node)) {
                    *weights.entry(labels[link.node as usize]).or_default() += u64::from(link.uses);
                }
                // Ties keep the label, else go to the smallest: labels cannot oscillate.
                let own = labels[node as usize];
                let best =
                    weights.iter().max_by_key(|(label, weight)| (**weight, **label == own, std::cmp::Reverse(**label)));
                if let Some((&label, _)) = best
                    && label != own
                {
                    labels[node as usize] = label;
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        let mut first: BTreeMap<NodeNumber, NodeNumber> = BTreeMap::new();
        for (node, label) in labels.iter().enumerate() {
            first.entry(*label).or_insert(node as u32);
        }
        labels.iter().map(|label| first[label]).collect()
    }

    /// The strongly connected components of two nodes and more, largest first, ties by the first node (Tarjan 1972,
    /// without recursion), in O(nodes + edges).
    pub fn cycles(&self) -> Vec<Vec<NodeNumber>> {
        const UNSEEN: u32 = u32::MAX;
        let count = self.nodes.len();
        let (mut order, mut low) = (vec![UNSEEN; count], vec![0_u32; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0_u32);
        for root in 0..count as u32 {
            if order[root as usize] != UNSEEN {
                continue;
            }
            let mut work: Vec<(NodeNumber, usize)> = vec![(root, 0)];
            while let Some((node, at)) = work.pop() {
                let here = node as usize;
                if at == 0 {
                    (order[here], low[here]) = (next, next);
                    next += 1;
                    stack.push(node);
                    on_stack[here] = true;
                }
                let links = self.uses.of(node);
                if let Some(before) = at.checked_sub(1) {
                    low[here] = low[here].min(low[links[before].node as usize]);
                }
                let mut at = at;
                while at < links.len() {
                    let other = links[at].node as usize;
                    at += 1;
                    if order[other] == UNSEEN {
                        work.push((node, at));
                        work.push((other as u32, 0));
                        break;
                    }
                    if on_stack[other] {
                        low[here] = low[here].min(order[other]);
                    }
                }
                let has_gone_deeper = work.last().is_some_and(|(_, at)| *at == 0);
                if has_gone_deeper || low[here] != order[here] {
                    continue;
                }
                let mut group = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    group.push(member);
                    if member == node {
                        break;
                    }
                }
                if group.len() > 1 {
                    group.sort_unstable();
                    found.push(group);
                }
            }
        }
        found.sort_by(|a: &Vec<u32>, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        found
    }
}
