//! Tests of the rules: which entries belong to the index.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Error;

use super::git_index::index_of;
use super::rules::{RuleOptions, Rules};
use super::sandbox::Sandbox;
use super::skip::SkipReason;
use super::walk;

fn walked(sandbox: &Sandbox, rules: &Rules) -> Vec<String> {
    walk(sandbox.root(), rules, &CancelToken::default()).unwrap().files.into_iter().map(|file| file.path).collect()
}

#[test]
fn nested_ignore_files_hold_below_their_folder() {
    let sandbox = Sandbox::new(&[
        (".gitignore", "*.log\n/build/\n"),
        ("a.log", ""),
        ("build/a.rs", ""),
        ("src/build/b.rs", ""),
        ("src/.gitignore", "!keep.log\n/only_here.rs\n"),
        ("src/keep.log", ""),
        ("src/drop.log", ""),
        ("src/only_here.rs", ""),
        ("src/deep/only_here.rs", ""),
    ]);
    let walk = sandbox.walk();
    assert_eq!(
        walk.paths(),
        [".gitignore", "src/.gitignore", "src/build/b.rs", "src/deep/only_here.rs", "src/keep.log"]
    );
    assert_eq!((walk.ignored, walk.skipped.len()), (4, 0), "a folder counts once");
}

#[test]
fn hidden_files_are_walked_and_git_needs_no_repository() {
    let sandbox = Sandbox::new(&[(".github/workflows/ci.yml", ""), (".hidden", ""), (".gitignore", "x\n"), ("x", "")]);
    assert_eq!(sandbox.walk().paths(), [".github/workflows/ci.yml", ".gitignore", ".hidden"]);
}

#[test]
fn kinds_of_ignore_files_have_an_order() {
    let sandbox = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/info/exclude", "a\nb\nc\nd\n"),
        (".gitignore", "!a\nb\n"),
        (".ignore", "!b\nc\n"),
        (".codecairnignore", "!c\n"),
        ("a", ""),
        ("b", ""),
        ("c", ""),
        ("d", ""),
    ]);
    assert_eq!(sandbox.walk().paths(), [".codecairnignore", ".gitignore", ".ignore", "a", "b", "c"]);
}

/// A sandbox that is a repository in which git tracks some files.
fn tracking(files: &[(&str, &str)], tracked: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(files);
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    std::fs::write(sandbox.at(".git/index"), index_of(tracked)).unwrap();
    sandbox
}

#[test]
fn gits_rules_are_about_what_git_does_not_track() {
    let sandbox = tracking(
        &[
            (".git/info/exclude", "by_exclude.rs\n"),
            (".gitignore", "*runner.py\n/data/\n"),
            ("contrib/runner.py", ""),
            ("contrib/my_runner.py", ""),
            ("by_exclude.rs", ""),
            ("data/kept.json", ""),
            ("data/cache.json", ""),
            ("data/.gitignore", "!cache.json\n"),
            ("data/deep/er/kept.rs", ""),
            ("data/deep/other.rs", ""),
            ("data/none/other.rs", ""),
        ],
        &["by_exclude.rs", "contrib/runner.py", "data/deep/er/kept.rs", "data/kept.json"],
    );
    let walk = sandbox.walk();
    assert_eq!(
        walk.paths(),
        [".gitignore", "by_exclude.rs", "contrib/runner.py", "data/deep/er/kept.rs", "data/kept.json"]
    );
    let rules = sandbox.rules();
    for (path, is_dir) in [("data", true), ("data/deep", true), ("data/deep/er", true), ("data/kept.json", false)] {
        assert_eq!(rules.decide(path, is_dir), None, "{path}");
    }
    for (path, is_dir) in [("data/cache.json", false), ("data/none", true), ("data/none/other.rs", false)] {
        assert_eq!(rules.decide(path, is_dir), Some(SkipReason::Ignored), "{path}");
    }
}

#[test]
fn other_rules_hold_for_what_git_tracks_too() {
    let files = [
        (".gitignore", "/data/\n"),
        (".ignore", "data/large.json\n"),
        (".codecairnignore", "data/secret/\n"),
        ("data/large.json", ""),
        ("data/secret/a.rs", ""),
        ("data/id_rsa", ""),
        ("data/b.rs", ""),
        ("data/c.rs", ""),
    ];
    let sandbox = tracking(&files, &["data/b.rs", "data/c.rs", "data/id_rsa", "data/large.json", "data/secret/a.rs"]);
    let own = [".codecairnignore", ".gitignore", ".ignore"];
    assert_eq!(sandbox.walk().paths(), [&own[..], &["data/b.rs", "data/c.rs"]].concat());
    assert_eq!(sandbox.walk().skips(), [("data/id_rsa", SkipReason::Secret)]);
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&[], &["data/b.rs"])), [&own[..], &["data/c.rs"]].concat());
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&[], &["data/"])), own);
}

#[test]
fn a_changed_index_holds_from_the_next_walk_on() {
    let sandbox = tracking(&[(".gitignore", "*.log\n"), ("a.log", ""), ("b.log", "")], &["a.log"]);
    let rules = sandbox.rules();
    assert_eq!(walked(&sandbox, &rules), [".gitignore", "a.log"]);
    std::fs::write(sandbox.at(".git/index"), index_of(&["a.log", "b.log"])).unwrap();
    assert_eq!(walked(&sandbox, &rules), [".gitignore", "a.log", "b.log"]);
}

#[test]
fn a_nested_repository_has_rules_of_its_own() {
    let sandbox = Sandbox::new(&[
        (".git/HEAD", ""),
        (".gitignore", "*.gen\n"),
        (".ignore", "*.tmp\n"),
        ("sub/.git/HEAD", ""),
        ("sub/.git/info/exclude", "private\n"),
        ("sub/a.gen", ""),
        ("sub/a.tmp", ""),
        ("sub/private", ""),
        ("private", ""),
    ]);
    assert_eq!(sandbox.walk().paths(), [".gitignore", ".ignore", "private", "sub/a.gen"]);
}

#[test]
fn rules_above_the_root_hold_inside_a_repository_only() {
    let sandbox = Sandbox::new(&[
        ("outside/.gitignore", "*.rs\n"),
        ("outside/repo/.git/HEAD", ""),
        ("outside/repo/.gitignore", "*.log\nnamed/\n"),
        ("outside/repo/app/a.rs", ""),
        ("outside/repo/app/a.log", ""),
        ("outside/repo/named/a.log", ""),
    ]);
    let below = |folder: &str| {
        let root = sandbox.at(folder);
        let options = RuleOptions { include: Vec::new(), exclude: Vec::new(), global_excludes: None };
        let rules = Rules::new(&root, &options).unwrap();
        walk(&root, &rules, &CancelToken::default()).unwrap().paths().join(" ")
    };
    assert_eq!(below("outside/repo/app"), "a.rs");
    assert_eq!(below("outside/repo/named"), "a.log", "a named folder is listed although it is ignored");
}

#[test]
fn exclude_globs_come_first_and_negation_takes_in() {
    let sandbox = Sandbox::new(&[
        (".gitignore", "dist/\n"),
        ("dist/app.js", ""),
        ("dist/Cargo.lock", ""),
        (".env", ""),
        ("docs/a.md", ""),
        ("src/a.rs", ""),
    ]);
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&[], &["docs/"])), [".gitignore", "src/a.rs"]);
    assert_eq!(
        walked(&sandbox, &sandbox.rules_with(&[], &["!dist/", "!.env", "src"])),
        [".env", ".gitignore", "dist/app.js", "docs/a.md"]
    );
}

#[test]
fn include_globs_leave_only_what_they_match() {
    let sandbox = Sandbox::new(&[("src/a.rs", ""), ("src/deep/b.py", ""), ("c.py", ""), ("docs/d.md", "")]);
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&["*.py"], &[])), ["c.py", "src/deep/b.py"]);
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&["/src/"], &["*.rs"])), ["src/deep/b.py"]);
    assert_eq!(walked(&sandbox, &sandbox.rules_with(&["src", "!deep"], &[])), ["src/a.rs"]);
}

#[test]
fn global_excludes_come_last() {
    let sandbox =
        Sandbox::new(&[("global", "*.swp\n*.bak\n"), ("w/.gitignore", "!a.bak\n"), ("w/a.bak", ""), ("w/a.swp", "")]);
    let global_excludes = Some(sandbox.at("global"));
    let options = RuleOptions { include: Vec::new(), exclude: Vec::new(), global_excludes };
    let rules = Rules::new(&sandbox.at("w"), &options).unwrap();
    assert_eq!(rules.decide("a.swp", false), Some(SkipReason::Ignored));
    assert_eq!(rules.decide("a.bak", false), None);
}

#[test]
fn secrets_are_listed_unless_ignored_or_asked_for() {
    let sandbox = Sandbox::new(&[
        (".codecairnignore", "!test.pem\n"),
        (".gitignore", "ignored.pem\n!.env\n"),
        (".env", ""),
        ("ignored.pem", ""),
        ("test.pem", ""),
        ("yarn.lock", ""),
    ]);
    let walk = sandbox.walk();
    assert_eq!(walk.paths(), [".codecairnignore", ".gitignore", "test.pem"]);
    assert_eq!(walk.skips(), [(".env", SkipReason::Secret), ("yarn.lock", SkipReason::Generated)]);
}

#[test]
fn an_ignore_file_with_bad_lines_keeps_its_good_ones() {
    let sandbox = Sandbox::new(&[("a", ""), ("b", ""), ("c", "")]);
    std::fs::write(sandbox.at(".gitignore"), b"\xef\xbb\xbfa\r\n# caf\xe9\n[z-a]\nb\n").unwrap();
    assert_eq!(sandbox.walk().paths(), [".gitignore", "c"]);
}

#[test]
fn single_paths_are_decided_like_their_folders() {
    let sandbox = Sandbox::new(&[(".gitignore", "target/\n"), ("target/deep/a.rs", ""), ("src/a.rs", "")]);
    let rules = sandbox.rules();
    assert_eq!(rules.decide("target", true), Some(SkipReason::Ignored));
    assert_eq!(rules.decide("target/deep/a.rs", false), Some(SkipReason::Ignored));
    assert_eq!(rules.decide("target", false), None, "the rule is for folders");
    assert_eq!(rules.decide("src/not/yet/there.rs", false), None);
    assert_eq!(rules.decide(".git/index", false), Some(SkipReason::Internal));
    assert_eq!(rules.decide(".codecairn/index.db", false), Some(SkipReason::Internal));
    assert_eq!(rules.decide("sub/.codecairn/index.db", false), Some(SkipReason::NestedStore));
    assert_eq!(rules.decide("src/.env", false), Some(SkipReason::Secret));
    assert_eq!(rules.decide("../a", false), Some(SkipReason::OutsideWorkspace));
    assert_eq!(rules.decide("", true), None);
}

#[test]
fn changed_rules_are_seen_after_a_refresh() {
    let sandbox = Sandbox::new(&[("a.rs", "")]);
    let rules = sandbox.rules();
    assert_eq!(rules.decide("a.rs", false), None);
    sandbox.write(".gitignore", "a.rs\n");
    assert_eq!(rules.decide("a.rs", false), None, "what was read is remembered");
    rules.refresh();
    assert_eq!(rules.decide("a.rs", false), Some(SkipReason::Ignored));
    for path in [".gitignore", "a/.ignore", ".codecairnignore", "sub/.git", ".git/info/exclude"] {
        assert!(Rules::is_rule_file(path), "{path}");
    }
    assert!(!Rules::is_rule_file("gitignore") && !Rules::is_rule_file(".git/index"));
}

#[test]
fn bad_roots_and_bad_globs_are_errors() {
    let sandbox = Sandbox::new(&[("file", "")]);
    let options =
        |exclude: &str| RuleOptions { include: Vec::new(), exclude: vec![exclude.to_owned()], global_excludes: None };
    assert!(matches!(Rules::new(&sandbox.at("gone"), &options("a")), Err(Error::BadRoot { .. })));
    assert!(matches!(Rules::new(&sandbox.at("file"), &options("a")), Err(Error::BadRoot { .. })));
    let error = Rules::new(sandbox.root(), &options("[z-a]")).unwrap_err();
    assert!(matches!(&error, Error::InvalidArgument(message) if message.contains("`[z-a]`")), "{error}");
}

#[test]
fn rules_whose_automaton_takes_long_to_build_are_not_read() {
    let costly = format!("{}\n", "*a".repeat(40)).repeat(3_000);
    let part = format!("{}\n", "?[ab]".repeat(40)).repeat(250);
    let mut files = vec![(".gitignore", costly.as_str()), (".ignore", "x\n"), ("x", ""), ("src/a", "")];
    let folders: Vec<String> = (0..20).map(|folder| format!("src/{folder}/.gitignore")).collect();
    files.extend(folders.iter().map(|path| (path.as_str(), part.as_str())));
    let walk = Sandbox::new(&files).walk();
    assert!(walk.paths().contains(&"src/a") && !walk.paths().contains(&"x"));
    let refused: Vec<_> = walk.skipped.iter().filter(|skip| skip.detail.contains("too many wildcards")).collect();
    assert!(refused.iter().any(|skip| skip.path == ".gitignore"));
    assert!((2..20).contains(&refused.len()), "as many are read as there is room for: {}", refused.len());
}
