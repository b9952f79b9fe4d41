//! The walk and the decision about a single path agree on random trees.

use std::collections::BTreeSet;

use proptest::prelude::*;

use codecairn_base::cancel::CancelToken;

use super::git_index::index_of;
use super::sandbox::Sandbox;
use super::skip::SkipReason;
use super::{RuleOptions, Rules, walk};

/// Names that rules, secrets and lists of formats have something to say about.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c.rs", "d.log", ".env", "x.pem", "e.png", "Cargo.lock", ".git", ".codecairn"])
}

fn rule() -> impl Strategy<Value = String> {
    let pattern = prop::sample::select(vec![
        "a",
        "/a",
        "a/",
        "b/",
        "*.rs",
        "*.log",
        "a/*",
        "**/b",
        "a/**/c.rs",
        "/b/c.rs",
        "*",
        "*.pem",
        ".env",
        "[ab]",
        "# a",
        "",
    ]);
    (any::<bool>(), pattern)
        .prop_map(|(is_negated, pattern)| if is_negated { format!("!{pattern}") } else { pattern.to_owned() })
}

/// Folder names from the root, a file name, and the rules of an ignore file in its folder, if any.
type Place = (Vec<&'static str>, &'static str, Option<(&'static str, Vec<String>)>);

fn place() -> impl Strategy<Value = Place> {
    let ignore_file = prop::sample::select(vec![".gitignore", ".ignore", ".codecairnignore"]);
    let rules = prop::option::weighted(0.4, (ignore_file, prop::collection::vec(rule(), 1..4)));
    (prop::collection::vec(name(), 0..4), name(), rules)
}

/// Builds what it can, some of it tracked by git: a name may be a file in one place and a folder in another.
fn build(places: &[(Place, bool)]) -> Sandbox {
    let sandbox = Sandbox::new(&[]);
    let mut tracked = Vec::new();
    for ((folders, file, rules), is_tracked) in places {
        let folder: String = folders.iter().flat_map(|name| [name, "/"]).collect();
        if *is_tracked {
            tracked.push(format!("{folder}{file}"));
        }
        if std::fs::create_dir_all(sandbox.at(&folder)).is_ok() {
            let _ = std::fs::write(sandbox.at(&format!("{folder}{file}")), "x");
            if let Some((name, lines)) = rules {
                let _ = std::fs::write(sandbox.at(&format!("{folder}{name}")), lines.join("\n"));
            }
        }
    }
    if !tracked.is_empty() && std::fs::create_dir_all(sandbox.at(".git")).is_ok() {
        let tracked: Vec<&str> = tracked.iter().map(String::as_str).collect();
        let _ = std::fs::write(sandbox.at(".git/HEAD"), "ref: refs/heads/main\n");
        let _ = std::fs::write(sandbox.at(".git/index"), index_of(&tracked));
    }
    sandbox
}

/// Every entry on disk, whether or not a rule lets it through, as path and whether it is a folder.
fn entries(sandbox: &Sandbox, folder: &str, into: &mut Vec<(String, bool)>) {
    for entry in std::fs::read_dir(sandbox.at(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}{}", entry.file_name().to_str().unwrap());
        let is_dir = entry.file_type().unwrap().is_dir();
        if is_dir {
            entries(sandbox, &format!("{path}/"), into);
        }
        into.push((path, is_dir));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn walk_and_decide_agree(
        places in prop::collection::vec((place(), any::<bool>()), 1..12),
        include in prop::collection::vec(rule(), 0..2),
        exclude in prop::collection::vec(rule(), 0..2),
    ) {
        let sandbox = build(&places);
        let options = RuleOptions { include, exclude, global_excludes: None };
        let walk = walk(sandbox.root(), &Rules::new(sandbox.root(), &options).unwrap(), &CancelToken::default()).unwrap();

        let mut all = Vec::new();
        entries(&sandbox, "", &mut all);
        let walked: BTreeSet<&str> = walk.files.iter().map(|file| file.path.as_str()).collect();
        // Asked of rules that know nothing from the walk, in the order of the file system.
        let rules = Rules::new(sandbox.root(), &options).unwrap();
        let mut ignored = 0;
        for (path, is_dir) in &all {
            let reason = rules.decide(path, *is_dir);
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let is_reached = rules.decide(parent, true).is_none();
            if !is_dir {
                prop_assert_eq!(reason.is_none(), walked.contains(path.as_str()), "{} {:?}", path, reason);
            }
            if is_reached && reason == Some(SkipReason::Ignored) {
                ignored += 1;
            }
            let is_listed = walk.skipped.iter().any(|skip| skip.path == *path && Some(skip.reason) == reason);
            let must_be_listed = is_reached
                && reason.is_some_and(|reason| !matches!(reason, SkipReason::Ignored | SkipReason::Internal));
            prop_assert_eq!(is_listed, must_be_listed, "{} {:?}", path, reason);
        }
        prop_assert_eq!(walk.ignored, ignored);
    }
}
