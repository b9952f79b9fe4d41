//! Values assigned to a name that says they are secret: `PASSWORD=…`, `"api_key": "…"`, `--token …`, `<secret>…`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::carried::is_placeholder;
use super::{Secret, entropy};

/// The telling part of a name, and what may follow in the same name.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let words = "password|passwd|passphrase|passcode|pwd|[_-]pass\\b|secret|token|credential|api[_-]?key|apikey|\
                 access[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|\
                 master[_-]?key|shared[_-]?key|license[_-]?key|[_\"']auth\\b|\\bsig=";
    Regex::new(&format!("(?i-u)({words})([A-Za-z0-9_-]{{0,40}})")).expect("invariant: the pattern is fixed")
});

/// Names of which any value is a secret; of the others only values that look made by a machine.
const STRONG: [&str; 7] = ["password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret"];

/// What makes a name one about secrets rather than of one.
const ABOUT: [&str; 33] = [
    "count", "length", "limit", "size", "ttl", "expir", "type", "name", "url", "uri", "path", "file", "policy",
    "field", "header", "min", "max", "reset", "hint", "class", "manager", "izer", "ize", "required", "enabled",
    "format", "param", "prompt", "ary", "version", "usage", "budget", "label",
];

/// Values that stand for kinds of values.
const WORDS: [&str; 26] = [
    "none",
    "null",
    "nil",
    "true",
    "false",
    "string",
    "str",
    "text",
    "required",
    "optional",
    "undefined",
    "bytes",
    "int",
    "bool",
    "boolean",
    "any",
    "object",
    "number",
    "empty",
    "unset",
    "missing",
    "invalid",
    "wrong",
    "correct",
    "hidden",
    "secret",
];

/// How a value is given to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    /// `name=value`, `name: value`.
    Plain,
    /// `name = value`: in code, where a bare word is another name.
    Spaced,
    /// `"value"`.
    Quoted,
    /// `--name value`, `<name>value</name>`.
    Marked,
    /// `the password is value`.
    Told,
}

pub(super) fn find(text: &str, is_strict: bool, found: &mut Vec<Secret>) {
    let marks: Vec<Range<usize>> = super::marks(text).collect();
    for name in NAME.captures_iter(text) {
        let (Some(word), Some(suffix)) = (name.get(1), name.get(2)) else { continue };
        if marks.iter().any(|mark| mark.contains(&word.start())) {
            continue;
        }
        let rest = suffix.as_str().to_ascii_lowercase();
        if !is_strict && ABOUT.iter().any(|about| rest.contains(about)) {
            continue;
        }
        let word_text = word.as_str().trim_matches(['_', '-', '"', '\'']).to_ascii_lowercase();
        let is_strong = STRONG.contains(&word_text.as_str());
        let end = if word.as_str().ends_with('=') { word.end() - 1 } else { suffix.end() };
        let Some((span, given)) = value_after(text, word.start(), end) else { continue };
        if span.is_empty() {
            continue;
        }
        let value = &text[span.clone()];
        if is_secret(text, value, &span, given, is_strong, is_strict) {
            let kind = if is_strong && word_text != "secret" { "password" } else { "secret" };
            found.push(Secret::new(span, kind));
        }
    }
}

/// The value that follows a name, and how it is given.
fn value_after(text: &str, start: usize, end: usize) -> Option<(Range<usize>, Given)> {
    let name_start = text[..start].rfind(|char: char| !char.is_ascii_alphanumeric() && !"_-.".contains(char));
    let lead = name_start.map_or(&text[..start], |at| &text[at..start]);
    let rest = &text[end..];
    let after_quote = rest.trim_start_matches(['"', '\'', '\\', '`', ']']);
    let spaced = after_quote.trim_start_matches([' ', '\t']);
    let had_blank = spaced.len() < after_quote.len();
    let separators = ["=>", ":=", "==", "=", ":"];
    if let Some(separator) = separators.iter().find(|separator| spaced.starts_with(**separator)) {
        if matches!(*separator, "==") || spaced[separator.len()..].starts_with([':', '=']) {
            return None;
        }
        let value = spaced[separator.len()..].trim_start_matches([' ', '\t']);
        let given = if had_blank { Given::Spaced } else { Given::Plain };
        return Some(read_value(text, text.len() - value.len(), given));
    }
    if lead.starts_with('<') && rest.starts_with('>') {
        let at = end + 1;
        return Some((at..super::run_end(text, at, |byte| byte != b'<' && byte != b'\n'), Given::Marked));
    }
    if had_blank && text[..start].rfind(char::is_whitespace).map_or(text, |at| &text[at + 1..]).starts_with("--") {
        return Some(read_value(text, text.len() - spaced.len(), Given::Marked));
    }
    let told = spaced.strip_prefix("is ").or_else(|| spaced.strip_prefix("was ")).filter(|_| had_blank)?;
    Some(read_value(text, text.len() - told.len(), Given::Told))
}

/// Reads a value, in quotes (escaped ones too) or up to what ends a word.
fn read_value(text: &str, start: usize, given: Given) -> (Range<usize>, Given) {
    let rest = &text[start..];
    let unescaped = rest.trim_start_matches('\\');
    let quote = unescaped.bytes().next().filter(|byte| b"\"'`".contains(byte));
    if let Some(quote) = quote {
        let from = start + (rest.len() - unescaped.len()) + 1;
        let escapes = if rest.len() > unescaped.len() { "\\" } else { "" };
        let end = super::run_end(text, from, |byte| byte != quote && byte != b'\n');
        let end = if escapes.is_empty() { end } else { end - usize::from(text[..end].ends_with('\\')) };
        let given = if given == Given::Told { given } else { Given::Quoted };
        return (from..end.max(from), given);
    }
    let end = super::run_end(text, start, |byte| !byte.is_ascii_whitespace() && !b",;)]}\"'&<>|`".contains(&byte));
    (start..end, given)
}

fn is_secret(text: &str, value: &str, span: &Range<usize>, given: Given, is_strong: bool, is_strict: bool) -> bool {
    let value = value.trim_end_matches(['.', ':']);
    let lower = value.to_ascii_lowercase();
    if value.len() < 4 || is_placeholder(value) || WORDS.contains(&lower.as_str()) || value.contains("://") {
        return false;
    }
    let has_blank = value.contains(char::is_whitespace);
    if has_blank {
        return given == Given::Quoted && is_strict && value.len() <= 200;
    }
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    if given != Given::Quoted && (is_code(value, has_digit) || value.starts_with('/')) {
        return false;
    }
    if !is_strong {
        let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
        return value.len() >= 8 && has_digit && has_letter || value.len() >= 20 && entropy::looks_random(value, true);
    }
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    match given {
        Given::Quoted | Given::Marked => true,
        Given::Told => has_digit || value.bytes().any(|byte| byte.is_ascii_punctuation()),
        Given::Spaced => !is_word,
        // `password: word` at the end of its line is a setting; with more behind it, it is prose or code.
        Given::Plain => !is_word || text[span.end..].split('\n').next().is_none_or(|rest| rest.trim().is_empty()),
    }
}

/// Whether a bare value is an expression.
fn is_code(value: &str, has_digit: bool) -> bool {
    let is_path = value.contains('.')
        && !has_digit
        && value
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    let names_one = NAME.is_match(value) && !has_digit;
    value.contains(['(', '[', '{']) || value.contains("::") || value.contains("->") || is_path || names_one
}
