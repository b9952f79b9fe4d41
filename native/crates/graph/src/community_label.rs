//! Labels a community with the file or folder of most of its symbols, ties to the first by name, and with its most
//! important symbol.

use std::collections::BTreeMap;

use codecairn_base::error::Result;

use super::full_graph::{FullGraph, NodeNumber};
use super::graph_statistics::GraphStatistics;
use super::paths::folder_of;
use super::queries::Graph;

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

/// The most frequent entry; ties go to the first by name.
fn most_common<'a>(counts: &BTreeMap<&'a str, usize>) -> (&'a str, usize) {
    let most = counts.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    most.map_or(("", 0), |(name, count)| (name, *count))
}
