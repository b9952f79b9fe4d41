//! Computes the impact of a change in one query, so that only the answer crosses the language boundary.

use std::collections::{BTreeMap, HashSet};

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_graph::{Direction, Graph, SymbolId};
use codecairn_index::indexer::current_branch;
use codecairn_index::view::FileIndex;

use super::Engine;
use super::graph::{Definition, LineMap, Place, Use};

/// A change.
#[derive(Debug, Clone)]
pub enum Change {
    /// Lines of files, both ends included.
    Lines(Vec<ChangedFile>),
    /// The definitions whose names are at these positions.
    Symbols(Vec<Place>),
}

/// A file and its changed lines: an empty list is the whole file, `None` no line.
pub type ChangedFile = (String, Option<Vec<(u32, u32)>>);

/// How far to look.
#[derive(Debug, Clone, Copy)]
pub struct ReachOptions {
    /// How many steps dependents are followed.
    pub depth: u32,
    /// How many symbols must use one for it to be a hub.
    pub hub_threshold: u32,
    /// Of how many touched symbols each single use is looked at.
    pub most_looked_up: usize,
}

/// How many unresolved uses are listed; all are counted.
const MAX_UNRESOLVED: usize = 20;

/// A touched symbol that many symbols use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hub {
    /// Its place among the touched.
    pub touched: u32,
    /// How many symbols use it.
    pub users: u32,
    /// How many it uses.
    pub used: u32,
    /// Its `PageRank`; the sum over all symbols is 1.
    pub importance: f64,
}

/// The impact of a change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reach {
    /// The symbols that are touched, by path and line.
    pub touched: Vec<Definition>,
    /// Files that are not in the index.
    pub missing: Vec<String>,
    /// Their dependents with distances, nearest first.
    pub dependents: Vec<(Definition, u32)>,
    /// Their uses that are no symbol's or no facts: at the top of files, and candidates.
    pub uses: Vec<Use>,
    /// The first uses by the names of the touched symbols that could not be resolved, and of those without a known use
    /// all places where their names stand.
    pub unresolved: Vec<Use>,
    /// How many such places there are.
    pub unresolved_count: usize,
    /// The touched symbols that are hubs, the most important first.
    pub hubs: Vec<Hub>,
    /// The label of each community that is reached, and how many of its symbols are; the largest number first.
    pub communities: Vec<(String, u32)>,
}

impl Engine {
    /// The impact of a change in a branch, by default the current one.
    ///
    /// # Errors
    /// [`InvalidArgument`](codecairn_base::Error::InvalidArgument) if nothing is defined at a place that is named.
    pub fn reach(&self, branch: Option<&str>, change: &Change, options: ReachOptions) -> Result<Reach> {
        self.ask_graph_of(branch, |graph, places| {
            let (symbols, missing) = match change {
                Change::Lines(files) => changed_symbols(graph, places, files)?,
                Change::Symbols(at) => (places.symbols(graph, at)?, Vec::new()),
            };
            if symbols.is_empty() {
                return Ok(Reach { missing, ..Reach::default() });
            }
            let whole = graph.full()?;
            let standing = graph.statistics(&whole);
            let numbers: Vec<Option<u32>> = symbols.iter().map(|&symbol| whole.number(symbol)).collect();
            let starts: Vec<u32> = numbers.iter().copied().flatten().collect();
            let reached = whole.reached(&starts, Direction::Callers, options.depth);
            let mut communities: BTreeMap<u32, u32> = BTreeMap::new();
            for node in starts.iter().copied().chain(reached.iter().map(|(node, _)| *node)) {
                *communities.entry(standing.communities[node as usize]).or_default() += 1;
            }
            let mut communities: Vec<(u32, u32)> = communities.into_iter().collect();
            communities.sort_by_key(|&(community, count)| (std::cmp::Reverse(count), community));
            let mut hubs: Vec<(u32, Hub)> = Vec::new();
            for (at, number) in numbers.iter().enumerate() {
                let Some(number) = *number else { continue };
                let (users, used) = (whole.used_by.of(number).len() as u32, whole.uses.of(number).len() as u32);
                if users >= options.hub_threshold {
                    let importance = standing.importance[number as usize];
                    hubs.push((number, Hub { touched: at as u32, users, used, importance }));
                }
            }
            hubs.sort_by(|a, b| b.1.importance.total_cmp(&a.1.importance).then(a.0.cmp(&b.0)));
            let looked_up = &symbols[..symbols.len().min(options.most_looked_up)];
            let loose =
                graph.edges_to(looked_up, |edge| !edge.resolution.how.is_resolved() || edge.source.is_none())?;
            // Where a use is known, further ones change less than the texts of all places of a name would cost.
            let is_used = |id: &SymbolId| {
                whole.number(*id).is_some_and(|number| !whole.used_by.of(number).is_empty())
                    || loose
                        .iter()
                        .any(|edge| edge.resolution.how.is_resolved() && edge.resolution.targets.contains(id))
            };
            let (used, bare): (Vec<SymbolId>, Vec<SymbolId>) = looked_up.iter().partition(|id| is_used(id));
            let mut open = graph.unresolved_edges(&used)?;
            let known: HashSet<(FileIndex, u32)> = open.iter().map(|edge| (edge.file, edge.span.start)).collect();
            let of_bare = graph.unresolved_places(&bare)?.into_iter();
            open.extend(of_bare.filter(|edge| !known.contains(&(edge.file, edge.span.start))));
            let (unresolved, unresolved_count) = places.first_uses(graph, open, MAX_UNRESOLVED)?;
            Ok(Reach {
                unresolved,
                unresolved_count,
                touched: places.definitions(graph, &symbols)?,
                missing,
                dependents: reached
                    .into_iter()
                    .map(|(node, distance)| Ok((places.definition(graph, whole.nodes[node as usize])?, distance)))
                    .collect::<Result<_>>()?,
                uses: loose.into_iter().map(|edge| places.use_of(graph, edge)).collect::<Result<_>>()?,
                hubs: hubs.into_iter().map(|(_, standing)| standing).collect(),
                communities: communities
                    .into_iter()
                    .map(|(community, count)| Ok((graph.label(&whole, &standing, community)?, count)))
                    .collect::<Result<_>>()?,
            })
        })
    }

    /// Which state of which branch answers: it changes whenever an answer might.
    pub fn state(&self) -> Result<(String, u64, i64)> {
        let written = self.scip().stat.map_or(0, |stat| stat.mtime_ns);
        Ok((current_branch(&self.root).0, self.store.reader()?.generation().0, written))
    }
}

/// The symbols that lines of files touch, in order, and the files that are not in the index.
fn changed_symbols(
    graph: &Graph<'_>,
    places: &LineMap<'_>,
    files: &[ChangedFile],
) -> Result<(Vec<SymbolId>, Vec<String>)> {
    let (mut symbols, mut missing) = (Vec::new(), Vec::new());
    for (path, lines) in files {
        let Some(file) = places.view.find(path) else {
            missing.push(path.clone());
            continue;
        };
        let Some(lines) = lines else { continue };
        let spans: Vec<ByteSpan> = match lines.as_slice() {
            [] => vec![ByteSpan { start: 0, end: u32::MAX }],
            _ => lines.iter().map(|lines| places.span(file, *lines)).collect::<Result<_>>()?,
        };
        symbols.extend(graph.overlapping_symbols(file, &spans)?);
    }
    symbols.sort_unstable();
    symbols.dedup();
    missing.sort_unstable();
    Ok((symbols, missing))
}
