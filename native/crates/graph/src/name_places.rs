//! Finds a name as a whole identifier in a text, by the signs that identifiers of its language may have.

use std::ops::Range;

use codecairn_index::view::File;
use codecairn_syntax::language::{Class, Language};

/// Bytes of a line that are looked at before a place and behind it.
const MAX_AROUND: usize = 256;

/// The line of a place, which moves on from one place of a text to the next.
#[derive(Debug, Default)]
pub(super) struct Line {
    start: usize,
    /// Up to where ends of lines were looked for.
    seen: usize,
}

/// The text around a place in its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'t> {
    /// The beginning of the line, up to the place at most.
    head: &'t str,
    pub(super) before: &'t str,
    pub(super) after: &'t str,
}

impl Line {
    /// The text before and after a place, at most [`MAX_AROUND`] bytes of each. The places of a text come in order.
    pub(super) fn around<'t>(&mut self, text: &'t str, place: Range<usize>) -> Around<'t> {
        let part = |from: usize, to: usize| &text[text.ceil_char_boundary(from)..text.floor_char_boundary(to)];
        if let Some(end) = part(self.seen, place.start).rfind('\n') {
            self.start = self.seen + end + 1;
        }
        self.seen = place.start;
        Around {
            head: part(self.start, place.start.min(self.start + MAX_AROUND)),
            before: part(self.start.max(place.start.saturating_sub(MAX_AROUND)), place.start),
            after: part(place.end, place.end + MAX_AROUND).lines().next().unwrap_or_default(),
        }
    }
}

/// A name as it stands in texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling<'n> {
    name: &'n str,
    /// The name without the `=` of a method of Ruby that is called by an assignment.
    word: &'n str,
}

impl<'n> Spelling<'n> {
    pub(super) fn of(name: &'n str) -> Self {
        let setter = name.strip_suffix('=').filter(|word| word.ends_with(is_word));
        Self { name, word: setter.unwrap_or(name) }
    }

    pub(super) fn name(&self) -> &'n str {
        self.name
    }

    /// The word that a text has where the name is used.
    pub(super) fn word(&self) -> &'n str {
        self.word
    }

    /// Where the name stands in a text of a language as a whole identifier, each place with its length in bytes.
    pub(super) fn places_in<'t>(
        &'t self,
        text: &'t str,
        language: &'t str,
    ) -> impl Iterator<Item = (usize, usize)> + 't {
        let (word, is_setter) = (self.word, self.word.len() < self.name.len());
        let signs = Signs::of(language);
        let joins = |char: char| is_word(char) || (char == '-' && word.contains('-'));
        text.match_indices(word).filter_map(move |(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            let is_whole = !before.ends_with(joins)
                && !after.starts_with(joins)
                && !before.ends_with(|char| signs.before.contains(char))
                && !signs.is_longer(word, after)
                && (!is_setter || is_called(before) && is_assigned(after));
            is_whole.then_some((at, word.len()))
        })
    }
}

/// Letters, digits and underscores.
pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The signs that make another identifier of a name.
struct Signs {
    /// Before it, as in `@name`.
    before: &'static str,
    /// Behind it, as in `name?`.
    behind: &'static str,
}

impl Signs {
    fn of(language: &str) -> Self {
        let (before, behind) = match language {
            "ruby" | "erb" | "haml" | "slim" | "crystal" => ("@$", "?!"),
            "elixir" | "heex" => ("@", "?!"),
            "php" | "blade" | "bash" | "zsh" | "powershell" => ("$", ""),
            "perl" => ("$@", ""),
            "javascript" | "typescript" | "tsx" | "vue" | "svelte" | "astro" => ("$#", "$"),
            "java" => ("$", "$"),
            _ => ("", ""),
        };
        Self { before, behind }
    }

    /// Whether the word goes on behind its letters: `name?`, but not `name != other`.
    fn is_longer(&self, word: &str, after: &str) -> bool {
        let Some(sign) = after.chars().next().filter(|&sign| self.behind.contains(sign)) else { return false };
        word.ends_with(is_word) && !(sign == '!' && after[1..].starts_with('='))
    }
}

/// Whether a name stands behind a receiver, or begins a symbol or a string: a variable has no setter.
fn is_called(before: &str) -> bool {
    before.ends_with(['.', ':', '"', '\''])
}

/// Whether something is assigned: `= 1`, `||= 1`, but not `== 1`, `=~ x`, `=> 1`.
fn is_assigned(after: &str) -> bool {
    let rest = after.trim_start_matches([' ', '\t']);
    let rest = rest.trim_start_matches(['+', '-', '*', '/', '|', '&']);
    rest.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '~', '>']))
}

/// Whether a file may use a symbol by its name; prose only speaks of it, tables and patches repeat it, and styles name
/// nothing but what they style. `is_own` is whether symbols of the file's own language are asked about.
pub(super) fn holds_uses(file: &File<'_>, is_own: bool) -> bool {
    let language = file.language;
    match language.class {
        Class::Prose => matches!(language.id, "mdx" | "rmarkdown") || is_unknown_format(file.path, language),
        Class::Data => language.id == "jupyter",
        _ => is_own || !matches!(language.id, "css" | "scss" | "sass" | "less" | "stylus"),
    }
}

/// Whether a file is taken as plain text for an extension that no language has: most are templates of some kind.
fn is_unknown_format(path: &str, language: &Language) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    language.id == codecairn_syntax::language::FALLBACK_ID
        && !stem.is_empty()
        && !language.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        && !codecairn_syntax::language::is_file_name(stem)
}

/// Whether code of another language stands in texts of a language: templates, notebooks.
pub(super) fn is_template(language: &Language) -> bool {
    match language.class {
        Class::Code => language.id != "html" && matches!(language.grammar, None | Some("html")),
        Class::Data | Class::Prose => true,
        _ => false,
    }
}

/// Whether a name stands in a line that only declares or describes: a line of comment, the type of a function apart from it.
pub(super) fn is_declaration(language: &Language, around: &Around<'_>) -> bool {
    let head = around.head.trim_start();
    if language.line_comment.is_some_and(|mark| head.starts_with(mark)) {
        return true;
    }
    match language.id {
        "elixir" => head.trim_end() == "@spec",
        "erlang" => head.trim_end() == "-spec",
        "haskell" | "purescript" | "idris" | "agda" => is_listed(head, around.after, "::"),
        "elm" => is_listed(head, around.after, ":"),
        _ => false,
    }
}

/// Whether a name stands in a list of names that begins a line and ends in a mark: `first, second :: Int`.
fn is_listed(head: &str, after: &str, mark: &str) -> bool {
    let is_names = |text: &str| text.chars().all(|char| is_word(char) || matches!(char, '\'' | ',' | ' '));
    let Some((rest, _)) = after.split_once(mark) else { return false };
    is_names(head)
        && (head.is_empty() || head.trim_end().ends_with(','))
        && is_names(rest)
        && (rest.trim().is_empty() || rest.trim_start().starts_with(','))
}

/// Whether a name stands in quotes, and not as code within them (`"#{name}"`), or as a symbol: `:name`. Judged by its line alone.
pub(super) fn is_quoted(before: &str, after: &str) -> bool {
    if let Some(start) = before.strip_suffix(':')
        && !start.ends_with([':', '?'])
        && !start.ends_with(is_word)
    {
        return true;
    }
    let is_open = |quote: char| before.matches(quote).count() % 2 == 1 && after.contains(quote);
    let Some(quote) = ['"', '`', '\''].into_iter().find(|&quote| is_open(quote)) else { return false };
    let opened = before.rfind(quote).unwrap_or_default();
    before[opened..].rfind('{').is_none_or(|brace| before[opened + brace..].contains('}'))
}

#[cfg(test)]
mod tests {
    use codecairn_syntax::language::by_id;

    use super::*;

    fn columns(name: &str, language: &str, text: &str) -> Vec<usize> {
        Spelling::of(name).places_in(text, language).map(|(at, _)| at).collect()
    }

    #[test]
    fn name_is_found_as_a_whole_identifier_of_its_language() {
        assert_eq!(columns("show", "ruby", "show shown _show @show $show show? show! a.show x!=show"), [0, 43, 51]);
        assert_eq!(columns("show?", "ruby", "show show? reshow?"), [5]);
        assert_eq!(columns("show", "elixir", "@show show"), [6]);
        assert_eq!(columns("show", "php", "$show $this->show show()"), [13, 18]);
        assert_eq!(columns("show", "javascript", "$show show$ #show ${show} x.show!"), [20, 28]);
        assert_eq!(columns("show", "kotlin", "\"$show\" show!!"), [2, 8]);
        assert_eq!(columns("dry-run", "clojure", "dry-run dry-run-all a-dry-run"), [0]);
        assert_eq!(columns("show", "rust", "show!() r#show"), [0, 10]);
        assert_eq!(columns("größe", "rust", "größer größe"), [9]);
    }

    #[test]
    fn method_that_an_assignment_calls_is_found_where_it_is_assigned() {
        assert_eq!(columns("name=", "ruby", "a.name = 1; a.name == 1; b.name ||= 2; {name => 1}; name = 1"), [2, 27]);
        assert_eq!(columns("name=", "ruby", "send(:name=, 1); send(\"name=\", 1)"), [6, 23]);
    }

    #[test]
    fn line_of_each_place_is_that_around_it() {
        let (text, mut line) = ("ä f(1)\n\n  f; f\nf", Line::default());
        let places = text.match_indices('f').map(|(at, _)| line.around(text, at..at + 1));
        let found: Vec<_> = places.map(|around| (around.before, around.after)).collect();
        assert_eq!(found, [("ä ", "(1)"), ("  ", "; f"), ("  f; ", ""), ("", "")]);
    }

    #[test]
    fn long_line_is_looked_at_near_the_place_alone() {
        let text = format!("{}f{}", "ä".repeat(MAX_AROUND), "ä".repeat(MAX_AROUND));
        let around = Line::default().around(&text, 2 * MAX_AROUND..2 * MAX_AROUND + 1);
        assert_eq!([around.head, around.before, around.after].map(str::len), [MAX_AROUND; 3]);
    }

    #[test]
    fn types_apart_from_their_functions_are_declarations() {
        let is_declared = |language: &str, text: &str| {
            let at = text.find("sum").unwrap();
            is_declaration(by_id(language).unwrap(), &Line::default().around(text, at..at + 3))
        };
        for (language, text) in [
            ("elixir", "  @spec sum(t) :: t when t: integer"),
            ("haskell", "sum :: Int"),
            ("haskell", "sum, other :: Int"),
            ("haskell", "other, sum :: Int"),
            ("haskell", "-- sum"),
        ] {
            assert!(is_declared(language, text), "{text}");
        }
        for (language, text) in [
            ("elixir", "@spec other(sum) :: t"),
            ("haskell", "f sum = x :: Int"),
            ("haskell", "go sum, other :: Int"),
            ("haskell", "sum other :: Int"),
        ] {
            assert!(!is_declared(language, text), "{text}");
        }
    }

    #[test]
    fn quotes_and_symbols_are_no_code_but_what_is_inserted_is() {
        for (before, after) in [("send(\"", "\")"), ("only: [:", "]"), ("x = `", "`"), ("f('a', '", "')")] {
            assert!(is_quoted(before, after), "{before}");
        }
        for (before, after) in [("\"#{", "}\""), ("f(\"a\", ", ")"), ("a ? b::", ""), ("don't ", ""), ("{key: ", "}")] {
            assert!(!is_quoted(before, after), "{before}");
        }
    }
}
