//! Handles marks of an earlier redaction, `[REDACTED:kind]`, and the secrets next to them.

use std::ops::Range;

use super::runs::{occurrences, run_end};
use super::secret::Secret;

/// Letters and digits next to a mark that are still a secret.
const MIN_NEXT_TO_MARK: usize = 4;

/// The secrets less the marks of an earlier redaction that they reach into.
pub(super) fn unmarked(text: &str, marks: &[Range<usize>], found: Vec<Secret>) -> Vec<Secret> {
    if marks.is_empty() {
        return found;
    }
    let mut kept = Vec::with_capacity(found.len());
    for secret in found {
        let mut at = secret.span.start;
        let first = marks.partition_point(|mark| mark.end <= at);
        for mark in marks[first..].iter().take_while(|mark| mark.start < secret.span.end) {
            push_rest(text, at..mark.start.max(at), secret.kind, &mut kept);
            at = mark.end;
        }
        if at == secret.span.start {
            kept.push(secret);
        } else {
            push_rest(text, at..secret.span.end.max(at), secret.kind, &mut kept);
        }
    }
    kept.sort_by_key(|secret| secret.span.start);
    kept
}

fn push_rest(text: &str, span: Range<usize>, kind: &'static str, kept: &mut Vec<Secret>) {
    if text[span.clone()].bytes().filter(u8::is_ascii_alphanumeric).count() >= MIN_NEXT_TO_MARK {
        kept.push(Secret::new(span, kind));
    }
}

/// The marks that an earlier redaction left: nothing in them names or is a secret.
pub(super) fn marks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const LEAD: &str = "[REDACTED";
    occurrences(text, LEAD).filter_map(|start| {
        let end = run_end(text, start + LEAD.len(), |byte| byte.is_ascii_lowercase() || b":-".contains(&byte));
        (text.as_bytes().get(end) == Some(&b']')).then_some(start..end + 1)
    })
}
