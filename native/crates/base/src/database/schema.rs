//! Migrates a database by numbered scripts, applied in order and in one transaction, so that no reader sees a format in
//! between.
//!
//! Scripts are append-only: one that was released never changes. A newer format is refused, never guessed at.

use rusqlite::params;

use super::Database;
use crate::error::{Error, Result};
use crate::failpoint;
use crate::hash::ContentHash;

/// The schema of a kind of database.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Marks a file as ours in `PRAGMA application_id`.
    pub application_id: i32,
    /// What the file is, for messages: "a code index".
    pub what: &'static str,
    /// All scripts; the format is their number. The first makes the table `meta`.
    pub scripts: &'static [&'static str],
}

/// The format of a database, by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Nothing has been made yet.
    Empty,
    /// Ours, of this format.
    Known(u32),
}

impl Schema {
    /// The newest format known here.
    pub const fn newest(&self) -> u32 {
        self.scripts.len() as u32
    }

    /// Reads the format, refusing newer ones and files that are something else.
    pub fn format_of(&self, database: &Database) -> Result<Format> {
        // In one statement, and so of one state: another process may be making the database at this moment.
        let (version, application, tables): (i64, i64, i64) = database.only(
            "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) \
             FROM pragma_user_version, pragma_application_id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        if version == 0 && application == 0 && tables == 0 {
            return Ok(Format::Empty);
        }
        if application != i64::from(self.application_id) || version < 1 {
            return Err(database.damaged(format!("the file is a database, but not {}", self.what)));
        }
        let found = u32::try_from(version).map_err(|_| database.damaged("its format number is out of range"))?;
        if found > self.newest() {
            let path = database.path().to_path_buf();
            return Err(Error::StoreTooNew { path, found, supported: self.newest() });
        }
        Ok(Format::Known(found))
    }

    /// Brings the database to the newest format. `now_ns` is the time, in nanoseconds since the epoch. `beside` does
    /// what SQL can't, after the script of the format that it is given, in the same transaction.
    pub fn migrate(&self, database: &Database, now_ns: i64, beside: impl Fn(u32) -> Result<()>) -> Result<()> {
        database.transaction(|| {
            // Read under the write lock: another process may have migrated meanwhile.
            let done = match self.format_of(database)? {
                Format::Empty => 0,
                Format::Known(version) => version as usize,
            };
            for (script, format) in self.scripts.iter().zip(1u32..).skip(done) {
                database.script(script)?;
                beside(format)?;
                if format == 1 {
                    let identity = identity(database, now_ns);
                    database.run("INSERT INTO meta (key, value) VALUES ('identity', ?1)", params![identity])?;
                }
                failpoint::reach("migrate.script-applied")?;
            }
            let (newest, application) = (self.newest(), self.application_id);
            if done == self.scripts.len() {
                return Ok(());
            }
            database.script(&format!("PRAGMA user_version = {newest}; PRAGMA application_id = {application}"))
        })
    }
}

/// A number that differs between databases, also for two that were created at the same path.
pub fn identity(database: &Database, now_ns: i64) -> i64 {
    let path = database.path().to_string_lossy();
    let seed = ContentHash::of_parts(&[path.as_bytes(), &now_ns.to_le_bytes(), &std::process::id().to_le_bytes()]);
    let mut first = [0; 8];
    first.copy_from_slice(&seed.as_bytes()[..8]);
    i64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::*;

    const SCRIPT: &str = "CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;";
    const SCHEMA: Schema = Schema { application_id: 7, what: "a test", scripts: &[SCRIPT] };

    fn empty(dir: &tempfile::TempDir) -> Database {
        Database::connect(&dir.path().join("some.db"), None, OpenFlags::default()).unwrap()
    }

    #[test]
    fn scripts_are_applied_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        assert_eq!(SCHEMA.format_of(&database).unwrap(), Format::Empty);
        SCHEMA.migrate(&database, 1, |_| Ok(())).unwrap();
        assert_eq!(SCHEMA.format_of(&database).unwrap(), Format::Known(1));
        let identity = database.number("identity").unwrap();
        SCHEMA.migrate(&database, 2, |_| Ok(())).unwrap();
        assert_eq!(database.number("identity").unwrap(), identity);
    }

    #[test]
    fn failed_script_leaves_the_old_format() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        SCHEMA.migrate(&database, 1, |_| Ok(())).unwrap();
        let scripts = &[SCRIPT, "CREATE TABLE further (x); CREATE TABLE meta (x);"];
        Schema { scripts, ..SCHEMA }.migrate(&database, 1, |_| Ok(())).unwrap_err();
        assert_eq!(SCHEMA.format_of(&database).unwrap(), Format::Known(1));
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'further'";
        assert_eq!(database.only(tables, [], |row| Ok(row.get::<_, i64>(0)?)).unwrap(), 0);
    }

    #[test]
    fn newer_format_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        let scripts = &[SCRIPT, "CREATE TABLE further (x);"];
        Schema { scripts, ..SCHEMA }.migrate(&database, 1, |_| Ok(())).unwrap();
        assert!(matches!(SCHEMA.format_of(&database), Err(Error::StoreTooNew { found: 2, supported: 1, .. })));
    }

    #[test]
    fn database_in_the_making_is_empty_or_whole_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let schema = Schema { scripts: &[SCRIPT, "CREATE TABLE second (x);", "CREATE TABLE third (x);"], ..SCHEMA };
        for round in 0..100 {
            let path = dir.path().join(format!("{round}.db"));
            let open = || Database::connect(&path, None, OpenFlags::default()).unwrap();
            let maker = open();
            maker.script("PRAGMA journal_mode = WAL").unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let reader = open();
                    let mut formats = std::iter::repeat_with(|| schema.format_of(&reader).unwrap());
                    assert_eq!(formats.find(|format| *format != Format::Empty), Some(Format::Known(3)));
                });
                schema.migrate(&maker, 1, |_| Ok(())).unwrap();
            });
        }
    }

    #[test]
    fn foreign_database_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        database.script("CREATE TABLE other (x); PRAGMA user_version = 3").unwrap();
        assert!(matches!(SCHEMA.format_of(&database), Err(Error::StoreDamaged { .. })));
    }
}
