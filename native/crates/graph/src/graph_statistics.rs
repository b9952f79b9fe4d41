//! Holds statistics of the full graph: the importance of each symbol (`PageRank`), and communities (label propagation).

use super::full_graph::{FullGraph, NodeNumber};

/// The statistics of a full graph.
#[derive(Debug)]
pub struct GraphStatistics {
    /// The `PageRank` of each node; the sum is 1.
    pub importance: Vec<f64>,
    /// The community of each node: the number of its first.
    pub communities: Vec<NodeNumber>,
    /// All nodes, community by community.
    by_community: Vec<NodeNumber>,
}

impl GraphStatistics {
    pub(super) fn new(whole: &FullGraph) -> Self {
        let (importance, communities) = (whole.importance(), whole.communities());
        let mut by_community: Vec<NodeNumber> = (0..communities.len() as u32).collect();
        by_community.sort_by_key(|&node| (communities[node as usize], node));
        Self { importance, communities, by_community }
    }

    /// The numbers of all communities, in order.
    pub fn numbers(&self) -> impl Iterator<Item = NodeNumber> + '_ {
        (0..).zip(&self.communities).filter(|(node, community)| node == *community).map(|(node, _)| node)
    }

    /// The nodes of a community, in order.
    pub(crate) fn members(&self, community: NodeNumber) -> &[NodeNumber] {
        let start = self.by_community.partition_point(|&node| self.communities[node as usize] < community);
        let end = self.by_community.partition_point(|&node| self.communities[node as usize] <= community);
        &self.by_community[start..end]
    }

    /// The most important of some nodes, the first of them where several are.
    pub(super) fn most_important(&self, nodes: &[NodeNumber]) -> Option<NodeNumber> {
        let importance = |node: &NodeNumber| self.importance[*node as usize];
        nodes.iter().copied().reduce(|best, node| if importance(&node) > importance(&best) { node } else { best })
    }
}
