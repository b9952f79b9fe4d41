//! The whole graph of a branch: every symbol that can use or be used, and every use that is known for sure.

use rayon::prelude::*;

use codecairn_base::error::Result;
use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::Class;

use super::branch::{Branch, Load, SymbolId};
use super::edge::EdgeKind;
use super::resolver::{Resolver, is_type};

/// A node's number: symbols in order of path and position.
pub(super) type NodeNumber = u32;

/// Targets and weights of each node's edges, one node after the other.
#[derive(Debug, Default)]
pub struct Links {
    starts: Vec<u32>,
    list: Vec<Link>,
}

/// One node uses another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The other end.
    pub node: NodeNumber,
    /// Which kinds of use there are: a bit for each kind's place in [`EdgeKind::ALL`].
    pub kinds: u8,
    /// How many uses there are.
    pub uses: u32,
}

impl Links {
    fn new(nodes: usize, mut edges: Vec<(NodeNumber, Link)>) -> Self {
        edges.sort_unstable_by_key(|(from, link)| (*from, link.node));
        let mut links = Self { starts: Vec::with_capacity(nodes + 1), list: Vec::with_capacity(edges.len()) };
        let mut edges = edges.into_iter().peekable();
        for node in 0..nodes as u32 {
            links.starts.push(links.list.len() as u32);
            let first = links.list.len();
            while let Some((_, link)) = edges.next_if(|(from, _)| *from == node) {
                match links.list[first..].last_mut() {
                    Some(last) if last.node == link.node => {
                        last.kinds |= link.kinds;
                        last.uses += link.uses;
                    }
                    _ => links.list.push(link),
                }
            }
        }
        links.starts.push(links.list.len() as u32);
        links
    }

    /// The links of a node, by the number of the other end.
    pub fn of(&self, node: NodeNumber) -> &[Link] {
        let (start, end) = (self.starts[node as usize], self.starts[node as usize + 1]);
        &self.list[start as usize..end as usize]
    }
}

/// The whole graph.
#[derive(Debug, Default)]
pub struct FullGraph {
    /// The symbols, in order of path and position.
    pub nodes: Vec<SymbolId>,
    /// Whom each uses.
    pub uses: Links,
    /// By whom each is used.
    pub used_by: Links,
}

impl FullGraph {
    /// The number of a symbol, if it is a node.
    pub fn number(&self, id: SymbolId) -> Option<NodeNumber> {
        self.nodes.binary_search(&id).ok().map(|number| number as u32)
    }
}

/// Whether a symbol of this kind is a node.
pub(super) fn is_node(kind: Kind) -> bool {
    is_type(kind) || matches!(kind, Kind::Function | Kind::Method)
}

/// The whole graph of a branch, made on all threads.
pub(super) fn build<L: Load + Sync>(branch: &Branch<'_, L>) -> Result<FullGraph> {
    let files: Vec<FileIndex> = (0..branch.view.files().len() as u32)
        .map(FileIndex)
        .filter(|&file| matches!(branch.view.file(file).class, Class::Code | Class::Generated))
        .collect();
    let mut nodes = Vec::new();
    for &file in &files {
        let facts = branch.facts(file)?;
        let symbols = facts.symbols.iter().enumerate().filter(|(_, row)| is_node(row.kind));
        nodes.extend(symbols.map(|(symbol, _)| SymbolId { file, symbol: symbol as u32 }));
    }
    let number = |id: SymbolId| nodes.binary_search(&id).ok().map(|number| number as u32);
    let of_file = |file: &FileIndex| -> Result<Vec<(NodeNumber, Link)>> {
        let resolver = Resolver::new(branch);
        let mut found = Vec::new();
        for edge in resolver.edges_of(*file)? {
            let Some(from) = edge.source.and_then(number) else { continue };
            if !edge.resolution.how.is_resolved() {
                continue;
            }
            let kinds = 1 << kind_bit(edge.kind);
            let targets = edge.resolution.targets.iter().filter_map(|&target| number(target));
            found.extend(targets.filter(|&to| to != from).map(|node| (from, Link { node, kinds, uses: 1 })));
        }
        Ok(found)
    };
    let edges: Vec<Vec<(NodeNumber, Link)>> = on_all_threads(|| files.par_iter().map(of_file).collect::<Result<_>>())?;
    let edges: Vec<(NodeNumber, Link)> = edges.into_iter().flatten().collect();
    let turned = edges.iter().map(|&(from, link)| (link.node, Link { node: from, ..link })).collect();
    let count = nodes.len();
    Ok(FullGraph { uses: Links::new(count, edges), used_by: Links::new(count, turned), nodes })
}

/// A kind's place in [`EdgeKind::ALL`].
pub(super) fn kind_bit(kind: EdgeKind) -> usize {
    EdgeKind::ALL.iter().position(|one| *one == kind).unwrap_or_default()
}
