//! Decides which names that stand alone are variables, in languages where a call needs neither parentheses nor arguments:
//! from the place that binds it to the end of the part of the text around that place, a name is a variable, and else it
//! is a call. O(n log n) in the number of names.

use std::collections::{HashMap, HashSet};

use super::collect::{Definition, Facts, Use};
use super::record::ReferenceKind;
use super::tree::{NodeNumber, Tree};
use super::values::first_name;
use crate::kind::Kind;

/// The maximum number of blocks around a name that are searched for the variable.
const MAX_BLOCKS: usize = 64;

/// The variables of one text. Empty if no name in it stands alone.
#[derive(Debug, Default)]
pub(super) struct Variables<'t> {
    /// The parts that variables belong to, from outside in.
    parts: Vec<Part>,
    /// The first node that binds a name in a part.
    bound: HashMap<(&'t str, Option<u32>), NodeNumber>,
    tree: Option<(&'t Tree, &'t str)>,
}

/// A function, a type or a block.
#[derive(Debug)]
struct Part {
    start: NodeNumber,
    end: NodeNumber,
    /// The part around it.
    outer: Option<u32>,
    /// Whether it sees the variables of the part around it.
    is_block: bool,
    is_class: bool,
}

impl<'t> Variables<'t> {
    pub(super) fn new(facts: &Facts, tree: &'t Tree, text: &'t str) -> Self {
        if !facts.references.iter().any(is_alone) {
            return Self::default();
        }
        let is_part = |kind: Kind| kind != Kind::Constant;
        let defined = facts.definitions.iter().filter(|definition| is_part(definition.kind));
        let is_class = |definition: &Definition| definition.kind == Kind::Class;
        let mut nodes: Vec<(NodeNumber, bool, bool)> =
            defined.map(|definition| (definition.node, false, is_class(definition))).collect();
        nodes.extend(facts.blocks.iter().map(|&node| (node, true, false)));
        // Of a node that is both, the block decides.
        nodes.sort_unstable_by_key(|&(node, is_block, _)| (node, !is_block));
        nodes.dedup_by_key(|&mut (node, ..)| node);
        let mut parts: Vec<Part> = Vec::with_capacity(nodes.len());
        let mut open: Vec<u32> = Vec::new();
        for (start, is_block, is_class) in nodes {
            while open.pop_if(|outer| parts[*outer as usize].end <= start).is_some() {}
            parts.push(Part { start, end: tree.next(start), outer: open.last().copied(), is_block, is_class });
            open.push(parts.len() as u32 - 1);
        }
        let mut variables = Self { parts, bound: HashMap::new(), tree: Some((tree, text)) };
        for &name in &facts.early {
            let part = variables.around(name);
            variables.bound.insert((tree.text(name, text), part), NodeNumber(0));
        }
        for &groups in &facts.groups {
            let part = variables.around(groups);
            for name in named_groups(tree.text(groups, text)) {
                variables.bound.entry((name, part)).or_insert(groups);
            }
        }
        let mut names = facts.locals.clone();
        names.extend(bound_by_patterns(facts, tree));
        names.sort_unstable();
        for name in names {
            let part = variables.around(name);
            let start = part.map(|part| variables.parts[part as usize].start);
            let is_early = start.is_some_and(|start| facts.early_blocks.binary_search(&start).is_ok());
            let first = if is_early { NodeNumber(0) } else { name };
            variables.bound.entry((tree.text(name, text), part)).or_insert(first);
        }
        variables
    }

    /// Whether a name that stands alone is a variable. In more blocks than [`MAX_BLOCKS`] it counts as one.
    pub(super) fn has(&self, name: NodeNumber) -> bool {
        let Some((tree, text)) = self.tree else { return false };
        let written = tree.text(name, text);
        let mut part = self.around(name);
        for _ in 0..MAX_BLOCKS {
            if self.bound.get(&(written, part)).is_some_and(|first| *first <= name) {
                return true;
            }
            match part.map(|part| &self.parts[part as usize]) {
                Some(Part { is_block: true, outer, .. }) => part = *outer,
                _ => return false,
            }
        }
        true
    }

    /// Whether a node is in the body of a class, and in no function or block inside.
    pub(super) fn is_in_class_body(&self, node: NodeNumber) -> bool {
        self.around(node).is_some_and(|part| self.parts[part as usize].is_class)
    }

    /// The innermost part around a node.
    fn around(&self, node: NodeNumber) -> Option<u32> {
        let next = self.parts.partition_point(|part| part.start <= node);
        let mut candidate = next.checked_sub(1).map(|part| part as u32);
        while let Some(part) = candidate.map(|part| &self.parts[part as usize]) {
            if node < part.end {
                break;
            }
            candidate = part.outer;
        }
        candidate
    }
}

/// The names of the groups of a regular expression: `status` of `/(?<status>\d+)/`. With code inside, it binds none.
fn named_groups(expression: &str) -> impl Iterator<Item = &str> {
    let literal = if expression.contains("#{") { "" } else { expression };
    let names = literal.split("(?<").skip(1).filter_map(|rest| rest.split_once('>')).map(|(name, _)| name);
    names.filter(|name| !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_'))
}

/// The names that stand alone in patterns.
fn bound_by_patterns(facts: &Facts, tree: &Tree) -> Vec<NodeNumber> {
    let mut patterns = Within::new(&facts.patterns, tree);
    let alone = facts.references.iter().filter(|reference| is_alone(reference)).map(|reference| reference.name);
    alone.filter(|&name| patterns.has(name)).collect()
}

/// Tells which nodes lie in some others; asked in order of position.
pub(super) struct Within<'a> {
    rest: std::slice::Iter<'a, NodeNumber>,
    tree: &'a Tree,
    end: NodeNumber,
}

impl<'a> Within<'a> {
    /// In any of `nodes`, which are in order.
    pub(super) fn new(nodes: &'a [NodeNumber], tree: &'a Tree) -> Self {
        Self { rest: nodes.iter(), tree, end: NodeNumber(0) }
    }

    pub(super) fn has(&mut self, node: NodeNumber) -> bool {
        while let Some(&start) = self.rest.as_slice().first().filter(|start| **start <= node) {
            self.rest.next();
            self.end = self.end.max(self.tree.next(start));
        }
        node < self.end
    }
}

/// Whether a use is of a name that stands alone.
pub(super) fn is_alone(reference: &Use) -> bool {
    reference.kind == ReferenceKind::Bare && reference.receiver.is_none()
}

/// Decides which members that are read may be functions that are called so: those of what has a known type, of imports, and of
/// the object itself.
#[derive(Debug, Default)]
pub(super) struct Reads<'t> {
    typed: HashSet<&'t str>,
    functions: HashSet<&'t str>,
}

impl<'t> Reads<'t> {
    pub(super) fn new(facts: &Facts, tree: &Tree, text: &'t str) -> Self {
        let is_member = |kind| matches!(kind, ReferenceKind::Bare | ReferenceKind::Write);
        let is_read = |reference: &Use| is_member(reference.kind) && reference.receiver.is_some();
        if !facts.references.iter().any(is_read) {
            return Self::default();
        }
        let typed = facts.bindings.iter().filter(|fact| fact.evidence.is_of_variable());
        let functions =
            facts.definitions.iter().filter(|definition| matches!(definition.kind, Kind::Function | Kind::Method));
        Self {
            typed: typed.map(|fact| tree.text(fact.name, text)).collect(),
            functions: functions.map(|definition| tree.text(definition.name, text)).collect(),
        }
    }

    /// Whether the member `name` of a receiver may be a function, of which `known` are the names that the file knows.
    pub(super) fn may_call(&self, receiver: &str, name: &str, known: &HashSet<&str>) -> bool {
        match first_name(receiver) {
            first @ ("self" | "this" | "cls") => first != receiver || self.functions.contains(name),
            first => self.typed.contains(first) || known.contains(first),
        }
    }
}
