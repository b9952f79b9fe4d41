//! Finds the ends of the tokens of C and C++, and of what is between brackets.

use super::class_macros::is_part;

/// The longest text between brackets, in bytes.
const MAX_ARGUMENTS: usize = 4000;

/// The end of blanks or of a comment at a place.
pub(super) fn skipped(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes[at..] {
        [b'/', b'/', ..] => Some(line_end(bytes, at)),
        [b'/', b'*', ..] => {
            let inner = &bytes[at + 2..];
            Some(inner.windows(2).position(|pair| pair == b"*/").map_or(bytes.len(), |end| at + end + 4))
        }
        [first, ..] if first.is_ascii_whitespace() => Some(at + 1),
        _ => None,
    }
}

/// The next token behind blanks, comments and directives.
pub(super) fn next_token(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match skipped(bytes, at) {
            Some(end) => at = end,
            None if bytes[at] == b'#' && is_line_start(bytes, at) => at = directive_end(bytes, at),
            None => break,
        }
    }
    at
}

pub(super) fn is_line_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|&byte| byte == b'\n')
}

/// The end of a line with a directive, which goes on behind a backslash.
pub(super) fn directive_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let end = line_end(bytes, at);
        let line = &bytes[at..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if end == bytes.len() || !line.ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
}

/// Where the line around a byte ends, without its end.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The end of a string or a character in quotes, on one line.
pub(super) fn quoted(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\n' => return None,
            b'\\' => end += 2,
            byte if byte == quote => return Some(end + 1),
            _ => end += 1,
        }
    }
    None
}

/// The end of a raw string whose quote is at a place: `R"name(…)name"`.
pub(super) fn raw_string_end(text: &str, quote: usize) -> Option<usize> {
    let inner = &text[quote + 1..];
    let open = inner.find('(').filter(|&open| open <= 16)?;
    let close = format!("){}\"", &inner[..open]);
    inner[open..].find(&close).map(|end| quote + 1 + open + end + close.len())
}

/// The end of a word or a number, in which quotes part digits.
pub(super) fn word_end(text: &str, start: usize) -> usize {
    let is_number = text[start..].starts_with(|first: char| first.is_ascii_digit());
    let is_inside = |char: char| is_part(char) || is_number && char == '\'';
    let length = text[start..].find(|char| !is_inside(char)).unwrap_or(text.len() - start);
    // Any other character is passed over as a whole.
    if length > 0 { start + length } else { start + text[start..].chars().next().map_or(1, char::len_utf8) }
}

/// The end of the parameters of a template that come next.
pub(super) fn parameters_end(bytes: &[u8], at: usize) -> Option<usize> {
    let open = next_token(bytes, at);
    let (mut at, mut depth, mut brackets) = (open, 0_usize, 0_usize);
    while at < bytes.len() && at - open < MAX_ARGUMENTS {
        match bytes[at] {
            b'<' if brackets == 0 => depth += 1,
            b'>' if brackets == 0 && bytes[at - 1] != b'-' => depth = depth.checked_sub(1)?,
            b'(' => brackets += 1,
            b')' => brackets = brackets.checked_sub(1)?,
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (at > open + 1).then_some(at);
        }
    }
    None
}

/// Whether a block is followed by an alternative.
pub(super) fn is_before_else(bytes: &[u8], open: usize) -> bool {
    let (mut at, mut depth) = (open, 0_usize);
    while at < bytes.len() && at - open < MAX_ARGUMENTS {
        if let Some(end) = skipped(bytes, at).or_else(|| quoted(bytes, at)) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return bytes[next_token(bytes, at)..].starts_with(b"else");
        }
    }
    false
}

/// The end of a list of arguments, behind its bracket.
pub(super) fn arguments_end(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0_usize);
    while at < bytes.len() && at - open < MAX_ARGUMENTS {
        if let Some(end) = skipped(bytes, at).or_else(|| quoted(bytes, at)) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            // What is open so far is no list of arguments.
            b';' | b'{' | b'}' if depth == 1 => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_they_do_in_c() {
        let after = |text: &str, end: Option<usize>| end.map(|end| text[end..].to_owned());
        for (text, expected) in [("// a\nb", Some("\nb")), ("/* a */b", Some("b")), ("/* a", Some("")), ("b", None)] {
            assert_eq!(after(text, skipped(text.as_bytes(), 0)).as_deref(), expected, "{text}");
        }
        for (text, expected) in [("\"a\\\"\" b", Some(" b")), ("'a' b", Some(" b")), ("'a\n'", None), ("a", None)] {
            assert_eq!(after(text, quoted(text.as_bytes(), 0)).as_deref(), expected, "{text}");
        }
        let raw = "R\"x(a)\" b)x\" c";
        assert_eq!(after(raw, raw_string_end(raw, 1)).as_deref(), Some(" c"));
        assert_eq!(&"1'000 a"[word_end("1'000 a", 0)..], " a");
        let directive = "#define A \\\r\n  b\nc";
        assert_eq!(&directive[directive_end(directive.as_bytes(), 0)..], "\nc");
        for (text, expected) in [("(a, ')', (b)) c", Some(" c")), ("(a; b)", None), ("(a", None)] {
            assert_eq!(after(text, arguments_end(text.as_bytes(), 0)).as_deref(), expected, "{text}");
        }
        for (text, expected) in [("<class A = B<(1 > 2)>> c", Some(" c")), ("<a; b>", None), ("a", None)] {
            assert_eq!(after(text, parameters_end(text.as_bytes(), 0)).as_deref(), expected, "{text}");
        }
        assert!(is_before_else(b"{ a } // b\n else {}", 0) && !is_before_else(b"{ { } }", 0));
    }
}
