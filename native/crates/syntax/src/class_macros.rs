//! Blanks the macros before the names of classes in C++: `class API_EXPORT Reader : public Base {`.
//!
//! The name of a class is a single identifier, with scopes or without, so the other words between the keyword and the
//! body are macros for the compiler or the linker. The grammar reads such a class as a function, and what is in it as
//! statements.

use std::borrow::Cow;

/// The keywords of classes.
const KEYWORDS: [&str; 3] = ["class", "struct", "union"];

/// More words or scopes than this are no head of a class.
const MAX_WORDS: usize = 6;

/// The macros before the name of one class.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassMacro {
    /// Where the keyword begins.
    pub(super) keyword: usize,
    start: usize,
    end: usize,
    /// Whether the class can't be parsed without them.
    pub(super) is_error: bool,
}

/// The macros before the names of classes. Linear in the text.
pub(super) fn class_macros(text: &str) -> Vec<ClassMacro> {
    let mut found = Vec::new();
    let (mut rest, mut is_word) = (text, false);
    while !rest.is_empty() {
        let end = rest.find(|char: char| is_part(char) == is_word).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        // Each run of the characters of names is followed by one of others.
        if !is_word && KEYWORDS.contains(&run) {
            let at = text.len() - after.len();
            if let Some((start, end)) = macros(after) {
                let keyword = at - run.len();
                found.push(ClassMacro { keyword, start: at + start, end: at + end, is_error: false });
            }
        }
        (rest, is_word) = (after, !is_word);
    }
    found
}

/// The text with spaces in the place of macros, and of other ranges, so that all else keeps its place.
pub(super) fn without<'t>(macros: &[ClassMacro], others: &[(usize, usize)], text: &'t str) -> Cow<'t, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    let ranges = macros.iter().map(|each| (each.start, each.end));
    for (start, end) in ranges.chain(others.iter().copied()) {
        bytes.to_mut()[start..end].fill(b' ');
    }
    bytes
}

/// The place of the macros behind a keyword.
fn macros(after: &str) -> Option<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut scopes) = (0, 0);
    loop {
        at += after[at..].len() - after[at..].trim_start().len();
        let word = after[at..].find(|char: char| !is_part(char)).unwrap_or(after.len() - at);
        if word == 0 {
            break;
        }
        words.push((at, at + word));
        at += word;
        // A name with scopes is one name.
        while let Some(inner) = after[at..].strip_prefix("::") {
            at += 2 + inner.find(|char: char| !is_part(char)).unwrap_or(inner.len());
            scopes += 1;
            if scopes > MAX_WORDS {
                return None;
            }
        }
        if words.len() > MAX_WORDS {
            return None;
        }
    }
    if words.last().is_some_and(|&(start, end)| &after[start..end] == "final") {
        words.pop();
    }
    words.pop();
    // `struct Point origin {1, 2};` defines a variable.
    let are_macros = words.iter().all(|&(start, end)| is_macro(&after[start..end]));
    let has_body = after[at..].starts_with('{') || after[at..].starts_with(':');
    let (first, last) = (words.first()?, words.last()?);
    (are_macros && has_body).then_some((first.0, last.1))
}

/// Whether a character may be part of a name.
pub(super) fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Whether a name is written as macros are.
pub(super) fn is_macro(name: &str) -> bool {
    name.len() > 1 && name.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_macros_between_the_keyword_and_the_name_are_blanked() {
        for (text, expected) in [
            ("class API Node {", "class     Node {"),
            ("struct API_A API_B Node : Base {", "struct             Node : Base {"),
            ("class API ns::Node final {", "class     ns::Node final {"),
            ("enum class API Color : int {", "enum class     Color : int {"),
            ("class Node final {", "class Node final {"),
            ("class NODE {", "class NODE {"),
            ("struct Point origin {1, 2};", "struct Point origin {1, 2};"),
            ("class API Node;", "class API Node;"),
            ("subclass API Node {", "subclass API Node {"),
            ("class", "class"),
            ("class é API {", "class é API {"),
        ] {
            let macros = class_macros(text);
            assert_eq!(std::str::from_utf8(&without(&macros, &[], text)), Ok(expected), "{text}");
        }
    }
}
