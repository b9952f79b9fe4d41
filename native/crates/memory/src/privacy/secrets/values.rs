//! Finds where a value ends, and decides whether it is a secret, a placeholder, or code.

use std::ops::Range;

use super::entropy;
use super::name_table::{self, Strength};
use super::runs::run_end;

/// How a value is given to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// `name=value`, `name: value`.
    Plain,
    /// `name = value`: in code, where a bare word is another name.
    Spaced,
    /// `"value"`.
    Quoted,
    /// `--name value`, `<name>value</name>`: only a value can follow.
    Marked,
    /// `NAME=value` at the beginning of a line or after `export`: the value goes on to the next blank.
    Environment,
    /// `the password is value`, `password value`.
    Said,
}

/// What is known of the bare value that was read last: a text that is one long value of many names is read once.
#[derive(Debug, Default)]
pub(super) struct Reach {
    to_blank: Range<usize>,
    to_stop: Range<usize>,
}

impl Reach {
    fn end(known: &mut Range<usize>, text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
        if !known.contains(&start) {
            *known = start..run_end(text, start, belongs);
        }
        known.end
    }
}

/// More of a quoted value than this is data.
const MAX_QUOTED_BYTES: usize = 16 << 10;

/// So many bytes of a value tell what it is.
const PROBE_BYTES: usize = 512;

/// The value at `start`, in quotes (escaped ones too) or up to what ends a word.
pub(super) fn read(text: &str, start: usize, given: Given, reach: &mut Reach) -> Range<usize> {
    let rest = &text[start..];
    let escapes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest.as_bytes().get(escapes).copied().filter(|byte| b"\"'`".contains(byte));
    if let Some(quote) = quote {
        let from = start + escapes + 1;
        if let Some(end) = closing_quote(text, from, quote, escapes) {
            return from..end;
        }
        return from..Reach::end(&mut reach.to_blank, text, from, |byte| !byte.is_ascii_whitespace()).max(from);
    }
    let end = if given == Given::Environment {
        Reach::end(&mut reach.to_blank, text, start, |byte| !byte.is_ascii_whitespace())
    } else {
        let stops = |byte: u8| byte.is_ascii_whitespace() || b",;)]}\"'&<>|`".contains(&byte);
        Reach::end(&mut reach.to_stop, text, start, |byte| !stops(byte))
    };
    start..end
}

/// Where the quote that was opened before `from` closes: on the same line, or within two more of a short value.
fn closing_quote(text: &str, from: usize, quote: u8, escapes: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[from..text.len().min(from + MAX_QUOTED_BYTES)];
    let (mut lines, mut backslashes) = (0, 0);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'\\' => {
                backslashes += 1;
                continue;
            }
            b'\n' if lines == 2 || at > 200 => return None,
            b'\n' => lines += 1,
            // As many backslashes as before the opening one close it; more are part of the value.
            _ if byte == quote && backslashes == escapes => return Some(from + at - escapes),
            // In a shell's single quotes and in SQL a backslash is one of the value.
            _ if byte == quote && (quote == b'\'' || backslashes < escapes) => return Some(from + at - backslashes),
            _ => {}
        }
        backslashes = 0;
    }
    None
}

/// Words that stand for kinds or states of values, in code and in schemas.
const KINDS: &[&str] = &[
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
    "integer",
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
    "password",
    "passwd",
    "pass",
    "token",
    "user:password",
    "user:pass",
    "username:password",
    "unknown",
    "default",
    "disabled",
    "enabled",
    "yes",
    "no",
    "self",
    "this",
    "prompt",
    "ask",
    "file",
    "env",
    "stdin",
    "char",
    "varchar",
    "binary",
    "array",
    "input",
    "value",
    "key",
    "incorrect",
    "expired",
    "forgotten",
    "changed",
    "username",
    "user",
    "email",
    "login",
    "name",
    "keyword",
    "operator",
    "punctuation",
];

/// Names of algorithms and formats have letters and digits as passwords do: a word and a number of three digits at most.
const ALGORITHMS: &[&str] = &[
    "sha", "md", "aes", "rsa", "utf", "base", "oauth", "http", "ed", "x", "rs", "hs", "es", "ps", "p", "v", "s", "tls",
    "ipv", "k", "win", "h", "id", "crypt", "argon", "pbkdf", "blake", "rc", "ntlmv", "sha-", "aes-", "utf-", "py",
    "gpio",
];

/// Whether a value is a word that stands for a kind of values.
pub(super) fn is_kind(value: &str) -> bool {
    KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(value.trim_end_matches(['?', '!', '.', ':'])))
}

/// Whether a value only marks where a secret belongs.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let first = value.chars().next();
    let is_name_of_one = || {
        value.len() >= 6
            && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            && value.contains('_')
            && !value.ends_with('_')
    };
    value.starts_with("[REDACTED")
        || value.starts_with(['<', '$', '{', '%', '*', '#', '@', '&', '…'])
        || value.chars().all(|char| Some(char) == first)
        || value.chars().all(|char| matches!(char, 'x' | 'X' | '.' | '-' | '_' | '*' | '…'))
        || is_name_of_one()
        || is_tag(value)
        || ["your", "example", "placeholder", "changeit", "dummy", "redacted", "my-", "my_", "some-", "some_"]
            .iter()
            .any(|word| {
                value.len() >= word.len() && value.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
            })
}

/// Whether a value is a tag of YAML that says where the value comes from: `!vault`, `!Ref`.
fn is_tag(value: &str) -> bool {
    let name = value.strip_prefix('!').map(|rest| rest.split([' ', '\t']).next().unwrap_or_default());
    name.is_some_and(|name| name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a single word was chosen as a password rather than as a word: letters with digits or with marks inside, or
/// digits alone. Names of algorithms, versions, sizes, paths and identifiers are not.
pub(super) fn looks_chosen(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ',', ':', ';', '?', '!']);
    if value.len() < 4 || value.len() > 256 || is_placeholder(value) {
        return false;
    }
    let count = |class: fn(&u8) -> bool| value.bytes().filter(class).count();
    let (letters, digits) = (count(u8::is_ascii_alphabetic), count(u8::is_ascii_digit));
    let marks = value.bytes().filter(|byte| b"!#$%^*+=~?@".contains(byte)).count();
    if value.contains("://") || value.contains(['(', '{', '[', '/', '\\', '|']) || value.starts_with(['-', '.', '_']) {
        return false;
    }
    if digits == value.len() {
        return true;
    }
    if letters == 0 {
        return false;
    }
    if digits == 0 {
        return marks > 0 && letters >= 3 && !value.contains('=') && !value.contains(['#', '*', '@', '?']);
    }
    let stem = value.trim_end_matches(|char: char| char.is_ascii_digit()).to_ascii_lowercase();
    let number = value.len() - stem.len();
    let is_algorithm = number <= 4 && ALGORITHMS.contains(&stem.as_str());
    let first_digit = value.find(|char: char| char.is_ascii_digit()).unwrap_or(0);
    let is_size = first_digit == 0 && letters <= 3 && marks == 0;
    let is_dotted = value.contains('.') && value.split('.').count() >= 3;
    !is_algorithm && !is_size && !is_dotted && value.is_ascii() && value.len() >= 5
}

/// Whether the text at `span` is a secret.
pub(super) fn is_secret(text: &str, span: &Range<usize>, given: Given, strength: Strength, is_strict: bool) -> bool {
    let whole = &text[span.clone()];
    let value = whole[..whole.floor_char_boundary(PROBE_BYTES)].trim_end_matches(['.', ':']);
    if value.len() < 4 || is_placeholder(value) || is_kind(value) || value.contains("://") || is_version(value) {
        return false;
    }
    if value.trim().contains(char::is_whitespace) {
        return given == Given::Quoted
            && matches!(strength, Strength::Any | Strength::Phrase)
            && whole.len() <= 200
            && (is_strict || is_passphrase(value, strength == Strength::Phrase));
    }
    let value = value.trim();
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    if given != Given::Quoted && (is_code(value, has_digit) || value.starts_with('/')) {
        return false;
    }
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    match strength {
        Strength::Random => {
            let is_hex = value.len() >= 32
                && has_digit
                && value.trim_start_matches("0x").bytes().all(|byte| byte.is_ascii_hexdigit());
            value.len() >= 20 && (is_hex || is_encoded(value) && entropy::looks_random(value, false))
        }
        Strength::Made => {
            let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
            // A name with a number at its end is code.
            let digits = value.bytes().filter(u8::is_ascii_digit).count();
            let is_name = given != Given::Quoted && digits == 1 && value.ends_with(|char: char| char.is_ascii_digit());
            let is_made =
                value.len() >= 8 && has_digit && has_letter && is_encoded(value) && !is_worded(value) && !is_name;
            let is_made = is_made && (given != Given::Said || looks_chosen(value) && !is_fingerprint(value));
            is_made || value.len() >= 20 && is_encoded(value) && entropy::looks_random(value, true)
        }
        Strength::Any | Strength::Phrase => match given {
            // Letters of other scripts are what is said of a password, not the password.
            _ if !value.is_ascii() && given != Given::Quoted => false,
            Given::Quoted => !is_identifier_like(value, has_digit),
            Given::Marked | Given::Environment => true,
            Given::Said => looks_chosen(value),
            Given::Spaced => !is_word,
            // `password: word` at the end of its line is a setting; with more behind it, it is prose or code.
            Given::Plain => !is_word || ends_line(text, span.end),
        },
    }
}

/// Whether a value is how `OpenPGP` names a public key: its fingerprint or its long id (RFC 9580, 5.5.4).
pub(super) fn is_fingerprint(value: &str) -> bool {
    matches!(value.len(), 16 | 40) && value.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte))
}

/// `1.2.1`, `^5.0`: a package with such a name has a version.
fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(['^', '~', '>', '=', '<', 'v']);
    number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_encoded(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.:~%!@^&*".contains(&byte))
}

/// Whether a quoted value is the name of a field or a message: `"user.password"`, `"password_reset"`.
fn is_identifier_like(value: &str, has_digit: bool) -> bool {
    let lower = value.to_ascii_lowercase();
    !has_digit
        && ["password", "passwort", "passwd", "contrase", "secret", "token"].iter().any(|word| lower.contains(word))
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

/// Words with separators, as names of files, packages and settings have.
fn is_worded(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', '/', ':']).filter(|part| !part.is_empty()).collect();
    let plain = |part: &&str| {
        part.bytes().all(|byte| byte.is_ascii_alphabetic())
            || part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    parts.len() >= 2 && parts.iter().all(plain)
}

fn ends_line(text: &str, at: usize) -> bool {
    let rest = &text[at..text.floor_char_boundary(at + 80)];
    rest.split('\n').next().is_none_or(|rest| {
        rest.trim_matches(|char: char| char.is_whitespace() || "\\\"',*`|_".contains(char)).is_empty()
    })
}

/// Function words of languages that use Latin letters, of three letters and more: prose has them, a passphrase has not.
const FUNCTION_WORDS: &[&str] = &[
    "the", "and", "for", "you", "your", "must", "not", "with", "this", "that", "has", "have", "was", "were", "are",
    "can", "cannot", "will", "should", "please", "enter", "new", "old", "again", "from", "into", "when", "than",
    "least", "been", "does", "did", "their", "its", "our", "any", "all", "too", "very", "only", "but", "which", "der",
    "die", "das", "ein", "eine", "und", "oder", "nicht", "mit", "ist", "sind", "muss", "bitte", "neues", "für", "les",
    "des", "une", "est", "pas", "pour", "votre", "avec", "sur", "dans", "que", "qui", "los", "las", "una", "por",
    "para", "con", "del", "debe", "su", "como", "não", "uma", "sua", "deve", "het", "een", "van", "niet", "met", "och",
    "inte", "med", "det", "som", "nie", "jest", "dla", "per", "della",
];

/// Whether blanks separate words that say nothing: at least three (two where a passphrase is named) of letters, digits
/// and hyphens, none of them a function word.
pub(super) fn is_passphrase(value: &str, is_named: bool) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let least = if is_named { 2 } else { 3 };
    let is_plain = |word: &&str| {
        let lower = word.to_lowercase();
        word.chars().count() >= 3
            && word.chars().all(|char| char.is_alphanumeric() || char == '-' || char == '\'')
            && !FUNCTION_WORDS.contains(&lower.as_str())
            && !is_kind(&lower)
            && !["password", "passphrase", "passwor", "kennwort", "contrase", "secret"]
                .iter()
                .any(|noun| lower.contains(noun))
    };
    // A sentence begins with a capital and goes on without.
    let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    (least..=24).contains(&words.len())
        && words.iter().all(is_plain)
        && (is_named || capitals == 0 || capitals == words.len() && words.len() >= 4)
}

/// Whether a bare value is an expression.
fn is_code(value: &str, has_digit: bool) -> bool {
    let is_path = value.contains('.')
        && !has_digit
        && value
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    value.contains(['(', '[', '{'])
        || value.contains("::")
        || value.contains("->")
        || is_path
        || !has_digit && name_table::is_name(value)
}
