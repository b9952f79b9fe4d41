//! Answers queries on the graph of one branch.

use super::branch::{Branch, BranchCache, Load};
use super::edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
use super::file_facts::FileFacts;
use super::full_graph::FullGraph;
use super::full_graph_builder;
use super::graph_statistics::GraphStatistics;
use super::name_places::is_word;
use super::resolver::Resolver;
use super::scip_evidence::ScipCoverage;
use super::scoped_name::normal;
use super::symbol::SymbolId;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::on_all_threads;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{FileIndex, View};
use codecairn_lexical::LexicalIndex;
use codecairn_lexical::analyzer::for_each_term;
use codecairn_store::Snapshot;
use codecairn_syntax::kind::Kind;

/// A definition as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its identity in this state of the branch.
    pub id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// Its name with scopes.
    pub qualified_name: String,
    /// Its kind.
    pub kind: Kind,
    /// The whole definition.
    pub span: ByteSpan,
    /// The name alone.
    pub name_span: ByteSpan,
}

/// The role of an occurrence, as in SCIP and LSP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is defined.
    Definition,
    /// It is used.
    Use(EdgeKind),
    /// In a comment.
    Remark,
    /// In a string, as a value, as a key.
    Mention,
}

impl Role {
    /// The role's name, as shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Use(kind) => kind.name(),
            Self::Remark => "comment",
            Self::Mention => "mention",
        }
    }
}

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The file.
    pub file: FileIndex,
    /// The name.
    pub span: ByteSpan,
    /// Its role.
    pub role: Role,
    /// Its targets, if it is a reference.
    pub resolution: Option<Resolution>,
}

/// Questions about one state of one branch.
pub struct Graph<'a> {
    pub(super) branch: Branch<'a, Snapshot>,
    lexical: &'a LexicalIndex,
    pub(super) snapshot: &'a Snapshot,
}

/// Files whose facts are read from the store at a time.
const FILES_READ: usize = 2048;

/// Files that a plain text search is imitated in, at most: an answer waits for it.
const MAX_FILES_SEARCHED: usize = 200;

/// Files from which on they are searched in parallel.
const MANY_FILES: usize = 64;

impl<'a> Graph<'a> {
    /// A graph over the files of a view; `kept` caches the facts and answers of earlier queries.
    pub fn new(view: &'a View, lexical: &'a LexicalIndex, kept: &'a BranchCache, snapshot: &'a Snapshot) -> Self {
        Self { branch: Branch::new(view, kept, snapshot), lexical, snapshot }
    }

    /// All edges that begin in a file.
    pub fn edges_of(&self, file: FileIndex) -> Result<Vec<Edge>> {
        Resolver::new(&self.branch).edges_of(file)
    }

    /// The full graph, built by the first query that needs it.
    pub fn full(&self) -> Result<Arc<FullGraph>> {
        if let Some(whole) = self.branch.full() {
            return Ok(whole);
        }
        let files = (0..self.branch.view.files().len() as u32).map(FileIndex);
        let missing: Vec<FileIndex> = files.filter(|&file| !self.branch.has(file)).collect();
        for some in missing.chunks(FILES_READ) {
            let blobs: Vec<BlobId> = some.iter().map(|&file| self.branch.view.file(file).blob).collect();
            let facts = self.snapshot.blob_syntaxes(&blobs, |bytes| Ok(Arc::new(FileFacts::unpack(bytes)?)))?;
            some.iter().zip(facts).for_each(|(&file, facts)| self.branch.put(file, facts));
        }
        let whole = full_graph_builder::build(&self.branch.preloaded()?)?;
        Ok(self.branch.keep_full(whole))
    }

    /// How far a SCIP index holds for the branch, if there is one.
    pub fn scip_coverage(&self) -> Result<Option<ScipCoverage>> {
        self.branch.scip_coverage()
    }

    /// The importance and the communities of the full graph, computed once.
    pub fn statistics(&self, whole: &FullGraph) -> Arc<GraphStatistics> {
        self.branch.statistics(|| GraphStatistics::new(whole))
    }

    /// The path of a file.
    pub(super) fn path(&self, file: FileIndex) -> &'a str {
        self.branch.path(file)
    }

    /// A symbol as data.
    pub fn node(&self, id: SymbolId) -> Result<Node> {
        let facts = self.branch.facts(id.file)?;
        let row = &facts.symbols[id.symbol as usize];
        Ok(Node {
            id,
            name: facts.name(id.symbol).to_owned(),
            qualified_name: facts.qualified_name(id.symbol).to_owned(),
            kind: row.kind,
            span: row.span,
            name_span: row.name_span,
        })
    }

    /// The symbols that a name means, plain or with scopes: `get`, `Session.get`, `a::b::c`.
    pub fn named(&self, name: &str) -> Result<Vec<SymbolId>> {
        let resolver = Resolver::new(&self.branch);
        let wished = normal(name);
        let mut found = Vec::new();
        for id in self.branch.meant_by(&wished)? {
            let full = normal(self.branch.qualified_name(id)?);
            let rest = full.strip_suffix(&wished);
            if rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.')) {
                found.push(id);
            }
        }
        resolver.definitions(found)
    }

    /// The edges that lead to any of `targets` and are `wanted`, by path and position. Where an instance is
    /// made, the edge leads to the constructor that runs, if it is asked for.
    pub fn edges_to(&self, targets: &[SymbolId], wanted: impl Fn(&Edge) -> bool + Sync) -> Result<Vec<Edge>> {
        let resolver = Resolver::new(&self.branch);
        let targets: BTreeSet<SymbolId> = targets.iter().copied().collect();
        let constructed = self.constructed_types(&targets)?;
        let with_types: BTreeSet<SymbolId> = targets.iter().chain(constructed.types.keys()).copied().collect();
        let names: BTreeSet<String> = with_types.iter().map(|&id| Ok(self.node(id)?.name)).collect::<Result<_>>()?;
        let overridden = self.overridden(&targets)?;
        let mut other_names = resolver.other_names(&with_types)?;
        other_names.extend(resolver.default_names(&with_types, |name| self.files_using(name))?);
        let mut candidates: Vec<(FileIndex, &str)> = Vec::new();
        for name in &names {
            for file in self.files_using(name)? {
                candidates.push((file, name.as_str()));
                for (other, is_of_file) in resolver.kept_names(file, name)? {
                    let files = if is_of_file { self.files_using(other)? } else { vec![file] };
                    other_names.extend(files.into_iter().map(|file| (file, other.to_owned())));
                }
            }
        }
        candidates.extend(other_names.iter().map(|(file, name)| (*file, name.as_str())));
        let is_asked =
            |target: &SymbolId| targets.contains(target) || overridden.iter().any(|(member, _)| member == target);
        let leads = |edge: &Edge| edge.resolution.targets.iter().any(is_asked) || constructed.run_by(edge).is_some();
        let mut edges: Vec<Edge> = if candidates.len() >= MANY_FILES && self.branch.is_loaded() {
            let branch = self.branch.preloaded()?;
            let of_candidate = |candidate: &(FileIndex, &str)| edges_naming(&Resolver::new(&branch), *candidate, leads);
            let found: Vec<Vec<Edge>> =
                on_all_threads(|| candidates.par_iter().map(of_candidate).collect::<Result<_>>())?;
            found.into_iter().flatten().collect()
        } else {
            let mut found = Vec::new();
            for candidate in candidates {
                found.extend(edges_naming(&resolver, candidate, leads)?);
            }
            found
        };
        let is_through = |edge: &Edge| edge.kind == EdgeKind::MethodCall && edge.resolution.how.knows_type();
        for edge in &mut edges {
            if edge.resolution.targets.iter().any(|target| targets.contains(target)) {
                continue;
            }
            if let Some(run) = constructed.run_by(edge) {
                edge.resolution.targets = run;
            } else {
                let is_base = overridden.iter().any(|(member, _)| edge.source == Some(*member));
                // An override that calls its base resolves to the base: `super().step()`.
                let through = overridden.iter().filter(|(member, by)| {
                    edge.resolution.targets.contains(member) && edge.source != Some(*by) && !is_base && is_through(edge)
                });
                edge.resolution = Resolution::new(ResolutionMethod::Override, through.map(|(_, by)| *by).collect());
            }
        }
        edges.extend(self.implicit_implementations(&targets)?);
        edges.retain(|edge| !edge.resolution.targets.is_empty() && wanted(edge));
        edges.sort_by_key(|edge| (edge.file, edge.span.start, edge.kind));
        edges.dedup_by_key(|edge| (edge.file, edge.span.start, edge.kind));
        Ok(edges)
    }

    /// The edges that begin inside of a symbol, by position.
    pub fn edges_from(&self, source: SymbolId) -> Result<Vec<Edge>> {
        let span = self.node(source)?.span;
        let mut edges = self.edges_of(source.file)?;
        edges.retain(|edge| span.contains(edge.span) && edge.kind != EdgeKind::Import);
        edges.extend(self.implicit_interfaces(source)?);
        for at in 0..edges.len() {
            edges.extend(self.overriding(&edges[at])?);
        }
        edges.sort_by_key(|edge| (edge.span.start, edge.kind, edge.resolution.how));
        Ok(edges)
    }

    /// The symbol whose name begins at a byte of a file.
    pub fn symbol_at(&self, file: FileIndex, start: u32) -> Result<Option<SymbolId>> {
        let facts = self.branch.facts(file)?;
        let symbol = facts.symbols.iter().position(|row| row.name_span.start == start);
        Ok(symbol.map(|symbol| SymbolId { file, symbol: symbol as u32 }))
    }

    /// All occurrences of a name as a word, by path and position, with the edge that begins at each.
    pub fn occurrences(&self, name: &str) -> Result<Vec<Occurrence>> {
        let resolver = Resolver::new(&self.branch);
        let mut found = Vec::new();
        for file in self.files_using(name)? {
            let text = self.snapshot.blob_text(self.branch.view.file(file).blob)?;
            let facts = self.branch.facts(file)?;
            let edges = resolver.edges_naming(file, name)?;
            let uses = edges.iter().rev().filter(|edge| edge.kind != EdgeKind::Import);
            let uses: HashMap<u32, &Edge> = uses.map(|edge| (edge.span.start, edge)).collect();
            let defined: HashSet<u32> = facts.symbols.iter().map(|row| row.name_span.start).collect();
            for (at, _) in text.match_indices(name) {
                let is_whole = !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word);
                if !is_whole {
                    continue;
                }
                let start = at as u32;
                let edge = uses.get(&start);
                let imported =
                    || facts.imports.iter().any(|import| import.span.start <= start && start < import.span.end);
                let role = match edge {
                    _ if defined.contains(&start) => Role::Definition,
                    Some(edge) => Role::Use(edge.kind),
                    None if imported() => Role::Use(EdgeKind::Import),
                    None if facts.is_remark(start) => Role::Remark,
                    None => Role::Mention,
                };
                let span = ByteSpan { start, end: start + name.len() as u32 };
                found.push(Occurrence { file, span, role, resolution: edge.map(|edge| edge.resolution.clone()) });
            }
        }
        Ok(found)
    }

    /// What a plain text search for the rarest of some words prints, in any case, as `path:line:text`: the word, and
    /// the bytes of the lines, of which no more are counted than `max_bytes`, and those of the first [`MAX_FILES_SEARCHED`]
    /// files that may have it alone. Nothing if no file has any of them.
    pub fn rarest_word_lines(&self, words: &[String], max_bytes: usize) -> Result<Option<(String, usize)>> {
        let mut rarest: Option<(&String, Vec<FileIndex>)> = None;
        for word in words {
            let files = self.files_using(word)?;
            if !files.is_empty() && rarest.as_ref().is_none_or(|(_, least)| files.len() < least.len()) {
                rarest = Some((word, files));
            }
        }
        let Some((word, files)) = rarest else { return Ok(None) };
        let wanted = word.to_lowercase();
        let mut bytes = 0;
        for file in files.into_iter().take(MAX_FILES_SEARCHED) {
            let text = self.snapshot.blob_text(self.branch.view.file(file).blob)?;
            for (number, line) in (1u32..).zip(text.lines()) {
                if line.to_lowercase().contains(&wanted) {
                    bytes += self.path(file).len() + number.to_string().len() + line.len() + 3;
                }
            }
            if bytes >= max_bytes {
                return Ok(Some((word.clone(), max_bytes)));
            }
        }
        Ok(Some((word.clone(), bytes)))
    }

    /// The files of a file's folder with their facts.
    pub(super) fn facts_beside(&self, file: FileIndex) -> Result<Vec<(FileIndex, &FileFacts)>> {
        let files = self.branch.layout().in_folder(self.branch.folder(file)).iter();
        files.map(|&file| Ok((file, self.branch.facts(file)?))).collect()
    }

    /// The files that have a name, in ascending order.
    pub(super) fn files_using(&self, name: &str) -> Result<Vec<FileIndex>> {
        let mut whole = None;
        for_each_term(name, |term| {
            whole.get_or_insert_with(|| term.to_owned());
        });
        let Some(term) = whole else { return Ok(Vec::new()) };
        let view = self.branch.view;
        let postings = self.lexical.term_postings(&term, view.live())?;
        let docs = postings.iter().map(|posting| posting.doc);
        let mut files: Vec<FileIndex> =
            docs.flat_map(|doc| view.occurrences(doc)).map(|chunk| view.chunk(chunk).file).collect();
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }
}

/// The edges of a file that use a name and have targets.
fn edges_naming<L: Load>(
    resolver: &Resolver<'_, L>,
    (file, name): (FileIndex, &str),
    leads: impl Fn(&Edge) -> bool,
) -> Result<Vec<Edge>> {
    let mut edges = resolver.edges_naming(file, name)?;
    edges.retain(leads);
    Ok(edges)
}
