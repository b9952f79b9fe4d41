//! Nests definitions by their spans: qualified names, and the name of each mark's chunk.

use std::collections::BTreeMap;

use super::collect::{Base, Definition, Facts, Mark, ScopeNodes};
use super::name::{Naming, clean, split, without_arguments};
use super::query::MarkKind;
use super::record::{Inheritance, Symbol};
use super::tree::{NodeNumber, Tree};
use crate::kind::Kind;

/// What a mark's chunk is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkName {
    pub(crate) kind: Kind,
    /// Empty if nothing names it.
    pub(crate) qualified_name: String,
    /// Whether it is a symbol.
    pub(crate) is_symbol: bool,
}

/// A function that is defined clause by clause, so far.
#[derive(Debug, Clone, Copy)]
struct ClausedFunction {
    symbol: usize,
    /// The node whose children the clauses are.
    parent: NodeNumber,
    /// How many arguments it has, which tells apart functions of one name.
    arity: Option<u8>,
}

/// Scopes deeper than this add nothing to qualified names, which bounds their length.
const MAX_SCOPES: usize = 24;

/// The maximum depth of a definition below its mark: `export const f = () => …`.
const MAX_STEPS_TO_DEFINITION: usize = 4;

/// The maximum height of a definition above its base type.
const MAX_STEPS_TO_DERIVED: usize = 64;

/// Stands between the names of nested blocks of tests.
const BLOCK_SEPARATOR: &str = " > ";

/// A node that gives its name to what is inside.
#[derive(Debug)]
struct Scope {
    node: NodeNumber,
    end: NodeNumber,
    /// The names so far, joined.
    prefix: String,
    depth: usize,
    role: ScopeRole,
    /// It encloses nothing, but goes on to the next such one, or to its parent's end.
    is_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeRole {
    /// Functions directly inside are methods.
    Type,
    /// Variables inside are locals.
    Function,
    /// A module, or a variable with a value that has parts.
    Plain,
    Section,
    /// A block of tests. Its name is prose: only other blocks take it over.
    Block,
}

/// Sweeps over a tree's definitions and marks from outside in.
pub(super) struct Scopes<'s> {
    tree: &'s Tree,
    text: &'s str,
    naming: Naming,
    open: Vec<Scope>,
    /// What the nodes that define or scope are called.
    entities: BTreeMap<NodeNumber, ChunkName>,
    /// The nodes of open scopes, with the first node behind each.
    open_ranges: Vec<(NodeNumber, NodeNumber)>,
    facts: &'s Facts,
    symbols: Vec<Symbol>,
    /// The function whose clauses came last.
    claused: Option<ClausedFunction>,
}

impl<'s> Scopes<'s> {
    /// Names all definitions and marks of a tree.
    pub(super) fn sweep(facts: &'s Facts, tree: &'s Tree, text: &'s str, naming: Naming) -> Self {
        let mut scopes = Scopes {
            tree,
            text,
            naming,
            open: Vec::new(),
            entities: BTreeMap::new(),
            open_ranges: Vec::new(),
            facts,
            symbols: Vec::new(),
            claused: None,
        };
        let mut definitions = facts.definitions.iter().peekable();
        for mark in &facts.marks {
            while let Some(definition) = definitions.next_if(|definition| definition.node <= mark.node) {
                scopes.definition(definition);
            }
            if !scopes.entities.contains_key(&mark.node) {
                scopes.mark(mark);
            }
        }
        definitions.for_each(|definition| scopes.definition(definition));
        scopes
    }

    /// What each of [`Facts::marks`] is called.
    pub(super) fn name_marks(&self) -> Vec<ChunkName> {
        let symbols = self.symbols.iter().rev();
        let kinds: BTreeMap<&str, Kind> = symbols.map(|symbol| (symbol.qualified_name.as_str(), symbol.kind)).collect();
        let name = |mark: &Mark| match self.entity_of(mark) {
            // A type's `impl` is of the type's kind if that is known here.
            Some(ChunkName { kind, qualified_name, is_symbol: false }) if mark.scopes[0].is_some() => {
                let kind = kinds.get(qualified_name.as_str()).copied().unwrap_or(*kind);
                ChunkName { kind, qualified_name: qualified_name.clone(), is_symbol: false }
            }
            Some(entity) => entity.clone(),
            None if mark.kind.is_section() => {
                ChunkName { kind: Kind::Section, qualified_name: String::new(), is_symbol: false }
            }
            None => ChunkName { kind: Kind::Block, qualified_name: String::new(), is_symbol: false },
        };
        self.facts.marks.iter().map(name).collect()
    }

    /// Which types build on which.
    pub(super) fn inheritance(&self) -> Vec<Inheritance> {
        let relation = |base: &Base| {
            let ancestors = std::iter::successors(Some(base.node), |node| {
                let parent = self.tree.parent(*node);
                (parent != *node).then_some(parent)
            });
            let mut entities = ancestors.take(MAX_STEPS_TO_DERIVED).filter_map(|node| self.entities.get(&node));
            let derived = entities.find(|entity| is_type(entity.kind) || entity.kind == Kind::Module);
            let derived = derived.or_else(|| self.open_scope_of(base.node))?;
            let written = clean(self.tree.text(base.node, self.text));
            let name = without_arguments(&written);
            let (derived, implements) = (derived.qualified_name.clone(), base.implements);
            let span = self.tree.span(base.node);
            (!name.is_empty()).then(|| Inheritance { derived, base: name.to_owned(), implements, span })
        };
        self.facts.bases.iter().filter_map(relation).collect()
    }

    /// All definitions and named sections, in order of position.
    pub(super) fn into_symbols(self) -> Vec<Symbol> {
        self.symbols
    }

    fn definition(&mut self, definition: &Definition) {
        self.close_before(definition.node);
        let written = self.naming.clean(self.tree.text(definition.name, self.text));
        let outer = self.open.iter().rev().map(|scope| scope.role).find(|role| *role != ScopeRole::Block);
        let kind = match (definition.kind, outer) {
            (Kind::Constant, Some(ScopeRole::Function)) => return,
            (Kind::Function, Some(ScopeRole::Type)) => Kind::Method,
            (kind, _) => kind,
        };
        if written.is_empty() {
            return;
        }
        let (scopes, name) = split(&written, self.tree.is_leaf(definition.name));
        let mut parts = self.scope_names(definition.scopes);
        parts.extend(scopes.into_iter().map(str::to_owned));
        parts.push(name.to_owned());
        let role = match kind {
            Kind::Function | Kind::Method => ScopeRole::Function,
            kind if is_type(kind) => ScopeRole::Type,
            _ => ScopeRole::Plain,
        };
        let qualified_name = self.join(&parts.join("."), role);
        let named = ChunkName { kind, qualified_name: qualified_name.clone(), is_symbol: true };
        // What is in an inline namespace of C++ belongs to the namespace around it.
        if kind == Kind::Module && self.tree.text(definition.node, self.text).starts_with("inline ") {
            self.entities.entry(definition.node).or_insert(named);
        } else {
            self.enter(definition.node, role, named);
        }
        if self.is_clause(definition.node) && self.goes_on(definition, kind, &qualified_name) {
            return;
        }
        let (name, span, name_span) =
            (name.to_owned(), self.tree.span(definition.node), self.tree.span(definition.name));
        self.symbols.push(Symbol { name, qualified_name, kind, span, name_span });
    }

    fn is_clause(&self, node: NodeNumber) -> bool {
        let marks = &self.facts.marks;
        let found = marks.binary_search_by_key(&node, |mark| mark.node);
        found.is_ok_and(|at| marks[at].kind == MarkKind::Clause)
    }

    /// Whether a clause goes on with the function before it, which then reaches to its end. Otherwise a function begins.
    fn goes_on(&mut self, clause: &Definition, kind: Kind, qualified_name: &str) -> bool {
        let parent = self.tree.parent(clause.node);
        let is_one = |node: &NodeNumber| self.tree.is_named(*node) && self.facts.comments.binary_search(node).is_err();
        let count = |list| self.tree.children(list).filter(is_one).count().min(u8::MAX.into()) as u8;
        let arity = clause.arguments.map(count);
        let begun = self.claused.filter(|begun| (begun.parent, begun.arity) == (parent, arity));
        if let Some(begun) = begun {
            let last = self.symbols.last().map_or(0, |symbol| symbol.span.end);
            let function = &mut self.symbols[begun.symbol];
            // Nothing else is defined between them.
            if (function.kind, function.qualified_name.as_str()) == (kind, qualified_name) && last <= function.span.end
            {
                function.span.end = self.tree.end(clause.node);
                return true;
            }
        }
        self.claused = Some(ClausedFunction { symbol: self.symbols.len(), parent, arity });
        false
    }

    /// A mark without definition: a section, a container that only scopes, a block of tests.
    fn mark(&mut self, mark: &Mark) {
        self.close_before(mark.node);
        let mut parts = self.scope_names(mark.scopes);
        let written = mark.name.map(|name| clean(self.tree.text(name, self.text)).into_owned());
        let written = written.filter(|written| !written.is_empty());
        let (kind, role) = match (mark.kind, &written) {
            (MarkKind::Section | MarkKind::OpenSection, Some(_)) => (Kind::Section, ScopeRole::Section),
            (_, Some(_)) => (Kind::Block, ScopeRole::Block),
            (_, None) => (Kind::Type, ScopeRole::Type),
        };
        parts.extend(written);
        let Some(name) = parts.last().cloned() else { return };
        let qualified_name = self.join(&parts.join("."), role);
        let is_symbol = kind == Kind::Section;
        self.enter(mark.node, role, ChunkName { kind, qualified_name: qualified_name.clone(), is_symbol });
        if let (Kind::Section, Some(name_node)) = (kind, mark.name) {
            let (span, name_span) = (self.tree.span(mark.node), self.tree.span(name_node));
            self.symbols.push(Symbol { name, qualified_name, kind, span, name_span });
        }
    }

    /// The names that a pattern's scope nodes stand for.
    fn scope_names(&self, nodes: ScopeNodes) -> Vec<String> {
        let mut names = Vec::new();
        for node in nodes.into_iter().flatten() {
            let written = clean(self.tree.text(node, self.text));
            let (scopes, name) = split(without_arguments(&written), self.tree.is_leaf(node));
            names.extend(scopes.into_iter().chain([name]).filter(|name| !name.is_empty()).map(str::to_owned));
        }
        names
    }

    fn close_before(&mut self, node: NodeNumber) {
        let parent = self.tree.parent(node);
        let opens = self.facts.open_scopes.binary_search(&node).is_ok();
        let ends = |scope: &mut Scope| {
            scope.end <= node || scope.node == node || opens && scope.is_open && self.tree.parent(scope.node) == parent
        };
        while self.open.pop_if(ends).is_some() {}
    }

    /// What the last open scope before a node is called, if it goes on so far.
    fn open_scope_of(&self, node: NodeNumber) -> Option<&ChunkName> {
        let before = self.open_ranges.partition_point(|(start, _)| *start < node);
        let (start, _) = self.open_ranges[..before].iter().rev().find(|(_, end)| node < *end)?;
        self.entities.get(start)
    }

    fn enter(&mut self, node: NodeNumber, role: ScopeRole, named: ChunkName) {
        let depth = self.open.last().map_or(0, |scope| scope.depth) + 1;
        let prefix = match self.open.last() {
            Some(outer) if depth > MAX_SCOPES => outer.prefix.clone(),
            _ => named.qualified_name.clone(),
        };
        let is_open = self.facts.open_scopes.binary_search(&node).is_ok();
        let end = self.tree.next(if is_open { self.tree.parent(node) } else { node });
        if is_open {
            self.open_ranges.push((node, end));
        }
        self.open.push(Scope { node, end, prefix, depth, role, is_open });
        self.entities.entry(node).or_insert(named);
    }

    /// A name with those of the scopes around it.
    fn join(&self, name: &str, role: ScopeRole) -> String {
        let takes = |scope: &&Scope| role == ScopeRole::Block || scope.role != ScopeRole::Block;
        let Some(scope) = self.open.iter().rev().find(takes).filter(|scope| !scope.prefix.is_empty()) else {
            return name.to_owned();
        };
        let separator = match scope.role {
            ScopeRole::Section => self.naming.section_separator,
            ScopeRole::Block => BLOCK_SEPARATOR,
            _ => ".",
        };
        [&scope.prefix, separator, name].concat()
    }

    /// What defines a mark: what is known of its node, or, if it has no name of its own, of one shortly below
    /// (`export const f = () => …`) or of its parent (`const A = class { … }`).
    fn entity_of(&self, mark: &Mark) -> Option<&ChunkName> {
        if let Some(entity) = self.entities.get(&mark.node) {
            return Some(entity);
        }
        if mark.name.is_some() {
            return None;
        }
        let fits = |entity: &&ChunkName| {
            mark.kind != MarkKind::Container || is_type(entity.kind) || entity.kind == Kind::Module
        };
        let below = self.entities.range(mark.node..self.tree.next(mark.node)).next().filter(|(node, _)| {
            let mut ancestors = std::iter::successors(Some(**node), |node| Some(self.tree.parent(*node)));
            ancestors.by_ref().take(MAX_STEPS_TO_DEFINITION).any(|ancestor| ancestor == mark.node)
        });
        let parent = || self.entities.get(&self.tree.parent(mark.node)).filter(|entity| entity.kind != Kind::Block);
        below.map(|(_, entity)| entity).filter(fits).or_else(|| parent().filter(fits))
    }
}

fn is_type(kind: Kind) -> bool {
    matches!(kind, Kind::Class | Kind::Interface | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Type)
}
