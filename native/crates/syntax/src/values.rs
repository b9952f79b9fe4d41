//! Decides which names that are used as values may be symbols: neither locals nor, where files list what they use,
//! names that a file does not know. O(n log n) in the number of names.

use std::collections::{HashMap, HashSet};

use super::collect::{Facts, Use};
use super::name::Naming;
use super::record::ReferenceKind;
use super::tree::{NodeNumber, Tree};
use crate::kind::Kind;

/// The words for the receiver itself.
const SELF: [&str; 5] = ["self", "this", "Self", "cls", "super"];

/// The names of one text that may be symbols where they are used as values.
pub(super) struct ValueNames<'t> {
    known: &'t HashSet<&'t str>,
    locals: Locals<'t>,
    naming: Naming,
    imports_all: bool,
}

impl<'t> ValueNames<'t> {
    pub(super) fn new(facts: &Facts, known: &'t HashSet<&'t str>, tree: &Tree, text: &'t str, naming: Naming) -> Self {
        let values = facts.references.iter().filter(|reference| reference.kind == ReferenceKind::Value);
        let wanted: HashSet<&str> = values.map(|value| first_of(value, tree, text)).collect();
        if wanted.is_empty() {
            return Self { known, locals: Locals::default(), naming, imports_all: false };
        }
        let imported = facts.imports.iter().filter_map(|import| import.name);
        let imports_all = imported.into_iter().any(|name| tree.text(name, text).ends_with('*'));
        let locals = Locals::new(facts, tree, text, &wanted);
        Self { known, locals, naming, imports_all }
    }

    /// Whether a value may be a symbol.
    pub(super) fn may_be_symbol(&self, value: &Use, tree: &Tree, text: &str) -> bool {
        let (name, first) = (tree.text(value.name, text), first_of(value, tree, text));
        if SELF.contains(&first) {
            return !self.naming.lists_names || self.known.contains(name);
        }
        // Macros of C and constants are in capitals.
        let is_word = name.chars().any(char::is_lowercase) || self.naming.lists_names;
        let is_known = !self.naming.lists_names || self.imports_all || self.known.contains(first);
        is_word && is_known && !self.locals.has(first, value.name)
    }
}

/// The first name of an expression: `client` of `client.session.get()`.
pub(super) fn first_name(expression: &str) -> &str {
    let end = expression.find(|char: char| !(char.is_alphanumeric() || "_$".contains(char)));
    &expression[..end.unwrap_or(expression.len())]
}

/// The names that a text defines or imports.
pub(super) fn known_names<'t>(facts: &Facts, tree: &Tree, text: &'t str) -> HashSet<&'t str> {
    let defined = facts.definitions.iter().map(|definition| definition.name);
    let imported = facts.imports.iter().flat_map(|import| {
        // Without a name or an alias, it is the last name of the source.
        let own = import.alias.or(import.name);
        [own, Some(import.source.0).filter(|_| own.is_none())].into_iter().flatten()
    });
    let last = |node| {
        let name = tree.text(node, text).trim_matches(['"', '\'']);
        name.rsplit(['.', ':', '/', '\\']).next().unwrap_or(name)
    };
    defined.chain(imported).map(last).collect()
}

fn first_of<'t>(value: &Use, tree: &Tree, text: &'t str) -> &'t str {
    first_name(tree.text(value.receiver.unwrap_or(value.name), text))
}

/// The parts of a text in which names are locals.
#[derive(Debug, Default)]
struct Locals<'t> {
    /// By name, the first nodes of such parts and those after them: ascending and disjoint.
    parts: HashMap<&'t str, Vec<(NodeNumber, NodeNumber)>>,
}

impl<'t> Locals<'t> {
    /// The locals of the names that are `wanted`, found in one sweep over locals and functions.
    fn new(facts: &Facts, tree: &Tree, text: &'t str, wanted: &HashSet<&str>) -> Self {
        let typed = facts.bindings.iter().filter(|fact| fact.evidence.is_of_variable()).map(|fact| fact.name);
        let mut names: Vec<(NodeNumber, bool)> = typed.map(|name| (name, true)).collect();
        names.extend(facts.locals.iter().map(|&name| (name, false)));
        names.sort_unstable();
        let is_function = |kind| matches!(kind, Kind::Function | Kind::Method);
        let mut functions = facts.definitions.iter().filter(|definition| is_function(definition.kind)).peekable();
        let mut open: Vec<(NodeNumber, NodeNumber)> = Vec::new();
        let mut parts: HashMap<&'t str, Vec<(NodeNumber, NodeNumber)>> = HashMap::new();
        for (name, is_typed) in names {
            while let Some(function) = functions.next_if(|function| function.node <= name) {
                open.push((function.node, tree.next(function.node)));
            }
            while open.pop_if(|(_, end)| *end <= name).is_some() {}
            let written = tree.text(name, text);
            // Outside of functions a name with a type is a field or a variable of the module.
            if is_typed && open.is_empty() || !wanted.contains(written) {
                continue;
            }
            let part = open.last().copied().unwrap_or((NodeNumber(0), NodeNumber(u32::MAX)));
            let known = parts.entry(written).or_default();
            if known.last() != Some(&part) {
                known.push(part);
            }
        }
        parts.values_mut().for_each(keep_outermost);
        Self { parts }
    }

    /// Whether a name at a node is a local.
    fn has(&self, name: &str, at: NodeNumber) -> bool {
        let parts = self.parts.get(name).map_or(&[][..], Vec::as_slice);
        let after = parts.partition_point(|&(start, _)| start <= at);
        after.checked_sub(1).is_some_and(|part| at < parts[part].1)
    }
}

/// Drops the parts that lie in others: functions nest or are apart.
fn keep_outermost(parts: &mut Vec<(NodeNumber, NodeNumber)>) {
    parts.sort_unstable();
    let mut last = NodeNumber(0);
    parts.retain(|&(_, end)| {
        let is_outermost = end > last;
        last = last.max(end);
        is_outermost
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_others_are_dropped() {
        let part = |(start, end)| (NodeNumber(start), NodeNumber(end));
        let mut parts: Vec<_> = [(12, 14), (2, 9), (3, 5), (10, 20), (6, 7), (20, 21)].map(part).to_vec();
        keep_outermost(&mut parts);
        assert_eq!(parts, [(2, 9), (10, 20), (20, 21)].map(part));
        let locals = Locals { parts: HashMap::from([("name", parts)]) };
        let held = (0..22).filter(|&at| locals.has("name", NodeNumber(at)));
        assert_eq!(held.collect::<Vec<_>>(), (2..9).chain(10..21).collect::<Vec<_>>());
        assert!(!locals.has("other", NodeNumber(3)));
    }
}
