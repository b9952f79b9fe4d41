//! Records that wait until somebody who holds the database takes them in.
//!
//! Each process appends to a file of its own, one record a line, and syncs it before it acknowledges: that costs one
//! sync of one small file, whatever others do. How far a file was taken in is written in the transaction that took it
//! in, so nothing is lost and nothing comes twice, wherever a process dies. A process holds a lock on its file as long
//! as it may still append; a file that is taken in to its end, and that nobody holds, is removed.

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

/// How old a file must be before it is taken for the work of a dead process where locks can't tell, in seconds.
const ABANDONED_S: u64 = 600;

/// Nothing, as it stands in a file.
const BLANK: [u8; 4096] = [0; 4096];

/// A folder of files in which records wait.
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

    /// Lets go of the file that this process appends to, so that whoever takes it in may remove it.
    pub(super) fn let_go(&self) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The task of taking in what waits here, until the file is closed; `None` if somebody has it.
    pub(super) fn claim(&self) -> Option<File> {
        let file = private_files::open_or_create(&self.dir.join("taking")).ok()?;
        // Where there are no locks, several may take in.
        (!matches!(file.try_lock(), Err(TryLockError::WouldBlock))).then_some(file)
    }

    /// Whether another process left something here since `since_ns`.
    pub(super) fn is_used_by_others(&self, since_ns: i64) -> bool {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|own| own.path().to_path_buf());
        let since = Duration::from_nanos(since_ns.max(0) as u64);
        let mut others = self.entries().filter(|entry| Some(entry.path()) != own);
        others.any(|entry| {
            let modified = entry.metadata().and_then(|file| file.modified()).ok();
            modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).is_some_and(|time| time >= since)
        })
    }

    /// The files, the oldest first, with how far they are written.
    pub(super) fn files(&self) -> Vec<SpoolFile> {
        let mut files: Vec<SpoolFile> = self
            .entries()
            .filter_map(|entry| {
                let found = private_files::open(&entry.path()).and_then(|mut file| written(&mut file));
                // One that can't be read is there all the same, with its mark.
                let len = found.or_else(|_| entry.metadata().map(|file| file.len())).ok()?;
                Some(SpoolFile { path: entry.path(), len, proof: self.proof.clone() })
            })
            .collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files
    }

    /// Bytes of all files, with their room: no more than that waits. None of them is opened for it.
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

/// A file in which records wait.
#[derive(Debug, Clone)]
pub(super) struct SpoolFile {
    pub(super) path: PathBuf,
    /// How far it is written, in bytes.
    pub(super) len: u64,
    proof: Proof,
}

impl SpoolFile {
    /// What it goes by in the database.
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

/// Removes a file that was taken in to `taken`, its end, unless its process may still append to it.
pub(super) fn remove_if_left(path: &Path, taken: u64, now_ns: i64) {
    let Ok(mut file) = private_files::open_for_update(path) else { return };
    // Looked at again under the lock: its process may have appended and gone meanwhile.
    if is_left(&file, now_ns) && written(&mut file).is_ok_and(|found| found <= taken) {
        // One that stays is found to be taken in.
        let _ = private_files::remove(path);
    }
}

/// Whether nobody holds a file any more that is written to `end`: what stands there can't be a record on its way.
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

/// Overwrites the first `taken` bytes of a file, which its process may go on appending to: what was taken in and then
/// purged leaves nothing here.
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
