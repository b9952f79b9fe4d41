//! Finds every literal with which a rule begins in one pass over a text: names, nouns, commands, anchors of patterns.
//!
//! Aho-Corasick, in ASCII letters of any case: time linear in the text and in what is found, whatever the number of
//! rules. Only rules whose literals occur do any further work.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::anchors::{Anchor, Hit};
use super::carried::CARRIERS;
use super::commands::COMMANDS;
use super::languages::LANGUAGES;
use super::name_table::NAMES;
use super::patterns::PATTERNS;
use super::providers::SHAPES;

static AUTOMATON: LazyLock<(AhoCorasick, Vec<Anchor>)> = LazyLock::new(|| {
    let mut literals: Vec<String> = Vec::new();
    let mut anchors = Vec::new();
    let mut add = |literal: String, anchor| {
        literals.push(literal);
        anchors.push(anchor);
    };
    for (row, name) in NAMES.iter().enumerate() {
        add(name.literal.to_owned(), Anchor::Name(row));
    }
    for (row, language) in LANGUAGES.iter().enumerate() {
        for noun in language.nouns.iter().chain(language.keys) {
            add((*noun).to_owned(), Anchor::Noun(row));
            // The automaton folds the case of ASCII alone.
            let first = noun.chars().next().filter(|first| !first.is_ascii());
            if let Some(first) = first.filter(|first| first.is_lowercase()) {
                let rest = &noun[first.len_utf8()..];
                add(first.to_uppercase().chain(rest.chars()).collect(), Anchor::Noun(row));
                add(noun.to_uppercase(), Anchor::Noun(row));
            }
        }
    }
    for (row, command) in COMMANDS.iter().enumerate() {
        for name in command.names {
            add((*name).to_owned(), Anchor::Command(row));
        }
    }
    for (row, pattern) in PATTERNS.iter().enumerate() {
        for literal in pattern.anchors {
            add((*literal).to_owned(), Anchor::Pattern(row));
        }
    }
    for (row, shape) in SHAPES.iter().enumerate() {
        add(shape.prefix.to_owned(), Anchor::Issuer(row));
    }
    for (row, literal) in CARRIERS.iter().enumerate() {
        add((*literal).to_owned(), Anchor::Carrier(row));
    }
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&literals);
    (automaton.expect("invariant: the literals are fixed"), anchors)
});

/// Every literal of every rule in a text, by where it ends.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let (automaton, anchors) = &*AUTOMATON;
    automaton
        .find_overlapping_iter(text)
        .map(|found| Hit { start: found.start(), end: found.end(), anchor: anchors[found.pattern().as_usize()] })
        .collect()
}
