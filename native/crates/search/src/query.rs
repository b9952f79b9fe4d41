//! Parses a query: its kind (symbol, path, prose), terms, identifiers and quoted texts.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use codecairn_lexical::analyzer::{QueryTerm, query_terms, query_words};
use codecairn_lexical::translation::{Translation, is_spaceless, translate};

/// The kind of a query; each has ranking weights of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// One identifier, qualified or not: `Session.get`, `parse_args`.
    Symbol,
    /// A file or folder: `src/app.py`.
    Path,
    /// Words.
    Natural,
}

/// A parsed query, as all retrievers read it.
#[derive(Debug, Clone)]
pub struct Query {
    /// As typed, without surrounding blanks; a question that is not English is followed by the English words that its own
    /// stand for.
    pub text: String,
    /// Its kind, by its shape.
    pub kind: QueryKind,
    /// Distinct terms for the lexical and path retrievers, in order of appearance.
    pub terms: Vec<QueryTerm>,
    /// Names that may be defined symbols, each once, in lower case and with dots between scopes: as typed, with the
    /// innermost scope alone, without any.
    pub identifiers: Vec<String>,
    /// Texts in double quotes: a hit must contain each, ignoring case.
    pub quoted: Vec<String>,
}

/// A pattern, and its twin for texts in ASCII, on which both match the same. Unicode's classes have thousands of ranges:
/// `\w` compiles in 1 ms and its twin in a thirtieth of that, which a process that searches once waits for.
struct Pattern {
    ascii: (&'static str, OnceLock<Regex>),
    unicode: (&'static str, OnceLock<Regex>),
}

impl Pattern {
    const fn new(ascii: &'static str, unicode: &'static str) -> Self {
        Self { ascii: (ascii, OnceLock::new()), unicode: (unicode, OnceLock::new()) }
    }

    /// The one of both that suits this text.
    fn of(&self, text: &str) -> &Regex {
        let (pattern, compiled) = if text.is_ascii() { &self.ascii } else { &self.unicode };
        compiled.get_or_init(|| Regex::new(pattern).expect("invariant: a constant pattern"))
    }
}

/// An identifier with its qualifiers: `a::b`, `a.b`, `A\B`, `a->b`, `A#b`, `a:b`. `a/b` is a path and does not match.
static IDENTIFIER: Pattern = Pattern::new(
    r"[A-Za-z_$][0-9A-Za-z_$]*(?:(?:::?|\.|\\|->|#)[A-Za-z_$][0-9A-Za-z_$]*)*[!?]?",
    r"[\p{L}_$][\w$]*(?:(?:::?|\.|\\|->|#)[\p{L}_$][\w$]*)*[!?]?",
);
/// The marks of an identifier in prose: inner capitals, underscores, qualifiers.
static CODE_LIKE: Pattern = Pattern::new(
    r"[a-z][A-Z]|_|[A-Z][a-z]+[A-Z]|::|[0-9A-Za-z_]\.[0-9A-Za-z_]|->|#",
    r"\p{Ll}\p{Lu}|_|\p{Lu}\p{Ll}+\p{Lu}|::|\w\.\w|->|#",
);
static QUOTED: LazyLock<Regex> = LazyLock::new(|| Regex::new("\"([^\"]+)\"").expect("invariant: a constant pattern"));
static PATH: Pattern = Pattern::new(
    r"^(?:[\x00-\x08\x0E-\x1F!-\x7F]*/[\x00-\x08\x0E-\x1F!-\x7F]*|[0-9A-Za-z_.-]+\.[a-z]{1,5})$",
    r"^(?:\S*/\S*|[\w.-]+\.[a-z]{1,5})$",
);

impl Query {
    /// Parses `text`.
    pub fn parse(text: &str) -> Self {
        let typed = text.trim();
        let kind = kind_of(typed);
        let text =
            translated(typed).map_or_else(|| typed.to_owned(), |found| format!("{typed}\n{}", found.words.join(" ")));
        let quoted: Vec<String> = QUOTED.captures_iter(typed).map(|found| found[1].to_lowercase()).collect();
        let mut identifiers = Vec::new();
        for found in IDENTIFIER.of(typed).find_iter(typed) {
            let name = found.as_str();
            if kind == QueryKind::Symbol || CODE_LIKE.of(name).is_match(name) {
                let whole = normalised(name);
                for candidate in [whole.as_str(), with_innermost_scope(&whole), last_component(&whole)] {
                    if !identifiers.iter().any(|known| known == candidate) {
                        identifiers.push(candidate.to_owned());
                    }
                }
            }
        }
        Self { terms: query_terms(&text), text, kind, identifiers, quoted }
    }

    /// The share of the weight of all terms that those of quoted texts have; 0 without any. `weights` has one for each
    /// term.
    pub(super) fn quoted_share(&self, weights: &[f32]) -> f32 {
        let quoted: Vec<QueryTerm> = self.quoted.iter().flat_map(|text| query_terms(text)).collect();
        let is_quoted = |term: &QueryTerm| quoted.iter().any(|quoted| quoted.term == term.term);
        let of_quoted: f32 = self.terms.iter().zip(weights).filter(|(term, _)| is_quoted(term)).map(|(_, w)| w).sum();
        of_quoted / weights.iter().sum::<f32>().max(f32::MIN_POSITIVE)
    }
}

/// The words of a query, parts of identifiers among them, each with its stem. Stop words are left out, unless there is nothing
/// else.
pub fn stemmed_words(text: &str) -> Vec<(String, String)> {
    let terms = query_words(text).into_iter().flatten().filter(|term| !term.is_whole_identifier);
    terms.map(|term| (term.term, term.stem)).collect()
}

/// The translation of a question in words that is not English.
pub fn translated(text: &str) -> Option<Translation> {
    let text = text.trim();
    if kind_of(text) == QueryKind::Natural { translate(text) } else { None }
}

fn kind_of(text: &str) -> QueryKind {
    if text.contains(|letter: char| letter.is_whitespace() || is_spaceless(letter)) || text.starts_with('"') {
        return QueryKind::Natural;
    }
    // `Session.get` has the shape of a file name too; without a slash, only names with a known extension are paths.
    let is_file = codecairn_syntax::language::is_file_name(text);
    if PATH.of(text).is_match(text) && (text.contains('/') || is_file) { QueryKind::Path } else { QueryKind::Symbol }
}

/// Separators of scopes become dots, letters lower case.
pub(super) fn normalised(name: &str) -> String {
    name.replace("::", ".").replace("->", ".").replace(['\\', '#', '/', ':'], ".").to_lowercase()
}

/// `b.c` of `a.b.c`.
fn with_innermost_scope(name: &str) -> &str {
    match name.rmatch_indices('.').nth(1) {
        Some((dot, _)) => &name[dot + 1..],
        None => name,
    }
}

/// `get` of `Session.get` and of `Session#get`, `c` of `a::b::c`, `#count` of `Session.#count`: at its start, the sign belongs
/// to a name.
pub(super) fn last_component(name: &str) -> &str {
    let last = name.rsplit([':', '.', '\\', '>', '/']).next().unwrap_or(name);
    match last.rfind('#') {
        Some(at) if last[..at].ends_with('#') => &last[at..],
        Some(at) if at > 0 => &last[at + 1..],
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn twins_match_the_same_in_ascii(text in "[ -~\\x00-\\x1f]{0,20}|[aZ9_$.:#>/\\\\ !?-]{0,12}") {
            for pattern in [&IDENTIFIER, &CODE_LIKE, &PATH] {
                let unicode = Regex::new(pattern.unicode.0).unwrap();
                let found = |regex: &Regex| regex.find_iter(&text).map(|found| found.range()).collect::<Vec<_>>();
                prop_assert_eq!(found(pattern.of(&text)), found(&unicode));
            }
        }
    }

    #[test]
    fn kinds_are_told_by_shape() {
        for symbol in ["Session", "get_user", "a::b::c", "Session.get", "valid?"] {
            assert_eq!(Query::parse(symbol).kind, QueryKind::Symbol, "{symbol}");
        }
        for path in ["src/app.py", "app.py", "native/core/"] {
            assert_eq!(Query::parse(path).kind, QueryKind::Path, "{path}");
        }
        for words in ["where are tokens verified", "默认缓存大小是多少", "\"app.py\""] {
            assert_eq!(Query::parse(words).kind, QueryKind::Natural, "{words}");
        }
    }

    #[test]
    fn identifiers_in_prose_are_found_and_plain_words_are_not() {
        let query = Query::parse("how does TypeAdapter call Gson.fromJson for user_id");
        assert_eq!(query.identifiers, ["typeadapter", "gson.fromjson", "fromjson", "user_id"]);
    }

    #[test]
    fn qualified_names_are_known_with_and_without_their_scopes() {
        for (typed, identifiers) in [
            ("Session.get", &["session.get", "get"][..]),
            ("http::Session::get", &["http.session.get", "session.get", "get"]),
            (r"Composer\Pool", &["composer.pool", "pool"]),
            ("Jekyll::Site#read!", &["jekyll.site.read!", "site.read!", "read!"]),
            ("Schema:validate", &["schema.validate", "validate"]),
            ("this->size", &["this.size", "size"]),
        ] {
            assert_eq!(Query::parse(typed).identifiers, identifiers, "{typed}");
        }
    }

    #[test]
    fn the_last_part_of_a_name_keeps_its_sign() {
        for (name, last) in [
            ("Session.get", "get"),
            ("Session#get", "get"),
            ("#count", "#count"),
            ("Session.#count", "#count"),
            ("Session##count", "#count"),
            ("a::b->c", "c"),
            ("#", "#"),
        ] {
            assert_eq!(last_component(name), last, "{name}");
        }
    }

    #[test]
    fn a_question_in_another_language_is_asked_in_english_too() {
        let terms = |text: &str| Query::parse(text).terms.into_iter().map(|term| term.term).collect::<Vec<_>>();
        let found = terms("¿Dónde se comprueba la contraseña?");
        assert!(["contraseña", "password"].iter().all(|&term| found.iter().any(|found| found == term)), "{found:?}");
        assert_eq!(terms("contraseña"), ["contraseña"], "one word may be a name");
    }

    #[test]
    fn quoted_texts_are_told_with_their_share() {
        let query = Query::parse("retry \"Too Many Requests\" handling");
        assert_eq!(query.quoted, ["too many requests"]);
        assert_eq!(query.terms.len(), 5);
        assert!((query.quoted_share(&[1.0, 2.0, 1.0, 3.0, 1.0]) - 0.75).abs() < 1e-6);
        assert!(Query::parse("retry").quoted_share(&[1.0]).abs() < 1e-6);
    }
}
