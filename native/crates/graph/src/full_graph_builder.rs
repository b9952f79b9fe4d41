//! Builds the full graph of a branch on all threads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rayon::prelude::*;

use codecairn_base::error::Result;
use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::Class;

use super::branch::{Branch, Load};
use super::edge::EdgeKind;
use super::full_graph::{FullGraph, Link, Links, NodeNumber, kind_bit};
use super::resolver::Resolver;
use super::symbol::{SymbolId, is_type};

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
        let mut constructors: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
        let mut found = Vec::new();
        for edge in resolver.edges_of(*file)? {
            let Some(from) = edge.source.and_then(number) else { continue };
            if !edge.resolution.how.is_resolved() {
                continue;
            }
            let kinds = 1 << kind_bit(edge.kind);
            let mut link = |target: SymbolId| {
                let to = number(target).filter(|&to| to != from);
                found.extend(to.map(|node| (from, Link { node, kinds, uses: 1 })));
            };
            edge.resolution.targets.iter().copied().for_each(&mut link);
            // Who makes an instance runs a constructor, and a derived type relies on that of its base.
            if matches!(edge.kind, EdgeKind::Construct | EdgeKind::Inherit) {
                for &target in &edge.resolution.targets {
                    let constructors = match constructors.entry(target) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(unknown) => unknown.insert(resolver.constructors(target)?),
                    };
                    constructors.iter().copied().for_each(&mut link);
                }
            }
        }
        Ok(found)
    };
    let edges: Vec<Vec<(NodeNumber, Link)>> = on_all_threads(|| files.par_iter().map(of_file).collect::<Result<_>>())?;
    let edges: Vec<(NodeNumber, Link)> = edges.into_iter().flatten().collect();
    let turned = edges.iter().map(|&(from, link)| (link.node, Link { node: from, ..link })).collect();
    let count = nodes.len();
    Ok(FullGraph { uses: Links::new(count, edges), used_by: Links::new(count, turned), nodes })
}
