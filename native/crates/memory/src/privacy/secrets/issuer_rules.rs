//! Detects tokens by the rules of a public list, which are data: `rules/gitleaks.tsv`.
//!
//! A rule is compiled when one of its keywords is met in a word as long as its shortest match, and runs over that word alone.
//! The list's expressions are of RE2's syntax, which reads bytes and not letters of other scripts.

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::anchors::{Anchor, Hit};
use super::entropy;
use super::runs::is_token_byte;
use super::secret::Secret;

static LIST: &str = include_str!("../../../rules/gitleaks.tsv");

/// One rule of the list.
pub(super) struct IssuerRule {
    id: &'static str,
    /// The fewest bytes of a match.
    least: usize,
    /// Bits a character that a token has at least.
    least_bits: f64,
    /// In small letters; every match holds one of them, in any case.
    pub(super) keywords: &'static str,
    expression: &'static str,
    compiled: OnceLock<Regex>,
}

impl IssuerRule {
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            let mut builder = RegexBuilder::new(self.expression);
            builder.unicode(false).build().expect("invariant: a test compiles every rule of the list")
        })
    }
}

/// The rules, in the order of the list.
pub(super) static RULES: LazyLock<Vec<IssuerRule>> = LazyLock::new(|| {
    let rule = |row: &'static str| {
        let mut parts = row.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (id, least, bits, keywords, expression) = (part(), part(), part(), part(), part());
        IssuerRule {
            id,
            least: least.parse().expect("invariant: the list is ours"),
            least_bits: bits.parse().expect("invariant: the list is ours"),
            keywords,
            expression,
            compiled: OnceLock::new(),
        }
    };
    LIST.lines().filter(|line| !line.starts_with('#')).map(rule).collect()
});

/// How far a word is read before and behind a keyword.
const MAX_BYTES_BEFORE: usize = 256;
const MAX_BYTES_AFTER: usize = 2048;

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    // Of each rule, up to where it has run: a word with many keywords is searched once.
    let mut searched = Vec::new();
    for hit in hits {
        let Anchor::Rule(row) = hit.anchor else { continue };
        if searched.is_empty() {
            searched.resize(RULES.len(), 0);
        }
        if hit.end <= searched[row] {
            continue;
        }
        let rule = &RULES[row];
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let from = hit.start.saturating_sub(MAX_BYTES_BEFORE);
        let start = bytes[from..hit.start].iter().rposition(is_blank).map_or(from, |at| from + at + 1);
        let to = bytes.len().min(hit.end + MAX_BYTES_AFTER);
        let end = bytes[hit.end..to].iter().position(is_blank).map_or(to, |at| hit.end + at);
        if end - start < rule.least {
            continue;
        }
        searched[row] = end;
        let mut covered = start;
        for captures in rule.regex().captures_iter(&bytes[start..end]) {
            let Some(token) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            let token = start + token.start()..start + token.end();
            if token.start < covered {
                continue;
            }
            // Some expressions tell a token by its first part.
            let rest = bytes[token.end..end].iter().take_while(|byte| is_token_byte(**byte)).count();
            let token = token.start..token.end + rest;
            covered = token.end;
            let is_random = |token: &str| entropy::bits_per_char(token) >= rule.least_bits;
            if text.get(token.clone()).is_some_and(is_random) {
                found.push(Secret::new(token, rule.id));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_of_the_list_compiles_and_has_keywords_of_small_letters() {
        let mut ids = BTreeSet::new();
        for rule in RULES.iter() {
            assert!(ids.insert(rule.id), "{}", rule.id);
            rule.regex();
            assert!(rule.least >= 12 && rule.least_bits < 6.0, "{}", rule.id);
            assert!(!rule.keywords.is_empty() && rule.keywords.to_ascii_lowercase() == rule.keywords, "{}", rule.id);
            assert!(rule.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{}", rule.id);
        }
        assert!(ids.len() > 90, "{}", ids.len());
    }
}
