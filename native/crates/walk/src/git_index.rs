//! Reads which files git tracks, from the index of a working tree.
//!
//! Format: <https://git-scm.com/docs/index-format>, versions 2 to 4, with object names of SHA-1 or SHA-256. A split
//! index, whose entries lie in another file, and one that makes no sense count as an index without entries. Its checksum is
//! not verified: repositories may leave it out.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::contained_files::read_bounded;
use super::git::Repository;

/// Indexes up to this size are read: that is more than a million entries.
const MAX_INDEX_BYTES: u64 = 128 << 20;

/// The paths of an index may have this many bytes in all. Version 4 writes a path as the change from the last one, so a small
/// index could name paths of any size.
const MAX_PATH_BYTES: usize = 256 << 20;

/// Bytes of an entry before its object name: times, device, inode, mode, owner, size.
const STAT_BYTES: usize = 40;
const MODE_OFFSET: usize = 24;
/// The length of object names, by hash function.
const OBJECT_BYTES: [usize; 2] = [20, 32];
/// The bit of an entry's flags that announces two more bytes of flags.
const IS_EXTENDED: u16 = 0x4000;
/// The type of a file, in its mode.
const TYPE_MASK: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const SUBMODULE: u32 = 0o160_000;

/// What git tracks at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tracked {
    Nothing,
    File,
    /// Something below.
    Folder,
    Submodule,
}

/// The files that git tracks in one working tree, read when they are first asked for.
#[derive(Debug)]
pub(super) struct TrackedFiles {
    repository: Repository,
    entries: OnceLock<Entries>,
}

impl TrackedFiles {
    /// Of a repository.
    pub(super) fn of(repository: &Repository) -> Self {
        Self { repository: repository.clone(), entries: OnceLock::new() }
    }

    /// What git tracks at a place in the working tree.
    pub(super) fn find(&self, place: &Path) -> Tracked {
        let Some(path) = place.strip_prefix(&self.repository.top).ok().and_then(git_path) else {
            return Tracked::Nothing;
        };
        self.entries.get_or_init(|| read(&self.repository)).find(path.as_bytes())
    }
}

/// A path as git writes it; none if its bytes are not known.
fn git_path(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

fn read(repository: &Repository) -> Entries {
    // The index of a repository that does not know this working tree says nothing about it.
    let index: PathBuf = repository.git_dir.join("index");
    let bytes = if repository.is_mutual() { read_bounded(&index, MAX_INDEX_BYTES).ok() } else { None };
    bytes.and_then(|bytes| OBJECT_BYTES.iter().find_map(|&length| parse(&bytes, length))).unwrap_or_default()
}

/// The paths of an index, in order of their bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entries {
    /// The paths one after the other, and where each ends.
    paths: Vec<u8>,
    ends: Vec<usize>,
    /// The numbers of those that are submodules, in order.
    submodules: Vec<usize>,
}

impl Entries {
    fn path(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.paths[start..self.ends[number]]
    }

    /// The number of the first path that is not below `path`.
    fn first_from(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.path(middle) < path { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn find(&self, path: &[u8]) -> Tracked {
        let number = self.first_from(path);
        if number < self.ends.len() && self.path(number) == path {
            return if self.submodules.binary_search(&number).is_ok() { Tracked::Submodule } else { Tracked::File };
        }
        let below = [path, b"/"].concat();
        let number = self.first_from(&below);
        let is_above = number < self.ends.len() && self.path(number).starts_with(&below);
        if is_above { Tracked::Folder } else { Tracked::Nothing }
    }

    /// Appends a path; false if it does not follow the last one. Of a file with conflicts there are several entries.
    fn push(&mut self, path: &[u8], mode: u32) -> bool {
        if let Some(last) = self.ends.len().checked_sub(1) {
            match self.path(last).cmp(path) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Greater => return false,
            }
        }
        if mode & TYPE_MASK == SUBMODULE {
            self.submodules.push(self.ends.len());
        }
        self.paths.extend_from_slice(path);
        self.ends.push(self.paths.len());
        true
    }
}

/// The entries of an index with object names of a length; none if it is no such index.
fn parse(bytes: &[u8], object_bytes: usize) -> Option<Entries> {
    let (&header, mut rest) = bytes.split_first_chunk::<12>()?;
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (version, count) = (number(4), number(8));
    if &header[..4] != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut entries = Entries::default();
    let mut path = Vec::new();
    for _ in 0..count {
        let start = rest;
        let mode = u32::from_be_bytes(*rest.get(MODE_OFFSET..)?.first_chunk()?);
        let flags = u16::from_be_bytes(*rest.get(STAT_BYTES + object_bytes..)?.first_chunk()?);
        let is_extended = version > 2 && flags & IS_EXTENDED != 0;
        rest = rest.get(STAT_BYTES + object_bytes + 2 + 2 * usize::from(is_extended)..)?;
        // Version 4 leaves out what a path shares with the last one, and says how much of that one goes.
        if version == 4 {
            let cut;
            (cut, rest) = variable_length(rest)?;
            path.truncate(path.len().checked_sub(cut)?);
        } else {
            path.clear();
        }
        let end = rest.iter().position(|&byte| byte == 0)?;
        path.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        // Earlier versions pad entries to a multiple of eight bytes.
        if version < 4 {
            let length = start.len() - rest.len();
            rest = rest.get(length.next_multiple_of(8) - length..)?;
        }
        if entries.paths.len() + path.len() > MAX_PATH_BYTES {
            return None;
        }
        // A sparse index has folders, none of whose files are there.
        if mode & TYPE_MASK != FOLDER && !entries.push(&path, mode) {
            return None;
        }
    }
    // Extensions follow, and a checksum.
    while rest.len() > object_bytes {
        let (&[a, b, c, d], after) = rest.split_first_chunk()?;
        let (&length, after) = after.split_first_chunk()?;
        if [a, b, c, d] == *b"link" {
            return None;
        }
        rest = after.get(u32::from_be_bytes(length) as usize..)?;
    }
    (rest.len() == object_bytes).then_some(entries)
}

/// A number as git's packs write offsets, and what follows it.
fn variable_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    let (mut byte, mut value) = (first, usize::from(first & 0x7f));
    while byte & 0x80 != 0 {
        let (&next, after) = rest.split_first()?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(next & 0x7f))?;
        (byte, rest) = (next, after);
    }
    Some((value, rest))
}

/// An index with these files, as git writes it.
#[cfg(test)]
pub(super) fn index_of(paths: &[&str]) -> Vec<u8> {
    let paths: std::collections::BTreeSet<&[u8]> = paths.iter().map(|path| path.as_bytes()).collect();
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend((paths.len() as u32).to_be_bytes());
    for path in paths {
        let mut entry = vec![0; STAT_BYTES + OBJECT_BYTES[0] + 2];
        entry[MODE_OFFSET..MODE_OFFSET + 4].copy_from_slice(&0o100_644u32.to_be_bytes());
        entry.extend(path);
        entry.resize((entry.len() + 1).next_multiple_of(8), 0);
        bytes.extend(entry);
    }
    bytes.extend([0; OBJECT_BYTES[0]]);
    bytes
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// Runs git in a folder, without the user's configuration.
    fn git(folder: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        let output = command
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    const PATHS: [&str; 6] = ["a", "a.b/c", "a/b", "deep/er/file", "deep/er/file.txt", "é"];

    fn repository(options: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &[&["init", "-q"], options].concat());
        for path in PATHS.iter().filter(|path| **path != "a") {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), *path).unwrap();
        }
        git(&root, &["add", "-A"]);
        (folder, root)
    }

    #[test]
    fn each_version_of_the_format_is_read_as_git_writes_it() {
        for options in [&[][..], &["--object-format=sha256"]] {
            let (_folder, root) = repository(options);
            for version in ["2", "3", "4"] {
                git(&root, &["update-index", "--index-version", version]);
                // Version 3 is written only where an entry needs it.
                let marked = if version == "3" { "--skip-worktree" } else { "--no-skip-worktree" };
                git(&root, &["update-index", marked, "a/b"]);
                let tracked = TrackedFiles::of(&Repository::at(&root).unwrap());
                let find = |path: &str| tracked.find(&root.join(path));
                for path in &PATHS[1..] {
                    assert_eq!(find(path), Tracked::File, "{path} in version {version}");
                }
                for path in ["a", "a.b", "deep", "deep/er"] {
                    assert_eq!(find(path), Tracked::Folder, "{path} in version {version}");
                }
                for path in ["b", "a/", "a/b/c", "deep/e", "deep/er/fil", "deep/er/file.txt2"] {
                    let expected = if path == "a/" { Tracked::Folder } else { Tracked::Nothing };
                    assert_eq!(find(path), expected, "{path} in version {version}");
                }
            }
        }
    }

    #[test]
    fn a_written_index_is_read() {
        let entries = parse(&index_of(&PATHS), OBJECT_BYTES[0]).unwrap();
        assert!(PATHS.iter().all(|path| entries.find(path.as_bytes()) == Tracked::File));
        assert_eq!(entries.ends.len(), PATHS.len());
    }

    #[test]
    fn submodules_are_told_from_files_and_conflicts_are_one_file() {
        let (_folder, root) = repository(&[]);
        let (_other, inner) = repository(&[]);
        git(&inner, &["commit", "-qm", "first"]);
        git(&root, &["submodule", "add", "-q", &inner.to_string_lossy(), "deep/sub"]);
        git(&root, &["commit", "-qm", "first"]);
        for (branch, text) in [("one", "1"), ("two", "2")] {
            git(&root, &["checkout", "-q", "-b", branch, "HEAD"]);
            std::fs::write(root.join("a/b"), text).unwrap();
            git(&root, &["commit", "-qam", branch]);
            if branch == "one" {
                git(&root, &["checkout", "-q", "HEAD~1"]);
            }
        }
        let merged = Command::new("git").current_dir(&root).args(["merge", "-q", "one"]).output().unwrap();
        assert!(!merged.status.success());
        let tracked = TrackedFiles::of(&Repository::at(&root).unwrap());
        assert_eq!(tracked.find(&root.join("deep/sub")), Tracked::Submodule);
        assert_eq!(tracked.find(&root.join("deep/sub/a/b")), Tracked::Nothing);
        assert_eq!(tracked.find(&root.join("a/b")), Tracked::File);
        let inside = TrackedFiles::of(&Repository::at(&root.join("deep/sub")).unwrap());
        assert_eq!(inside.find(&root.join("deep/sub/a/b")), Tracked::File);
    }

    #[test]
    fn an_index_that_cannot_be_read_has_no_entries() {
        let (_folder, root) = repository(&[]);
        let index = root.join(".git/index");
        let whole = std::fs::read(&index).unwrap();
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length], 20), None, "{length} of {} bytes", whole.len());
        }
        let find = || TrackedFiles::of(&Repository::at(&root).unwrap()).find(&root.join("a/b"));
        assert_eq!(find(), Tracked::File);
        git(&root, &["update-index", "--split-index"]);
        assert_eq!(find(), Tracked::Nothing);
        std::fs::remove_file(&index).unwrap();
        assert_eq!(find(), Tracked::Nothing);
    }

    #[test]
    fn a_small_index_does_not_name_paths_without_limit() {
        const COUNT: u32 = 1 << 9;
        let mut bytes = b"DIRC\0\0\0\x04".to_vec();
        bytes.extend(COUNT.to_be_bytes());
        for number in 0..COUNT {
            bytes.extend([0; STAT_BYTES + OBJECT_BYTES[0] + 2]);
            // Nothing of the last path goes, and a little comes: each is longer than the one before.
            bytes.push(0);
            bytes.extend(vec![b'a'; if number == 0 { 1 << 20 } else { 1 }]);
            bytes.push(0);
        }
        bytes.extend([0; OBJECT_BYTES[0]]);
        assert!(bytes.len() < 2 << 20);
        assert_eq!(parse(&bytes, OBJECT_BYTES[0]), None);
    }

    #[test]
    fn a_repository_that_does_not_know_the_folder_says_nothing_about_it() {
        let (_folder, root) = repository(&[]);
        let claimed = tempfile::tempdir().unwrap();
        let claimed = claimed.path().canonicalize().unwrap();
        std::fs::write(claimed.join(".git"), format!("gitdir: {}\n", root.join(".git").display())).unwrap();
        let repository = Repository::at(&claimed).unwrap();
        assert_eq!(TrackedFiles::of(&repository).find(&claimed.join("a/b")), Tracked::Nothing);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            bytes in prop::collection::vec(any::<u8>(), 0..400), version in 0u8..6, count in any::<u8>(),
        ) {
            let header = [b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, count];
            for length in OBJECT_BYTES {
                if let Some(entries) = parse(&[&header[..], &bytes].concat(), length) {
                    prop_assert!((0..entries.ends.len()).all(|at| entries.find(entries.path(at)) != Tracked::Nothing));
                }
            }
        }
    }
}
