//! An open folder of a workspace, from which files are opened by name.
//!
//! Where the system can open a name relative to an open folder, no component is a link at the moment when it is
//! opened, whatever other programs do meanwhile, and only the last component is looked up for each file. Windows looks
//! at every folder before it opens a path.

use std::fs::{File, FileType};
use std::io;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags, openat};
#[cfg(unix)]
use rustix::io::Errno;

/// Folders that stay open, so that a deep path does not use up the process's descriptors.
const MAX_OPEN: usize = 32;

/// A folder of a workspace that was reached without following a link.
#[derive(Debug)]
pub(super) struct FolderHandle {
    #[cfg(unix)]
    descriptor: std::os::fd::OwnedFd,
    #[cfg(not(unix))]
    path: PathBuf,
}

#[cfg(unix)]
impl FolderHandle {
    // A folder that may be searched but not listed can be opened with `O_PATH` alone.
    #[cfg(target_os = "linux")]
    const FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    #[cfg(not(target_os = "linux"))]
    const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    /// Opens the root of a workspace, which may be a link.
    fn of_root(root: &Path) -> io::Result<Self> {
        Ok(Self { descriptor: openat(CWD, root, Self::FLAGS, Mode::empty())? })
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotADirectory`] for a link or a file.
    fn folder(&self, name: &str) -> io::Result<Self> {
        let opened = openat(&self.descriptor, name, Self::FLAGS | OFlags::NOFOLLOW, Mode::empty());
        // Without `O_PATH`, `O_NOFOLLOW` says `ELOOP` of a link.
        let descriptor = opened.map_err(|error| if error == Errno::LOOP { Errno::NOTDIR } else { error })?;
        Ok(Self { descriptor })
    }

    /// Opens an entry for reading. What is opened may be a folder or a device.
    ///
    /// # Errors
    /// Always for a link.
    pub(super) fn open_entry(&self, name: &str) -> io::Result<File> {
        // `O_NONBLOCK`: opening a pipe must not wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.descriptor, name, flags, Mode::empty())?))
    }

    /// What kind of entry has this name; a link is a link.
    pub(super) fn kind_of(&self, name: &str) -> Option<EntryKind> {
        use rustix::fs::{AtFlags, FileType, statat};

        let found = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Special,
        })
    }
}

#[cfg(not(unix))]
impl FolderHandle {
    /// The root of a workspace, which may be a link.
    #[expect(clippy::unnecessary_wraps, reason = "opening one may fail elsewhere")]
    fn of_root(root: &Path) -> io::Result<Self> {
        Ok(Self { path: root.to_path_buf() })
    }

    /// Looks at a folder in this one.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotADirectory`] for a link or a file.
    fn folder(&self, name: &str) -> io::Result<Self> {
        let path = self.path.join(name);
        if std::fs::symlink_metadata(&path)?.is_dir() {
            Ok(Self { path })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// If it is anything but a regular file.
    pub(super) fn open_entry(&self, name: &str) -> io::Result<File> {
        codecairn_base::private_files::open(&self.path.join(name))
    }

    /// What kind of entry has this name; a link is a link.
    pub(super) fn kind_of(&self, name: &str) -> Option<EntryKind> {
        std::fs::symlink_metadata(self.path.join(name)).ok().map(|found| EntryKind::of(found.file_type()))
    }
}

/// The open folders on the way to one of them: the next one is often near.
#[derive(Debug, Default)]
pub(super) struct OpenFolders {
    /// Each with the length of its path in `path`; the root first.
    open: Vec<(usize, FolderHandle)>,
    /// The path of the last one, which may be deeper than those that stay open.
    path: String,
}

impl OpenFolders {
    /// Opens the folder at `path` below `root`, which is the same each time; an empty path is `root` itself.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotADirectory`] if a component below `root` is a link or a file.
    pub(super) fn go_to(&mut self, root: &Path, path: &str) -> io::Result<&FolderHandle> {
        let leads_there = |end: usize, last: &str| {
            path.get(..end) == last.get(..end) && matches!(path.as_bytes().get(end), None | Some(b'/')) || end == 0
        };
        while self.open.pop_if(|(end, _)| !leads_there(*end, &self.path)).is_some() {}
        if self.open.is_empty() {
            self.open.push((0, FolderHandle::of_root(root)?));
        }
        path.clone_into(&mut self.path);
        let mut end = self.open.last().map_or(0, |(end, _)| *end);
        while end < path.len() {
            let start = if end == 0 { 0 } else { end + 1 };
            end = path[start..].find('/').map_or(path.len(), |length| start + length);
            let (_, last) = self.open.last().expect("invariant: the root is open");
            let folder = last.folder(&path[start..end])?;
            // One that takes the place of its parent is still reached by its own path alone.
            if self.open.len() == MAX_OPEN {
                self.open.pop();
            }
            self.open.push((end, folder));
        }
        Ok(&self.open.last().expect("invariant: the root is open").1)
    }
}

/// The kinds of entries that reading tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Link,
    /// A folder, a pipe, a socket, or a device.
    Special,
}

impl EntryKind {
    pub(super) fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn no_component_below_the_root_may_be_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir_all(outside.join("b")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        symlink(&outside, root.join("link")).unwrap();
        let linked_root = folder.path().join("linked-root");
        symlink(&root, &linked_root).unwrap();
        for root in [&root, &linked_root] {
            let mut folders = OpenFolders::default();
            for path in ["", "a", "a/b", ""] {
                folders.go_to(root, path).unwrap();
            }
            for path in ["link", "link/b", "file", "a/../link", "file/x"] {
                assert_eq!(folders.go_to(root, path).unwrap_err().kind(), io::ErrorKind::NotADirectory, "{path}");
            }
            assert_eq!(folders.go_to(root, "a/gone/b").unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn whatever_came_before_a_folder_is_itself() {
        let root = tempfile::tempdir().unwrap();
        let deep = vec!["d"; 2 * MAX_OPEN].join("/");
        let paths = ["", "a", "a/b", "a/bc", "a/b/c", "ab", "b", &deep, &deep[..2 * MAX_OPEN - 1]];
        for path in paths {
            std::fs::create_dir_all(root.path().join(path)).unwrap();
            std::fs::write(root.path().join(path).join("name"), path).unwrap();
        }
        let mut folders = OpenFolders::default();
        for first in paths {
            for path in [first, "gone", first].into_iter().chain(paths) {
                let Ok(folder) = folders.go_to(root.path(), path) else { continue };
                let mut found = String::new();
                folder.open_entry("name").unwrap().read_to_string(&mut found).unwrap();
                assert_eq!(found, path);
                assert!(folders.open.len() <= MAX_OPEN);
            }
        }
    }

    #[test]
    fn an_open_folder_stays_the_same_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/file"), "inside").unwrap();
        std::fs::create_dir_all(folder.path().join("outside")).unwrap();
        std::fs::write(folder.path().join("outside/file"), "outside").unwrap();
        let mut folders = OpenFolders::default();
        let handle = folders.go_to(&root, "a").unwrap();
        std::fs::rename(root.join("a"), root.join("b")).unwrap();
        symlink(folder.path().join("outside"), root.join("a")).unwrap();
        let mut text = String::new();
        handle.open_entry("file").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "inside");
    }

    #[test]
    fn a_link_is_not_opened_and_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "text").unwrap();
        symlink("file", folder.path().join("link")).unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
        assert!(pipe.success());
        let handle = FolderHandle::of_root(folder.path()).unwrap();
        assert!(handle.open_entry("link").is_err());
        assert!(!handle.open_entry("pipe").unwrap().metadata().unwrap().is_file());
        let kinds = ["file", "link", "folder", "socket", "pipe"].map(|name| handle.kind_of(name).unwrap());
        assert_eq!(kinds[..2], [EntryKind::File, EntryKind::Link]);
        assert!(kinds[2..].iter().all(|kind| *kind == EntryKind::Special));
        assert_eq!(handle.kind_of("gone"), None);
    }
}
