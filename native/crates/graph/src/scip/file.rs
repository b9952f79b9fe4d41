//! Finds the file of a SCIP index, reads it within a bound, and reads it again only when it has changed.

use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use codecairn_base::private_files;
use codecairn_walk::{FileStat, stat_file};

use super::Index;

/// Larger files are not read: 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

/// The result of looking for an index file.
#[derive(Debug, Default)]
pub struct ScipFile {
    /// Relative to the workspace's root, with `/`.
    pub path: String,
    /// The file's metadata before it was read; `None` without a file.
    pub stat: Option<FileStat>,
    /// The index, if it could be read.
    pub index: Option<Arc<Index>>,
    /// Why it can't be used and how to fix that, in words.
    pub problem: Option<String>,
}

/// The index at a path below the root. The result `before` is returned as long as the file is the same.
pub fn find(root: &Path, path: &str, before: Option<&Arc<ScipFile>>) -> Arc<ScipFile> {
    let stat = if path.is_empty() { None } else { stat_file(root, path) };
    if let Some(before) = before.filter(|before| before.stat == stat && before.path == path) {
        return Arc::clone(before);
    }
    let mut found = ScipFile { path: path.to_owned(), stat, ..ScipFile::default() };
    if let Some(stat) = stat {
        match read(&root.join(path), stat) {
            Ok(index) => found.index = Some(Arc::new(index)),
            Err(problem) => found.problem = Some(problem),
        }
    }
    Arc::new(found)
}

fn read(place: &Path, stat: FileStat) -> Result<Index, String> {
    let shown = place.display();
    let unreadable = |error: std::io::Error| format!("`{shown}` can't be read: {error}");
    // A link may point anywhere, and a pipe may never end.
    if !fs::symlink_metadata(place).map_err(unreadable)?.is_file() {
        return Err(format!("`{shown}` is no regular file: put the SCIP index itself there"));
    }
    if stat.size > MAX_BYTES {
        let size = stat.size >> 20;
        return Err(format!("`{shown}` has {size} MiB, and more than 1024 are not read: index less in one file"));
    }
    let mut file = BufReader::new(private_files::open(place).map_err(unreadable)?.take(MAX_BYTES));
    let read = Index::read(&mut file).map_err(unreadable)?;
    read.map_err(|_| format!("`{shown}` is damaged or no SCIP index: rebuild it with its indexer, or remove it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_read_once_while_it_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let absent = find(folder.path(), "index.scip", None);
        assert!(absent.index.is_none() && absent.problem.is_none());
        fs::write(folder.path().join("index.scip"), b"\x0a\x00").unwrap();
        let found = find(folder.path(), "index.scip", Some(&absent));
        assert!(found.index.as_ref().is_some_and(|index| index.is_empty()));
        assert!(Arc::ptr_eq(&find(folder.path(), "index.scip", Some(&found)), &found));
        fs::write(folder.path().join("index.scip"), b"\x0a\x00\x12\x05").unwrap();
        let problem = find(folder.path(), "index.scip", Some(&found)).problem.clone().unwrap();
        assert!(problem.contains("index.scip") && problem.contains("rebuild it"), "{problem}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("index.scip")).unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        for path in ["index.scip", "folder"] {
            let problem = find(folder.path(), path, None).problem.clone().unwrap();
            assert!(problem.contains("no regular file"), "{problem}");
        }
    }

    #[test]
    fn nothing_is_looked_for_outside_of_the_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("index.scip"), b"\x0a\x00").unwrap();
        assert!(find(&folder.path().join("in"), "../index.scip", None).stat.is_none());
        assert!(find(folder.path(), "", None).stat.is_none());
    }
}
