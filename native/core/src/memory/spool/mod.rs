//! Records that wait until somebody who holds the database takes them in.
//!
//! Each process appends to a file of its own, one record a line, and syncs it before it acknowledges: that costs one
//! sync of one small file, whatever others do. How far a file was taken in is written in the transaction that took it
//! in, so nothing is lost and nothing comes twice, wherever a process dies. A process holds a lock on its file as long
//! as it may still append; a file that is taken in to its end, and that nobody holds, is removed.

mod own;
mod queue;

use std::fs::{DirEntry, File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::event::CleanEvent;
use super::fact::CleanFact;
use super::project::ProjectName;
use crate::error::Result;
use crate::hash::ContentHash;

pub(super) use own::make_folder;
pub(super) use queue::{Queue, Taken};

/// How old a file must be before it is taken for the work of a dead process where locks can't tell, in seconds.
const ABANDONED_S: u64 = 600;

/// Nothing, as it stands in a file.
const BLANK: [u8; 4096] = [0; 4096];

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

/// A folder of files in which records wait.
#[derive(Debug)]
pub(super) struct Spool {
    dir: PathBuf,
    /// The file that this process appends to.
    own: Mutex<Option<own::OwnFile>>,
}

impl Spool {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, own: Mutex::new(None) }
    }

    /// Appends a record and waits until it is on the disk. `now_ns` is the time.
    pub(super) fn put(&self, entry: &Entry, now_ns: i64) -> Result<()> {
        own::append(&self.dir, &self.own, &line_of(entry, now_ns), now_ns)
    }

    /// Lets go of the file that this process appends to, so that whoever takes it in may remove it.
    pub(super) fn let_go(&self) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The task of taking in what waits here, until the file is closed; `None` if somebody has it.
    pub(super) fn claim(&self) -> Option<File> {
        let file = File::options().write(true).create(true).truncate(false).open(self.dir.join("taking")).ok()?;
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
    pub(super) fn files(&self) -> Vec<(PathBuf, u64)> {
        let mut files: Vec<(PathBuf, u64)> = self
            .entries()
            .filter_map(|entry| {
                let found = File::open(entry.path()).and_then(|mut file| written(&mut file));
                // One that can't be read is there all the same, with its mark.
                Some((entry.path(), found.or_else(|_| entry.metadata().map(|file| file.len())).ok()?))
            })
            .collect();
        files.sort();
        files
    }

    /// Bytes of all files, with their room: no more than that waits. None of them is opened for it.
    pub(super) fn size(&self) -> u64 {
        self.entries().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
    }

    fn entries(&self) -> impl Iterator<Item = DirEntry> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().filter_map(std::result::Result::ok);
        entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "log"))
    }
}

/// What a file goes by in the database; no other file is ever given this name.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How far a file is written: behind that there is only the room that its process left for the next records.
fn written(file: &mut File) -> std::io::Result<u64> {
    let size = file.seek(SeekFrom::End(0))?;
    let start = size.saturating_sub(own::ROOM as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut end = Vec::with_capacity(own::ROOM);
    file.take(own::ROOM as u64).read_to_end(&mut end)?;
    let blank: usize = end.rchunks(BLANK.len()).take_while(|part| BLANK.starts_with(part)).map(<[u8]>::len).sum();
    let used = end[..end.len() - blank].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Ok(start + used as u64)
}

/// Removes a file that was taken in to `taken`, its end, unless its process may still append to it.
pub(super) fn remove_if_left(path: &Path, taken: u64, now_ns: i64) {
    let Ok(mut file) = File::options().read(true).write(true).open(path) else { return };
    // Looked at again under the lock: its process may have appended and gone meanwhile.
    if is_left(&file, now_ns) && written(&mut file).is_ok_and(|found| found <= taken) {
        // One that stays is found to be taken in.
        let _ = std::fs::remove_file(path);
    }
}

/// Whether nobody holds a file any more that is written to `end`: what stands there can't be a record on its way.
pub(super) fn ends_at(path: &Path, end: u64, now_ns: i64) -> bool {
    File::open(path).is_ok_and(|mut file| is_left(&file, now_ns) && written(&mut file).is_ok_and(|found| found == end))
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
    let mut file = File::options().write(true).open(path)?;
    let mut left = taken.min(file.metadata()?.len());
    while left > 0 {
        let some = left.min(BLANK.len() as u64);
        file.write_all(&BLANK[..some as usize])?;
        left -= some;
    }
    file.sync_all()
}

/// A record as a line: a hash of the rest, the time, and the record. Its texts hold no line feed: they are JSON.
fn line_of(entry: &Entry, now_ns: i64) -> String {
    let body = serde_json::to_string(entry).unwrap_or_default();
    let rest = format!("{:020} {body}", now_ns.max(0));
    format!("{} {rest}\n", ContentHash::of(rest.as_bytes()))
}

/// When the record of a line was made; for putting the lines of several files in order.
fn time_of(line: &str) -> i64 {
    line.split(' ').nth(1).and_then(|time| time.parse().ok()).unwrap_or(0)
}

/// The record of a line; `None` if it isn't whole.
fn read_line(line: &str) -> Option<Entry> {
    let (hash, rest) = line.split_once(' ')?;
    if ContentHash::of(rest.as_bytes()).to_string() != hash {
        return None;
    }
    serde_json::from_str(rest.split_once(' ')?.1).ok()
}
