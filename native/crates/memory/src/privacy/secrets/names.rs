//! Detects values assigned to a name of a secret: `PASSWORD=…`, `"api_key": "…"`, `--token …`, `<secret>…`.

use super::anchors::{Anchor, Hit};
use super::assigned::{MAX_NAME_BYTES, value_after};
use super::languages::LANGUAGES;
use super::name_table::{NAMES, Strength};
use super::runs::run_end;
use super::secret::Secret;
use super::values::{self, Given, Reach};

/// What makes a name one about secrets rather than of one.
const ABOUT: [&str; 49] = [
    "count",
    "length",
    "limit",
    "size",
    "ttl",
    "expir",
    "type",
    "name",
    "url",
    "uri",
    "path",
    "file",
    "policy",
    "field",
    "header",
    "min",
    "max",
    "reset",
    "hint",
    "class",
    "manager",
    "izer",
    "ize",
    "required",
    "enabled",
    "format",
    "param",
    "prompt",
    "ary",
    "version",
    "usage",
    "budget",
    "label",
    "_id",
    "-id",
    "generator",
    "validat",
    "strength",
    "placeholder",
    "confirm",
    "error",
    "message",
    "provider",
    "endpoint",
    "hash",
    "alg",
    "bearer",
    "flow",
    "scope",
];

pub(super) fn find(text: &str, hits: &[Hit], is_strict: bool, found: &mut Vec<Secret>) {
    let mut reach = Reach::default();
    for hit in hits {
        let (strength, kind, is_first, is_last) = match hit.anchor {
            Anchor::Name(row) => {
                let name = &NAMES[row];
                (name.strength, name.kind, name.is_first, name.is_last)
            }
            // A noun of another language is a name too.
            Anchor::Noun(row) => {
                let noun = &text[hit.start..hit.end];
                let strength = if LANGUAGES[row].is_key(noun) { Strength::Made } else { Strength::Phrase };
                let rest = &text[hit.end..];
                let inflection = rest.chars().take(8).take_while(|char| char.is_alphabetic()).count();
                if inflection > LANGUAGES[row].max_inflection() {
                    continue;
                }
                (strength, "password", true, false)
            }
            _ => continue,
        };
        if is_first && !begins_word(text, hit.start) || is_last && !ends_word(text, hit.end) {
            continue;
        }
        let end = name_end(text, hit.end);
        if !is_strict && is_about(&text[hit.end..end]) {
            continue;
        }
        let Some((mut span, given)) = value_after(text, hit.start, end, strength, &mut reach) else { continue };
        if given == Given::Environment && text[span.clone()].ends_with([';', ',']) {
            span.end -= 1;
        }
        // A bare word is the value of a name that ends there; `SecretReference: List` is one of another.
        let has_suffix = text[hit.end..end].trim_start_matches('s').bytes().any(|byte| byte.is_ascii_alphabetic());
        let given = if has_suffix && given == Given::Plain { Given::Spaced } else { given };
        if values::is_secret(text, &span, given, strength, is_strict) && !is_state(hit, &text[span.clone()]) {
            found.push(Secret::new(span, kind));
        }
    }
}

/// Whether a bare word says of a password how it is, or of a pin which one of a circuit.
fn is_state(hit: &Hit, value: &str) -> bool {
    if matches!(hit.anchor, Anchor::Noun(_) | Anchor::Name(_)) && value.len() <= 8 && value.starts_with("GPIO") {
        return true;
    }
    let Anchor::Noun(row) = hit.anchor else { return false };
    let lower = value.to_lowercase();
    LANGUAGES[row].states.iter().any(|state| lower.starts_with(state))
}

fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(|char| char.is_ascii_alphanumeric())
}

fn ends_word(text: &str, at: usize) -> bool {
    !text[at..].chars().next().is_some_and(|char| char.is_alphanumeric() || char == '_' || char == '-')
}

fn name_end(text: &str, at: usize) -> usize {
    let end = run_end(&text[..text.floor_char_boundary(at + MAX_NAME_BYTES)], at, |byte| {
        byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
    });
    // `--password -x`: a hyphen before a blank is none of the name's.
    text[at..end].trim_end_matches('-').len() + at
}

fn is_about(suffix: &str) -> bool {
    let suffix = suffix.to_ascii_lowercase();
    ABOUT.iter().any(|about| suffix.contains(about))
}
