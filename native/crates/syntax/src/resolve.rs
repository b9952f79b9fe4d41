//! Resolves node numbers to facts with names.

use std::borrow::Cow;
use std::collections::HashSet;

use codecairn_base::span::ByteSpan;

use super::collect::Facts;
use super::expression::{LONG, reduced, reduced_type};
use super::macro_tokens;
use super::name::{Naming, clean, clean_import_name, clean_source};
use super::record::{Binding, Diagnostic, Evidence, Import, Reference, ReferenceKind, Syntax};
use super::scopes::{ChunkName, Scopes};
use super::tree::{NodeNumber, Tree};
use super::values::{ValueNames, first_name, known_names};
use super::variables::{Reads, Variables, Within, is_alone};

/// The maximum number of syntax errors that are reported for a text.
const MAX_DIAGNOSTICS: usize = 16;

/// The methods that the pointers of C++ have themselves. Whether one is called on a pointer, `it.get()`, or on what it points
/// to, `it->get()`, is kept by a dot behind the receiver.
pub const POINTER_METHODS: [&str; 11] =
    ["emplace", "expired", "get", "has_value", "lock", "release", "reset", "swap", "use_count", "value", "value_or"];

/// Puts names to the facts of a tree. The second list has one entry for each of [`Facts::marks`].
pub(crate) fn resolve(facts: &Facts, tree: &Tree, text: &str, naming: Naming) -> (Syntax, Vec<ChunkName>) {
    let scopes = Scopes::sweep(facts, tree, text, naming);
    let named = scopes.name_marks();
    let known = known_names(facts, tree, text);
    let references = references(facts, &known, tree, text, naming);
    let bindings = bindings(facts, &known, &references, tree, text, naming);
    let syntax = Syntax {
        inheritance: scopes.inheritance(),
        symbols: scopes.into_symbols(),
        imports: imports(facts, tree, text),
        closures: closures(facts, &bindings, tree),
        bindings,
        references,
        comments: facts.comments.iter().map(|node| tree.span(*node)).collect(),
        diagnostics: diagnostics(tree, text),
    };
    (syntax, named)
}

/// The places that a grammar can't read, in order of position; if they are large, the parts in which definitions may be missing.
fn diagnostics(tree: &Tree, text: &str) -> Vec<Diagnostic> {
    let lost = tree.losses(text);
    let errors = tree.errors().map(|node| tree.span(node)).filter(|span| !lost.contains(span));
    let lost = lost.iter().map(|span| (*span, Diagnostic::LOST));
    let all = lost.chain(errors.map(|span| (span, "can't be parsed"))).take(MAX_DIAGNOSTICS);
    let mut all: Vec<_> = all.map(|(span, message)| Diagnostic { span, message: message.to_owned() }).collect();
    all.sort_by_key(|diagnostic| diagnostic.span.start);
    all
}

fn references(facts: &Facts, known: &HashSet<&str>, tree: &Tree, text: &str, naming: Naming) -> Vec<Reference> {
    let mut defined: Vec<NodeNumber> = facts.definitions.iter().map(|definition| definition.name).collect();
    defined.sort_unstable();
    let (mut defined, mut last_defined) = (defined.into_iter().peekable(), None);
    let values = ValueNames::new(facts, known, tree, text, naming);
    let (variables, reads) = (Variables::new(facts, tree, text), Reads::new(facts, tree, text));
    let mut types = Within::new(&facts.types, tree);
    let mut references = Vec::with_capacity(facts.references.len());
    for reference in &facts.references {
        let kind = if types.has(reference.name) { ReferenceKind::Type } else { reference.kind };
        while let Some(name) = defined.next_if(|name| *name < reference.name) {
            last_defined = Some(name);
        }
        if defined.peek() == Some(&reference.name) {
            continue;
        }
        if kind == ReferenceKind::Value && !values.may_be_symbol(reference, tree, text) {
            continue;
        }
        if matches!(kind, ReferenceKind::Bare | ReferenceKind::Write) {
            let is_call = match reference.receiver {
                // `name` of `def name=(value)` is a part of a name.
                None => {
                    !variables.has(reference.name) && last_defined.is_none_or(|name| tree.next(name) <= reference.name)
                }
                Some(receiver) if naming.lists_names => {
                    reads.may_call(tree.text(receiver, text), tree.text(reference.name, text), known)
                }
                Some(_) => true,
            };
            if !is_call {
                continue;
            }
        }
        let name = naming.clean(tree.text(reference.name, text));
        if name.is_empty() {
            continue;
        }
        let mut receiver = reference.receiver.map(|receiver| {
            let end = tree.end(receiver).min(tree.start(reference.name));
            let written = text.get(tree.start(receiver) as usize..end as usize).unwrap_or_default();
            // The scopes of a name in C++ hold the name as well.
            let is_scope = end < tree.end(receiver);
            reduced(if is_scope { written.trim_end().trim_end_matches("::") } else { written })
        });
        if !naming.setter.is_empty() && is_alone(reference) && variables.is_in_class_body(reference.name) {
            receiver = Some("self".to_owned());
        }
        if let (true, Some(node), Some(written)) = (naming.has_pointers, reference.receiver, &mut receiver)
            && POINTER_METHODS.contains(&&*name)
        {
            let operator = text.get(tree.end(node) as usize..tree.start(reference.name) as usize);
            written.push_str(if operator.is_some_and(|operator| operator.contains('.')) { "." } else { "" });
        }
        let found = Reference {
            name: name.into_owned(),
            receiver: receiver.unwrap_or_default(),
            kind,
            arguments: reference.arguments.and_then(|list| count(list, tree, text)),
            span: tree.span(reference.name),
        };
        if kind == ReferenceKind::Write && !naming.setter.is_empty() {
            references.extend(assignment(found, naming.setter, text));
        } else {
            references.push(found);
        }
    }
    for &span in &tree.macros {
        let next = facts.comments.partition_point(|node| tree.start(*node) <= span.start);
        let is_comment = next.checked_sub(1).is_some_and(|last| span.start < tree.end(facts.comments[last]));
        references.extend((!is_comment).then(|| {
            let name = text.get(span.range()).unwrap_or_default().to_owned();
            Reference { name, receiver: String::new(), kind: ReferenceKind::Call, arguments: None, span }
        }));
    }
    if !tree.macros.is_empty() {
        references.sort_by_key(|reference| reference.span.start);
    }
    if !facts.tokens.is_empty() {
        for &list in &facts.tokens {
            macro_tokens::calls(list, tree, text, naming, &mut references);
        }
        references.sort_by_key(|reference| reference.span.start);
        references.dedup_by_key(|reference| reference.span.start);
    }
    references
}

/// The calls of a member that is assigned, whose setter is named by the sign of the assignment: `price=`. An operator reads
/// the member as well: `cart.price += 1`.
fn assignment(written: Reference, setter: &str, text: &str) -> impl Iterator<Item = Reference> {
    let rest = text.get(written.span.end as usize..).unwrap_or_default().trim_start();
    let name = format!("{}{setter}", written.name);
    let read = Reference { kind: ReferenceKind::Call, ..written };
    let setter = Reference { name, ..read.clone() };
    let is_read = rest.starts_with(['+', '-', '*', '/', '%', '|', '&', '^', '<', '>']);
    is_read.then_some(read).into_iter().chain([setter])
}

/// How many arguments a list has; none if there are too many.
fn count(list: NodeNumber, tree: &Tree, text: &str) -> Option<u8> {
    let is_comment = |node: &NodeNumber| tree.text(*node, text).starts_with(['/', '#']);
    let count = tree.children(list).filter(|node| tree.is_named(*node) && !is_comment(node)).count();
    u8::try_from(count).ok().filter(|count| usize::from(*count) <= Reference::MAX_ARGUMENTS)
}

/// The closures that have a binding or a definition which is in no closure inside of them, by position.
fn closures(facts: &Facts, bindings: &[Binding], tree: &Tree) -> Vec<ByteSpan> {
    if facts.closures.is_empty() {
        return Vec::new();
    }
    let bound = bindings.iter().filter(|binding| binding.evidence.is_of_variable()).map(|binding| binding.span.start);
    let mut declared: Vec<u32> = facts.definitions.iter().map(|definition| tree.start(definition.name)).collect();
    declared.extend(bound);
    declared.sort_unstable();
    let mut open: Vec<(ByteSpan, bool)> = Vec::new();
    let mut found = Vec::new();
    let mut next = facts.closures.iter().map(|node| tree.span(*node)).peekable();
    let close = |open: &mut Vec<(ByteSpan, bool)>, found: &mut Vec<ByteSpan>, at: u32| {
        while let Some((span, has_bindings)) = open.pop_if(|(span, _)| span.end <= at) {
            found.extend(has_bindings.then_some(span));
        }
    };
    for at in declared {
        while let Some(span) = next.next_if(|span| span.start <= at) {
            close(&mut open, &mut found, span.start);
            open.push((span, false));
        }
        close(&mut open, &mut found, at);
        if let Some((_, has_bindings)) = open.last_mut() {
            *has_bindings = true;
        }
    }
    close(&mut open, &mut found, u32::MAX);
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    found
}

fn imports(facts: &Facts, tree: &Tree, text: &str) -> Vec<Import> {
    let text_of = |node: NodeNumber| tree.text(node, text);
    let import = |import: &super::collect::ImportFact| {
        let source = ByteSpan { start: tree.start(import.source.0), end: tree.end(import.source.1) };
        Import {
            source: clean_source(text.get(source.range()).unwrap_or_default()).into_owned(),
            name: import.name.map(|node| clean_import_name(text_of(node)).into_owned()).unwrap_or_default(),
            alias: import.alias.map(|node| clean(text_of(node)).into_owned()).unwrap_or_default(),
            span: tree.span(import.statement),
            name_span: tree.span(import.name.unwrap_or(import.statement)),
        }
    };
    facts.imports.iter().map(import).collect()
}

/// Names with evidence of their types, and those locals that hide a symbol of their name from a use. The evidence of
/// the latter is an expression that leads nowhere.
fn bindings(
    facts: &Facts,
    known: &HashSet<&str>,
    references: &[Reference],
    tree: &Tree,
    text: &str,
    naming: Naming,
) -> Vec<Binding> {
    let binding = |fact: &super::collect::BindingFact| {
        let mut span = tree.span(fact.name);
        let mut name = naming.clean(tree.text(fact.name, text));
        // What a list holds has the name of its bracket.
        if fact.evidence == Evidence::Parameters {
            (name, span.end) = (Cow::Borrowed("("), span.start + 1);
        }
        let name = name.into_owned();
        let value_text = tree.text(fact.text, text);
        let is_type = matches!(
            fact.evidence,
            Evidence::Type
                | Evidence::Returns
                | Evidence::Bound
                | Evidence::Parameters
                | Evidence::Condition
                | Evidence::Owner
        );
        let value_text = if is_type { reduced_type(value_text) } else { reduced(value_text) };
        let tells = !value_text.is_empty() && !name.is_empty();
        tells.then_some(Binding { name, evidence: fact.evidence, text: value_text, span })
    };
    let mut bindings: Vec<Binding> = facts.bindings.iter().filter_map(binding).collect();
    if facts.locals.is_empty() {
        return bindings;
    }
    let called = references.iter().filter_map(|reference| match reference.receiver.as_str() {
        "" if !matches!(reference.kind, ReferenceKind::Type | ReferenceKind::Symbol) => Some(reference.name.as_str()),
        receiver => Some(first_name(receiver)).filter(|first| known.contains(first)),
    });
    let called: HashSet<&str> = called.collect();
    for &local in &facts.locals {
        let name = naming.clean(tree.text(local, text));
        let has_evidence = facts.bindings.binary_search_by_key(&local, |fact| fact.name).is_ok();
        if called.contains(&*name) && !has_evidence {
            let (name, text, span) = (name.into_owned(), LONG.to_owned(), tree.span(local));
            bindings.push(Binding { name, evidence: Evidence::Value, text, span });
        }
    }
    bindings.sort_by_key(|binding| binding.span.start);
    bindings
}
