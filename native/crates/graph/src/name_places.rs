//! Finds a name as a whole identifier in a text, by the signs that identifiers of its language may have.

use codecairn_index::view::File;
use codecairn_syntax::language::{Class, Language};

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
                && (!is_setter || is_assigned(after));
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
pub(super) fn is_declaration(language: &Language, before: &str, after: &str) -> bool {
    let before = before.trim_start();
    if language.line_comment.is_some_and(|mark| before.starts_with(mark)) {
        return true;
    }
    match language.id {
        "elixir" => before.trim_end() == "@spec",
        "erlang" => before.trim_end() == "-spec",
        "haskell" | "purescript" | "idris" | "agda" => before.is_empty() && after.trim_start().starts_with("::"),
        "elm" => before.is_empty() && after.trim_start().starts_with(':'),
        _ => false,
    }
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
        assert_eq!(columns("name=", "ruby", "a.name = 1; a.name == 1; b.name ||= 2; {name => 1}"), [2, 27]);
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
