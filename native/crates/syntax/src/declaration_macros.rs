//! Finds the macros around declarations of C++: `API_NODISCARD int API_CALL length() const API_NOEXCEPT;`.
//!
//! A declaration has one type and one name before its parameters, so a further word that is written as macros are is one.
//! The grammar takes such a word for the type, and then reads what follows as something else.

use super::c_tokens::arguments_end;
use super::class_macros::{is_macro, is_part};

/// The words that may go before a type, and that are no types.
const SPECIFIERS: [&str; 12] = [
    "const",
    "constexpr",
    "explicit",
    "extern",
    "friend",
    "inline",
    "mutable",
    "static",
    "template",
    "typename",
    "virtual",
    "volatile",
];

/// The words that may go between parameters and a body.
const SUFFIXES: [&str; 4] = ["const", "final", "noexcept", "override"];

/// The words that begin statements and parts of expressions.
const STATEMENTS: [&str; 18] = [
    "and",
    "case",
    "co_await",
    "co_return",
    "co_yield",
    "define",
    "delete",
    "do",
    "else",
    "goto",
    "if",
    "new",
    "not",
    "or",
    "return",
    "throw",
    "using",
    "while",
];

/// The longest text between a macro and the parameters of what is declared.
const MAX_DECLARATION: usize = 400;

/// The places of the macros in a text, in order. Linear in the text.
pub(super) fn declaration_macros(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut start, mut is_directive, mut last) = (0, false, ';');
    for line in text.split_inclusive('\n') {
        let before = found.len();
        let trimmed = line.trim();
        let is_comment = trimmed.starts_with("//") || trimmed.starts_with('*') || trimmed.starts_with("/*");
        // A directive goes on behind a backslash.
        is_directive |= trimmed.starts_with('#');
        if !is_directive && !is_comment {
            words(line, |from, to| {
                let (before, after) = (&line[..from], &text[start + to..]);
                if is_macro(&line[from..to]) && is_extra(before, after, trimmed.len() == to - from, last) {
                    found.push((start + from, start + to));
                }
            });
            // A macro alone on its line ends nothing.
            let is_alone = found.len() > before && trimmed.chars().all(is_part);
            last = code(trimmed).chars().next_back().filter(|_| !is_alone).unwrap_or(last);
        }
        is_directive &= trimmed.ends_with('\\');
        start += line.len();
    }
    found
}

/// A line without the comment at its end.
fn code(line: &str) -> &str {
    let is_code = |at: &usize| line[..*at].matches('"').count().is_multiple_of(2);
    line.find("//").filter(is_code).map_or(line, |at| line[..at].trim_end())
}

/// Calls `each` with the ends of each word of a line.
fn words(line: &str, mut each: impl FnMut(usize, usize)) {
    let mut at = 0;
    while let Some(from) = line[at..].find(is_part).map(|from| at + from) {
        let to = line[from..].find(|char| !is_part(char)).map_or(line.len(), |length| from + length);
        if line[from..].starts_with(|char: char| char.is_ascii_uppercase() || char == '_') {
            each(from, to);
        }
        at = to;
    }
}

/// Whether a macro between these texts is no part of the grammar. `last` is the last character of the line of code before.
fn is_extra(before: &str, after: &str, is_alone: bool, last: char) -> bool {
    let before = before.trim();
    let next = after.trim_start();
    if is_alone {
        let is_between = ";{}:".contains(last);
        return is_between
            && (next.is_empty() || next.starts_with(|char: char| char.is_alphabetic() || "_~[#/".contains(char)));
    }
    if is_prefix(before) {
        return declares(next);
    }
    if is_type(before) {
        let end = next.find(|char| !is_part(char) && char != ':').unwrap_or(next.len());
        return end > 0 && next[end..].starts_with('(') && !is_macro(&next[..end]);
    }
    let parameters = SUFFIXES.iter().fold(before, |rest, word| rest.strip_suffix(word).unwrap_or(rest).trim_end());
    let is_initializer = next.starts_with(':') && !next.starts_with("::");
    parameters.ends_with(')') && (next.starts_with([';', '{']) || is_initializer)
}

/// Whether nothing goes before a macro but specifiers and macros.
fn is_prefix(before: &str) -> bool {
    let before = if before.starts_with("template") && before.ends_with('>') { "" } else { before };
    before.split_whitespace().all(|word| SPECIFIERS.contains(&word) || is_macro(word))
}

/// Whether a text is a type.
fn is_type(before: &str) -> bool {
    let first = before.split(|char| !is_part(char)).next().unwrap_or_default();
    !first.is_empty()
        && !STATEMENTS.contains(&first)
        && before.chars().all(|char| is_part(char) || " :<>*&,".contains(char))
}

/// Whether a text begins with a type and a name before parameters, or with a constructor or a conversion written away from
/// its class.
fn declares(text: &str) -> bool {
    let mut rest = &text[..text.floor_char_boundary(MAX_DECLARATION)];
    let mut names = 0;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || "*&".contains(char));
        if rest.starts_with('(') {
            return names > 1 || names == 1 && is_before_initializers(rest);
        }
        // A destructor has no type.
        if rest.starts_with('~') && names == 0 {
            return true;
        }
        let (mut scope, mut is_scoped) = ("", false);
        loop {
            rest = rest.trim_start_matches('~');
            let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
            let word = &rest[..end];
            if word.is_empty() || STATEMENTS.contains(&word) {
                return false;
            }
            if word == "operator" {
                return names > 0 || is_scoped;
            }
            // A constructor and a destructor have the name of their class.
            if is_scoped && word == scope {
                return true;
            }
            rest = &rest[end..];
            if rest.starts_with('<') {
                let Some(length) = arguments(rest) else { return false };
                rest = &rest[length..];
            }
            let Some(inner) = rest.strip_prefix("::") else {
                names += usize::from(!SPECIFIERS.contains(&word));
                break;
            };
            (scope, is_scoped, rest) = (word, true, inner);
        }
    }
}

/// Whether initializers follow the parameters that a text begins with, so that a constructor has them: `(int a) : b(a) {}`.
fn is_before_initializers(text: &str) -> bool {
    let Some(end) = arguments_end(text.as_bytes(), 0) else { return false };
    let rest = text[end..].trim_start();
    let rest = rest.strip_prefix("noexcept").unwrap_or(rest).trim_start();
    rest.starts_with(':') && !rest.starts_with("::")
}

/// The length of the arguments of a template that a text begins with.
fn arguments(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' if depth == 1 => return Some(at + 1),
            '>' => depth -= 1,
            ';' | '{' | '}' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_are_too_many_are_macros() {
        for (text, expected) in [
            ("API int length();", "    int length();"),
            ("API_A API_B std::vector<Foo *> all(int x);", "            std::vector<Foo *> all(int x);"),
            ("  API const Foo &get() const {", "      const Foo &get() const {"),
            ("template <typename T> API T *make();", "template <typename T>     T *make();"),
            ("static API Foo get();", "static     Foo get();"),
            ("API Foo::Foo(): a(1) {}", "    Foo::Foo(): a(1) {}"),
            ("API Foo::~Foo() {}", "    Foo::~Foo() {}"),
            ("API Foo::operator bool() const", "    Foo::operator bool() const"),
            ("int API_CALL length(Foo a);", "int          length(Foo a);"),
            ("Foo<A, B>* API_CALL ns::get(Foo a);", "Foo<A, B>*          ns::get(Foo a);"),
            ("int size() const API_NOEXCEPT;", "int size() const             ;"),
            ("int size() API_NOEXCEPT {", "int size()              {"),
            ("Foo() API_NOEXCEPT : a(1) {}", "Foo()              : a(1) {}"),
            ("};\nAPI_BEGIN\nclass Foo {};", "};\n         \nclass Foo {};"),
            ("}\nAPI_END\n\n#if A\nAPI_BEGIN\nclass Foo {};", "}\n       \n\n#if A\n         \nclass Foo {};"),
            ("int a; // b\nAPI_BEGIN\nclass Foo {};", "int a; // b\n         \nclass Foo {};"),
            ("API_A API_B Foo(int a) : b(a) {}", "            Foo(int a) : b(a) {}"),
            ("API ~Foo() = default;", "    ~Foo() = default;"),
            ("DWORD length();", "DWORD length();"),
            ("DWORD Foo::length();", "DWORD Foo::length();"),
            ("static DWORD length();", "static DWORD length();"),
            ("enum { A1,\n B1\n};", "enum { A1,\n B1\n};"),
            ("return MAX value(1);", "return MAX value(1);"),
            ("MAX(a, b) foo(1);", "MAX(a, b) foo(1);"),
            ("#define API int length();", "#define API int length();"),
            ("#define A \\\n  API int length()", "#define A \\\n  API int length()"),
            ("x = a +\n  MAX\n  b;", "x = a +\n  MAX\n  b;"),
            ("if (a) MAX = 3;", "if (a) MAX = 3;"),
            ("int MAX = f();", "int MAX = f();"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            for (start, end) in declaration_macros(text) {
                bytes[start..end].fill(b' ');
            }
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_searched(text in "[A-Za-z_é:<>*&~(){};#\\\\ \n]{0,80}") {
            for (start, end) in declaration_macros(&text) {
                proptest::prop_assert!(is_macro(&text[start..end]));
            }
        }
    }
}
