//! Replaces a damaged database: it is set aside whole, and every readable row is copied into a new one.
//!
//! Texts are copied as they are; the full-text index and all others are rebuilt. Pending records stay in their spools
//! and are drained as usual: records that were drained before are recognised by the file's mark or by their key. Other
//! processes notice the replaced file and open it ([`Database::is_current`]).

use std::fs::{self, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::private_files;
use codecairn_store::{connect_for_reading, copy_table};

use super::memory::{Memory, PATIENCE, connect};
use super::reindex::reindex;
use super::text;

/// Bytes of a page and of the header on the first one, as `SQLite`'s file format has them.
const PAGE: usize = 4096;
const HEADER: usize = 100;

/// A database up to this size is read at once to put a new beginning on it.
const MAX_BYTES: u64 = 4 << 30;

/// The outcome of a rescue.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MemoryRescue {
    /// The folder in which the damaged files lie now.
    pub aside: PathBuf,
    /// Events in the new database.
    pub events: u64,
    /// Versions of facts in the new database.
    pub facts: u64,
}

impl Memory {
    /// The problems that `SQLite` finds in the database, and those of the full text, a line each; none if it is sound or
    /// missing. Reads all of it.
    pub fn verify(&self) -> Result<Vec<String>> {
        let found = self.look(|database, _| {
            let mut lines = database.all("PRAGMA integrity_check(20)", [], |row| Ok(row.get::<_, String>(0)?))?;
            lines.retain(|line| line != "ok");
            lines.extend(text::problems(database)?);
            Ok(lines)
        });
        match found {
            Ok(lines) => Ok(lines.unwrap_or_default()),
            Err(Error::StoreDamaged { detail, .. }) => Ok(vec![detail]),
            Err(other) => Err(other),
        }
    }

    /// Sets the database aside and puts a new one in its place that has every row which can be read.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process does the same; input and output errors.
    pub fn rescue(&self) -> Result<MemoryRescue> {
        self.close();
        let path = self.path().to_path_buf();
        let lock = sibling_path(&path, ".repair");
        let lock_file = private_files::open_or_create(&lock).map_err(|source| Error::io(&lock, source))?;
        if matches!(lock_file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(Error::Locked { owner: "another repair".to_owned() });
        }
        let aside = sibling_path(&path, &format!(".damaged-{}", self.now_ns()));
        private_files::make_folder(&aside)?;
        let name = path.file_name().ok_or_else(|| Error::InvalidArgument("the database has no name".to_owned()))?;
        let salvaged = sibling_path(&path, ".salvaged");
        remove_database(&salvaged);
        // A process that can still write waits until the new database has its name, and then notices the replacement.
        let blocking = Database::connect(&path, None, OpenFlags::SQLITE_OPEN_READ_WRITE).ok();
        let blocking = blocking.filter(|database| {
            database.set_patience(PATIENCE).and_then(|()| database.script("BEGIN IMMEDIATE")).is_ok()
        });
        let new = connect(&salvaged, PATIENCE, self.now_ns(), &*self.model)?;
        new.script("PRAGMA journal_mode = TRUNCATE")?;
        let rows = match copy_rows(&path, &new) {
            Ok(rows) if rows > 0 => rows,
            _ => copy_healed(&path, &aside, &salvaged, &new)?,
        };
        failpoint::reach("memory-rescue.copied")?;
        let count = |sql: &str| new.only(sql, [], |row| Ok(row.get::<_, i64>(0)? as u64));
        let (events, facts) = (count("SELECT count(*) FROM event")?, count("SELECT count(*) FROM fact")?);
        if rows > 0 {
            new.transaction(|| reindex(&new, &*self.model))?;
        }
        drop(new);
        private_files::open(&salvaged)
            .and_then(|file| file.sync_all())
            .map_err(|source| Error::io(&salvaged, source))?;
        // Before the new one has its name: its first reader would apply a log of the old database to it.
        for suffix in ["-wal", "-shm", "-journal"] {
            set_aside(&sibling_path(&path, suffix), &sibling_path(&aside.join(name), suffix))?;
        }
        // Linked first where that can be done, so that there is a database at each instant.
        if fs::hard_link(&path, aside.join(name)).is_err() {
            set_aside(&path, &aside.join(name))?;
        }
        failpoint::reach("memory-rescue.aside")?;
        fs::rename(&salvaged, &path).map_err(|source| Error::io(&path, source))?;
        drop(blocking);
        remove_database(&salvaged);
        Ok(MemoryRescue { aside, events, facts })
    }
}

/// Copies every row that can be read of all tables but those that are derived. Returns their number.
fn copy_rows(source: &Path, new: &Database) -> Result<u64> {
    let old = connect_for_reading(source)?;
    let sql = "SELECT name, sql FROM sqlite_schema \
               WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'text_%' ORDER BY name";
    let tables = new.all(sql, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    new.transaction(|| {
        let identity = new.number("identity")?;
        let mut rows = 0;
        for (table, definition) in &tables {
            let sql = "SELECT name, pk FROM pragma_table_info(?1) ORDER BY pk";
            let columns = new.all(sql, [table], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            let key: Vec<&str> = columns.iter().filter(|(_, part)| *part > 0).map(|(name, _)| name.as_str()).collect();
            let is_numbered = !definition.contains("WITHOUT ROWID");
            rows += copy_table(&old, new, table, &key.join(", "), columns.len(), is_numbered)?;
        }
        new.set_number("identity", identity)?;
        Ok(rows)
    })
}

/// The same of a database whose beginning is lost: `SQLite` opens nothing without the header and the list of tables on
/// the first page, so a copy gets those of a new database. That list fits where no older format was brought up to date.
fn copy_healed(path: &Path, aside: &Path, fresh: &Path, new: &Database) -> Result<u64> {
    let (Ok(mut bytes), Ok(first)) = (private_files::read(path, MAX_BYTES), private_files::read(fresh, MAX_BYTES))
    else {
        return Ok(0);
    };
    if bytes.len() < 2 * PAGE || first.len() < PAGE {
        return Ok(0);
    }
    let pages = u32::try_from(bytes.len() / PAGE).unwrap_or(u32::MAX).to_be_bytes();
    let healed = aside.join("healed.db");
    for lost in [HEADER, PAGE] {
        bytes[..lost].copy_from_slice(&first[..lost]);
        // The pages of the file, which count as they were counted by the last change; and no free ones.
        bytes[28..32].copy_from_slice(&pages);
        bytes.copy_within(24..28, 92);
        bytes[32..40].fill(0);
        remove_database(&healed);
        private_files::create(&healed)
            .and_then(|mut file| file.write_all(&bytes))
            .map_err(|source| Error::io(&healed, source))?;
        let rows = copy_rows(&healed, new).unwrap_or(0);
        remove_database(&healed);
        if rows > 0 {
            return Ok(rows);
        }
    }
    Ok(0)
}

fn sibling_path(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // If it can't be removed, the rename fails.
        let _ = private_files::remove_if_exists(&sibling_path(path, suffix));
    }
}

fn set_aside(from: &Path, to: &Path) -> Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(from, error)),
        _ => Ok(()),
    }
}
