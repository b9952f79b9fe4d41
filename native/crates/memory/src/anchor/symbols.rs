//! Finds the symbols of the current files, and determines the state of an anchor's symbol.

use std::path::Path;

use codecairn_base::hash::ContentHash;
use codecairn_syntax::Symbol;
use codecairn_syntax::chunk::Extractor;
use codecairn_walk::read_source;

use super::{Anchor, AnchorState, AnchorStatus};

/// Longer bodies are truncated to this length, which is enough for a diff.
const MAX_BODY_BYTES: usize = 16 << 10;

/// The symbols that the file at `path` below `root` defines, as anchors. None if it can't be read.
pub fn anchors_in(root: &Path, path: &str) -> Vec<Anchor> {
    let Ok(source) = read_source(root, path) else { return Vec::new() };
    let extraction = Extractor::new().extract(&source.text, source.language);
    extraction.syntax.symbols.iter().map(|symbol| anchor_of(path, &source.text, symbol)).collect()
}

/// Determines the state of an anchor's symbol. `elsewhere` are other files that it may have moved to.
pub fn look(root: &Path, anchor: &Anchor, elsewhere: &[String]) -> AnchorStatus {
    let here = anchors_in(root, &anchor.path);
    let named = here.iter().filter(|symbol| symbol.name == anchor.name);
    // Overloads and redefinitions share a name: the one that is still the same speaks for all.
    if let Some(now) =
        named.clone().find(|symbol| symbol.body_hash == anchor.body_hash).or_else(|| named.clone().next())
    {
        let state = if now.body_hash == anchor.body_hash { AnchorState::Fresh } else { AnchorState::Changed };
        return found(state, anchor, now.clone());
    }
    let others = elsewhere.iter().filter(|path| **path != anchor.path).flat_map(|path| anchors_in(root, path));
    let all: Vec<Anchor> = here.into_iter().chain(others).collect();
    if let Some(now) = all.iter().find(|symbol| symbol.body_hash == anchor.body_hash && symbol.kind == anchor.kind) {
        return found(AnchorState::Moved, anchor, now.clone());
    }
    // Moved and rewritten: an equal name and signature identify it.
    let is_same = |symbol: &&Anchor| symbol.name == anchor.name && symbol.kind == anchor.kind;
    let mut same = all.iter().filter(is_same);
    match (same.next(), same.next()) {
        (Some(now), None) => found(AnchorState::Changed, anchor, now.clone()),
        _ => AnchorStatus { state: AnchorState::Orphan, now: None, is_signature_changed: false },
    }
}

fn found(state: AnchorState, anchor: &Anchor, now: Anchor) -> AnchorStatus {
    AnchorStatus { state, is_signature_changed: now.signature_hash != anchor.signature_hash, now: Some(now) }
}

fn anchor_of(path: &str, text: &str, symbol: &Symbol) -> Anchor {
    let body = &text[symbol.span.start as usize..symbol.span.end as usize];
    let normal = normal(body, &symbol.name);
    Anchor {
        path: path.to_owned(),
        name: symbol.qualified_name.clone(),
        kind: symbol.kind.name().to_owned(),
        body_hash: ContentHash::of(normal.as_bytes()).to_string(),
        signature_hash: ContentHash::of(self::normal(signature(body), &symbol.name).as_bytes()).to_string(),
        body: body[..body.floor_char_boundary(MAX_BODY_BYTES)].to_owned(),
    }
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

    fn only(dir: &tempfile::TempDir, path: &str, name: &str) -> Anchor {
        anchors_in(dir.path(), path).into_iter().find(|anchor| anchor.name == name).unwrap()
    }

    #[test]
    fn a_symbol_is_fresh_until_what_it_does_changes() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.py", "def other():\n    pass\n\ndef retry(times):\n    return times + 1\n");
        let anchor = only(&dir, "a.py", "retry");
        assert_eq!(look(dir.path(), &anchor, &[]).state, AnchorState::Fresh);
        write(&dir, "a.py", "import os\n\ndef retry( times ):\n    return times  +  1\n");
        assert_eq!(look(dir.path(), &anchor, &[]).state, AnchorState::Fresh);
        write(&dir, "a.py", "def retry(times):\n    return times + 2\n");
        let looked = look(dir.path(), &anchor, &[]);
        assert_eq!((looked.state, looked.is_signature_changed), (AnchorState::Changed, false));
        assert!(looked.now.unwrap().body.contains("+ 2"));
        write(&dir, "a.py", "def retry(times, pause):\n    return times + 2\n");
        assert!(look(dir.path(), &anchor, &[]).is_signature_changed);
    }

    #[test]
    fn a_symbol_is_found_where_it_went_and_missed_where_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.rs", "pub fn verify(token: &str) -> bool {\n    token.len() > 3\n}\n");
        let anchor = only(&dir, "a.rs", "verify");
        write(&dir, "b.rs", "fn verify(token: &str) -> bool { token.len() > 4 }\n");
        write(
            &dir,
            "c.rs",
            "mod auth {\n    pub fn verify(token: &str) -> bool {\n        token.len() > 3\n    }\n}\n",
        );
        std::fs::remove_file(dir.path().join("a.rs")).unwrap();
        let elsewhere = ["b.rs".to_owned(), "c.rs".to_owned()];
        let looked = look(dir.path(), &anchor, &elsewhere);
        assert_eq!((looked.state, looked.now.unwrap().path.as_str()), (AnchorState::Moved, "c.rs"));
        assert_eq!(look(dir.path(), &anchor, &elsewhere[..1]).state, AnchorState::Changed);
        assert_eq!(look(dir.path(), &anchor, &[]).state, AnchorState::Orphan);
        write(&dir, "a.rs", "pub fn check(token: &str) -> bool {\n    token.len() > 3\n}\n");
        let looked = look(dir.path(), &anchor, &[]);
        assert_eq!((looked.state, looked.now.unwrap().name.as_str()), (AnchorState::Moved, "check"));
    }
}
