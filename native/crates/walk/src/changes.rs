//! Decides which files must be read, by merging the sorted walk with the stat cache: linear in both.

use std::collections::BTreeMap;

use codecairn_base::id::BlobId;

use super::entry::WalkedFile;
use super::stat::{StatEntry, is_trustworthy};

/// The record of a path from an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFile {
    /// The file's metadata.
    pub stat: StatEntry,
    /// The content that was read then; `None` if the file was left out because of it.
    pub blob: Option<BlobId>,
}

/// A walk compared with the stat cache. Each list is in order of path; every walked file is in `unchanged`, `left_out`
/// or `to_hash`, every known path that was not walked in `removed`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Files that need no reading, with the content they are known to have.
    pub unchanged: Vec<(&'a WalkedFile, BlobId)>,
    /// Files that were left out because of a content that they still have.
    pub left_out: Vec<&'a WalkedFile>,
    /// Files that must be read: new, different, or too recently changed to be trusted.
    pub to_hash: Vec<&'a WalkedFile>,
    /// Paths that are no longer there, or no longer walked.
    pub removed: Vec<&'a str>,
}

impl<'a> Changes<'a> {
    /// Compares `files`, sorted by path, with what is known.
    pub fn between(files: &'a [WalkedFile], known: &'a BTreeMap<String, KnownFile>) -> Self {
        debug_assert!(files.is_sorted_by(|a, b| a.path < b.path), "a walk is sorted by path");
        let mut changes = Self::default();
        let mut before = known.iter().peekable();
        for file in files {
            while let Some((path, _)) = before.next_if(|(path, _)| **path < file.path) {
                changes.removed.push(path);
            }
            match before.next_if(|(path, _)| **path == file.path) {
                Some((_, known)) if is_trustworthy(&known.stat, file.stat()) => match known.blob {
                    Some(blob) => changes.unchanged.push((file, blob)),
                    None => changes.left_out.push(file),
                },
                _ => changes.to_hash.push(file),
            }
        }
        changes.removed.extend(before.map(|(path, _)| path.as_str()));
        changes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::FileStat;

    fn file(path: &str, size: u64) -> WalkedFile {
        WalkedFile::new(path, FileStat { size, mtime_ns: 1, ctime_ns: 1, inode: 1 })
    }

    fn known_file(size: u64, recorded_ns: i64) -> KnownFile {
        let stat = FileStat { size, mtime_ns: 1, ctime_ns: 1, inode: 1 };
        KnownFile { stat: StatEntry::new(stat, recorded_ns), blob: (size > 0).then_some(BlobId(size as u32)) }
    }

    #[test]
    fn files_are_sorted_into_unchanged_to_hash_and_removed() {
        let files = [file("b", 1), file("b.png", 0), file("c", 2), file("d", 3), file("e", 4)];
        let before = BTreeMap::from([
            ("a".to_owned(), known_file(9, i64::MAX)),
            ("b".to_owned(), known_file(1, i64::MAX)),
            ("b.png".to_owned(), known_file(0, i64::MAX)),
            ("c".to_owned(), known_file(7, i64::MAX)),
            ("d".to_owned(), known_file(3, 2)),
            ("f".to_owned(), known_file(9, i64::MAX)),
        ]);
        let changes = Changes::between(&files, &before);
        assert_eq!(changes.unchanged, [(&files[0], BlobId(1))]);
        assert_eq!(changes.left_out, [&files[1]]);
        assert_eq!(changes.to_hash, [&files[2], &files[3], &files[4]]);
        assert_eq!(changes.removed, ["a", "f"]);
    }

    proptest! {
        #[test]
        fn agrees_with_looking_each_path_up(
            now in prop::collection::btree_map("[a-c/]{1,3}", 0u64..3, 0..20),
            before in prop::collection::btree_map("[a-c/]{1,3}", (0u64..3, prop::bool::ANY), 0..20),
        ) {
            let files: Vec<WalkedFile> = now.iter().map(|(path, size)| file(path, *size)).collect();
            let before: BTreeMap<String, KnownFile> = before.into_iter()
                .map(|(path, (size, is_settled))| (path, known_file(size, if is_settled { i64::MAX } else { 2 })))
                .collect();
            let changes = Changes::between(&files, &before);
            let is_unchanged = |file: &WalkedFile| before.get(&file.path).is_some_and(|known| {
                known.stat.size == file.size && known.stat.recorded_ns == i64::MAX
            });
            let (unchanged, to_hash): (Vec<_>, Vec<_>) = files.iter().partition(|file| is_unchanged(file));
            let mut settled: Vec<_> = changes.unchanged.iter().map(|(file, _)| *file).chain(changes.left_out).collect();
            settled.sort_by(|a, b| a.path.cmp(&b.path));
            prop_assert_eq!(settled, unchanged);
            prop_assert_eq!(changes.to_hash, to_hash);
            let removed: Vec<&str> = before.keys().map(String::as_str).filter(|path| !now.contains_key(*path)).collect();
            prop_assert_eq!(changes.removed, removed);
        }
    }
}
