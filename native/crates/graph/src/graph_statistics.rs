//! What stands out in the whole graph: how important each symbol is, and which belong together.

use std::collections::BTreeMap;

use codecairn_base::error::Result;

use super::branch::folder_of;
use super::full_graph::{FullGraph, NodeNumber};
use super::queries::Graph;

/// What is found once for a whole graph.
#[derive(Debug)]
pub struct GraphStatistics {
    /// How important each node is; the sum is 1.
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
    fn most_important(&self, nodes: &[NodeNumber]) -> Option<NodeNumber> {
        let importance = |node: &NodeNumber| self.importance[*node as usize];
        nodes.iter().copied().reduce(|best, node| if importance(&node) > importance(&best) { node } else { best })
    }
}

impl Graph<'_> {
    /// The file or folder where most of a community lies, and its most important symbol.
    pub fn label(&self, whole: &FullGraph, standing: &GraphStatistics, community: NodeNumber) -> Result<String> {
        let members = standing.members(community);
        let path = |node: NodeNumber| self.path(whole.nodes[node as usize].file);
        let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
        for &node in members {
            *paths.entry(path(node)).or_default() += 1;
        }
        let (mut place, count) = most_common(&paths);
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        if count * 2 <= members.len() {
            for (path, count) in &paths {
                let folder = folder_of(path);
                *folders.entry(if folder.is_empty() { "." } else { folder }).or_default() += count;
            }
            place = most_common(&folders).0;
        }
        let first = standing.most_important(members).map(|node| self.node(whole.nodes[node as usize])).transpose()?;
        Ok(format!("{place}: {}", first.map_or_else(String::new, |node| node.qualified_name)))
    }
}

/// What is counted most often, the first by name of several.
fn most_common<'a>(counts: &BTreeMap<&'a str, usize>) -> (&'a str, usize) {
    let most = counts.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    most.map_or(("", 0), |(name, count)| (name, *count))
}
