//! Tests of the walk: what is found and what is listed as left out.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Error;

use super::sandbox::Sandbox;
use super::skip::SkipReason;
use super::walk;

#[test]
fn files_come_in_order_of_their_bytes_with_what_they_look_like() {
    let sandbox =
        Sandbox::new(&[("b.rs", "12"), ("a/z.rs", "1"), ("a.rs", ""), ("Z.rs", ""), ("ä.rs", ""), ("empty/", "")]);
    let walk = sandbox.walk();
    assert_eq!(walk.paths(), ["Z.rs", "a.rs", "a/z.rs", "b.rs", "ä.rs"]);
    let file = &walk.files[3];
    let metadata = std::fs::metadata(sandbox.at("b.rs")).unwrap();
    let modified = metadata.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!((file.size, i128::from(file.mtime_ns)), (2, modified.as_nanos() as i128));
    assert_eq!(walk, sandbox.walk(), "equal trees give equal walks");
}

#[test]
fn book_keeping_is_neither_walked_nor_listed() {
    let sandbox = Sandbox::new(&[(".git/HEAD", ""), (".codecairn/index.db", ""), (".svn/entries", ""), ("a", "")]);
    let walk = sandbox.walk();
    assert_eq!((walk.paths(), walk.skips(), walk.ignored), (vec!["a"], vec![], 0));
}

/// Makes the folders of a bare repository in `folder`.
fn git_folder(folder: &str) -> Vec<(String, &'static str)> {
    let files =
        [("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n\tbare = true\n"), ("objects/", ""), ("refs/", "")];
    let hook = [("hooks/pre-commit.sample", "#!/bin/sh\n")];
    files.into_iter().chain(hook).map(|(path, text)| (format!("{folder}/{path}"), text)).collect()
}

#[test]
fn folder_that_a_file_named_dot_git_points_to_is_book_keeping() {
    for (folder, pointer) in [(".bare", "gitdir: ./.bare\n"), ("meta/store", "gitdir: meta/store"), ("repo.git", "")] {
        let sandbox = Sandbox::new(&[("a.py", ""), ("sub/b.py", "")]);
        for (path, text) in git_folder(folder) {
            sandbox.write(&path, text);
        }
        let absolute = format!("gitdir: {}\n", sandbox.at(folder).display());
        sandbox.write(".git", if pointer.is_empty() { &absolute } else { pointer });
        sandbox.write(&format!("{folder}/worktrees/feat/commondir"), "../..\n");
        sandbox.write("feat/.git", &format!("gitdir: {}/worktrees/feat\n", sandbox.at(folder).display()));
        sandbox.write("feat/a.py", "");
        let walk = sandbox.walk();
        assert_eq!(walk.paths(), ["a.py", "sub/b.py"], "{folder}");
        assert_eq!((walk.skips(), walk.ignored), (vec![("feat", SkipReason::NestedWorktree)], 0));
        let rules = sandbox.rules();
        assert_eq!(rules.decide(&format!("{folder}/config"), false), Some(SkipReason::Internal));
        assert!(crate::folders_below(&rules, "").iter().all(|below| !below.starts_with(folder)));
    }
}

#[test]
fn folder_with_a_part_of_what_git_keeps_is_walked() {
    let sandbox =
        Sandbox::new(&[(".git", "gitdir: ./src\n"), ("src/HEAD", ""), ("src/refs/a.py", ""), ("src/b.py", "")]);
    assert_eq!(sandbox.walk().paths(), ["src/HEAD", "src/b.py", "src/refs/a.py"]);
}

#[test]
fn submodules_are_walked_and_linked_worktrees_are_not() {
    let sandbox = Sandbox::new(&[
        (".git/HEAD", ""),
        (".git/modules/sub/HEAD", ""),
        (".git/worktrees/side/commondir", "../..\n"),
        ("sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("sub/a.rs", ""),
        ("trees/side/.git", "gitdir: ../../.git/worktrees/side\n"),
        ("trees/side/a.rs", ""),
        ("other/.codecairn/index.db", ""),
        ("other/a.rs", ""),
    ]);
    let walk = sandbox.walk();
    assert_eq!(walk.paths(), ["other/a.rs", "sub/a.rs"]);
    let expected = [("other/.codecairn", SkipReason::NestedStore), ("trees/side", SkipReason::NestedWorktree)];
    assert_eq!(walk.skips(), expected);
}

#[test]
fn a_linked_worktree_as_root_is_walked_under_the_shared_excludes() {
    let sandbox = Sandbox::new(&[
        ("main/.git/info/exclude", "private\n"),
        ("main/.git/worktrees/side/commondir", "../..\n"),
        ("side/.git", "gitdir: ../main/.git/worktrees/side\n"),
        ("side/a.rs", ""),
        ("side/private", ""),
    ]);
    let root = sandbox.at("side");
    let options = super::RuleOptions { include: Vec::new(), exclude: Vec::new(), global_excludes: None };
    let rules = super::Rules::new(&root, &options).unwrap();
    let walk = walk(&root, &rules, &CancelToken::default()).unwrap();
    assert_eq!((walk.paths(), walk.ignored), (vec!["a.rs"], 1));
}

#[test]
fn a_file_that_is_too_large_is_listed_by_size_alone() {
    let sandbox = Sandbox::new(&[("dump.sql", "")]);
    std::fs::File::options().write(true).open(sandbox.at("dump.sql")).unwrap().set_len(super::MAX_FILE_BYTES).unwrap();
    assert_eq!(sandbox.walk().skips(), [("dump.sql", SkipReason::TooLarge)]);
}

#[test]
fn a_walk_needs_its_root_and_can_be_cancelled() {
    let sandbox = Sandbox::new(&[("a/b.rs", "")]);
    let rules = sandbox.rules();
    assert!(matches!(walk(&sandbox.at("a"), &rules, &CancelToken::default()), Err(Error::BadRoot { .. })));
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(walk(sandbox.root(), &rules, &cancel), Err(Error::Cancelled)));
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    assert!(matches!(walk(sandbox.root(), &rules, &CancelToken::default()), Err(Error::BadRoot { .. })));
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn links_are_explained_and_never_followed() {
        let sandbox = Sandbox::new(&[("w/a.rs", ""), ("w/dir/b.rs", ""), ("outside/c.rs", "")]);
        let links = [
            ("w/inside", "a.rs"),
            ("w/loop", "."),
            ("w/folder", "dir"),
            ("w/outside", "../outside/c.rs"),
            ("w/up", ".."),
            ("w/broken", "nowhere"),
            ("w/self", "self"),
        ];
        for (link, target) in links {
            symlink(target, sandbox.at(link)).unwrap();
        }
        let root = sandbox.at("w");
        let options = super::super::RuleOptions { include: Vec::new(), exclude: Vec::new(), global_excludes: None };
        let rules = super::super::Rules::new(&root, &options).unwrap();
        let walk = walk(&root, &rules, &CancelToken::default()).unwrap();
        assert_eq!(walk.paths(), ["a.rs", "dir/b.rs"]);
        assert_eq!(
            walk.skips(),
            [
                ("broken", SkipReason::BrokenSymlink),
                ("folder", SkipReason::Symlink),
                ("inside", SkipReason::Symlink),
                ("loop", SkipReason::Symlink),
                ("outside", SkipReason::OutsideWorkspace),
                ("self", SkipReason::BrokenSymlink),
                ("up", SkipReason::OutsideWorkspace),
            ]
        );
        assert_eq!(walk.skipped[2].detail, "a link to a.rs");
    }

    #[test]
    fn names_that_are_no_unicode_are_listed() {
        let sandbox = Sandbox::new(&[("a", "")]);
        let name = OsStr::from_bytes(b"caf\xe9");
        // Some file systems take only Unicode; there, nothing is to be tested.
        if std::fs::write(sandbox.root().join(name), "").is_ok() {
            assert_eq!(sandbox.walk().skips(), [("caf\u{fffd}", SkipReason::UnreadableName)]);
            std::fs::create_dir(sandbox.root().join(OsStr::from_bytes(b"d\xff"))).unwrap();
            assert_eq!(sandbox.walk().skipped.len(), 2);
        }
    }

    #[test]
    fn sockets_and_the_like_are_listed() {
        let sandbox = Sandbox::new(&[("a", "")]);
        let _listener = UnixListener::bind(sandbox.at("socket")).unwrap();
        assert_eq!(sandbox.walk().skips(), [("socket", SkipReason::Special)]);
    }

    #[test]
    fn a_folder_that_may_not_be_listed_is_a_skip() {
        let sandbox = Sandbox::new(&[("closed/a.rs", ""), ("b.rs", "")]);
        std::fs::set_permissions(sandbox.at("closed"), PermissionsExt::from_mode(0o000)).unwrap();
        let may_list_anyway = std::fs::read_dir(sandbox.at("closed")).is_ok(); // root may
        let walk = sandbox.walk();
        std::fs::set_permissions(sandbox.at("closed"), PermissionsExt::from_mode(0o700)).unwrap();
        if !may_list_anyway {
            assert_eq!((walk.paths(), walk.skips()), (vec!["b.rs"], vec![("closed", SkipReason::Unreadable)]));
        }
    }
}
