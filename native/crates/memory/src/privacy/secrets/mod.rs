//! Finds and replaces the secrets in a text.
//!
//! All detectors read a [`view::View`]: the text without disguises. One pass ([`anchor_scan`]) finds the literals of all
//! rules, which are tables: names that secrets are assigned to ([`name_table`]), words for secrets in 30 languages
//! ([`languages`]), programs and their options ([`commands`]), forms of protocols ([`patterns`]), issuers' prefixes
//! ([`providers`], and a public list in [`issuer_rules`]), names of codes ([`recovery_codes`]). Others go by structure: key blocks, URLs and headers ([`carried`]), base64 of keys ([`encoded`]),
//! card numbers ([`card`]), seed phrases ([`seed_phrase`]), and what only looks random ([`entropy`]).
//!
//! Every detector gives spans; overlapping ones are joined, and each becomes `[REDACTED:kind]`. Redacting twice is
//! redacting once. Hashes, UUIDs, lock files and images in base64 are not secrets and stay. Time is linear in the text.

mod anchor_scan;
mod anchors;
mod assigned;
mod card;
mod carried;
mod commands;
mod encoded;
mod entropy;
mod issuer_rules;
mod languages;
mod marks;
mod name_table;
mod names;
mod patterns;
mod providers;
mod recovery_codes;
mod runs;
mod secret;
mod seed_phrase;
mod values;
mod view;

use std::ops::Range;

use marks::{marks, unmarked};
use secret::Secret;
use view::View;

/// The shortest that any detector finds has so many bytes, with what tells it: `pwd=a1b2`.
const MIN_BYTES: usize = 8;

/// A mark may turn the text next to it into a secret, but hardly twice.
const MAX_PASSES: usize = 6;

/// Replaces the secrets in a text, and says how many there were. `is_strict` lowers the bar for what looks random.
pub(crate) fn redact(text: &mut String, is_strict: bool) -> usize {
    let mut count = 0;
    for _ in 0..MAX_PASSES {
        let secrets = find(text, is_strict, 0);
        if secrets.is_empty() {
            break;
        }
        count += secrets.len();
        *text = replaced(text, &secrets);
    }
    count
}

/// The secrets of a text, in order and apart from each other.
fn find(text: &str, is_strict: bool, depth: usize) -> Vec<Secret> {
    if text.len() < MIN_BYTES {
        return Vec::new();
    }
    let view = View::of(text);
    let shown = view.text();
    let marks: Vec<Range<usize>> = marks(shown).collect();
    let mut hits = anchor_scan::hits(shown);
    if !marks.is_empty() {
        hits.retain(|hit| {
            let next = marks.partition_point(|mark| mark.end <= hit.start);
            marks.get(next).is_none_or(|mark| hit.end <= mark.start)
        });
    }
    let mut found = Vec::new();
    carried::find(shown, &hits, &mut found);
    providers::find(shown, &hits, &mut found);
    issuer_rules::find(shown, &hits, &mut found);
    patterns::find(shown, &hits, &mut found);
    recovery_codes::find(shown, &hits, &mut found);
    commands::find(shown, &hits, &mut found);
    names::find(shown, &hits, is_strict, &mut found);
    languages::find(shown, &hits, &mut found);
    encoded::find(shown, depth, |text| !find(text, false, depth + 1).is_empty(), &mut found);
    seed_phrase::find(shown, &mut found);
    card::find(shown, &mut found);
    entropy::find(shown, is_strict, &mut found);
    if found.is_empty() {
        return found;
    }
    // The first detector to name a span names it best.
    found.sort_by_key(|secret| secret.span.start);
    let mut joined: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in unmarked(shown, &marks, found) {
        let span = view.original(&secret.span);
        match joined.last_mut() {
            Some(last) if span.start < last.span.end => last.span.end = last.span.end.max(span.end),
            _ => joined.push(Secret::new(span, secret.kind)),
        }
    }
    joined
}

fn replaced(text: &str, secrets: &[Secret]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        kept.push_str(&text[at..secret.span.start]);
        kept.push_str("[REDACTED:");
        kept.push_str(secret.kind);
        kept.push(']');
        at = secret.span.end;
    }
    kept.push_str(&text[at..]);
    kept
}

#[cfg(test)]
mod tests;
