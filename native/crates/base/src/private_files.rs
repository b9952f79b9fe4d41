//! Opens, creates and removes the files that codecairn itself keeps: stores, segments, locks and spools.
//!
//! Invariant: the last component of a path is never followed if it is a symbolic link, a file is a regular file, and a
//! folder belongs to this user alone. A link, a FIFO or a device in a file's place is an error, so a repository that
//! plants one can't have other files read, written or removed. Components above the folder that is kept (the user's
//! data folder, say) may be links; the folder is opened by its canonical path.
//!
//! Windows has no `O_NOFOLLOW` in the standard library: there a path is looked at before it is opened.

#![expect(clippy::disallowed_methods, reason = "this module is what the banned calls are replaced by")]

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true), path)
}

/// Opens a file for writing, and makes it if there is none; what it holds stays.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    open_with(private(File::options().write(true).create(true).truncate(false)), path)
}

/// Opens a file for writing at its end, and makes it if there is none: concurrent writers do not overwrite each other.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open_with(private(File::options().append(true).create(true)), path)
}

/// Makes an empty file in the place of whatever file had this name.
pub fn create(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_new(path)
}

/// Makes a file that must not exist.
pub fn create_new(path: &Path) -> io::Result<File> {
    open_with(private(File::options().write(true).create_new(true)), path)
}

/// Opens a file that exists for reading and writing.
pub fn open_for_update(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true).write(true), path)
}

/// The bytes of a file of at most `max_bytes`.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] if it is larger.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Removes a file, or a folder with everything below it. A link is removed, never what it leads to.
pub fn remove(path: &Path) -> io::Result<()> {
    if std::fs::symlink_metadata(path)?.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

/// The same if there is anything.
pub fn remove_if_exists(path: &Path) -> io::Result<()> {
    match remove(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Makes a folder, and those above it, for this user alone, unless it is there. What is there must be a folder of this
/// user, as [`require_folder`] says.
pub fn make_folder(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    // `mkdir` follows no link in the last component; one that is there is refused below.
    let made = if std::fs::symlink_metadata(path).is_ok() { Ok(()) } else { builder.create(path) };
    made.map_err(|source| unwritable(path, source))?;
    require_folder(path).map(drop)
}

/// Whether a folder is there; one that is must be a folder, no link, of this user, and not writable for others.
///
/// # Errors
/// [`Error::Untrusted`] if it is not.
pub fn require_folder(path: &Path) -> Result<bool> {
    let found = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found.map_err(|source| Error::io(path, source))?,
    };
    let untrusted = |detail: &str| Err(Error::Untrusted { path: path.to_path_buf(), detail: detail.to_owned() });
    if found.is_symlink() {
        return untrusted("it is a symbolic link");
    }
    if found.is_file() {
        return Err(Error::StoreDamaged {
            path: path.to_path_buf(),
            detail: "a file is in a folder's place".to_owned(),
        });
    }
    if !found.is_dir() {
        return untrusted("it is no folder");
    }
    match owner_problem(&found) {
        Some(detail) => untrusted(detail),
        None => Ok(true),
    }
}

/// The error for a path that is no regular file: a repair sets it aside.
pub fn require_file(path: &Path) -> Result<()> {
    let detail = match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => "a folder is in a file's place",
        Ok(found) if found.is_symlink() => "a symbolic link is in a file's place",
        Ok(found) if !found.is_file() => "a device or a pipe is in a file's place",
        _ => return Ok(()),
    };
    Err(Error::StoreDamaged { path: path.to_path_buf(), detail: detail.to_owned() })
}

/// The path without links above its last component, which is what `SQLITE_OPEN_NOFOLLOW` asks for.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    Ok(folder.canonicalize()?.join(name))
}

/// Syncs a folder, so that the names in it are as durable as the files.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Why a folder or file can't be one that only this user wrote; `None` if it can.
fn owner_problem(found: &Metadata) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Some("it belongs to another user");
        }
        if found.mode() & 0o022 != 0 {
            return Some("other users may write to it");
        }
    }
    let _ = found;
    None
}

fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // `O_NONBLOCK`: opening a FIFO must not wait for its other end.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(not_regular("it is a symbolic link"));
    }
    let file = match options.open(path) {
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(not_regular("it is a symbolic link"));
        }
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Err(not_regular("it is not a regular file"));
    }
    Ok(file)
}

fn not_regular(detail: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, detail.to_owned())
}

/// New files are for this user alone.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

fn unwritable(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Error::StoreReadOnly { path: path.to_path_buf(), detail: source.to_string() }
        }
        _ => Error::io(path, source),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_link_is_neither_read_nor_written_nor_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "kept").unwrap();
        symlink(&target, &link).unwrap();
        let opened =
            [open(&link), open_or_create(&link), open_to_append(&link), open_for_update(&link), create_new(&link)];
        for refused in opened {
            assert!(refused.is_err());
        }
        create(&link).unwrap();
        assert!(!link.is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
    }

    #[test]
    fn what_is_appended_follows_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for text in ["a", "b"] {
            std::io::Write::write_all(&mut open_to_append(&path).unwrap(), text.as_bytes()).unwrap();
        }
        assert_eq!(read(&path, 9).unwrap(), b"ab");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn devices_and_pipes_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(open(&pipe).is_err());
        assert!(open_or_create(&pipe).is_err());
        assert!(open(Path::new("/dev/zero")).is_err());
        assert!(open(dir.path()).is_err());
    }

    #[test]
    fn reading_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn removing_a_link_leaves_what_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, link) = (dir.path().join("folder"), dir.path().join("link"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("inner"), "").unwrap();
        symlink(&folder, &link).unwrap();
        remove(&link).unwrap();
        assert!(!link.is_symlink() && folder.join("inner").exists());
    }

    #[test]
    fn only_this_users_own_folders_are_used() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, link) = (dir.path().join("folder"), dir.path().join("link"));
        make_folder(&folder).unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        symlink(&folder, &link).unwrap();
        assert!(matches!(make_folder(&link), Err(Error::Untrusted { .. })));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(require_folder(&folder), Err(Error::Untrusted { .. })));
        assert!(!require_folder(&dir.path().join("absent")).unwrap());
    }
}
