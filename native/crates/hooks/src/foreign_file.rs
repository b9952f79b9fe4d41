//! Reads parts of files that are not ours: settings and transcripts of hosts, in the user's home folder.
//!
//! A link is followed, as many users keep their settings elsewhere. Only a regular file is opened: a pipe has no end.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use codecairn_base::private_files;

const HEAD_BYTES: u64 = 256_000;
const TAIL_BYTES: u64 = 1_000_000;

/// The beginning of a file; `None` if it is empty or can't be read.
pub(crate) fn head(path: &Path) -> Option<Vec<u8>> {
    part(path, HEAD_BYTES, |_| 0)
}

/// The end of a file; `None` if it is empty or can't be read.
pub(crate) fn tail(path: &Path) -> Option<Vec<u8>> {
    part(path, TAIL_BYTES, |size| size.saturating_sub(TAIL_BYTES))
}

fn part(path: &Path, max_bytes: u64, start: impl FnOnce(u64) -> u64) -> Option<Vec<u8>> {
    let mut file = private_files::open(&path.canonicalize().ok()?).ok()?;
    let start = start(file.metadata().ok()?.len());
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_file_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, format!("a{}z", "-".repeat(2_000_000))).unwrap();
        assert_eq!(head(&file).map(|bytes| (bytes[0], bytes.len())), Some((b'a', 256_000)));
        assert_eq!(tail(&file).map(|bytes| (bytes[999_999], bytes.len())), Some((b'z', 1_000_000)));
        std::fs::write(&file, "").unwrap();
        assert_eq!((head(&file), tail(&file), head(folder.path())), (None, None, None));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_no_pipe_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link, pipe) = (folder.path().join("file"), folder.path().join("link"), folder.path().join("pipe"));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(head(&link).as_deref(), Some(&b"text"[..]));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(head(&pipe), None);
    }
}
