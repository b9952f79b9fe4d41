//! Finds the symbols of the current files, and determines the state of an anchor's symbol.

use std::path::Path;

use codecairn_base::hash::ContentHash;
use codecairn_base::span::ByteSpan;
use codecairn_syntax::chunk::Extractor;
use codecairn_syntax::{Symbol, Syntax};
use codecairn_walk::{Source, read_source};

use super::{Anchor, AnchorState, AnchorStatus, Definition};

/// Longer bodies are truncated to this length, which is enough for a diff.
const MAX_BODY_BYTES: usize = 16 << 10;

/// A symbol as it is now.
struct Current {
    anchor: Anchor,
    span: ByteSpan,
    /// Hashes of its text and its signature including comments: older anchors store these.
    commented: [String; 2],
}

impl Current {
    fn has_body_of(&self, anchor: &Anchor) -> bool {
        self.anchor.body_hash == anchor.body_hash || self.commented[0] == anchor.body_hash
    }

    fn has_signature_of(&self, anchor: &Anchor) -> bool {
        self.anchor.signature_hash == anchor.signature_hash || self.commented[1] == anchor.signature_hash
    }

    fn has_name_of(&self, anchor: &Anchor) -> bool {
        self.anchor.name == anchor.name
    }

    fn is_kind_of(&self, anchor: &Anchor) -> bool {
        self.anchor.kind == anchor.kind
    }
}

/// The symbols that the file at `path` below `root` defines. None if it can't be read.
pub fn definitions_in(root: &Path, path: &str) -> Vec<Definition> {
    let Ok(source) = read_source(root, path) else { return Vec::new() };
    let breaks: Vec<u32> = source.text.match_indices('\n').map(|(at, _)| at as u32).collect();
    let line_of = |at: u32| breaks.partition_point(|line_break| *line_break < at) + 1;
    let definition = |Current { anchor, span, .. }: Current| Definition {
        anchor,
        first_line: line_of(span.start),
        last_line: line_of(span.end.saturating_sub(1).max(span.start)),
    };
    symbols_of(path, &source).into_iter().map(definition).collect()
}

/// Determines the state of a symbol. `elsewhere` are other files that it may have moved to.
pub(super) fn look_at_symbol(root: &Path, anchor: &Anchor, elsewhere: &[String]) -> AnchorStatus {
    let here = symbols_in(root, &anchor.path);
    let named = || here.iter().filter(|symbol| symbol.has_name_of(anchor));
    // Overloads and redefinitions share a name: the one that is still the same speaks for all.
    if let Some(now) = named().find(|symbol| symbol.has_body_of(anchor)).or_else(|| named().next()) {
        let state = if now.has_body_of(anchor) { AnchorState::Fresh } else { AnchorState::Changed };
        return found(state, anchor, now);
    }
    let others = elsewhere.iter().filter(|path| **path != anchor.path).flat_map(|path| symbols_in(root, path));
    let all: Vec<Current> = here.into_iter().chain(others).collect();
    let same_body = || all.iter().filter(|symbol| symbol.has_body_of(anchor) && symbol.is_kind_of(anchor));
    if let Some(now) = same_body().find(|symbol| symbol.has_name_of(anchor)).or_else(|| only(same_body())) {
        return found(AnchorState::Moved, anchor, now);
    }
    // Moved and rewritten: an equal name and kind identify it.
    if let Some(now) = only(all.iter().filter(|symbol| symbol.has_name_of(anchor) && symbol.is_kind_of(anchor))) {
        return found(AnchorState::Changed, anchor, now);
    }
    AnchorStatus::missing(root, anchor)
}

/// The only one of several; none if there are more.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next();
    first.filter(|_| all.next().is_none())
}

fn found(state: AnchorState, anchor: &Anchor, now: &Current) -> AnchorStatus {
    AnchorStatus {
        is_signature_changed: !now.has_signature_of(anchor),
        ..AnchorStatus::found(state, now.anchor.clone())
    }
}

fn symbols_in(root: &Path, path: &str) -> Vec<Current> {
    read_source(root, path).map_or_else(|_| Vec::new(), |source| symbols_of(path, &source))
}

fn symbols_of(path: &str, source: &Source) -> Vec<Current> {
    let Syntax { symbols, comments, .. } = Extractor::new().extract(&source.text, source.language).syntax;
    symbols.iter().map(|symbol| current(path, &source.text, symbol, &comments)).collect()
}

fn current(path: &str, text: &str, symbol: &Symbol, comments: &[ByteSpan]) -> Current {
    let body = &text[symbol.span.start as usize..symbol.span.end as usize];
    let [body_hash, signature_hash] = hashes(&code(text, symbol.span, comments), &symbol.name);
    let anchor = Anchor {
        path: path.to_owned(),
        name: symbol.qualified_name.clone(),
        kind: symbol.kind.name().to_owned(),
        body_hash,
        signature_hash,
        body: body_of(body).to_owned(),
    };
    Current { anchor, span: symbol.span, commented: hashes(body, &symbol.name) }
}

/// As much of a text as an anchor stores.
pub(super) fn body_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BODY_BYTES)]
}

/// Hashes of a whole file without its comments, normalised.
pub(super) fn hashes_of(text: &str, comments: &[ByteSpan]) -> [String; 2] {
    hashes(&code(text, ByteSpan { start: 0, end: text.len() as u32 }, comments), "")
}

/// Hashes of a definition and of its signature, normalised.
fn hashes(body: &str, name: &str) -> [String; 2] {
    [body, signature(body)].map(|text| ContentHash::of(normal(text, name).as_bytes()).to_string())
}

/// A definition without comments, documentation, and commas before a bracket that closes on another line.
fn code(text: &str, span: ByteSpan, comments: &[ByteSpan]) -> String {
    let mut code = String::with_capacity(span.len());
    let mut at = span.start;
    for comment in comments.iter().filter(|comment| comment.start >= span.start && comment.end <= span.end) {
        // A documentation string may have been captured as a comment, too.
        if comment.start >= at {
            code.push_str(&text[at as usize..comment.start as usize]);
            at = comment.end;
        }
    }
    code.push_str(&text[at as usize..span.end as usize]);
    without_last_commas(&code)
}

/// The text without the commas that formatters put after the last of several lines in brackets.
fn without_last_commas(code: &str) -> String {
    let is_last = |after: &str| {
        let rest = after.trim_start();
        rest.starts_with([')', ']', '}']) && after[..after.len() - rest.len()].contains('\n')
    };
    let kept = code.char_indices().filter(|(at, char)| *char != ',' || !is_last(&code[at + 1..]));
    kept.map(|(_, char)| char).collect()
}

/// A text normalised for blanks and the symbol's own name: moving, reformatting and renaming leave it equal.
fn normal(body: &str, name: &str) -> String {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut plain = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|char: char| is_word(char) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        if is_word(first) {
            plain.push_str(if part == name { "_" } else { part });
        } else {
            // A blank separates words, and has no meaning next to punctuation.
            let signs: String = part.chars().filter(|char| !char.is_whitespace()).collect();
            plain.push_str(if signs.is_empty() { " " } else { &signs });
        }
        rest = after;
    }
    plain
}

/// The text before the body: up to an opening brace, a colon at the end of a line, `=>`, or the end of a line,
/// outside brackets.
fn signature(body: &str) -> &str {
    let mut depth = 0_i32;
    for (at, char) in body.char_indices() {
        let rest = &body[at + char.len_utf8()..];
        match char {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            '{' if depth <= 0 => return &body[..at],
            ':' if depth <= 0 && rest.trim_start_matches([' ', '\t']).starts_with(['\n', '#']) => return &body[..at],
            _ => {}
        }
    }
    body.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &tempfile::TempDir, path: &str, text: &str) {
        std::fs::write(dir.path().join(path), text).unwrap();
    }

    fn named(dir: &tempfile::TempDir, path: &str, name: &str) -> Anchor {
        let found = definitions_in(dir.path(), path).into_iter().find(|each| each.anchor.name == name);
        found.unwrap().anchor
    }

    #[test]
    fn a_symbol_is_fresh_until_what_it_does_changes() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.py", "def other():\n    pass\n\ndef retry(times):\n    return times + 1\n");
        let anchor = named(&dir, "a.py", "retry");
        assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Fresh);
        write(&dir, "a.py", "import os\n\ndef retry( times ):\n    return times  +  1\n");
        assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Fresh);
        write(&dir, "a.py", "def retry(times):\n    return times + 2\n");
        let looked = look_at_symbol(dir.path(), &anchor, &[]);
        assert_eq!((looked.state, looked.is_signature_changed), (AnchorState::Changed, false));
        assert!(looked.now.unwrap().body.contains("+ 2"));
        write(&dir, "a.py", "def retry(times, pause):\n    return times + 2\n");
        assert!(look_at_symbol(dir.path(), &anchor, &[]).is_signature_changed);
    }

    #[test]
    fn a_symbol_is_found_where_it_went_and_missed_where_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.rs", "pub fn verify(token: &str) -> bool {\n    token.len() > 3\n}\n");
        let anchor = named(&dir, "a.rs", "verify");
        write(&dir, "b.rs", "fn verify(token: &str) -> bool { token.len() > 4 }\n");
        write(
            &dir,
            "c.rs",
            "mod auth {\n    pub fn verify(token: &str) -> bool {\n        token.len() > 3\n    }\n}\n",
        );
        std::fs::remove_file(dir.path().join("a.rs")).unwrap();
        let elsewhere = ["b.rs".to_owned(), "c.rs".to_owned()];
        let looked = look_at_symbol(dir.path(), &anchor, &elsewhere);
        assert_eq!((looked.state, looked.now.unwrap().path.as_str()), (AnchorState::Moved, "c.rs"));
        assert_eq!(look_at_symbol(dir.path(), &anchor, &elsewhere[..1]).state, AnchorState::Changed);
        assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Orphan);
        write(&dir, "a.rs", "pub fn check(token: &str) -> bool {\n    token.len() > 3\n}\n");
        let looked = look_at_symbol(dir.path(), &anchor, &[]);
        assert_eq!((looked.state, looked.now.unwrap().name.as_str()), (AnchorState::Moved, "check"));
    }

    #[test]
    fn definitions_have_their_lines_and_constants_are_among_them() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.py", "PORT = 80\n\nclass Server:\n    name = 1\n\n    def run(self):\n        pass\n");
        let found = definitions_in(dir.path(), "a.py");
        let lines: Vec<_> =
            found.iter().map(|each| (each.anchor.name.as_str(), each.first_line, each.last_line)).collect();
        assert_eq!(lines, [("PORT", 1, 1), ("Server", 3, 7), ("Server.name", 4, 4), ("Server.run", 6, 7)]);
        let port = &found[0].anchor;
        write(&dir, "a.py", "PORT = 81\n");
        assert_eq!(look_at_symbol(dir.path(), port, &[]).state, AnchorState::Changed);
    }

    #[test]
    fn comments_documentation_and_layout_are_no_change() {
        let dir = tempfile::tempdir().unwrap();
        for (path, before, after) in [
            (
                "a.py",
                "def retry(times, pause):\n    return wait(times, pause)\n",
                "def retry(\n    times,  # how often\n    pause,\n):\n    \"\"\"Try again.\"\"\"\n    # slowly\n    return wait(\n        times,\n        pause,\n    )\n",
            ),
            (
                "a.rs",
                "pub fn retry(times: u32) -> u32 {\n    times + 1\n}\n",
                "pub fn retry(times: u32) -> u32 {\n    // One more.\n    times /* so */ + 1\n}\n",
            ),
            (
                "a.ts",
                "function retry(times) { return times; }\n",
                "function retry(times) {\n  /** All. */\n  return times;\n}\n",
            ),
        ] {
            write(&dir, path, before);
            let anchor = named(&dir, path, "retry");
            write(&dir, path, after);
            let looked = look_at_symbol(dir.path(), &anchor, &[]);
            assert_eq!((looked.state, looked.is_signature_changed), (AnchorState::Fresh, false), "{path}");
            write(&dir, path, &after.replace("times", "count"));
            assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Changed, "{path}");
        }
    }

    #[test]
    fn anchors_stored_with_comments_stay_fresh() {
        let dir = tempfile::tempdir().unwrap();
        let body = "def retry(times):\n    # slowly\n    return times";
        write(&dir, "a.py", body);
        let [body_hash, signature_hash] = hashes(body, "retry");
        let anchor = Anchor { body_hash, signature_hash, ..named(&dir, "a.py", "retry") };
        let looked = look_at_symbol(dir.path(), &anchor, &[]);
        assert_eq!((looked.state, looked.is_signature_changed), (AnchorState::Fresh, false));
    }

    #[test]
    fn what_several_symbols_share_identifies_none() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.py", "def load():\n    pass\n");
        let anchor = named(&dir, "a.py", "load");
        write(&dir, "a.py", "def read():\n    pass\n");
        assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Moved);
        write(&dir, "a.py", "def read():\n    pass\n\ndef write():\n    pass\n");
        assert_eq!(look_at_symbol(dir.path(), &anchor, &[]).state, AnchorState::Orphan);
    }
}
