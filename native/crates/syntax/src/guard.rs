//! Detects texts that would keep a grammar's scanner busy, or exhaust the stack, in time linear in their bytes.
//!
//! The scanners of the markup languages visit every open element at every token. Hand-written files do not
//! nest a thousand of them, but a text may come from anyone. And where a grammar is ambiguous, tree-sitter calls itself
//! once for each open bracket.

/// Elements that may be open at once in markup.
const MAX_ELEMENTS: usize = 1000;

/// Brackets that may be open at once in any language; 20,000 exhaust a stack of 2 MB.
const MAX_BRACKETS: usize = 4000;

/// Elements without an end tag.
const VOID_ELEMENTS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Whether more elements are open at once than a grammar's scanner is trusted with, or more brackets than the parser.
pub(super) fn is_too_deep(grammar: &str, text: &str) -> bool {
    let is_markup = matches!(grammar, "html" | "vue" | "svelte" | "astro" | "xml");
    // Most texts have fewer brackets than may be open, which is found sooner.
    (is_markup && elements(text) > MAX_ELEMENTS)
        || (opening_brackets(text) > MAX_BRACKETS && brackets(text) > MAX_BRACKETS)
}

/// How many brackets a text opens; counted in bytes, which are added up many at a time.
fn opening_brackets(text: &str) -> usize {
    let count = |part: &[u8]| part.iter().map(|byte| u8::from(matches!(byte, b'(' | b'[' | b'{'))).sum::<u8>();
    text.as_bytes().chunks(usize::from(u8::MAX)).map(|part| usize::from(count(part))).sum()
}

/// The most brackets that are open at once, if every one counts, those in strings and comments too.
fn brackets(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => continue,
        }
        most = most.max(open);
    }
    most
}

/// The most elements that are open at once, if every start tag has an end tag.
fn elements(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let name = &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()];
        if rest.starts_with('/') {
            open = open.saturating_sub(1);
        } else if !name.is_empty() && !VOID_ELEMENTS.contains(&name) {
            let tag = &rest[..rest.find(['<', '>']).unwrap_or(rest.len())];
            open += usize::from(!tag.ends_with('/'));
            most = most.max(open);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absurd_depth_is_refused() {
        assert!(is_too_deep("html", &"<div>".repeat(2000)));
        assert!(!is_too_deep("html", &"<p>a<br>b<img src='c'/></p>\n".repeat(2000)));
        assert!(!is_too_deep("rust", &"<div>".repeat(2000)));
        assert!(!is_too_deep("rust", &format!("{}{}", "([{".repeat(1000), "f(x)[0]; ".repeat(5000))));
        assert!(is_too_deep("rust", &"{\n".repeat(5000)));
    }
}
