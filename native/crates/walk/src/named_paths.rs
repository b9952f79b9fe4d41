//! Walks a few named entries instead of everything.

use std::collections::BTreeSet;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;

use super::entry::Walk;
use super::rules::Rules;
use super::skip::{Skip, SkipReason};
use super::tree::{look, walk_below};
use super::{path, stat};

/// Those of `paths` that don't lie below another of them, in order.
pub fn topmost(paths: &[String]) -> Vec<String> {
    let all: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let lies_below_another = |path: &str| {
        std::iter::successors(Some(path::parent(path)), |above| Some(path::parent(above)))
            .take_while(|above| !above.is_empty())
            .any(|above| all.contains(above))
    };
    all.iter().filter(|path| !lies_below_another(path)).map(|path| (*path).to_owned()).collect()
}

/// What a walk would find at `paths` and below: files, folders, or nothing where something has been. None of them may
/// lie below another. The ignore files above them are read again.
pub fn walk_named(rules: &Rules, paths: &[String], cancel: &CancelToken) -> Result<Walk> {
    rules.refresh();
    let mut walk = Walk::default();
    for path in paths {
        cancel.check()?;
        let place = path::absolute(rules.root(), path);
        let Some(kind) = stat::kind_of(rules.root(), path) else { continue };
        if let Some((reason, detail)) = rules.explain(path, &place, kind.is_dir()) {
            if !matches!(reason, SkipReason::Ignored | SkipReason::Internal) {
                walk.skipped.push(Skip::new(path.clone(), reason, detail));
            }
        } else if kind.is_dir() {
            // A folder that went away, or can't be listed, holds nothing that could be indexed.
            if let Ok(mut below) = walk_below(rules, path, cancel) {
                walk.files.append(&mut below.files);
                walk.skipped.append(&mut below.skipped);
            }
        } else {
            match look(rules.root(), &place, path.clone(), kind) {
                Ok(file) => walk.files.push(file),
                Err(skip) => walk.skipped.push(skip),
            }
        }
    }
    walk.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walk.skipped.sort_unstable();
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Sandbox;

    fn named(paths: &[&str]) -> Vec<String> {
        topmost(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_lies_below_another_is_named_already() {
        assert_eq!(named(&["b/c", "a", "b", "a/b/c", "ab", "a"]), ["a", "ab", "b"]);
    }

    #[test]
    fn named_entries_are_found_as_a_walk_finds_them() {
        let sandbox = Sandbox::new(&[
            (".gitignore", "*.log\nout/\n"),
            ("a.py", "x"),
            ("b.log", "x"),
            ("out/c.py", "x"),
            ("sub/d.py", "x"),
            ("sub/deep/e.py", "x"),
            ("sub/deep/id_rsa", "x"),
        ]);
        let rules = sandbox.rules();
        let paths = named(&["sub", "a.py", "b.log", "out", "out/c.py", "gone", "gone/too.py", "a.py/below"]);
        let walk = walk_named(&rules, &paths, &CancelToken::default()).unwrap();
        let found: Vec<&str> = walk.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, ["a.py", "sub/d.py", "sub/deep/e.py"]);
        assert_eq!(walk.skipped, sandbox.walk().skipped);
        let whole = sandbox.walk();
        assert!(walk.files.iter().all(|file| whole.files.contains(file)));
    }
}
