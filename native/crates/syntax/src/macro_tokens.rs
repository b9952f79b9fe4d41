//! Finds calls in the arguments of Rust's macros, which the grammar keeps as tokens: a name before brackets, with the
//! receiver that the tokens before it form. Linear in the number of tokens.

use super::expression::reduced;
use super::name::Naming;
use super::record::{Reference, ReferenceKind};
use super::tree::{NodeNumber, Tree};

/// The longest receiver, in tokens.
const MAX_RECEIVER: usize = 32;

/// The calls inside of one list of tokens and those in it.
pub(super) fn calls(list: NodeNumber, tree: &Tree, text: &str, naming: Naming, out: &mut Vec<Reference>) {
    let list_kind = tree.kind(list);
    let mut tokens = Vec::new();
    let mut node = list;
    while node < tree.next(list) {
        if tree.kind(node) == list_kind {
            tokens.clear();
            tokens.extend(tree.children(node));
            let calls = (1..tokens.len()).filter(|&at| tree.kind(tokens[at]) == list_kind);
            out.extend(calls.filter_map(|at| call(&tokens[..at], tokens[at], tree, text, naming)));
        }
        node = node.following();
    }
}

/// The call whose arguments are `arguments`, if the tokens before them end with a name.
fn call(before: &[NodeNumber], arguments: NodeNumber, tree: &Tree, text: &str, naming: Naming) -> Option<Reference> {
    let (&name, before) = before.split_last()?;
    let gap = |from: NodeNumber, to: NodeNumber| {
        text.get(tree.end(from) as usize..tree.start(to) as usize).unwrap_or_default().trim()
    };
    let is_macro = gap(name, arguments) == "!";
    let has_brackets = tree.text(arguments, text).starts_with('(');
    let written = tree.text(name, text);
    let is_name = tree.is_leaf(name) && written.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if !is_name || !(is_macro || has_brackets && gap(name, arguments).is_empty()) {
        return None;
    }
    let lead = text.get(..tree.start(name) as usize)?.trim_end();
    // A definition in the macro's own notation.
    if ["fn", "struct", "enum", "union", "trait", "mod", "type"].iter().any(|word| lead.ends_with(word)) {
        return None;
    }
    let receiver = match before.last() {
        Some(&last) if matches!(gap(last, name), "." | "::" | "?.") => {
            let start = start_of_receiver(before, tree, gap);
            let lead = text.get(..tree.start(start) as usize)?.trim_end();
            if lead.ends_with("::") || lead.ends_with('.') && !lead.ends_with("..") {
                // It goes on to the left, by type arguments for example.
                return None;
            }
            reduced(text.get(tree.start(start) as usize..tree.end(last) as usize)?)
        }
        // Something that is no single token comes before the dot.
        _ if lead.ends_with(['.', ':']) => return None,
        _ => String::new(),
    };
    Some(Reference {
        name: naming.clean(written).into_owned(),
        receiver,
        kind: ReferenceKind::Call,
        arguments: None,
        span: tree.span(name),
    })
}

/// The first token of the expression that the last token ends.
fn start_of_receiver<'t>(
    tokens: &[NodeNumber],
    tree: &Tree,
    gap: impl Fn(NodeNumber, NodeNumber) -> &'t str,
) -> NodeNumber {
    let mut start = tokens.len() - 1;
    while let Some(before) = start.checked_sub(1).filter(|_| tokens.len() - start < MAX_RECEIVER) {
        let between = gap(tokens[before], tokens[start]);
        // Arguments belong to the name before them.
        let goes_on =
            if tree.is_leaf(tokens[start]) && tree.kind(tokens[start]) != tree.kind(tree.parent(tokens[start])) {
                matches!(between, "." | "::" | "?.")
            } else {
                between.is_empty()
            };
        if !goes_on {
            break;
        }
        start = before;
    }
    tokens[start]
}
