//! Answers queries to the code graph with paths and lines instead of symbol numbers and byte offsets.

use codecairn_base::error::{Error, Result};
use codecairn_base::span::ByteSpan;
use codecairn_graph::{BranchCache, Direction, Edge, EdgeKind, Graph, ResolutionMethod, Role, SymbolId};
use codecairn_index::view::{FileIndex, View};
use codecairn_store::Snapshot;
use codecairn_syntax::kind::Kind;

use super::Engine;
use super::load::LoadedBranch;

/// Names a definition: its file, the line of its name, and the byte of its name in that line, from 0.
pub type Place = (String, u32, u32);

/// A definition at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The file, relative to the root.
    pub path: String,
    /// The line of its name.
    pub line: u32,
    /// The byte of its name in that line, from 0.
    pub column: u32,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its simple name.
    pub name: String,
    /// Its name with scopes.
    pub qualified_name: String,
    /// Its kind.
    pub kind: Kind,
}

/// A use of a definition at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The file that uses, relative to the root.
    pub path: String,
    /// The line of the name.
    pub line: u32,
    /// The byte of the name in its line, from 0.
    pub column: u32,
    /// The name as written.
    pub name: String,
    /// How it is used.
    pub kind: EdgeKind,
    /// How the definition was found.
    pub how: ResolutionMethod,
    /// How likely each target is meant, 0 to 1.
    pub confidence: f32,
    /// The innermost definition that uses; none at the top of a file.
    pub source: Option<Definition>,
    /// Its targets: one, the overloads of one name, or candidates.
    pub targets: Vec<Definition>,
    /// The line and the byte in it, in the same file, of the parameter or the local variable that is called.
    pub declared: Option<(u32, u32)>,
}

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The file, relative to the root.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The byte in its line, from 0.
    pub column: u32,
    /// Its role.
    pub role: Role,
    /// How the definition was found, if it is used there.
    pub how: Option<ResolutionMethod>,
    /// Its targets.
    pub targets: Vec<Definition>,
}

/// A node of the whole graph.
#[derive(Debug, Clone, PartialEq)]
pub struct FullGraphNode {
    /// Its definition.
    pub definition: Definition,
    /// Its `PageRank`; the sum over all is 1.
    pub importance: f64,
    /// The number of the first node of its community.
    pub community: u32,
}

/// The whole graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FullGraphReport {
    /// The definitions that can use or be used, by path and position.
    pub nodes: Vec<FullGraphNode>,
    /// (user, used symbol, kinds of use as bits in the order of [`EdgeKind::ALL`], number of uses).
    pub links: Vec<(u32, u32, u8, u32)>,
    /// Groups that use one another in a circle, largest first.
    pub cycles: Vec<Vec<u32>>,
    /// Each community's label, by its number.
    pub labels: Vec<(u32, String)>,
}

/// Turns positions into lines.
pub(super) struct LineMap<'a> {
    pub(super) view: &'a View,
    snapshot: &'a Snapshot,
    kept: &'a BranchCache,
}

impl LineMap<'_> {
    fn starts(&self, file: FileIndex) -> Result<&[u32]> {
        self.kept.line_starts(file, || self.snapshot.blob_text(self.view.file(file).blob))
    }

    /// Line, from 1, and column, from 0, of a byte.
    fn place(&self, file: FileIndex, at: u32) -> Result<(u32, u32)> {
        let starts = self.starts(file)?;
        let line = starts.partition_point(|start| *start <= at);
        Ok((line as u32, at - starts.get(line.wrapping_sub(1)).copied().unwrap_or(0)))
    }

    pub(super) fn definition(&self, graph: &Graph<'_>, id: SymbolId) -> Result<Definition> {
        let node = graph.node(id)?;
        let (line, column) = self.place(id.file, node.name_span.start)?;
        Ok(Definition {
            path: self.view.file(id.file).path.to_owned(),
            line,
            column,
            start_line: self.place(id.file, node.span.start)?.0,
            end_line: self.place(id.file, node.span.end.saturating_sub(1).max(node.span.start))?.0,
            name: node.name,
            qualified_name: node.qualified_name,
            kind: node.kind,
        })
    }

    pub(super) fn definitions(&self, graph: &Graph<'_>, ids: &[SymbolId]) -> Result<Vec<Definition>> {
        ids.iter().map(|&id| self.definition(graph, id)).collect()
    }

    pub(super) fn file(&self, path: &str) -> Result<FileIndex> {
        let file = self.view.find(path);
        file.ok_or_else(|| Error::InvalidArgument(format!("`{path}` is not in the index")))
    }

    /// The bytes of some lines.
    pub(super) fn span(&self, file: FileIndex, (first, last): (u32, u32)) -> Result<ByteSpan> {
        let starts = self.starts(file)?;
        let start_of = |line: u32| starts.get(line as usize).copied().unwrap_or(u32::MAX);
        Ok(ByteSpan { start: start_of(first.saturating_sub(1)), end: start_of(last) })
    }

    /// The symbols whose names begin at these places.
    pub(super) fn symbols(&self, graph: &Graph<'_>, places: &[Place]) -> Result<Vec<SymbolId>> {
        let mut found = Vec::with_capacity(places.len());
        for (path, line, column) in places {
            let file = self.file(path)?;
            let start = self.span(file, (*line, *line))?.start;
            let symbol = graph.symbol_at(file, start.saturating_add(*column))?;
            found.push(symbol.ok_or_else(|| {
                Error::InvalidArgument(format!("nothing is defined at {path}:{line}:{}", column.saturating_add(1)))
            })?);
        }
        Ok(found)
    }

    /// The first `limit` edges as uses, and how many edges there are.
    pub(super) fn first_uses(&self, graph: &Graph<'_>, edges: Vec<Edge>, limit: usize) -> Result<(Vec<Use>, usize)> {
        let count = edges.len();
        let first = edges.into_iter().take(limit).map(|edge| self.use_of(graph, edge));
        Ok((first.collect::<Result<_>>()?, count))
    }

    pub(super) fn use_of(&self, graph: &Graph<'_>, edge: Edge) -> Result<Use> {
        let (line, column) = self.place(edge.file, edge.span.start)?;
        let targets = edge.resolution.targets.iter();
        Ok(Use {
            path: self.view.file(edge.file).path.to_owned(),
            line,
            column,
            name: edge.name,
            kind: edge.kind,
            how: edge.resolution.how,
            confidence: edge.resolution.confidence(),
            source: edge.source.map(|id| self.definition(graph, id)).transpose()?,
            targets: targets.map(|&id| self.definition(graph, id)).collect::<Result<_>>()?,
            declared: edge.resolution.declared.map(|span| self.place(edge.file, span.start)).transpose()?,
        })
    }
}

impl Engine {
    /// All uses in a file, in order of position.
    pub fn uses_in(&self, path: &str) -> Result<Vec<Use>> {
        self.ask_graph(|graph, places| {
            let file = places.file(path)?;
            graph.edges_of(file)?.into_iter().map(|edge| places.use_of(graph, edge)).collect()
        })
    }

    /// The definitions that a name means, plain or with scopes.
    pub fn symbols(&self, name: &str) -> Result<Vec<Definition>> {
        self.ask_graph(|graph, places| places.definitions(graph, &graph.named(name)?))
    }

    /// The definitions that these lines of a file touch; all of its own if there are no lines.
    pub fn symbols_in(&self, path: &str, lines: &[(u32, u32)]) -> Result<Vec<Definition>> {
        self.ask_graph(|graph, places| {
            let file = places.file(path)?;
            let spans = match lines {
                [] => vec![ByteSpan { start: 0, end: u32::MAX }],
                _ => lines.iter().map(|lines| places.span(file, *lines)).collect::<Result<_>>()?,
            };
            places.definitions(graph, &graph.overlapping_symbols(file, &spans)?)
        })
    }

    /// All uses of the definitions at these places.
    pub fn uses_of(&self, places_of: &[Place]) -> Result<Vec<Use>> {
        self.ask_graph(|graph, places| {
            let targets = places.symbols(graph, places_of)?;
            graph.edges_to(&targets, |_| true)?.into_iter().map(|edge| places.use_of(graph, edge)).collect()
        })
    }

    /// Where the names of these definitions stand without anything certain being known of it, the likeliest first: the
    /// first `limit`, and how many there are.
    pub fn unresolved_uses(&self, places_of: &[Place], limit: usize) -> Result<(Vec<Use>, usize)> {
        self.ask_graph(|graph, places| {
            let targets = places.symbols(graph, places_of)?;
            places.first_uses(graph, graph.unresolved_places(&targets)?, limit)
        })
    }

    /// All uses that the definitions at these places make of others.
    pub fn uses_by(&self, places_of: &[Place]) -> Result<Vec<Use>> {
        self.ask_graph(|graph, places| {
            let mut uses = Vec::new();
            for source in places.symbols(graph, places_of)? {
                for edge in graph.edges_from(source)? {
                    uses.push(places.use_of(graph, edge)?);
                }
            }
            Ok(uses)
        })
    }

    /// All occurrences of a name as a word.
    pub fn occurrences(&self, name: &str) -> Result<Vec<Mention>> {
        self.ask_graph(|graph, places| {
            let found = graph.occurrences(name)?.into_iter().map(|occurrence| {
                let (line, column) = places.place(occurrence.file, occurrence.span.start)?;
                let (how, targets) = match occurrence.resolution {
                    Some(resolution) => (Some(resolution.how), places.definitions(graph, &resolution.targets)?),
                    None => (None, Vec::new()),
                };
                let path = places.view.file(occurrence.file).path.to_owned();
                Ok(Mention { path, line, column, role: occurrence.role, how, targets })
            });
            found.collect()
        })
    }

    /// The rarest of some words, and how many bytes a plain text search for it prints, at most `max_bytes`.
    pub fn rarest_word_lines(&self, words: &[String], max_bytes: usize) -> Result<Option<(String, usize)>> {
        self.ask_graph(|graph, _| graph.rarest_word_lines(words, max_bytes))
    }

    /// A shortest way of uses from any of these definitions to any of those, both ends included.
    pub fn way(&self, from: &[Place], to: &[Place], depth: u32) -> Result<Vec<Definition>> {
        self.ask_graph(|graph, places| {
            let whole = graph.full()?;
            let numbers = |places: &LineMap<'_>, of: &[Place]| -> Result<Vec<u32>> {
                let symbols = places.symbols(graph, of)?;
                Ok(symbols.into_iter().filter_map(|id| whole.number(id)).collect())
            };
            let (from, to) = (numbers(places, from)?, numbers(places, to)?);
            let way = whole.path(&from, &to, depth).unwrap_or_default();
            let ids: Vec<SymbolId> = way.into_iter().map(|node| whole.nodes[node as usize]).collect();
            places.definitions(graph, &ids)
        })
    }

    /// Everything within `depth` steps of these definitions, with its distance, nearest first.
    pub fn reached(&self, from: &[Place], direction: Direction, depth: u32) -> Result<Vec<(Definition, u32)>> {
        self.ask_graph(|graph, places| {
            let whole = graph.full()?;
            let symbols = places.symbols(graph, from)?;
            let starts: Vec<u32> = symbols.into_iter().filter_map(|id| whole.number(id)).collect();
            let reached = whole.reached(&starts, direction, depth);
            reached
                .into_iter()
                .map(|(node, distance)| Ok((places.definition(graph, whole.nodes[node as usize])?, distance)))
                .collect()
        })
    }

    /// The full graph with importance, communities and cycles.
    pub fn full_graph_report(&self) -> Result<FullGraphReport> {
        self.ask_graph(|graph, places| {
            let whole = graph.full()?;
            let standing = graph.statistics(&whole);
            let ranked = standing.importance.iter().zip(&standing.communities);
            let nodes = whole.nodes.iter().zip(ranked).map(|(&id, (&importance, &community))| {
                Ok(FullGraphNode { definition: places.definition(graph, id)?, importance, community })
            });
            let links = (0..whole.nodes.len() as u32)
                .flat_map(|from| whole.uses.of(from).iter().map(move |link| (from, link.node, link.kinds, link.uses)));
            let labels =
                standing.numbers().map(|community| Ok((community, graph.label(&whole, &standing, community)?)));
            Ok(FullGraphReport {
                nodes: nodes.collect::<Result<_>>()?,
                links: links.collect(),
                cycles: whole.cycles(),
                labels: labels.collect::<Result<_>>()?,
            })
        })
    }

    pub(super) fn ask_graph<T>(&self, question: impl Fn(&Graph<'_>, &LineMap<'_>) -> Result<T>) -> Result<T> {
        self.ask_graph_of(None, question)
    }

    /// Asks the graph of a branch, of the current one without a name.
    pub(super) fn ask_graph_of<T>(
        &self,
        branch: Option<&str>,
        question: impl Fn(&Graph<'_>, &LineMap<'_>) -> Result<T>,
    ) -> Result<T> {
        self.ask_of(branch, |loaded: &LoadedBranch, snapshot| {
            let (searcher, kept) = (&loaded.searcher, self.graph_of(loaded, snapshot)?);
            let graph = Graph::new(&searcher.view, &searcher.lexical, &kept, snapshot);
            let answer = question(&graph, &LineMap { view: &searcher.view, snapshot, kept: &kept });
            loaded.release_excess(&kept);
            answer
        })
    }
}
