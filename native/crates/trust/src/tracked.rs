//! Lists which files of a folder git tracks, read from git's index without running git.
//!
//! Reads versions 2 to 4 of the index with SHA-1 or SHA-256 names, split indexes included, as `gitformat-index(5)`
//! describes them. It costs about 10 ns an entry.

use std::path::{Path, PathBuf};

use codecairn_base::private_files;
use codecairn_walk::git::Repository;

use super::hex;

/// Bytes of an index that are read: about twenty million entries.
const MAX_BYTES: u64 = 2 << 30;
/// Bytes of an entry before its object name.
const STAT_BYTES: usize = 40;
/// Lengths of object names: SHA-1 and SHA-256.
const NAME_BYTES: [usize; 2] = [20, 32];
const HAS_EXTENDED_FLAGS: u16 = 0x4000;

/// The paths below `folder` that git tracks, relative to it, sorted. `None` if git has an index that can't be read: then
/// anything may be tracked.
pub fn tracked_below(folder: &Path) -> Option<Vec<String>> {
    let Some(repository) = folder.parent().and_then(Repository::discover) else { return Some(Vec::new()) };
    let top = repository.top.canonicalize().ok()?;
    let folder = private_files::canonical(folder).ok()?;
    let prefix = folder.strip_prefix(&top).ok()?.to_str()?.replace('\\', "/") + "/";
    let index = match private_files::read(&repository.git_dir.join("index"), MAX_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(Vec::new()),
        index => index.ok()?,
    };
    NAME_BYTES.into_iter().find_map(|name_bytes| {
        let mut found = Vec::new();
        let extensions = visit(&index, name_bytes, &mut |path| keep(path, &prefix, &mut found))?;
        for shared in shared_index(extensions, name_bytes, &repository.git_dir)? {
            let shared = private_files::read(&shared, MAX_BYTES).ok()?;
            visit(&shared, name_bytes, &mut |path| keep(path, &prefix, &mut found))?;
        }
        found.sort_unstable();
        Some(found)
    })
}

fn keep(path: &[u8], prefix: &str, found: &mut Vec<String>) {
    // The folder itself, where a link or a submodule has its name.
    let is_folder = path == &prefix.as_bytes()[..prefix.len() - 1];
    if is_folder || path.starts_with(prefix.as_bytes()) {
        found.push(String::from_utf8_lossy(path.get(prefix.len()..).unwrap_or_default()).into_owned());
    }
}

/// Visits the path of each entry of an index, and returns its extensions. `None` if it is none with names of this length.
fn visit<'a>(index: &'a [u8], name_bytes: usize, each: &mut impl FnMut(&[u8])) -> Option<&'a [u8]> {
    let rest = index.strip_prefix(b"DIRC")?;
    let (version, rest) = number(rest)?;
    let (count, mut rest) = number(rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = rest.len();
        rest = rest.get(STAT_BYTES + name_bytes..)?;
        let flags = u16::from_be_bytes(rest.get(..2)?.try_into().ok()?);
        let flag_bytes = if version >= 3 && flags & HAS_EXTENDED_FLAGS != 0 { 4 } else { 2 };
        rest = rest.get(flag_bytes..)?;
        if version == 4 {
            let (removed, after) = offset(rest)?;
            rest = after;
            path.truncate(path.len().checked_sub(removed)?);
        } else {
            path.clear();
        }
        let end = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&rest[..end]);
        // Entries of a split index may be without a name: they replace one of the shared index.
        let named = usize::from(flags & 0xfff);
        if named != path.len().min(0xfff) {
            return None;
        }
        rest = &rest[end..];
        // Versions 2 and 3 pad an entry to a multiple of eight with one to eight zeros.
        let zeros = if version == 4 { 1 } else { 8 - (start - rest.len()) % 8 };
        rest = rest.get(zeros..)?;
        each(&path);
    }
    (rest.len() >= name_bytes).then(|| &rest[..rest.len() - name_bytes])
}

/// The index that a split one builds on; none if it isn't split.
fn shared_index(mut extensions: &[u8], name_bytes: usize, git_dir: &Path) -> Option<Vec<PathBuf>> {
    while !extensions.is_empty() {
        let (signature, rest) = extensions.split_at_checked(4)?;
        let (len, rest) = number(rest)?;
        let (content, rest) = rest.split_at_checked(len as usize)?;
        if signature == b"link" {
            let name = content.get(..name_bytes)?;
            if name.iter().all(|byte| *byte == 0) {
                return Some(Vec::new());
            }
            return Some(vec![git_dir.join(format!("sharedindex.{}", hex(name)))]);
        }
        extensions = rest;
    }
    Some(Vec::new())
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_at_checked(4)?;
    Some((u32::from_be_bytes(number.try_into().ok()?), rest))
}

/// A number as pack files write offsets: seven bits a byte, and one is added before each shift.
fn offset(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (at, byte) in bytes.iter().enumerate() {
        value = value.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
        value = value.checked_add(1)?.checked_mul(128)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let run = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    fn repository(format: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q", &format!("--object-format={format}")]);
        for path in [".ci/run", ".codecairn/memory/a.jsonl", ".codecairn/x.db", "a/.codecairn/y", "z/last.rs"] {
            let file = dir.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, path).unwrap();
        }
        dir
    }

    #[test]
    fn every_form_of_the_index_is_read() {
        for format in ["sha1", "sha256"] {
            for version in ["2", "3", "4"] {
                for split in [false, true] {
                    let dir = repository(format);
                    let store = dir.path().join(".codecairn");
                    assert_eq!(tracked_below(&store), Some(vec![]));
                    git(dir.path(), &["config", "index.version", version]);
                    git(dir.path(), &["add", "."]);
                    if version == "3" {
                        git(dir.path(), &["rm", "-q", "--cached", ".ci/run"]);
                        git(dir.path(), &["add", "--intent-to-add", ".ci/run"]);
                    }
                    if split {
                        git(dir.path(), &["update-index", "--split-index"]);
                    }
                    let expected = vec!["memory/a.jsonl".to_owned(), "x.db".to_owned()];
                    assert_eq!(tracked_below(&store), Some(expected), "{format} {version} {split}");
                    assert_eq!(tracked_below(&dir.path().join("a/.codecairn")), Some(vec!["y".to_owned()]));
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_tracked_link_in_the_folders_place_is_found() {
        let dir = repository("sha1");
        std::os::unix::fs::symlink("z", dir.path().join("link")).unwrap();
        git(dir.path(), &["add", "link"]);
        assert_eq!(tracked_below(&dir.path().join("link")), Some(vec![String::new()]));
    }

    #[test]
    fn an_index_that_cant_be_read_may_track_anything() {
        let dir = repository("sha1");
        std::fs::write(dir.path().join(".git/index"), b"DIRC\0\0\0\x09").unwrap();
        assert_eq!(tracked_below(&dir.path().join(".codecairn")), None);
        std::fs::remove_file(dir.path().join(".git/index")).unwrap();
        std::fs::create_dir(dir.path().join(".git/index")).unwrap();
        assert_eq!(tracked_below(&dir.path().join(".codecairn")), None);
    }

    #[test]
    fn without_a_repository_nothing_is_tracked() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(tracked_below(&dir.path().join(".codecairn")), Some(vec![]));
    }
}
