//! Holds the full graph of a branch, all functions, methods and types with the resolved references between them, as
//! compressed sparse rows.

use super::edge::EdgeKind;
use super::symbol::SymbolId;

/// The number of a node, in order of path and position.
pub(super) type NodeNumber = u32;

/// Adjacency lists in compressed sparse row form.
#[derive(Debug, Default)]
pub struct Links {
    starts: Vec<u32>,
    list: Vec<Link>,
}

/// An edge of an adjacency list.
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
    pub(super) fn new(nodes: usize, mut edges: Vec<(NodeNumber, Link)>) -> Self {
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

/// The full graph.
#[derive(Debug, Default)]
pub struct FullGraph {
    /// The symbols, in order of path and position.
    pub nodes: Vec<SymbolId>,
    /// The outgoing edges of each node.
    pub uses: Links,
    /// The incoming edges of each node.
    pub used_by: Links,
}

impl FullGraph {
    /// The number of a symbol, if it is a node.
    pub fn number(&self, id: SymbolId) -> Option<NodeNumber> {
        self.nodes.binary_search(&id).ok().map(|number| number as u32)
    }
}

/// A kind's place in [`EdgeKind::ALL`].
pub(super) fn kind_bit(kind: EdgeKind) -> usize {
    EdgeKind::ALL.iter().position(|one| *one == kind).unwrap_or_default()
}
