//! Records that wait: one file each, complete or not at all, until somebody who holds the database takes them in.
//!
//! A file is written, synced and only then acknowledged. Its name begins with the time, so that names in order are
//! records in order; each process has a folder of its own. It is removed after the transaction that took it in has been committed; if that is interrupted,
//! the record's key keeps it from being stored twice. A file that a process died in the middle of writing has no valid
//! end: nobody was told that it was kept, and after a while it is removed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::event::CleanEvent;
use super::fact::CleanFact;
use super::project::ProjectName;
use crate::error::{Error, Result};
use crate::hash::ContentHash;

/// How old an incomplete file must be before it is taken for the work of a dead process, in seconds.
const ABANDONED_S: u64 = 600;

/// How often a folder that others remove is made again.
const ATTEMPTS: u32 = 50;

/// What may wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Waiting {
    Event(CleanEvent),
    Fact(CleanFact),
}

/// A record with the project it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) project: ProjectName,
    pub(super) waiting: Waiting,
}

/// A folder of waiting records.
#[derive(Debug, Clone)]
pub(super) struct Spool(PathBuf);

static COUNTER: AtomicU32 = AtomicU32::new(0);

impl Spool {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self(dir)
    }

    /// Writes a record and waits until it is on the disk.
    pub(super) fn put(&self, entry: &Entry, now_ns: i64) -> Result<()> {
        let body = serde_json::to_string(entry).map_err(|error| Error::Internal(error.to_string()))?;
        let text = format!("{body}\n{}\n", ContentHash::of(body.as_bytes()));
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let folder = self.0.join(own_folder());
        let path = folder.join(format!("{:020}-{count}.json", now_ns.max(0)));
        let write = || -> std::io::Result<()> {
            let mut file = private_file(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            match sync_folder(&folder) {
                // Somebody has taken the record in already, and removed the empty folder.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                synced => synced,
            }
        };
        let mut written = write();
        for _ in 0..ATTEMPTS {
            match &written {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                _ => break,
            }
            // The folder is not there yet, or was removed because it was empty.
            written = self.make(&folder).and_then(|()| write());
        }
        written.map_err(|error| {
            let _ = std::fs::remove_file(&path);
            match error.kind() {
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                    Error::StoreReadOnly { path: self.0.clone(), detail: error.to_string() }
                }
                _ => Error::io(&path, error),
            }
        })
    }

    fn make(&self, folder: &Path) -> std::io::Result<()> {
        make_folder(folder)?;
        // It may lie inside a repository.
        std::fs::write(self.0.join(".gitignore"), "*\n")?;
        sync_folder(&self.0)?;
        self.0.parent().map_or(Ok(()), sync_folder)
    }

    /// Removes the folders that are empty; their owners make them again if they live.
    pub(super) fn sweep(&self) {
        for folder in entries(&self.0) {
            // One that is not empty, and a file, stay.
            let _ = std::fs::remove_dir(folder);
        }
    }

    /// The files that wait, the oldest first.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = entries(&self.0)
            .flat_map(|folder| entries(&folder))
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        files.sort_by(|left, right| left.file_name().cmp(&right.file_name()));
        files
    }
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(dir).into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path()))
}

/// The folder that this process alone writes into: to sync it means to wait for nobody else's files.
fn own_folder() -> String {
    std::process::id().to_string()
}

/// The record in a file; `None` if it is incomplete, or gone.
pub(super) fn read(path: &Path) -> Option<Entry> {
    let text = std::fs::read_to_string(path).ok()?;
    let (body, hash) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    if ContentHash::of(body.as_bytes()).to_string() != hash {
        return None;
    }
    serde_json::from_str(body).ok()
}

/// Whether this process wrote a file.
pub(super) fn is_own(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|name| name == own_folder().as_str())
}

/// Removes files that were taken in.
pub(super) fn remove(files: &[PathBuf]) {
    for file in files {
        // Another process may have removed it; one that stays is found to be known by its key.
        let _ = std::fs::remove_file(file);
    }
}

/// Whether an incomplete file is so old that nobody can still be writing it. `now_ns` is the time.
pub(super) fn is_abandoned(path: &Path, now_ns: i64) -> bool {
    let modified = std::fs::metadata(path).and_then(|file| file.modified()).ok();
    let age = modified.and_then(|modified| modified.duration_since(std::time::UNIX_EPOCH).ok());
    age.is_some_and(|age| age.as_secs() + ABANDONED_S < (now_ns / 1_000_000_000).max(0) as u64)
}

fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes a folder for its owner alone, unless it is there.
pub(super) fn make_folder(dir: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// Makes a new file's name as durable as its content.
fn sync_folder(dir: &Path) -> std::io::Result<()> {
    if cfg!(unix) { std::fs::File::open(dir)?.sync_all() } else { Ok(()) }
}
