//! Reachability by breadth-first search: shortest call paths, and all dependents or dependencies of symbols.

use std::collections::VecDeque;

use super::full_graph::{FullGraph, Links, NodeNumber};

/// The direction in which edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From callers to callees.
    Callees,
    /// From callees to callers.
    Callers,
    /// Both.
    Both,
}

impl FullGraph {
    fn links(&self, direction: Direction) -> Vec<&Links> {
        match direction {
            Direction::Callees => vec![&self.uses],
            Direction::Callers => vec![&self.used_by],
            Direction::Both => vec![&self.uses, &self.used_by],
        }
    }

    /// Every node within `depth` steps of `starts`, with its distance, nearest first and then by number. The starts are
    /// not among them.
    pub fn reached(&self, starts: &[NodeNumber], direction: Direction, depth: u32) -> Vec<(NodeNumber, u32)> {
        let links = self.links(direction);
        let mut seen = vec![false; self.nodes.len()];
        let mut front: Vec<NodeNumber> = starts.to_vec();
        front.sort_unstable();
        front.dedup();
        for &start in &front {
            seen[start as usize] = true;
        }
        let mut found = Vec::new();
        for distance in 1..=depth {
            let mut next = Vec::new();
            for &node in &front {
                for link in links.iter().flat_map(|links| links.of(node)) {
                    if !std::mem::replace(&mut seen[link.node as usize], true) {
                        next.push(link.node);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            next.sort_unstable();
            found.extend(next.iter().map(|&node| (node, distance)));
            front = next;
        }
        found
    }

    /// A shortest way from any of `from` to any of `to`, both ends included; of several, the one whose nodes come
    /// first.
    pub fn path(&self, from: &[NodeNumber], to: &[NodeNumber], depth: u32) -> Option<Vec<NodeNumber>> {
        let mut before: Vec<Option<NodeNumber>> = vec![None; self.nodes.len()];
        let mut queue: VecDeque<(NodeNumber, u32)> = VecDeque::new();
        for &start in from {
            before[start as usize] = Some(start);
            queue.push_back((start, 0));
        }
        while let Some((node, distance)) = queue.pop_front() {
            if to.contains(&node) {
                let mut path = vec![node];
                let mut at = node;
                while let Some(previous) = before[at as usize].filter(|&previous| previous != at) {
                    path.push(previous);
                    at = previous;
                }
                path.reverse();
                return Some(path);
            }
            if distance < depth {
                for link in self.uses.of(node) {
                    if before[link.node as usize].is_none() {
                        before[link.node as usize] = Some(node);
                        queue.push_back((link.node, distance + 1));
                    }
                }
            }
        }
        None
    }
}
