//! Appends records to the file that belongs to this process, and syncs each.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use codecairn_base::database::FileKey;
use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

use super::Entry;
use super::proof::Proof;

/// Bytes after which a process begins a new file, so that the old one can be removed.
const FULL: u64 = 1 << 20;

/// Zeros that are written behind a record that finds no room: the records after it are written over them. A file that
/// does not grow is synced in half the time, as nothing about it changes but its content.
pub(super) const ROOM: usize = 32 << 10;

/// How often a file is made again that others removed in between.
const ATTEMPTS: u32 = 20;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A file that this process holds.
#[derive(Debug)]
pub(super) struct OwnFile {
    file: File,
    path: PathBuf,
    /// Where the next record goes.
    len: u64,
    /// How long the file is.
    size: u64,
    /// After a fork it belongs to the parent.
    process: u32,
    /// Which file it is: one that was removed takes no further records.
    key: Option<FileKey>,
}

impl OwnFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn is_usable(&self) -> bool {
        self.len < FULL && self.process == std::process::id() && FileKey::of(&self.path) == self.key
    }
}

/// Appends a record to the file that this process holds in `dir`, and syncs it.
pub(super) fn append(
    dir: &Path,
    proof: &Proof,
    own: &Mutex<Option<OwnFile>>,
    entry: &Entry,
    now_ns: i64,
) -> Result<()> {
    let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
    let mut held = match own.take().filter(OwnFile::is_usable) {
        Some(held) => held,
        None => make(dir, proof, now_ns)?,
    };
    let line = proof.line(&held.path, entry, now_ns);
    match write(&mut held, &line) {
        Ok(()) => {
            *own = Some(held);
            Ok(())
        }
        Err(error) => {
            // The record is not acknowledged, so it must not be drained later; the file is not used again.
            let _ = held.file.set_len(held.len);
            Err(unwritable(&held.path, error))
        }
    }
}

fn write(held: &mut OwnFile, line: &str) -> std::io::Result<()> {
    let end = held.len + line.len() as u64;
    if end <= held.size {
        held.file.write_all(line.as_bytes())?;
    } else {
        // Who records once and ends needs no room.
        let room = if held.len == 0 { 0 } else { ROOM };
        let mut bytes = line.as_bytes().to_vec();
        bytes.resize(line.len() + room, 0);
        held.file.write_all(&bytes)?;
        held.file.seek(SeekFrom::Start(end))?;
        held.size = end + room as u64;
    }
    held.file.sync_data()?;
    held.len = end;
    Ok(())
}

/// A new file with a lock on it, whose name is on the disk.
fn make(dir: &Path, proof: &Proof, now_ns: i64) -> Result<OwnFile> {
    let process = std::process::id();
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        if !private_files::require_folder(dir)? {
            proof.make_folder(dir)?;
            keep_out_of_git(dir).map_err(|error| unwritable(dir, error))?;
        } else if !proof.is_folder_trusted(dir) {
            proof.make_folder(dir)?;
        }
        let stem = format!("{:020}-{process}-{count}", now_ns.max(0));
        let path = dir.join(proof.file_name(dir, &stem));
        let made = || -> std::io::Result<Option<File>> {
            let file = private_files::create_new(&path)?;
            // Other processes lock it for a moment to check whether it is abandoned; without locks its age decides.
            let _ = file.lock();
            // Before it was locked, it looked abandoned.
            if !path.exists() {
                return Ok(None);
            }
            private_files::sync_folder(dir)?;
            Ok(Some(file))
        };
        match made() {
            Ok(Some(file)) => {
                let key = FileKey::of(&path);
                return Ok(OwnFile { file, path, len: 0, size: 0, process, key });
            }
            Ok(None) => {}
            Err(error) if matches!(error.kind(), std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotFound) => {
                last = Some(error);
            }
            Err(error) => return Err(unwritable(dir, error)),
        }
    }
    let error = last.unwrap_or_else(|| std::io::Error::other("the file is removed as often as it is made"));
    Err(unwritable(dir, error))
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::StoreReadOnly { path: path.to_path_buf(), detail: error.to_string() }
        }
        _ => Error::io(path, error),
    }
}

/// A spool may lie inside a repository.
fn keep_out_of_git(dir: &Path) -> std::io::Result<()> {
    private_files::open_or_create(&dir.join(".gitignore"))?.write_all(b"*\n")?;
    dir.parent().map_or(Ok(()), private_files::sync_folder)
}
