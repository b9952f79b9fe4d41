//! Tests our matcher against tree-sitter's own query cursor: both must find the same facts in every corpus file.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Node, Parser, Query as ReferenceQuery, QueryCursor};

use super::collect::Facts;
use super::query::{Query, Roles, query_text};
use super::tree::{NodeNumber, Tree};
use crate::language;

#[test]
fn both_engines_find_the_same_in_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut differences = Vec::new();
    for folder in fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()) {
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        let Some(grammar) = language::by_id(&id).and_then(|language| language.grammar) else { continue };
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap();
            let found = compare(grammar, &text);
            differences.extend(found.into_iter().map(|difference| format!("{}: {difference}", file.display())));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// What only one engine finds. Tree-sitter's finds the first only of several children in one field (`a, b = 1, 2` in
/// Go); ours finds all. Of several things that match a node, the engines may prefer different ones
/// if they come from one pattern, so what one of them has chosen is looked for in all that the other has found.
fn compare(grammar: &str, text: &str) -> Vec<String> {
    let language = tree_sitter::Language::from(codecairn_grammars::grammar(grammar).unwrap());
    let source = query_text(grammar).unwrap();
    let query = Query::new(&language, &source).unwrap();
    let mut parser = Parser::new();
    parser.set_language(&language).unwrap();
    let parsed = parser.parse(text, None).unwrap();
    let mut tree = Tree::default();
    tree.fill(&mut parsed.walk(), &query.kept, text.len());
    let mut ours = Facts::default();
    ours.find(&query, &tree, text);
    let reference = ReferenceQuery::new(&language, &source).unwrap();
    let mut theirs = reference_facts(&reference, parsed.root_node(), &tree, text);
    let (all_ours, all_theirs) = (listing(&ours, &tree, text), listing(&theirs, &tree, text));
    ours.order();
    theirs.order();
    let nodes: BTreeSet<NodeNumber> = theirs.definitions.iter().map(|definition| definition.node).collect();
    let names: BTreeSet<NodeNumber> = theirs.definitions.iter().map(|definition| definition.name).collect();
    ours.definitions.retain(|definition| names.contains(&definition.name) || !nodes.contains(&definition.node));
    let (ours, theirs) = (listing(&ours, &tree, text), listing(&theirs, &tree, text));
    let only_ours = ours.difference(&all_theirs).map(|line| format!("only ours: {line}"));
    only_ours.chain(theirs.difference(&all_ours).map(|line| format!("only tree-sitter's: {line}"))).collect()
}

/// The facts without the numbers of the patterns that found them, which the two engines count differently.
fn listing(facts: &Facts, tree: &Tree, text: &str) -> BTreeSet<String> {
    let shown = |node: NodeNumber| format!("{node:?} {:?}", tree.text(node, text).lines().next());
    let maybe = |node: Option<NodeNumber>| node.map(shown);
    let mut lines = BTreeSet::new();
    lines.extend(
        facts
            .definitions
            .iter()
            .map(|it| format!("{:?} {} {} {:?}", it.kind, shown(it.node), shown(it.name), it.scopes.map(maybe))),
    );
    lines
        .extend(facts.references.iter().map(|it| format!("{:?} {} {:?}", it.kind, shown(it.name), maybe(it.receiver))));
    lines.extend(facts.imports.iter().map(|it| {
        format!("import {} {:?} {:?} {:?}", shown(it.statement), it.source, maybe(it.name), maybe(it.alias))
    }));
    lines.extend(facts.bases.iter().map(|it| format!("base {} {}", shown(it.node), it.implements)));
    lines.extend(facts.bindings.iter().map(|it| format!("{:?} {} {}", it.evidence, shown(it.name), shown(it.text))));
    lines.extend(
        facts
            .marks
            .iter()
            .map(|it| format!("{:?} {} {:?} {:?}", it.kind, shown(it.node), maybe(it.name), it.scopes.map(maybe))),
    );
    for nodes in [&facts.wrappers, &facts.attributes, &facts.comments] {
        lines.extend(nodes.iter().map(|node| shown(*node)));
    }
    lines
}

/// The facts that tree-sitter's engine finds, in our numbers.
fn reference_facts(query: &ReferenceQuery, root: Node<'_>, tree: &Tree, text: &str) -> Facts {
    let key = |node: NodeNumber| (tree.start(node), tree.end(node), tree.kind(node));
    let numbers: HashMap<_, NodeNumber> = tree.numbers().map(|node| (key(node), node)).collect();
    let number_of = |node: Node<'_>| numbers[&(node.start_byte() as u32, node.end_byte() as u32, node.kind_id())];
    let mut facts = Facts::default();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, root, text.as_bytes());
    while let Some(found) = matches.next() {
        let mut roles = Roles::default();
        for capture in found.captures() {
            roles.set(query.capture_names()[capture.index as usize], number_of(capture.node)).unwrap();
        }
        facts.add(&roles, found.pattern_index as u16, |node| node);
    }
    facts
}
