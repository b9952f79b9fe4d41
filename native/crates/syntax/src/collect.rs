//! Collects all matches of a query in a tree, sorted and without duplicates, as bare node numbers.

use super::query::{MAX_SCOPES, MarkKind, Matcher, Query, Roles};
use super::record::{Evidence, ReferenceKind};
use super::tree::{NodeNumber, Tree};
use crate::kind::Kind;

/// What a query found in one tree. Each list is in order of position.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) references: Vec<Use>,
    pub(crate) imports: Vec<ImportFact>,
    pub(crate) bases: Vec<Base>,
    pub(crate) bindings: Vec<BindingFact>,
    pub(crate) locals: Vec<NodeNumber>,
    pub(crate) closures: Vec<NodeNumber>,
    pub(crate) blocks: Vec<NodeNumber>,
    pub(crate) early_blocks: Vec<NodeNumber>,
    pub(crate) patterns: Vec<NodeNumber>,
    pub(crate) early: Vec<NodeNumber>,
    pub(crate) types: Vec<NodeNumber>,
    pub(crate) groups: Vec<NodeNumber>,
    pub(crate) tokens: Vec<NodeNumber>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) wrappers: Vec<NodeNumber>,
    pub(crate) attributes: Vec<NodeNumber>,
    pub(crate) comments: Vec<NodeNumber>,
    pub(crate) embedded: Vec<Embedded>,
    pub(crate) open_scopes: Vec<NodeNumber>,
}

/// The nodes whose text goes before a name.
pub(crate) type ScopeNodes = [Option<NodeNumber>; MAX_SCOPES];

/// A definition with its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition {
    pub(crate) node: NodeNumber,
    pub(crate) kind: Kind,
    pub(crate) name: NodeNumber,
    pub(crate) scopes: ScopeNodes,
    /// The parameters of a function, where functions of one name differ in their number.
    pub(crate) arguments: Option<NodeNumber>,
    rank: u16,
}

/// A use of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) name: NodeNumber,
    pub(crate) kind: ReferenceKind,
    pub(crate) receiver: Option<NodeNumber>,
    pub(crate) arguments: Option<NodeNumber>,
    rank: u16,
}

/// An import with its parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportFact {
    pub(crate) statement: NodeNumber,
    /// First and last node of the source.
    pub(crate) source: (NodeNumber, NodeNumber),
    pub(crate) name: Option<NodeNumber>,
    pub(crate) alias: Option<NodeNumber>,
    rank: u16,
}

/// A base type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    pub(crate) node: NodeNumber,
    pub(crate) implements: bool,
    rank: u16,
}

/// A name and what tells its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BindingFact {
    pub(crate) name: NodeNumber,
    pub(crate) evidence: Evidence,
    pub(crate) text: NodeNumber,
    rank: u16,
}

/// A node whose text is in the language of another grammar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded {
    pub(crate) node: NodeNumber,
    pub(crate) grammar: &'static str,
    rank: u16,
}

/// A node that takes part in cutting the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) node: NodeNumber,
    pub(crate) kind: MarkKind,
    pub(crate) name: Option<NodeNumber>,
    pub(crate) scopes: ScopeNodes,
    rank: u16,
}

impl Facts {
    /// Replaces the facts by those of `tree`.
    pub(crate) fn collect(&mut self, query: &Query, tree: &Tree, text: &str) {
        self.clear();
        self.find(query, tree, text);
        self.order();
    }

    /// Takes in all matches; [`order`](Self::order) must follow.
    pub(super) fn find(&mut self, query: &Query, tree: &Tree, text: &str) {
        let mut matcher = Matcher::new(query, tree, text);
        for node in tree.numbers() {
            matcher
                .at(node, &mut |found| self.add(&found.pattern.roles, found.pattern_number, |step| found.node(step)));
        }
    }

    /// Takes in one match of the pattern numbered `rank`; [`order`](Self::order) must follow the last.
    pub(super) fn add<T: Copy>(&mut self, roles: &Roles<T>, rank: u16, node_of: impl Fn(T) -> NodeNumber) {
        let node = |step: Option<T>| step.map(&node_of);
        if let (Some((kind, step)), Some(name)) = (roles.definition, node(roles.name)) {
            let (scopes, arguments) = (roles.scopes.map(node), node(roles.arguments));
            self.definitions.push(Definition { node: node_of(step), kind, name, scopes, arguments, rank });
        }
        if let (Some((kind, _)), Some(name)) = (roles.reference, node(roles.name)) {
            let (receiver, arguments) = (node(roles.receiver), node(roles.arguments));
            self.references.push(Use { name, kind, receiver, arguments, rank });
        }
        if let (Some(statement), Some((first, last))) = (node(roles.import), roles.source) {
            let source = (node_of(first), node_of(last));
            let (name, alias) = (node(roles.import_name), node(roles.alias));
            self.imports.push(ImportFact { statement, source, name, alias, rank });
        }
        if let Some((implements, step)) = roles.base {
            self.bases.push(Base { node: node_of(step), implements, rank });
        }
        if let (Some(name), Some((evidence, step))) = (node(roles.binding), roles.evidence) {
            self.bindings.push(BindingFact { name, evidence, text: node_of(step), rank });
        }
        if let Some((kind, step)) = roles.mark {
            let scopes = if roles.definition.is_none() { roles.scopes.map(node) } else { ScopeNodes::default() };
            self.marks.push(Mark { node: node_of(step), kind, name: node(roles.name), scopes, rank });
        }
        if let Some((grammar, step)) = roles.embedded {
            self.embedded.push(Embedded { node: node_of(step), grammar, rank });
        }
        self.locals.extend(node(roles.local));
        self.closures.extend(node(roles.closure));
        self.blocks.extend(node(roles.block).or(node(roles.early_block)));
        self.early_blocks.extend(node(roles.early_block));
        self.patterns.extend(node(roles.pattern));
        self.early.extend(node(roles.early));
        self.types.extend(node(roles.types));
        self.groups.extend(node(roles.groups));
        self.tokens.extend(node(roles.tokens));
        self.wrappers.extend(node(roles.wrapper));
        self.attributes.extend(node(roles.attribute));
        self.comments.extend(node(roles.comment));
        self.open_scopes.extend(node(roles.open_scope));
    }

    /// Sorts by position and removes what an earlier pattern has said about the same node.
    pub(super) fn order(&mut self) {
        // A node defines one thing, unless it is a list of variables: then each name is one.
        self.definitions.sort_by_key(|definition| (definition.node, definition.rank, definition.name));
        self.definitions.dedup_by(|later, first| {
            later.node == first.node && (later.kind != Kind::Constant || first.kind != Kind::Constant)
        });
        self.definitions.sort_by_key(|definition| (definition.name, definition.rank));
        self.definitions.dedup_by_key(|definition| definition.name);
        self.definitions.sort_by_key(|definition| (definition.node, definition.name));

        self.references.sort_by_key(|reference| (reference.name, reference.rank));
        self.references.dedup_by_key(|reference| reference.name);
        self.imports.sort_by_key(|import| (import.source, import.name, import.rank));
        self.imports.dedup_by_key(|import| (import.source, import.name));
        // "The module itself" is the general case of "this name of the module".
        self.imports.dedup_by(|named, whole| {
            let is_general = named.source == whole.source && whole.name.is_none() && named.rank < whole.rank;
            if is_general {
                *whole = *named;
            }
            is_general
        });
        // Of lists in lists, the outermost statement has the whole path.
        self.imports.sort_by_key(|import| (import.name, import.statement));
        self.imports.dedup_by(|inner, outer| {
            inner.name.is_some() && inner.name == outer.name && inner.statement != outer.statement
        });
        self.imports.sort_by_key(|import| (import.statement, import.source, import.name));
        self.bases.sort_by_key(|base| (base.node, base.rank));
        self.bases.dedup_by_key(|base| base.node);
        // A function may have an owner besides its return type.
        let is_owner = |binding: &BindingFact| binding.evidence == Evidence::Owner;
        self.bindings.sort_by_key(|binding| (binding.name, is_owner(binding), binding.rank, binding.text));
        self.bindings.dedup_by_key(|binding| (binding.name, is_owner(binding)));
        self.marks.sort_by_key(|mark| (mark.node, mark.rank));
        self.marks.dedup_by_key(|mark| mark.node);
        self.embedded.sort_by_key(|embedded| (embedded.node, embedded.rank));
        self.embedded.dedup_by_key(|embedded| embedded.node);
        let lists = [
            &mut self.locals,
            &mut self.closures,
            &mut self.blocks,
            &mut self.early_blocks,
            &mut self.patterns,
            &mut self.early,
            &mut self.types,
            &mut self.groups,
            &mut self.wrappers,
            &mut self.attributes,
            &mut self.comments,
            &mut self.open_scopes,
        ];
        for nodes in lists {
            nodes.sort_unstable();
            nodes.dedup();
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.definitions.clear();
        self.references.clear();
        self.imports.clear();
        self.bases.clear();
        self.bindings.clear();
        self.locals.clear();
        self.closures.clear();
        self.blocks.clear();
        self.early_blocks.clear();
        self.patterns.clear();
        self.early.clear();
        self.types.clear();
        self.groups.clear();
        self.tokens.clear();
        self.marks.clear();
        self.wrappers.clear();
        self.attributes.clear();
        self.comments.clear();
        self.embedded.clear();
        self.open_scopes.clear();
    }
}
