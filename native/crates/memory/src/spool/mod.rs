//! The spool: files of pending records, which a later transaction drains into the database.
//!
//! Each process appends to a file of its own, one record per line, and syncs it before it acknowledges: one sync of one
//! small file, whatever other processes do. The transaction that drains a file stores the offset, so no record is lost
//! or stored twice, wherever a process dies. A process holds a lock on its file as long as it may still append; a
//! drained file without a lock is removed.

mod entry;
mod own_file;
mod proof;
mod queue;

use std::fs::{DirEntry, File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use codecairn_base::error::Result;
use codecairn_base::private_files;

use super::options::SignedSpool;

pub(super) use entry::{Entry, SpoolRecord};
use proof::Proof;
pub(super) use queue::{DrainMarks, Queue};

/// The age in seconds at which a file counts as abandoned by its process, on file systems without locks.
const ABANDONED_S: u64 = 600;

/// Zeros that overwrite drained records.
const BLANK: [u8; 4096] = [0; 4096];

/// A folder of spool files.
#[derive(Debug)]
pub(super) struct Spool {
    dir: PathBuf,
    proof: Proof,
    /// The file that this process appends to.
    own: Mutex<Option<own_file::OwnFile>>,
}

impl Spool {
    /// A spool in a folder of the user's own.
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, proof: Proof::Checksum, own: Mutex::new(None) }
    }

    /// A spool inside a workspace.
    pub(super) fn signed(spool: SignedSpool) -> Self {
        Self { dir: spool.dir, proof: Proof::signature(spool.key), own: Mutex::new(None) }
    }

    /// Appends a record and waits until it is on the disk. `now_ns` is the time.
    pub(super) fn put(&self, entry: &Entry, now_ns: i64) -> Result<()> {
        own_file::append(&self.dir, &self.proof, &self.own, entry, now_ns)
    }

    /// Closes the file that this process appends to, so that the process that drains it may remove it.
    pub(super) fn let_go(&self) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The lock of the process that drains this spool, until the file is closed; `None` if another process has it.
    pub(super) fn claim(&self) -> Option<File> {
        let file = private_files::open_or_create(&self.dir.join("taking")).ok()?;
        // On file systems without locks several processes may drain it.
        (!matches!(file.try_lock(), Err(TryLockError::WouldBlock))).then_some(file)
    }

    /// Whether another process appended a record since `since_ns`.
    pub(super) fn is_used_by_others(&self, since_ns: i64) -> bool {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|own| own.path().to_path_buf());
        let since = Duration::from_nanos(since_ns.max(0) as u64);
        let mut others = self.entries().filter(|entry| Some(entry.path()) != own);
        others.any(|entry| {
            let modified = entry.metadata().and_then(|file| file.modified()).ok();
            modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).is_some_and(|time| time >= since)
        })
    }

    /// The files with their written lengths, the oldest first.
    pub(super) fn files(&self) -> Vec<SpoolFile> {
        let mut files: Vec<SpoolFile> = self
            .entries()
            .filter_map(|entry| {
                let found = private_files::open(&entry.path()).and_then(|mut file| written(&mut file));
                // A file that can't be read is listed too, with its mark.
                let len = found.or_else(|_| entry.metadata().map(|file| file.len())).ok()?;
                Some(SpoolFile { path: entry.path(), len, proof: self.proof.clone() })
            })
            .collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files
    }

    /// The size of all files including preallocated room, an upper bound for the pending bytes. No file is opened.
    pub(super) fn size(&self) -> u64 {
        self.entries().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
    }

    /// How many files are left alone, as nothing shows that this user wrote them.
    pub(super) fn ignored(&self) -> u64 {
        let is_trusted = self.proof.is_folder_trusted(&self.dir);
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().filter_map(std::result::Result::ok);
        let files = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "log"));
        let is_own = |entry: &DirEntry| self.proof.is_file_name(&self.dir, &entry.file_name().to_string_lossy());
        files.filter(|entry| !is_trusted || !is_own(entry)).count() as u64
    }

    fn entries(&self) -> impl Iterator<Item = DirEntry> {
        let dir = Some(&self.dir).filter(|dir| self.proof.is_folder_trusted(dir));
        let entries = dir.and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten();
        let entries = entries.filter_map(std::result::Result::ok);
        entries.filter(|entry| self.proof.is_file_name(&self.dir, &entry.file_name().to_string_lossy()))
    }
}

/// A file of the spool.
#[derive(Debug, Clone)]
pub(super) struct SpoolFile {
    pub(super) path: PathBuf,
    /// How far it is written, in bytes.
    pub(super) len: u64,
    proof: Proof,
}

impl SpoolFile {
    /// Its key in the database.
    pub(super) fn mark(&self) -> String {
        self.proof.mark(&self.path)
    }
}

impl PartialEq for SpoolFile {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.len) == (&other.path, other.len)
    }
}

/// How far a file is written: behind that there is only the room that its process left for the next records.
fn written(file: &mut File) -> std::io::Result<u64> {
    let size = file.seek(SeekFrom::End(0))?;
    let start = size.saturating_sub(own_file::ROOM as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut end = Vec::with_capacity(own_file::ROOM);
    file.take(own_file::ROOM as u64).read_to_end(&mut end)?;
    let blank: usize = end.rchunks(BLANK.len()).take_while(|part| BLANK.starts_with(part)).map(<[u8]>::len).sum();
    let used = end[..end.len() - blank].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Ok(start + used as u64)
}

/// Removes a file that was drained up to `taken`, its end, unless its process may still append to it.
pub(super) fn remove_if_left(path: &Path, taken: u64, now_ns: i64) {
    let Ok(mut file) = private_files::open_for_update(path) else { return };
    // Checked again under the lock: its process may have appended and ended meanwhile.
    if is_left(&file, now_ns) && written(&mut file).is_ok_and(|found| found <= taken) {
        // A file that can't be removed counts as drained.
        let _ = private_files::remove(path);
    }
}

/// Whether a file ends at `end` and its process is gone, so that an incomplete line there will never be completed.
pub(super) fn ends_at(path: &Path, end: u64, now_ns: i64) -> bool {
    private_files::open(path)
        .is_ok_and(|mut file| is_left(&file, now_ns) && written(&mut file).is_ok_and(|found| found == end))
}

/// Whether the process of a file is gone; the file is locked then, until it is closed.
fn is_left(file: &File, now_ns: i64) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => is_old(file, now_ns),
    }
}

fn is_old(file: &File, now_ns: i64) -> bool {
    let modified = file.metadata().and_then(|file| file.modified()).ok();
    let age = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    age.is_some_and(|age| age.as_secs() + ABANDONED_S < (now_ns / 1_000_000_000).max(0) as u64)
}

/// Overwrites the first `taken` bytes of a file, which its process may still append to, so that records that were
/// drained and then purged leave nothing in it.
pub(super) fn blank(path: &Path, taken: u64) -> std::io::Result<()> {
    let mut file = private_files::open_for_update(path)?;
    let mut left = taken.min(file.metadata()?.len());
    while left > 0 {
        let some = left.min(BLANK.len() as u64);
        file.write_all(&BLANK[..some as usize])?;
        left -= some;
    }
    file.sync_all()
}
