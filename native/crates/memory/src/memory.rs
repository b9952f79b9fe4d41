//! Opens a memory, and owns its connections, transactions and schema. The database is shared by all projects.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::OpenFlags;

use codecairn_base::clock::Clock;
use codecairn_base::database::{Database, Format, Schema};
use codecairn_base::error::{Error, Result};
use codecairn_base::mount::network_file_system;
use codecairn_base::private_files;
use codecairn_model::embed::{Embedder, STATIC, builtin};
use codecairn_trust::UserKey;

use super::background_drain::BackgroundDrain;
use super::contention::Contention;
use super::options::MemoryOptions;
use super::project::{self, ProjectName};
use super::reindex::reindex;
use super::spool::Spool;
use super::text::{self, SegmentCache};
use super::tombstone;

/// Marked by "ccme".
const SCHEMA: Schema = Schema {
    application_id: 0x6363_6d65,
    what: "a memory",
    scripts: &[
        include_str!("../migrations/0001_initial.sql"),
        include_str!("../migrations/0002_waiting_and_anchors.sql"),
        include_str!("../migrations/0003_recall_and_injection.sql"),
        include_str!("../migrations/0004_packed_segments.sql"),
        include_str!("../migrations/0005_outbox.sql"),
        include_str!("../migrations/0006_tombstones.sql"),
        include_str!("../migrations/0007_project_folders.sql"),
    ],
};

/// The busy timeout of calls that need the database; transactions of other processes take milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Pages of the log at which a commit checkpoints it (4 MB): rare, and short for the caller.
const CHECKPOINT_PAGES: u32 = 1000;

/// A longer log is emptied after a write (2 MB, some 25 records).
///
/// A process that is alone with the database reads the whole log before its first statement, and what a checkpoint has copied
/// is known only as long as a process has the database open. Hooks write once and end: without this, each of them would
/// copy the whole log again at its commit, and the log would grow.
const MAX_LOG_BYTES: u64 = 2 << 20;

/// The length of the memory-mapped part of the database; pages after it are read.
const MAX_MAPPED_BYTES: u64 = 1 << 30;

/// When a transaction is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// When it is acknowledged.
    Full,
    /// With a later one, if the database has a log; a loss of power may take it back, and it alone.
    Eventual,
}

/// An open memory.
pub struct Memory {
    pub(super) options: MemoryOptions,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) model: Box<dyn Embedder>,
    /// The spool for records while the database is busy.
    pub(super) busy_spool: Spool,
    /// The spool for records while the database can't be written.
    pub(super) spool: Option<Spool>,
    /// Whether other processes were found writing of late.
    pub(super) contention: Contention,
    /// The thread that drains the spools.
    pub(super) background_drain: BackgroundDrain,
    /// Segments of the full text that were read before.
    pub(super) segment_cache: SegmentCache,
    writer: Mutex<Option<Database>>,
    reader: Mutex<Option<Database>>,
}

impl Memory {
    /// Opens the memory at `options.path`; the first write creates the database.
    pub fn open(options: MemoryOptions, clock: Arc<dyn Clock>) -> Result<Self> {
        let model = builtin(STATIC).ok_or_else(|| Error::Internal("the model is not compiled in".to_owned()))?;
        let mut name = options.path.clone().into_os_string();
        name.push(".spool");
        let spool = options.spool.clone().map(Spool::signed);
        let (writer, reader) = (Mutex::new(None), Mutex::new(None));
        let (contention, background_drain) = (Contention::default(), BackgroundDrain::default());
        let segment_cache = SegmentCache::default();
        let busy_spool = Spool::new(PathBuf::from(name));
        Ok(Self {
            options,
            clock,
            model,
            busy_spool,
            spool,
            contention,
            background_drain,
            segment_cache,
            writer,
            reader,
        })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.options.path
    }

    /// Lets go of the database.
    pub fn close(&self) {
        self.background_drain.end();
        *lock(&self.writer) = None;
        *lock(&self.reader) = None;
        self.spools().for_each(Spool::let_go);
    }

    /// The project, as its folder is now.
    pub(super) fn project(&self) -> ProjectName {
        self.options.project.current()
    }

    pub(super) fn now_ns(&self) -> i64 {
        self.clock.now_ns()
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ns().div_euclid(1_000_000)
    }

    /// Creates the key that signs the spool in a workspace: a sandboxed agent can read it later but not create it.
    fn make_key(&self) {
        if let Some(spool) = self.options.spool.as_ref().filter(|spool| !spool.key.exists()) {
            // Without a key nothing can be left there, which is reported then.
            let _ = UserKey::load_or_create(&spool.key);
        }
    }

    /// Runs `work` in one transaction that is on the disk when this returns; waits for other writers.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        self.with_writer(PATIENCE, |database| {
            database.set_patience(PATIENCE)?;
            database.transaction(|| work(database))
        })
    }

    /// The same with a timeout: `None` if another process is still writing then.
    pub(super) fn try_write<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&Database) -> Result<T>,
    ) -> Result<Option<T>> {
        self.try_write_as(Durability::Full, patience, work)
    }

    /// The same with less durability.
    pub(super) fn try_write_as<T>(
        &self,
        durability: Durability,
        patience: Duration,
        work: impl FnOnce(&Database) -> Result<T>,
    ) -> Result<Option<T>> {
        let done = self.with_writer(patience, |database| {
            database.set_patience(patience)?;
            if durability == Durability::Full || !has_log(database)? {
                return try_transaction(database, work);
            }
            database.script("PRAGMA synchronous = NORMAL")?;
            let done = try_transaction(database, work);
            // A connection whose durability can't be restored is closed.
            database.script("PRAGMA synchronous = FULL").and(done)
        });
        match done {
            Ok(value) => Ok(Some(value)),
            Err(Error::Locked { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs `work` on the writing connection. Creating the database waits for other processes for `patience` at most,
    /// too.
    pub(super) fn with_writer<T>(&self, patience: Duration, work: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        let mut writer = lock(&self.writer);
        if writer.as_ref().is_none_or(|database| !database.is_current()) {
            // Closed first: an unlinked database takes its log with it.
            *writer = None;
            *writer = Some(connect(&self.options.path, patience, self.now_ns(), &*self.model)?);
            self.make_key();
        }
        let database = writer.as_ref().ok_or_else(|| Error::Internal("no connection".to_owned()))?;
        let done = work(database);
        if done.is_ok() {
            self.empty_long_log(database);
        }
        if done.as_ref().is_err_and(|error| !matches!(error, Error::Locked { .. } | Error::InvalidArgument(_))) {
            // After any other error the next call connects again.
            *writer = None;
        }
        done
    }

    /// Empties the log if it is long. While others read or write it stays as it is; a later write empties it.
    fn empty_long_log(&self, database: &Database) {
        let mut log = self.options.path.clone().into_os_string();
        log.push("-wal");
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > MAX_LOG_BYTES) {
            let _ = database.script("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
        }
    }

    /// Runs `work` on one state of the database, with the project's number. `None` if there is nothing yet.
    ///
    /// Drains the spools before, so that a process reads its own writes.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Database, i64) -> Result<T>) -> Result<Option<T>> {
        self.settle()?;
        self.look(work)
    }

    /// The same without draining the spools.
    pub(super) fn look<T>(&self, work: impl FnOnce(&Database, i64) -> Result<T>) -> Result<Option<T>> {
        let mut reader = lock(&self.reader);
        if reader.as_ref().is_some_and(|database| !database.is_current()) {
            *reader = None;
            self.segment_cache.clear();
        }
        if reader.is_none() {
            if !self.options.path.exists() {
                return Ok(None);
            }
            *reader = match connect_reader(&self.options.path) {
                // An older format: the next process that can write migrates it.
                Err(Error::StoreReadOnly { .. }) => {
                    self.with_writer(PATIENCE, |_| Ok(()))?;
                    connect_reader(&self.options.path)?
                }
                connected => connected?,
            };
        }
        let Some(database) = reader.as_ref() else { return Ok(None) };
        let done = (|| {
            database.script("BEGIN")?;
            let number = project::find(database, &self.project())?.unwrap_or(-1);
            work(database, number)
        })();
        database.roll_back();
        if done.is_err() {
            *reader = None;
        }
        done.map(Some)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Memory").field("path", &self.options.path).finish_non_exhaustive()
    }
}

/// One transaction that begins at once or not at all.
fn try_transaction<T>(database: &Database, work: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
    database.script("BEGIN IMMEDIATE")?;
    // A commit may have to wait for a checkpoint of another process.
    let done = database
        .set_patience(PATIENCE)
        .and_then(|()| work(database))
        .and_then(|value| database.script("COMMIT").map(|()| value));
    if done.is_err() {
        database.roll_back();
    }
    done
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn connect(path: &Path, patience: Duration, now_ns: i64, model: &dyn Embedder) -> Result<Database> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        private_files::make_folder(folder)?;
    }
    let database = Database::connect(path, None, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    database.set_patience(patience)?;
    // An acknowledged record survives a loss of power, and a purged one leaves nothing in free pages.
    database.script("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16384;")?;
    let is_new = database.only("PRAGMA page_count", [], |row| Ok(row.get::<_, i64>(0)?))? == 0;
    if is_new {
        restrict(path)?;
        database.script("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL;")?;
    }
    let is_network = network_file_system(folder.unwrap_or(Path::new("."))).is_some();
    let mode = if is_network { "TRUNCATE" } else { "WAL" };
    if has_log(&database)? == is_network {
        // Several processes may be making the database at once; the switch itself doesn't wait for the others.
        switch_journal(&database, mode, patience)?;
    }
    database.script(&format!("PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES};"))?;
    match SCHEMA.format_of(&database)? {
        Format::Known(found) if found == SCHEMA.newest() && text::is_current(&database)? => {}
        Format::Known(_) if patience < PATIENCE => {
            // A migration may take seconds; a record with a short timeout is spooled instead.
            return Err(Error::Locked { owner: "an older format".to_owned() });
        }
        _ => {
            SCHEMA.migrate(&database, now_ns, |_| Ok(()))?;
            // Another process may have rebuilt it meanwhile.
            database.transaction(|| {
                if !text::is_current(&database)? {
                    reindex(&database, model)?;
                }
                tombstone::adopt(&database, now_ns.div_euclid(1_000_000), model)
            })?;
        }
    }
    Ok(database)
}

/// Whether changes are written to a log first: a database without one is damaged by a loss of power unless each is
/// synced.
fn has_log(database: &Database) -> Result<bool> {
    database.only("PRAGMA journal_mode", [], |row| Ok(row.get::<_, String>(0)? == "wal"))
}

/// `SQLite` answers "locked" at once where two change the journal together; then the other one's change is ours too.
fn switch_journal(database: &Database, mode: &str, patience: Duration) -> Result<()> {
    const PAUSE: Duration = Duration::from_millis(5);
    let mut left = patience;
    loop {
        match database.script(&format!("PRAGMA journal_mode = {mode};")) {
            Err(Error::Locked { .. }) if left > PAUSE => std::thread::sleep(PAUSE),
            other => return other,
        }
        left -= PAUSE;
    }
}

/// `None` if the database is just being created and has no table yet.
fn connect_reader(path: &Path) -> Result<Option<Database>> {
    let database = codecairn_store::connect_for_reading(path)?;
    database.set_patience(PATIENCE)?;
    // Candidates are all over the file; pages stay in the cache.
    database.script("PRAGMA cache_size = -65536;")?;
    if has_log(&database)? {
        // A process that reads once reads a thousand pages: mapped, they cost neither a call nor a copy each. SQLite drops the
        // mapping when another process has changed the file. On network file systems, where there is no log, it could not.
        // It would check the cells of a mapped page at each visit, 2,700 times for a prompt; writers check them.
        database.script(&format!("PRAGMA mmap_size = {MAX_MAPPED_BYTES}; PRAGMA cell_size_check = OFF;"))?;
    }
    match SCHEMA.format_of(&database)? {
        Format::Known(found) if found == SCHEMA.newest() && text::is_current(&database)? => Ok(Some(database)),
        Format::Empty => Ok(None),
        Format::Known(_) => Err(Error::StoreReadOnly {
            path: path.to_path_buf(),
            detail: "its format must be brought up to date by a write first".to_owned(),
        }),
    }
}

/// Only its owner may read the memory.
fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let rights = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, rights).map_err(|source| Error::io(path, source))?;
    }
    let _ = path;
    Ok(())
}
