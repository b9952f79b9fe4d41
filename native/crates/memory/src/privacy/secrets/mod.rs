//! Secrets in a text, found and replaced.
//!
//! All detectors read a [`view::View`]: the text without disguises. One pass ([`anchors`]) finds the literals of all
//! rules, which are tables: names that secrets are assigned to ([`names`]), words for secrets in 30 languages
//! ([`languages`]), programs and their options ([`commands`]), forms of protocols ([`patterns`]), issuers' prefixes
//! ([`providers`]). Others go by structure: key blocks, URLs and headers ([`carried`]), base64 of keys ([`encoded`]),
//! card numbers ([`card`]), seed phrases ([`seed_phrase`]), and what only looks random ([`entropy`]).
//!
//! Every detector gives spans; overlapping ones are joined, and each becomes `[REDACTED:kind]`. Redacting twice is
//! redacting once. Hashes, UUIDs, lock files and images in base64 are not secrets and stay. Time is linear in the text.

mod anchors;
mod assigned;
mod card;
mod carried;
mod commands;
mod encoded;
mod entropy;
mod languages;
mod look_alikes;
mod names;
mod patterns;
mod providers;
mod seed_phrase;
mod values;
mod view;

use std::ops::Range;

use view::View;

/// A stretch of text that is a secret, and of what kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret {
    span: Range<usize>,
    kind: &'static str,
}

impl Secret {
    fn new(span: Range<usize>, kind: &'static str) -> Self {
        Self { span, kind }
    }
}

/// The shortest that any detector finds has so many bytes, with what tells it: `pwd=a1b2`.
const MIN_BYTES: usize = 8;

/// A mark may make a secret of what stands beside it, but hardly twice.
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

/// Whether a text that was decoded from another holds a secret.
fn has_secret(text: &str, depth: usize) -> bool {
    !find(text, false, depth).is_empty()
}

/// The secrets of a text, in order and apart from each other.
fn find(text: &str, is_strict: bool, depth: usize) -> Vec<Secret> {
    if text.len() < MIN_BYTES {
        return Vec::new();
    }
    let view = View::of(text);
    let shown = view.text();
    let marks: Vec<Range<usize>> = marks(shown).collect();
    let mut hits = anchors::hits(shown);
    if !marks.is_empty() {
        hits.retain(|hit| {
            let next = marks.partition_point(|mark| mark.end <= hit.start);
            marks.get(next).is_none_or(|mark| hit.end <= mark.start)
        });
    }
    let mut found = Vec::new();
    carried::find(shown, &hits, &mut found);
    providers::find(shown, &hits, &mut found);
    patterns::find(shown, &hits, &mut found);
    commands::find(shown, &hits, &mut found);
    names::find(shown, &hits, is_strict, &mut found);
    languages::find(shown, &hits, &mut found);
    encoded::find(shown, depth, &mut found);
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

/// Bytes beside a mark that are still a secret.
const MIN_BESIDE_MARK: usize = 4;

/// The secrets less the marks of an earlier redaction that they reach into.
fn unmarked(text: &str, marks: &[Range<usize>], found: Vec<Secret>) -> Vec<Secret> {
    if marks.is_empty() {
        return found;
    }
    let mut kept = Vec::with_capacity(found.len());
    for secret in found {
        let mut at = secret.span.start;
        let first = marks.partition_point(|mark| mark.end <= at);
        for mark in marks[first..].iter().take_while(|mark| mark.start < secret.span.end) {
            push_beside(text, at..mark.start.max(at), secret.kind, &mut kept);
            at = mark.end;
        }
        if at == secret.span.start {
            kept.push(secret);
        } else {
            push_beside(text, at..secret.span.end.max(at), secret.kind, &mut kept);
        }
    }
    kept.sort_by_key(|secret| secret.span.start);
    kept
}

fn push_beside(text: &str, span: Range<usize>, kind: &'static str, kept: &mut Vec<Secret>) {
    if text[span.clone()].bytes().filter(u8::is_ascii_alphanumeric).count() >= MIN_BESIDE_MARK {
        kept.push(Secret::new(span, kind));
    }
}

/// The marks that an earlier redaction left: none of what stands in them names or is a secret.
fn marks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const LEAD: &str = "[REDACTED";
    occurrences(text, LEAD).filter_map(|start| {
        let end = run_end(text, start + LEAD.len(), |byte| byte.is_ascii_lowercase() || b":-".contains(&byte));
        (text.as_bytes().get(end) == Some(&b']')).then_some(start..end + 1)
    })
}

/// Whether the byte belongs to what tokens are made of.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

/// The end of the run of bytes from `start` that `belongs` accepts.
fn run_end(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[start..].iter().position(|byte| !belongs(*byte)).map_or(text.len(), |end| start + end)
}

/// Where each occurrence of `needle` begins.
fn occurrences<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(needle).map(|found| found.0)
}

#[cfg(test)]
mod tests;
