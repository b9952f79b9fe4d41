//! Normalises names: without quotes, on one line, of bounded length, split into scopes.

use std::borrow::Cow;

/// The longest name kept, in bytes.
const MAX_NAME: usize = 200;

/// Prefixes of names in JavaScript without naming anything: `module.exports.f`, `A.prototype.f`.
const IMPLICIT_SCOPES: [&str; 4] = ["exports", "module", "prototype", "this"];

/// What a language's names are like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming {
    /// The separator of the names of nested sections.
    pub(crate) section_separator: &'static str,
    /// Whether `$` is a letter, and not a mark before variables.
    pub(crate) keeps_dollar: bool,
    /// Whether a file can name only what it defines or imports.
    pub(crate) lists_names: bool,
    /// The ending of the name of a function that assigns a member, behind the name of the member; empty if there are none.
    pub(crate) setter: &'static str,
    /// Whether a member of a pointer is marked otherwise than one of an object.
    pub(crate) has_pointers: bool,
}

impl Naming {
    /// A defined or used name without quotes and without the mark that a language puts before symbols or variables.
    pub(super) fn clean(self, text: &str) -> Cow<'_, str> {
        match clean(text) {
            Cow::Borrowed(name) => Cow::Borrowed(self.without_sigil(name)),
            Cow::Owned(name) => Cow::Owned(self.without_sigil(&name).to_owned()),
        }
    }

    fn without_sigil(self, name: &str) -> &str {
        let is_sigil = |first: char| ":@%&".contains(first) || first == '$' && !self.keeps_dollar;
        let bare = name.trim_start_matches(is_sigil);
        if bare.starts_with(|first: char| first.is_alphanumeric() || first == '_') { bare } else { name }
    }
}

/// Takes quotes from both ends of a text, folds white space to single spaces, cuts what is too long.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    fold(cut(without_quotes(text.trim()), MAX_NAME))
}

/// An import's source without what encloses it: quotes, `<>`.
pub(super) fn clean_source(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.contains("::{") {
        return Cow::Owned(path_through_lists(text));
    }
    let text = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text);
    fold(cut(without_quotes(text), MAX_NAME))
}

/// The path to the end of a text that ends in a list of paths: `a::c` of `a::{b, c`.
fn path_through_lists(text: &str) -> String {
    let (mut open, mut start) = (Vec::new(), 0);
    let path = |from: usize, to: usize| {
        let words = text[from..to].split_whitespace();
        words.last().unwrap_or_default().trim_end_matches("::")
    };
    for (at, sign) in text.match_indices([',', '{', '}']) {
        match sign {
            "{" => open.push(path(start, at)),
            "}" => drop(open.pop()),
            _ => {}
        }
        start = at + 1;
    }
    open.push(path(start, text.len()));
    open.join("::")
}

/// What an import takes from its source; `*` for all, whatever the language writes. Some grammars have a module and its
/// `*` in one node.
pub(super) fn clean_import_name(text: &str) -> Cow<'_, str> {
    let is_all = text.ends_with('*') || matches!(text, "_" | "..");
    if is_all { Cow::Borrowed("*") } else { clean(text) }
}

/// Removes quotes from both ends.
fn without_quotes(mut text: &str) -> &str {
    for quote in ['"', '\'', '`'] {
        while let Some(inner) = text.strip_prefix(quote).and_then(|inner| inner.strip_suffix(quote)) {
            text = inner.trim();
        }
    }
    text
}

/// The bare name of a type: `Foo` of `Foo<T>`, `Map` of `Map[K, V]`.
pub(super) fn without_arguments(name: &str) -> &str {
    match name.find(['<', '[', '(']) {
        Some(0) | None => name,
        Some(at) => name[..at].trim_end(),
    }
}

/// Splits a name as written into the scopes before it and the name itself. `is_leaf` tells that the grammar sees one
/// token: then a dot belongs to the name (`print.default` in R) unless all parts look like modules (`Foo.Bar`).
pub(super) fn split(name: &str, is_leaf: bool) -> (Vec<&str>, &str) {
    let is_word = |part: &str| part.starts_with(|first: char| first.is_alphanumeric() || "_$~@".contains(first));
    let is_module = |part: &str| part.starts_with(char::is_uppercase);
    let mut parts: Vec<&str> = name.split("::").collect();
    if parts.len() == 1 {
        if !is_leaf {
            parts = name.split(['.', ':', '\\', '#']).collect();
        } else if name.contains('.') && name.split('.').all(is_module) {
            parts = name.split('.').collect();
        }
    }
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    match parts.split_last() {
        Some((last, scopes)) if scopes.iter().all(|part| is_word(part)) && !name.contains(' ') => {
            let scopes = scopes.iter().map(|part| without_arguments(part));
            (scopes.filter(|part| !IMPLICIT_SCOPES.contains(part)).collect(), last)
        }
        _ => (Vec::new(), name),
    }
}

fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn fold(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) || text.contains("  ") {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_quotes_and_line_breaks() {
        assert_eq!(clean("\"my name\""), "my name");
        assert_eq!(clean("build.\"a b\""), "build.\"a b\"");
        assert_eq!(clean("a\r\n   b"), "a b");
        assert_eq!(clean_import_name("codecairn_base::clock::*"), "*");
        assert_eq!(clean_source("<stdio.h>"), "stdio.h");
        assert_eq!(clean_source("crate::{a, b::{c},\n d"), "crate::d");
        assert_eq!(clean_source("crate::{a::{b, c}, d::{\n // e\n f, g::h"), "crate::d::g::h");
        assert_eq!(clean(&"é".repeat(200)).len(), 200);
    }

    #[test]
    fn sigils_are_no_part_of_names() {
        let ruby = Naming {
            section_separator: ".",
            keeps_dollar: false,
            lists_names: false,
            setter: "=",
            has_pointers: false,
        };
        assert_eq!(
            ["@@count", ":name", "$stdout", "$", "&"].map(|name| ruby.clean(name)),
            ["count", "name", "stdout", "$", "&"]
        );
        assert_eq!(Naming { keeps_dollar: true, ..ruby }.clean("$scope"), "$scope");
    }

    #[test]
    fn scopes_are_split_off() {
        assert_eq!(split("A::B<T>::c", true), (vec!["A", "B"], "c"));
        assert_eq!(split("M.f", false), (vec!["M"], "f"));
        assert_eq!(split("M.a:f", false), (vec!["M", "a"], "f"));
        assert_eq!(split("A.prototype.f", false), (vec!["A"], "f"));
        assert_eq!(split("Foo.Bar", true), (vec!["Foo"], "Bar"));
        assert_eq!(split("print.default", true), (vec![], "print.default"));
        assert_eq!(split("operator ::", false), (vec![], "operator ::"));
        assert_eq!(split("::", true), (vec![], "::"));
        assert_eq!(split(".", false), (vec![], "."));
    }
}
