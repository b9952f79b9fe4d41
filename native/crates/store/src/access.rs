//! Connects to `index.db`: for writing, for reading, and for reading in a folder that can't be written.
//!
//! A reader of a WAL database needs its shared-memory file. In a folder that can't be written there are three cases:
//! the file exists, and reading works as usual; there is a log without the file, so no process is writing, and the log
//! is read with a private index; there is no log either, and the database is opened as immutable. Without WAL, a reader
//! that finds the hot journal of a dead writer must roll it back, which takes a writing connection.

use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;

use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::private_files;

use codecairn_base::database::Database;

/// The VFS of `SQLite` without locks. A log is read with a private index only under an exclusive lock, which can't be
/// taken on a file that can't be written.
const NO_LOCKS: &str = if cfg!(windows) { "win32-none" } else { "unix-none" };

/// The journal mode of `SQLite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// A write-ahead log: readers and the writer don't wait for each other.
    Wal,
    /// A rollback journal, for file systems without shared memory: a commit waits for readers to finish.
    Truncate,
}

/// Bytes in a page of a new database. Half of it takes 4 % longer to adopt an index, twice as much makes it 15 % larger.
const PAGE_BYTES: u32 = 8192;

/// The smallest page size in bytes of the databases that are read: a database keeps the one that it was made with.
pub(super) const MIN_PAGE_BYTES: u64 = 4096;

/// Pages in the log at which the writer moves them into the database (32 MB); larger means fewer syncs in a bulk load.
const CHECKPOINT_PAGES: u32 = 4096;

/// Bytes that the log may keep on disk after that.
const LOG_BYTES: u32 = 32 << 20;

/// A log up to this size is not checkpointed when the writer closes: reading it again costs the next process a
/// millisecond, a checkpoint costs several syncs.
const SMALL_LOG_BYTES: u64 = 1 << 20;

/// Connects for writing; creates the file if there is none.
///
/// `synchronous` is `NORMAL`: a batch survives the death of the process, and a loss of power takes at most the last
/// batches with it, never a part of one. Publishing raises it to `FULL`, see `WriteGuard::publish`.
pub(super) fn connect_writer(path: &Path, journal: Journal) -> Result<Database> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let database = Database::connect(path, None, flags)?;
    let mode = match journal {
        Journal::Wal => "WAL",
        Journal::Truncate => "TRUNCATE",
    };
    if database.only("PRAGMA page_count", [], |row| Ok(row.get::<_, i64>(0)?))? == 0 {
        // They take effect in an empty file only, which has nothing to lose. Giving it its journal syncs it.
        database.script(&format!(
            "PRAGMA synchronous = OFF; PRAGMA page_size = {PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL;"
        ))?;
    }
    database.script(&format!(
        "PRAGMA synchronous = NORMAL; PRAGMA journal_mode = {mode}; PRAGMA cache_size = -32768; \
         PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; PRAGMA journal_size_limit = {LOG_BYTES};"
    ))?;
    Ok(database)
}

/// Checkpoints a large log (`PASSIVE`) as far as no reader needs the old pages; other processes read and write
/// meanwhile.
pub(super) fn move_log(database: &Database) {
    if !is_log_small(database) {
        // What is left of it is moved before the connection is closed.
        let _ = database.script("PRAGMA wal_checkpoint(PASSIVE)");
    }
}

fn is_log_small(database: &Database) -> bool {
    std::fs::metadata(sibling_path(database.path(), "-wal")).is_ok_and(|log| log.len() <= SMALL_LOG_BYTES)
}

/// Before a writer's connection is closed: leaves a small log alone, and empties a large one even if readers stay.
pub(super) fn settle_log(database: &Database) {
    if is_log_small(database) {
        database.keep_log_on_close();
    } else {
        // The log stays while a reader uses it, and the next writer tries again.
        let _ = failpoint::reach("log.full")
            .and_then(|()| database.script("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)"))
            .and_then(|()| failpoint::reach("log.emptied"));
    }
}

/// A connection for reading.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) database: Database,
    /// Whether it sees later commits, so that it may be reused.
    pub(super) shared: bool,
}

/// Connects for reading, in the mode that the folder allows.
pub(super) fn connect_reader(path: &Path) -> Result<Reader> {
    match connect_checked(path, None, "") {
        Ok(database) => Ok(Reader { database, shared: true }),
        Err(Error::StoreReadOnly { .. }) if path.exists() => {
            // What can't even be read needs other rights, not other means.
            private_files::open(path).map_err(|source| Error::io(path, source))?;
            if std::fs::metadata(sibling_path(path, "-journal")).is_ok_and(|journal| journal.len() > 0) {
                undo_interrupted_write(path)?;
                return Ok(Reader { database: connect_checked(path, None, "")?, shared: true });
            }
            let logged = std::fs::metadata(sibling_path(path, "-wal")).is_ok_and(|log| log.len() > 0);
            let (option, script) = if logged {
                (format!("vfs={NO_LOCKS}"), "PRAGMA locking_mode = EXCLUSIVE;")
            } else {
                ("immutable=1".to_owned(), "")
            };
            let query = format!("mode=ro&{option}");
            Ok(Reader { database: connect_checked(path, Some(&query), script)?, shared: false })
        }
        Err(error) => Err(error),
    }
}

/// Rolls back the hot journal of a dead writer, with a writing connection.
fn undo_interrupted_write(path: &Path) -> Result<()> {
    let database = Database::connect(path, None, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    database.only("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Connects and reads once, since `SQLite` opens files only when they are needed.
fn connect_checked(path: &Path, query: Option<&str>, script: &str) -> Result<Database> {
    let database = Database::connect(path, query, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    database.script(&format!("{script} PRAGMA query_only = ON; PRAGMA cache_size = -8192;"))?;
    database.only("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(database)
}

/// The path of the database with `suffix` appended: its log, its shared memory.
pub(super) fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
