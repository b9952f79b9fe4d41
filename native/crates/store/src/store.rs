//! Opens a store on disk, which is read through snapshots and written under one lock.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::mount::network_file_system;
use codecairn_base::private_files::{self, make_folder};

use super::access::{self, Journal, Reader};
use super::frames::FrameCache;
use super::lock::WriteLock;
use super::migrate::{self, FORMAT, Format};
use codecairn_base::database::{Database, FileKey};

/// The database's name in the store's folder.
pub(super) const DATABASE: &str = "index.db";

/// The folder of derived files in the store's folder.
pub(super) const SEGMENTS: &str = "segments";

/// The folder of cached views in the store's folder.
pub const VIEWS: &str = "views";

/// How long opening waits for another process that is making the same store, which takes it milliseconds.
const MAKING: Duration = Duration::from_secs(10);

/// Idle connections kept for the next readers.
const IDLE: usize = 8;

/// How a store is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// Never writes: neither files nor a newer format.
    pub read_only: bool,
    /// Where the store reads the time.
    pub clock: Arc<dyn Clock>,
    /// The journal to use; `None` chooses by the file system.
    pub journal: Option<Journal>,
}

impl OpenOptions {
    /// Opens for writing, with the journal that the file system allows.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { read_only: false, clock, journal: None }
    }

    /// The same for reading only.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }
}

/// An open store; clones share it.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    dir: PathBuf,
    path: PathBuf,
    options: OpenOptions,
    journal: Journal,
    notes: Vec<String>,
    frames: FrameCache,
    pool: Mutex<Pool>,
}

/// Idle readers, all of the same file.
#[derive(Default)]
struct Pool {
    file: Option<FileKey>,
    idle: Vec<Database>,
}

impl Store {
    /// Opens the store in `dir`. Unless read-only, creates the folder (for its owner alone) and the database, and
    /// brings an older format up to date.
    ///
    /// # Errors
    /// [`Error::Untrusted`] if the folder is a link, belongs to another user or may be written by others.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let dir = require_private(dir)?;
        let path = dir.join(DATABASE);
        let network = network_file_system(if dir.exists() { &dir } else { dir.parent().unwrap_or(&dir) });
        let journal = options.journal.unwrap_or(if network.is_some() { Journal::Truncate } else { Journal::Wal });
        let mut notes = Vec::new();
        if let Some(kind) = network {
            notes.push(format!(
                "`{}` is on a network file system ({kind}): searches may wait for a running index, and the reverse",
                dir.display()
            ));
        }
        let mut pool = Pool::default();
        let found = if options.read_only {
            existing(&path)?
        } else {
            existing_or_made(&dir, &path, journal, options.clock.now_ns())?
        };
        match found {
            Some((Format::Known(FORMAT), reader)) => {
                if !options.read_only && !reader.shared {
                    let detail = "its folder can't be written".to_owned();
                    return Err(Error::StoreReadOnly { path: dir, detail });
                }
                if reader.shared {
                    pool = Pool { file: FileKey::of(&path), idle: vec![reader.database] };
                }
            }
            Some((Format::Known(found), _)) => return Err(outdated(&dir, found)),
            _ => return Err(Error::NotIndexed { path: dir }),
        }
        let (frames, pool) = (FrameCache::default(), Mutex::new(pool));
        Ok(Self(Arc::new(Shared { dir, path, options, journal, notes, frames, pool })))
    }

    /// Notes for the user about the store's file system, in words.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// The store's folder.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// The folder of the derived files.
    pub fn segments_dir(&self) -> PathBuf {
        self.0.dir.join(SEGMENTS)
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.0.options.read_only
    }

    /// The current writer of the store, in words.
    pub fn writer(&self) -> Option<String> {
        super::lock::holder(self.dir())
    }

    /// Checks that the paths of the write lease's files hold no other kind of file.
    pub fn check_lock_files(&self) -> Result<()> {
        super::lock::check_files(self.dir())
    }

    /// A reading connection to the database as it is now, and the file that it is of; one that is idle where there is
    /// one.
    pub(super) fn connect_reader(&self) -> Result<(Reader, Option<FileKey>)> {
        let file = FileKey::of(&self.0.path);
        let idle = {
            let mut pool = self.pool();
            if pool.file != file {
                // Another process replaced the database: frames of the old one are of no use.
                *pool = Pool { file, idle: Vec::new() };
                self.0.frames.clear();
            }
            pool.idle.pop()
        };
        let reader = if let Some(database) = idle {
            Reader { database, shared: true }
        } else {
            match existing(&self.0.path)? {
                Some((Format::Known(FORMAT), reader)) => reader,
                Some((Format::Known(found), _)) => return Err(outdated(&self.0.dir, found)),
                _ => return Err(Error::NotIndexed { path: self.0.dir.clone() }),
            }
        };
        Ok((reader, file))
    }

    /// The write lock and a writing connection, once no other writer has the lock; waits for at most `wait`.
    pub(super) fn connect_writer(
        &self,
        owner: &str,
        wait: Duration,
        cancel: &CancelToken,
    ) -> Result<(Database, WriteLock)> {
        if self.is_read_only() {
            return Err(Error::StoreReadOnly { path: self.0.dir.clone(), detail: "it was opened for reading".into() });
        }
        let lock = WriteLock::acquire_within(&self.0.dir, owner, self.now_ns(), wait, cancel)?;
        // Another program may have removed all derived files, folder included.
        make_folder(&self.segments_dir())?;
        if self.0.journal == Journal::Truncate {
            // A log can't be given up while a reader has it open.
            self.let_go();
        }
        remove_emptied(&self.0.path)?;
        let database = access::connect_writer(&self.0.path, self.0.journal)?;
        if migrate::format_of(&database)? != Format::Known(FORMAT) {
            // The file was set aside since it was opened.
            migrate::migrate(&database, self.now_ns())?;
        }
        Ok((database, lock))
    }

    /// Closes the idle connections; once no reader is left, the files may be moved.
    pub fn let_go(&self) {
        self.pool().idle.clear();
    }

    pub(super) fn give_back(&self, database: Database, file: Option<FileKey>) {
        let mut pool = self.pool();
        if pool.file == file && pool.idle.len() < IDLE {
            pool.idle.push(database);
        }
    }

    pub(super) fn frames(&self) -> &FrameCache {
        &self.0.frames
    }

    pub(super) fn now_ns(&self) -> i64 {
        self.0.options.clock.now_ns()
    }

    fn pool(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.0.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("dir", &self.0.dir).finish_non_exhaustive()
    }
}

/// The canonical path of a store's folder, after a look at all folders in it that are used by name.
fn require_private(dir: &Path) -> Result<PathBuf> {
    if !private_files::require_folder(dir)? {
        return Ok(dir.to_path_buf());
    }
    for inner in [SEGMENTS, VIEWS] {
        private_files::require_folder(&dir.join(inner))?;
    }
    dir.canonicalize().map_err(|source| Error::io(dir, source))
}

/// A reader of the database that is there, with its format; `None` if there is none.
fn existing(path: &Path) -> Result<Option<(Format, Reader)>> {
    if !path.exists() {
        return Ok(None);
    }
    for part in [path.to_path_buf(), access::sibling_path(path, "-wal"), access::sibling_path(path, "-shm")] {
        private_files::require_file(&part)?;
    }
    let reader = match access::connect_reader(path) {
        // It was removed since the look above.
        Err(Error::StoreReadOnly { .. }) if !path.exists() => return Ok(None),
        reader => reader?,
    };
    Ok(Some((migrate::format_of(&reader.database)?, reader)))
}

/// A reader of the database in today's format, which is made, or brought up to date, if need be. Of several processes
/// that come at once, one makes it while the others wait; none waits for a run of indexing that follows.
fn existing_or_made(dir: &Path, path: &Path, journal: Journal, now_ns: i64) -> Result<Option<(Format, Reader)>> {
    const PAUSE: Duration = Duration::from_millis(5);
    let mut left = MAKING;
    loop {
        let tried = match existing(path) {
            Ok(Some((Format::Known(FORMAT), reader))) => return Ok(Some((Format::Known(FORMAT), reader))),
            Ok(_) => make(dir, path, journal, now_ns),
            Err(error) => Err(error),
        };
        match tried {
            Ok(()) => {}
            Err(Error::Locked { .. }) if !left.is_zero() => {
                std::thread::sleep(PAUSE);
                left -= PAUSE;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Makes the database or brings it up to date, unless another process is about to.
fn make(dir: &Path, path: &Path, journal: Journal, now_ns: i64) -> Result<()> {
    make_folder(dir)?;
    make_folder(&dir.join(SEGMENTS))?;
    failpoint::reach("open.folders-made")?;
    let _lock = WriteLock::acquire(dir, "opening the store", now_ns)?;
    remove_emptied(path)?;
    let database = access::connect_writer(path, journal)?;
    failpoint::reach("open.database-made")?;
    migrate::migrate(&database, now_ns)?;
    access::settle_log(&database);
    failpoint::reach("open.migrated")
}

/// Removes a database that was cut to less than a page, which holds no row, under the write lock. Who has it open holds
/// a lock on it for as long as it is idle, which would keep a new database in the same file from being made; a new file
/// they notice.
fn remove_emptied(path: &Path) -> Result<()> {
    let is_emptied = |found: std::fs::Metadata| found.is_file() && found.len() < access::MIN_PAGE_BYTES;
    if !std::fs::symlink_metadata(path).is_ok_and(is_emptied) {
        return Ok(());
    }
    for part in [path.to_path_buf(), access::sibling_path(path, "-wal"), access::sibling_path(path, "-shm")] {
        private_files::remove_if_exists(&part).map_err(|source| Error::io(&part, source))?;
    }
    Ok(())
}

fn outdated(dir: &Path, found: u32) -> Error {
    let detail = format!("its format {found} must be brought up to {FORMAT} by an index run first");
    Error::StoreReadOnly { path: dir.to_path_buf(), detail }
}
