//! Anchors that are no symbols: a whole file, and a line outside of all symbols.

use std::path::Path;

use codecairn_base::hash::ContentHash;
use codecairn_syntax::chunk::Extractor;
use codecairn_walk::{SkipReason, read_source};

use super::symbols::{body_of, hashes_of};
use super::{Anchor, AnchorState, AnchorStatus, FILE, LINE};

/// The file at `path` as an anchor; none if there is no such file below `root`, or it is no text.
pub fn file_anchor(root: &Path, path: &str) -> Option<Anchor> {
    let source = read_source(root, path).ok()?;
    let comments = Extractor::new().extract(&source.text, source.language).syntax.comments;
    let [body_hash, signature_hash] = hashes_of(&source.text, &comments);
    let body = body_of(&source.text).to_owned();
    Some(Anchor { path: path.to_owned(), kind: FILE.to_owned(), body_hash, signature_hash, body, ..Anchor::default() })
}

/// A line of the file at `path` as an anchor, counted from 1; none if there is no such line or it is blank.
pub fn line_anchor(root: &Path, path: &str, line: usize) -> Option<Anchor> {
    let source = read_source(root, path).ok()?;
    let text = source.text.lines().nth(line.checked_sub(1)?)?.trim();
    (!text.is_empty()).then(|| Anchor {
        path: path.to_owned(),
        name: line.to_string(),
        kind: LINE.to_owned(),
        body_hash: line_hash(text),
        signature_hash: String::new(),
        body: body_of(text).to_owned(),
    })
}

/// Determines the state of a file. `elsewhere` are other files that it may have been renamed to.
pub(super) fn look_at_file(root: &Path, anchor: &Anchor, elsewhere: &[String]) -> AnchorStatus {
    if let Some(now) = file_anchor(root, &anchor.path) {
        let state = if now.body_hash == anchor.body_hash { AnchorState::Fresh } else { AnchorState::Changed };
        return AnchorStatus::found(state, now);
    }
    let renamed = elsewhere.iter().filter_map(|path| file_anchor(root, path));
    let mut renamed = renamed.filter(|now| now.body_hash == anchor.body_hash);
    match (renamed.next(), renamed.next()) {
        (Some(now), None) => AnchorStatus::found(AnchorState::Moved, now),
        _ => AnchorStatus::missing(root, anchor),
    }
}

/// Determines the state of a line: it is fresh wherever it stands in its file, and changed when it is not there.
pub(super) fn look_at_line(root: &Path, anchor: &Anchor) -> AnchorStatus {
    let Ok(source) = read_source(root, &anchor.path) else { return AnchorStatus::missing(root, anchor) };
    if source.text.lines().any(|line| line_hash(line) == anchor.body_hash) {
        return AnchorStatus::found(AnchorState::Fresh, anchor.clone());
    }
    AnchorStatus::found(AnchorState::Changed, Anchor { body: String::new(), ..anchor.clone() })
}

/// Whether a file can be read or does not exist: one that is there and can't be read may still contain everything.
pub(super) fn is_readable_or_gone(root: &Path, path: &str) -> bool {
    read_source(root, path).map_or_else(|skip| skip.reason == SkipReason::Vanished, |_| true)
}

fn line_hash(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    ContentHash::of(words.join(" ").as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::state_of;
    use super::*;

    fn write(dir: &tempfile::TempDir, path: &str, text: &str) {
        std::fs::write(dir.path().join(path), text).unwrap();
    }

    fn state(dir: &tempfile::TempDir, anchor: &Anchor, elsewhere: &[&str]) -> AnchorState {
        let elsewhere: Vec<String> = elsewhere.iter().map(|path| (*path).to_owned()).collect();
        state_of(dir.path(), anchor, &elsewhere).state
    }

    #[test]
    fn a_file_is_fresh_until_more_than_its_layout_changes() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.toml", "[server]\nport = 80\n");
        let anchor = file_anchor(dir.path(), "a.toml").unwrap();
        write(&dir, "a.toml", "# The server.\n[server]\n\nport  = 80\n");
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Fresh);
        write(&dir, "a.toml", "[server]\nport = 81\n");
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Changed);
    }

    #[test]
    fn a_file_is_followed_to_its_only_copy() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.md", "# Ports\n\nOne port per server.\n");
        let anchor = file_anchor(dir.path(), "a.md").unwrap();
        std::fs::remove_file(dir.path().join("a.md")).unwrap();
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Orphan);
        write(&dir, "b.md", &anchor.body);
        write(&dir, "c.md", "# Other\n");
        assert_eq!(state(&dir, &anchor, &["b.md", "c.md"]), AnchorState::Moved);
        write(&dir, "c.md", &anchor.body);
        assert_eq!(state(&dir, &anchor, &["b.md", "c.md"]), AnchorState::Orphan);
    }

    #[test]
    fn a_line_is_fresh_wherever_it_stands_in_its_file() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.txt", "one\n\n  two  three\n");
        assert_eq!(line_anchor(dir.path(), "a.txt", 2), None);
        assert_eq!(line_anchor(dir.path(), "a.txt", 4), None);
        let anchor = line_anchor(dir.path(), "a.txt", 3).unwrap();
        assert_eq!((anchor.name.as_str(), anchor.body.as_str()), ("3", "two  three"));
        write(&dir, "a.txt", "zero\none\ntwo three\n");
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Fresh);
        write(&dir, "a.txt", "one\n");
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Changed);
        std::fs::remove_file(dir.path().join("a.txt")).unwrap();
        assert_eq!(state(&dir, &anchor, &[]), AnchorState::Orphan);
    }

    #[test]
    fn what_a_file_holds_that_cannot_be_read_is_not_gone() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "a.py", "def load():\n    return 1\n");
        let whole = file_anchor(dir.path(), "a.py").unwrap();
        let line = line_anchor(dir.path(), "a.py", 2).unwrap();
        let symbol = super::super::definitions_in(dir.path(), "a.py").remove(0).anchor;
        std::fs::write(dir.path().join("a.py"), b"\x00\x01\x02\xff".repeat(99)).unwrap();
        for anchor in [whole, line, symbol] {
            assert_eq!(state(&dir, &anchor, &[]), AnchorState::Unchecked, "{}", anchor.kind);
        }
    }
}
