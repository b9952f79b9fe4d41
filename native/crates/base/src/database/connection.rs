//! Wraps one `SQLite` connection with the path that it belongs to, so that every error names the file.
//!
//! Invariant: no `rusqlite` error leaves without its path, and every statement is prepared once.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Params, Row};

use super::FileKey;
use crate::error::{Error, Result};
use crate::private_files;

/// How long one statement waits for another process, which happens only while a store is made or without WAL.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Prepared statements kept by a connection.
const STATEMENTS: usize = 96;

/// A connection to one database file.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
    /// The file that was opened.
    file: Option<FileKey>,
}

impl Database {
    /// Connects, creating the file when `flags` say so. A `query` makes it a URI with these options
    /// (`mode=ro&immutable=1`). The database must not be a symbolic link.
    pub fn connect(path: &Path, query: Option<&str>, flags: OpenFlags) -> Result<Self> {
        // `SQLITE_OPEN_NOFOLLOW` refuses links in the folders above, too, which the canonical path has none of.
        let canonical = private_files::canonical(path).map_err(|source| unopened(path, source))?;
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = match query {
            Some(query) => {
                let uri = format!("{}?{query}", file_uri(&canonical));
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
            }
            None => Connection::open_with_flags(&canonical, flags),
        }
        .map_err(|error| match private_files::require_file(path) {
            Ok(()) => Error::from_sqlite(path, error),
            Err(problem) => problem,
        })?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let database = Self { connection, path: path.to_path_buf(), file: FileKey::of(path) };
        database.locate(database.connection.busy_timeout(BUSY_TIMEOUT))?;
        // Plans are made without looking at values. Otherwise `WHERE a = ?1 ORDER BY b` is prepared again at each call.
        database.locate(database.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))?;
        // Damage shows as an error instead of a wrong answer; rowids are numbers of ours, not foreign keys.
        database.script(
            "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF; \
             PRAGMA temp_store = MEMORY;",
        )?;
        Ok(database)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to the file that was opened. `SQLite` goes on with one that was unlinked: no other
    /// process sees it, and writes to it are lost when it is closed.
    pub fn is_current(&self) -> bool {
        FileKey::of(&self.path) == self.file
    }

    /// Runs several statements without parameters.
    pub fn script(&self, sql: &str) -> Result<()> {
        self.locate(self.connection.execute_batch(sql))
    }

    /// Runs one statement and returns the number of changed rows.
    pub fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.locate(self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(params)))
    }

    /// The first row of a query, if there is one.
    pub fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let found = (|| {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params)?;
            rows.next()?.map(read).transpose()
        })();
        found.map_err(|error| self.place(error))
    }

    /// The first row of a query that always has one.
    pub fn only<T>(&self, sql: &str, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        self.first(sql, params, read)?.ok_or_else(|| self.damaged("a row that must exist is missing"))
    }

    /// Visits all rows of a query.
    pub fn each(&self, sql: &str, params: impl Params, mut visit: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        let visited = (|| {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                visit(row)?;
            }
            Ok(())
        })();
        visited.map_err(|error| self.place(error))
    }

    /// All rows of a query.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, params, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Copies the whole database as this connection sees it into a new file.
    pub fn copy_to(&self, target: &Path) -> Result<()> {
        let canonical = private_files::canonical(target).map_err(|source| Error::io(target, source))?;
        let copied = (|| {
            let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let mut copy = Connection::open_with_flags(&canonical, flags)?;
            // All pages in one step: one view of the source, whatever others write meanwhile.
            Backup::new(&self.connection, &mut copy)?.step(-1)
        })();
        copied.map(drop).map_err(|error| Error::from_sqlite(target, error))
    }

    /// A number from `meta`; 0 when it was never set.
    pub fn number(&self, key: &str) -> Result<u64> {
        let found = self.first("SELECT value FROM meta WHERE key = ?1", [key], |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(found.unwrap_or(0) as u64)
    }

    /// Sets a number in `meta`.
    pub fn set_number(&self, key: &str, value: u64) -> Result<()> {
        self.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", (key, value as i64)).map(drop)
    }

    /// Runs `work` in one transaction that takes the write lock at once; all of it happens or nothing.
    pub fn transaction<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.script("BEGIN IMMEDIATE")?;
        let done = work().and_then(|value| self.script("COMMIT").map(|()| value));
        if done.is_err() {
            self.roll_back();
        }
        done
    }

    /// Ends a transaction without its changes. `SQLite` may have done so by itself, which is as good.
    pub fn roll_back(&self) {
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// How long a statement waits for another process from now on.
    pub fn set_patience(&self, patience: Duration) -> Result<()> {
        self.locate(self.connection.busy_timeout(patience))
    }

    /// The number of the row that this connection inserted last.
    pub fn last_row(&self) -> i64 {
        self.connection.last_insert_rowid()
    }

    /// Closing this connection leaves the log as it is.
    pub fn keep_log_on_close(&self) {
        // If it can't be set, closing is slower, nothing else.
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// The error for content that can't be right.
    pub fn damaged(&self, detail: impl Into<String>) -> Error {
        Error::StoreDamaged { path: self.path.clone(), detail: detail.into() }
    }

    fn locate<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| Error::from_sqlite(&self.path, error))
    }

    fn place(&self, error: Error) -> Error {
        match error {
            Error::Database(source) => Error::from_sqlite(&self.path, source),
            other => other,
        }
    }
}

/// A folder that can't be looked through is one that can't be written, as `SQLite` would report it.
fn unopened(path: &Path, source: std::io::Error) -> Error {
    match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied => {
            Error::StoreReadOnly { path: path.to_path_buf(), detail: source.to_string() }
        }
        _ => Error::io(path, source),
    }
}

/// A path as `SQLite` wants it in an URI: `/`, and percent signs for what has a meaning there.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    let plain = path.to_string_lossy().replace('\\', "/");
    if plain.as_bytes().get(1) == Some(&b':') {
        uri.push_str("///");
    }
    for byte in plain.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").expect("invariant: writing to a string works");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(file_uri(Path::new("/a b/ü?#%.db")), "file:/a%20b/%C3%BC%3F%23%25.db");
        assert_eq!(file_uri(Path::new("C:/x/index.db")), "file:///C:/x/index.db");
    }
}
