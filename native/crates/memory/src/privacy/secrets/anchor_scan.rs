//! Finds every literal with which a rule begins in one pass over a text: names, nouns, commands, anchors of patterns.
//!
//! The literals are in a table by their first two bytes, in ASCII letters of any case. Most pairs of a text begin none, which a
//! bitmap decides; a literal is compared only where its pair occurs. An Aho-Corasick automaton of the same literals scans no
//! faster and takes a millisecond to build, which is a tenth of a hook's call. Only rules whose literals occur do any further
//! work.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::anchors::{Anchor, Hit};
use super::carried::CARRIERS;
use super::commands::COMMANDS;
use super::issuer_rules::RULES;
use super::languages::LANGUAGES;
use super::name_table::NAMES;
use super::patterns::PATTERNS;
use super::providers::SHAPES;
use super::recovery_codes::CODES;

static TABLE: LazyLock<PrefixTable> = LazyLock::new(|| {
    let mut literals: Vec<(Cow<'static, str>, Anchor)> = Vec::new();
    let mut add = |literal: Cow<'static, str>, anchor| literals.push((literal, anchor));
    for (row, name) in NAMES.iter().enumerate() {
        add(name.literal.into(), Anchor::Name(row));
    }
    for (row, language) in LANGUAGES.iter().enumerate() {
        for noun in language.nouns.iter().chain(language.keys) {
            add((*noun).into(), Anchor::Noun(row));
            // The table folds the case of ASCII alone.
            let first = noun.chars().next().filter(|first| !first.is_ascii());
            if let Some(first) = first.filter(|first| first.is_lowercase()) {
                let rest = &noun[first.len_utf8()..];
                add(first.to_uppercase().chain(rest.chars()).collect::<String>().into(), Anchor::Noun(row));
                add(noun.to_uppercase().into(), Anchor::Noun(row));
            }
        }
    }
    for (row, command) in COMMANDS.iter().enumerate() {
        for name in command.names {
            add((*name).into(), Anchor::Command(row));
        }
    }
    for (row, pattern) in PATTERNS.iter().enumerate() {
        for literal in pattern.anchors {
            add((*literal).into(), Anchor::Pattern(row));
        }
    }
    for (row, shape) in SHAPES.iter().enumerate() {
        add(shape.prefix.into(), Anchor::Issuer(row));
    }
    for (row, rule) in RULES.iter().enumerate() {
        for keyword in rule.keywords.split(' ') {
            add(keyword.into(), Anchor::Rule(row));
        }
    }
    for name in CODES {
        add((*name).into(), Anchor::Codes);
    }
    for (row, literal) in CARRIERS.iter().enumerate() {
        add((*literal).into(), Anchor::Carrier(row));
    }
    PrefixTable::new(literals)
});

/// Every literal of every rule in a text, by where it ends; of those that end together the longest first.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    TABLE.hits(text)
}

/// Literals by their first two bytes.
struct PrefixTable {
    /// The literals with what they are for, sorted by their prefixes; equal prefixes are in the order of the rules.
    literals: Vec<(u16, Cow<'static, str>, Anchor)>,
    /// A bit for each prefix that a literal has.
    prefixes: Box<[u64; 1 << 10]>,
}

impl PrefixTable {
    /// A table of literals of at least two bytes.
    fn new(literals: Vec<(Cow<'static, str>, Anchor)>) -> Self {
        let mut prefixes = Box::new([0; 1 << 10]);
        let mut literals: Vec<_> = literals
            .into_iter()
            .map(|(literal, anchor)| {
                let bytes = literal.as_bytes();
                let prefix = prefix(bytes[0], bytes[1]);
                prefixes[usize::from(prefix >> 6)] |= 1 << (prefix & 63);
                (prefix, literal, anchor)
            })
            .collect();
        literals.sort_by_key(|literal| literal.0);
        Self { literals, prefixes }
    }

    fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        for (start, pair) in bytes.windows(2).enumerate() {
            let prefix = prefix(pair[0], pair[1]);
            if self.prefixes[usize::from(prefix >> 6)] >> (prefix & 63) & 1 == 0 {
                continue;
            }
            let first = self.literals.partition_point(|literal| literal.0 < prefix);
            for (_, literal, anchor) in self.literals[first..].iter().take_while(|literal| literal.0 == prefix) {
                let end = start + literal.len();
                if bytes.get(start..end).is_some_and(|bytes| bytes.eq_ignore_ascii_case(literal.as_bytes())) {
                    found.push(Hit { start, end, anchor: *anchor });
                }
            }
        }
        found.sort_by_key(|hit| (hit.end, hit.start));
        found
    }
}

/// Two bytes as one number, in small letters.
fn prefix(first: u8, second: u8) -> u16 {
    u16::from_be_bytes([first.to_ascii_lowercase(), second.to_ascii_lowercase()])
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    fn by_automaton(text: &str) -> Vec<Hit> {
        let literals = TABLE.literals.iter().map(|(_, literal, _)| literal.as_bytes());
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(literals).unwrap();
        let hit = |found: aho_corasick::Match| {
            let anchor = TABLE.literals[found.pattern().as_usize()].2;
            Hit { start: found.start(), end: found.end(), anchor }
        };
        automaton.find_overlapping_iter(text).map(hit).collect()
    }

    /// Texts of literals, of pieces of them, and of anything else.
    fn texts() -> impl Strategy<Value = String> {
        let literal = (0..TABLE.literals.len()).prop_map(|at| TABLE.literals[at].1.to_string());
        let piece = (literal.clone(), any::<usize>()).prop_map(|(literal, at)| {
            let end = literal.floor_char_boundary(at % literal.len());
            literal[..end].to_uppercase()
        });
        prop::collection::vec(prop_oneof![literal, piece, ".{0,6}"], 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn the_table_finds_what_an_automaton_finds(text in texts()) {
            prop_assert_eq!(hits(&text), by_automaton(&text));
        }
    }
}
