//! Texts that must not reach a grammar's scanner.
//!
//! A scanner written in C saves its state to a buffer of 1,024 bytes. Those of Python and YAML check the bound before
//! an entry that takes two or four bytes, and that of Perl does not check it, so with some hundred open indentations or
//! quotes they write past it, and tree-sitter aborts the process. Those of the markup languages visit every open
//! element at every token. Nobody writes such texts, but a text may come from anyone.

/// Open indentations that Python's scanner is trusted with; it holds 510.
const MAX_PYTHON_INDENTATIONS: usize = 250;

/// Columns in which a block may begin in YAML; the scanner holds 253 blocks, of which two may begin in one column.
const MAX_YAML_COLUMNS: usize = 100;

/// Blocks inside strings that Perl's scanner is trusted with; it holds 80 quotes.
const MAX_PERL_BLOCKS: usize = 40;

/// Elements that may be open at once in markup.
const MAX_ELEMENTS: usize = 1000;

/// Elements without an end tag.
const VOID_ELEMENTS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Whether `text` would take a grammar's scanner beyond what it can hold.
pub(super) fn is_too_deep(grammar: &str, text: &str) -> bool {
    match grammar {
        "python" => {
            has_run(text, MAX_PYTHON_INDENTATIONS, |byte| matches!(byte, b' ' | b'\t' | 0x0c))
                && indentations(text) > MAX_PYTHON_INDENTATIONS
        }
        "yaml" => {
            has_run(text, MAX_YAML_COLUMNS, is_yaml_structure)
                && text.lines().any(|line| columns(line) > MAX_YAML_COLUMNS)
        }
        "perl" => perl_blocks(text) > MAX_PERL_BLOCKS,
        "html" | "vue" | "svelte" | "astro" | "xml" => elements(text) > MAX_ELEMENTS,
        _ => false,
    }
}

/// Whether at least `length` bytes of some kind follow each other. Looks at a few bytes of most texts only.
fn has_run(text: &str, length: usize, is_kind: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    (0..bytes.len()).step_by(length / 2).any(|at| {
        let before = bytes[..at].iter().rev().take(length).take_while(|byte| is_kind(**byte)).count();
        let after = bytes[at..].iter().take(length).take_while(|byte| is_kind(**byte)).count();
        before + after >= length
    })
}

/// The most indentations that are open at once, if every line counts.
fn indentations(text: &str) -> usize {
    let mut open: Vec<usize> = Vec::new();
    let mut most = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let blank = line.len() - line.trim_start().len();
        let width = line[..blank].bytes().map(|byte| if byte == b'\t' { 8 } else { 1 }).sum();
        while open.pop_if(|outer| *outer >= width).is_some() {}
        open.push(width);
        most = most.max(open.len());
    }
    most
}

/// The most blocks behind a sigil, as in `"${\\ f()}"`, that are open at once, if every bracket counts.
fn perl_blocks(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let mut before = b' ';
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' if matches!(before, b'$' | b'@') => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
        before = byte;
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

fn is_yaml_structure(byte: u8) -> bool {
    matches!(byte, b' ' | b'-' | b'?' | b':')
}

/// The columns at a line's start in which blocks may begin: spaces, and indicators before white space.
fn columns(line: &str) -> usize {
    let bytes = line.as_bytes();
    let structure = bytes.iter().take_while(|byte| is_yaml_structure(**byte)).count();
    let is_column = |at: &usize| bytes[*at] == b' ' || bytes.get(at + 1).is_none_or(|next| *next == b' ');
    (0..structure).filter(is_column).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absurd_depth_is_refused() {
        let python = |depth: usize| (0..depth).map(|depth| " ".repeat(depth) + "if a:\n").collect::<String>();
        assert!(!is_too_deep("python", &python(200)));
        assert!(is_too_deep("python", &python(400)));
        assert!(!is_too_deep("python", &format!("x = f(\n{}1)", " ".repeat(400))));
        assert!(is_too_deep("yaml", &"- ".repeat(300)));
        assert!(!is_too_deep("yaml", &format!("a: 1\n{}\nb:\n  - 1\n", "-".repeat(300))));
        assert!(is_too_deep("perl", &"\"${\\ ".repeat(100)));
        assert!(!is_too_deep("perl", &"print \"@{[ f() ]} ${x}\";\n".repeat(100)));
        assert!(is_too_deep("html", &"<div>".repeat(2000)));
        assert!(!is_too_deep("html", &"<p>a<br>b<img src='c'/></p>\n".repeat(2000)));
        assert!(!is_too_deep("rust", &"- ".repeat(300)));
    }
}
