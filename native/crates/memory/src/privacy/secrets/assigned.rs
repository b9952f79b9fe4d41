//! Reads the value that a text assigns to a name, and how it is assigned.

use std::ops::Range;

use super::name_table::Strength;
use super::runs::run_end;
use super::values::{self, Given, Reach};

/// A name is at most so long on each side of what tells it.
pub(super) const MAX_NAME_BYTES: usize = 64;

/// Where the name that has `at` in it begins.
fn name_start(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(MAX_NAME_BYTES));
    let before = &text[from..at];
    let cut = before.rfind(|char: char| !char.is_ascii_alphanumeric() && !"_-.:".contains(char));
    from + cut.map_or(0, |cut| cut + before[cut..].chars().next().map_or(1, char::len_utf8))
}

/// The value that follows a name, and how it is given.
pub(super) fn value_after(
    text: &str,
    start: usize,
    end: usize,
    strength: Strength,
    reach: &mut Reach,
) -> Option<(Range<usize>, Given)> {
    let begin = name_start(text, start);
    let rest = &text[end..];
    let after_quote = rest.trim_start_matches(['"', '\'', '\\', '`', ']', '*', '_']);
    let has_quote = rest.len() > after_quote.len();
    let spaced = after_quote.trim_start_matches([' ', '\t']);
    let had_blank = spaced.len() < after_quote.len();
    let from = |rest: &str| text.len() - rest.len();
    if let Some(value) = paired(rest) {
        return Some(quoted(text, from(value), Given::Plain, reach));
    }
    if is_emptied(&text[begin..end], spaced) {
        return None;
    }
    if let Some((value, is_next_line)) = separated(spaced) {
        let given = if is_next_line || is_environment(text, begin, end, had_blank, spaced) {
            Given::Environment
        } else if text[..begin].ends_with(['?', '&']) {
            Given::Marked
        } else if had_blank && spaced.starts_with('=') {
            Given::Spaced
        } else {
            Given::Plain
        };
        let (given, at) = (given, from(value));
        if is_next_line
            && !(value.starts_with(['"', '\''])
                || values::looks_chosen(first_word(value))
                || strength == Strength::Made)
        {
            return None;
        }
        return Some(quoted(text, at, given, reach));
    }
    // `<password>x</password>`, also with attributes.
    if text[..begin].ends_with('<') || rest.starts_with("\">") {
        let window = &rest[..rest.floor_char_boundary(120)];
        let close = window.find('>').filter(|close| !window[..*close].contains(['\n', '<', '/']))?;
        let value = window[close + 1..].trim_start_matches("<![CDATA[");
        let at = end + window.len() - value.len();
        return Some((at..run_end(text, at, |byte| byte != b'<' && byte != b'\n'), Given::Marked));
    }
    // A property list has the value in an element of its own.
    if let Some(value) = rest.strip_prefix("</key>").map(str::trim_start).and_then(|rest| rest.strip_prefix("<string>"))
    {
        return Some((from(value)..run_end(text, from(value), |byte| byte != b'<' && byte != b'\n'), Given::Marked));
    }
    // Arguments and lists: `"password", "x"`.
    if has_quote
        && !is_value(text, begin)
        && let Some(value) = after_quote.strip_prefix(',').map(|rest| rest.trim_start_matches([' ', '\t']))
    {
        let (span, given) = quoted(text, from(value), Given::Plain, reach);
        // What follows a flag or a variable is its value; what follows another name may be one more name.
        let is_given = text[begin..].starts_with('-') || is_upper(&text[begin..end]);
        let is_value = is_given || values::looks_chosen(&text[span.clone()]);
        return (given == Given::Quoted && is_value).then_some((span, given));
    }
    if had_blank && !spaced.is_empty() && !spaced.starts_with(['-', '\n']) {
        let is_flag = text[..start]
            .rfind(char::is_whitespace)
            .map_or(text, |at| &text[at + 1..])
            .trim_start_matches(['"', '\''])
            .starts_with('-');
        let is_configured = is_upper(&text[begin..end]) && text[begin..end].contains('_');
        if is_flag || is_configured && is_setting_line(text, begin) {
            return Some(quoted(text, from(spaced), Given::Marked, reach));
        }
        // `password x`, with the kind of encoding before it in the configuration of routers: `password 0 x`.
        let value =
            ["0 ", "5 ", "7 ", "8 ", "9 "].iter().find_map(|level| spaced.strip_prefix(level)).unwrap_or(spaced);
        return Some(quoted(text, from(value), Given::Said, reach))
            .filter(|_| !has_quote || value.starts_with(['"', '\'']));
    }
    None
}

/// `NAME= program …`: a shell sets the variable to nothing and runs a program.
fn is_emptied(name: &str, spaced: &str) -> bool {
    let Some(rest) = spaced.strip_prefix("= ").filter(|_| is_upper(name)) else { return false };
    let line = rest[..rest.floor_char_boundary(80)].split('\n').next().unwrap_or_default();
    let mut words = line.split(' ');
    let is_program =
        words.next().is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    is_program && words.next().is_some()
}

/// Whether a quoted text that begins at `at` is the value of another name.
fn is_value(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches(['"', '\'', '\\', '`']).trim_end_matches([' ', '\t']).ends_with([':', '='])
}

fn first_word(rest: &str) -> &str {
    rest.split_whitespace().next().unwrap_or_default()
}

fn quoted(text: &str, at: usize, given: Given, reach: &mut Reach) -> (Range<usize>, Given) {
    let is_quoted = text[at..].trim_start_matches('\\').starts_with(['"', '\'', '`']);
    let mut span = values::read(text, at, given, reach);
    if is_quoted
        && given == Given::Said
        && !values::is_passphrase(&text[span.clone()], true)
        && !values::looks_chosen(&text[span.clone()])
    {
        span.end = span.start;
    }
    // Blanks inside of quotes of French.
    let value = &text[span.clone()];
    if is_quoted && value.starts_with(' ') {
        let inner = value.trim();
        let lead = value.len() - value.trim_start().len();
        span = span.start + lead..span.start + lead + inner.len();
    }
    (span, if is_quoted { Given::Quoted } else { given })
}

/// What follows a separator, and whether it is on a line of its own.
fn separated(spaced: &str) -> Option<(&str, bool)> {
    let separator = ["=>", ":=", "==", "=", ":", "|", "—", "–", "...", "→"]
        .iter()
        .find(|separator| spaced.starts_with(**separator))?;
    let rest = &spaced[separator.len()..];
    if *separator == "==" || rest.starts_with([':', '=']) || *separator == "|" && rest.starts_with('|') {
        return None;
    }
    let rest = rest.trim_start_matches('.').trim_start_matches([' ', '\t']);
    // A type between the name and its value: `secret: &str = "x"`.
    if *separator == ":"
        && let Some(value) = typed(rest)
    {
        return Some((value, false));
    }
    // What YAML puts before a value: tags, and the marks of blocks.
    let marked = rest
        .strip_prefix('!')
        .map_or(rest, |tag| tag.trim_start_matches(|char: char| !char.is_whitespace()).trim_start_matches(' '));
    let block = marked.trim_start_matches(['|', '>']).trim_start_matches(['-', '+', '1', '2', '4']);
    let after = if marked.starts_with(['|', '>']) { block } else { marked };
    let opened = after.trim_start_matches(['(', '[']);
    let is_opened = opened.len() < after.len();
    let line = opened.trim_start_matches([' ', '\t', '\r']);
    if let Some(next) = line.strip_prefix('\n') {
        let value = next.trim_start_matches([' ', '\t']);
        let is_deeper =
            value.len() < next.len() && !value.starts_with(['\n', '-', '#']) && !first_word(value).ends_with(':');
        return (is_deeper && (*separator != "|")).then_some((value, true));
    }
    let value = if is_opened && line.starts_with(['"', '\'']) { line } else { marked };
    Some((value, false))
}

/// The value behind a type, as in `&str = "x"`.
fn typed(rest: &str) -> Option<&str> {
    let window = &rest[..rest.floor_char_boundary(48)];
    let equals = window.find('=')?;
    let name = window[..equals].trim_end();
    let is_type =
        !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "&_<>[]'. |".contains(char));
    let value = rest[equals + 1..].trim_start();
    (is_type && window[..equals].ends_with(' ') && value.starts_with(['"', '\'', '`'])).then_some(value)
}

/// A value that has a name of its own: `name="password" value="x"`, `- name: TOKEN` and `value: x` on the next line.
fn paired(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches('\\').trim_start_matches(['"', '\'']);
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches('\\').trim_start_matches(['"', '\'']);
    let rest =
        rest.strip_prefix("value").or_else(|| rest.strip_prefix("Value")).or_else(|| rest.strip_prefix("default"))?;
    let rest = rest.trim_start_matches('\\').trim_start_matches(['"', '\'']).trim_start();
    Some(rest.strip_prefix(['=', ':'])?.trim_start())
}

fn is_upper(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase()) && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether `NAME=value` has the form of shells and files of settings: the value ends with a blank alone.
fn is_environment(text: &str, begin: usize, end: usize, had_blank: bool, spaced: &str) -> bool {
    let name = &text[begin..end];
    !had_blank
        && spaced.starts_with('=')
        && !name.contains(['.', ':'])
        && is_upper(name)
        && is_setting_line(text, begin)
}

/// Whether a line begins at `at`, or a word that sets a variable precedes it.
fn is_setting_line(text: &str, at: usize) -> bool {
    let before = &text[text.floor_char_boundary(at.saturating_sub(24))..at];
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start().trim_end_matches(' ');
    let word = line.rsplit([' ', '\t']).next().unwrap_or_default();
    line.is_empty() && (before.contains('\n') || before.len() == at)
        || ["export", "set", "setx", "ENV", "ARG", "-e", "--env", "env", "SetEnv", "fastcgi_param", "declare", "local"]
            .contains(&word)
}
