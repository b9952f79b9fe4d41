//! Secrets in a text, found and replaced: what providers issue (by their own prefixes), what is assigned to a name
//! like `password`, what a protocol carries (headers, URLs, key blocks), and what only looks random.
//!
//! Every detector gives spans; overlapping ones are joined, and each becomes `[REDACTED:kind]`. Redacting twice is
//! redacting once. Hashes, UUIDs, lock files and images in base64 are not secrets and stay.

mod assignment;
mod carried;
mod entropy;
mod providers;

use std::ops::Range;

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
const LEAST_BYTES: usize = 8;

/// Replaces the secrets in a text, and says how many there were. `is_strict` lowers the bar for what looks random.
pub(crate) fn redact(text: &mut String, is_strict: bool) -> usize {
    if text.len() < LEAST_BYTES {
        return 0;
    }
    let mut found = Vec::new();
    carried::find(text, &mut found);
    providers::find(text, &mut found);
    assignment::find(text, is_strict, &mut found);
    entropy::find(text, is_strict, &mut found);
    if found.is_empty() {
        return 0;
    }
    // The first detector to name a span names it best.
    found.sort_by_key(|secret| secret.span.start);
    let mut joined: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match joined.last_mut() {
            Some(last) if secret.span.start < last.span.end => last.span.end = last.span.end.max(secret.span.end),
            _ => joined.push(secret),
        }
    }
    for secret in joined.iter().rev() {
        text.replace_range(secret.span.clone(), &format!("[REDACTED:{}]", secret.kind));
    }
    joined.len()
}

/// The marks that an earlier redaction left: none of what stands in them names or is a secret.
fn marks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const LEAD: &str = "[REDACTED:";
    occurrences(text, LEAD).filter_map(|start| {
        let end = run_end(text, start + LEAD.len(), |byte| byte.is_ascii_lowercase() || byte == b'-');
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
