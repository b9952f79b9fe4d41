//! Looks at and reads entries of a workspace without following links out of it, and without unbounded waits or reads.
//!
//! A path leads outside if a folder on it is a link, and a name may belong to a pipe, whose opening waits for a writer,
//! or to a device that never ends. So every folder on the way is checked, only regular files are opened, and reading
//! stops at a maximum size. A process of the same user that swaps entries between the check and the opening is out of
//! scope.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::path;

/// Files of ignore rules are read up to this size. The largest of well-known projects have some ten kilobytes; building
/// the automaton of this many rules takes about a second.
pub const MAX_RULE_BYTES: u64 = 256 * 1024;

/// All files of ignore rules of a workspace together: their bytes, each line as often as it has wildcards. Thousands of
/// files, of some hundred bytes each, stay far below; as many lines of forty wildcards as may be take some seconds.
pub(super) const MAX_ALL_RULE_COST: u64 = 8 * 1024 * 1024;

/// What an entry looks like, itself and not what it links to; nothing where a folder on the way is a link or is gone.
/// Costs one look for each part of the path.
pub(super) fn look_inside(root: &Path, path: &str) -> Option<Metadata> {
    if !path::stays_inside(path) || leads_through_link(root, path) {
        return None;
    }
    fs::symlink_metadata(path::absolute(root, path)).ok()
}

/// Whether a folder between `root` and the entry at `path` is none: a link, a file, or gone.
pub(super) fn leads_through_link(root: &Path, path: &str) -> bool {
    let is_folder = |path: &str| {
        fs::symlink_metadata(path::absolute(root, path)).is_ok_and(|metadata| metadata.file_type().is_dir())
    };
    path.match_indices('/').any(|(end, _)| !is_folder(&path[..end]))
}

/// The content of a regular file of at most `max_bytes`. A link is followed: who calls this knows where it may lead.
pub(crate) fn read_bounded(file: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(file)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// The same as text.
pub fn read_text(file: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_bounded(file, max_bytes)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// A file that is open for reading, if it is a regular one.
#[expect(clippy::disallowed_methods, reason = "who calls it knows where a link may lead")]
pub(super) fn open_regular(file: &Path) -> io::Result<File> {
    let is_regular = |metadata: &Metadata| {
        if metadata.is_file() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    };
    is_regular(&fs::metadata(file)?)?;
    let opened = File::open(file)?;
    is_regular(&opened.metadata()?)?;
    Ok(opened)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_seen_through_a_linked_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(outside.join("b")).unwrap();
        for place in [&root.join("a/b/file"), &outside.join("b/file")] {
            fs::write(place, "text").unwrap();
        }
        symlink(&outside, root.join("link")).unwrap();
        symlink(outside.join("b"), root.join("a/linked")).unwrap();
        for path in ["a", "a/b", "a/b/file", "link", "a/linked"] {
            assert!(look_inside(&root, path).is_some(), "{path}");
        }
        assert!(look_inside(&root, "link").unwrap().is_symlink());
        for path in ["link/b", "link/b/file", "a/linked/file", "a/b/file/x", "gone/x", "../outside", "a/../a"] {
            assert!(look_inside(&root, path).is_none(), "{path}");
        }
    }

    #[test]
    fn devices_pipes_and_folders_are_not_read_and_large_files_not_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/dev/zero", folder.path().join("zero")).unwrap();
        fs::write(folder.path().join("file"), "text").unwrap();
        assert_eq!(read_text(&folder.path().join("file"), 4).unwrap(), "text");
        assert_eq!(read_text(&folder.path().join("file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_bounded(&folder.path().join("zero"), 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert!(read_bounded(folder.path(), 9).is_err());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read_bounded(&pipe, 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
