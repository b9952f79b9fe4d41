//! The database's format: numbered scripts, applied in order, each whole or not at all.
//!
//! Scripts are append-only: one that was released never changes. A newer format is refused, never guessed at.

use rusqlite::params;

use super::database::{APPLICATION_ID, Database};
use crate::error::{Error, Result};
use crate::hash::ContentHash;

/// All scripts; the format is their number.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/index/0001_initial.sql"),
    include_str!("../../migrations/index/0002_outside_vectors.sql"),
];

/// The newest format known here.
pub const FORMAT: u32 = MIGRATIONS.len() as u32;

/// What a database says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Nothing has been made yet.
    Empty,
    /// Ours, of this format.
    Known(u32),
}

/// Reads the format, refusing newer ones and files that are not a code index.
pub(super) fn format_of(database: &Database) -> Result<Format> {
    let pragma = |name: &str| database.only(&format!("PRAGMA {name}"), [], |row| Ok(row.get::<_, i64>(0)?));
    let (version, application) = (pragma("user_version")?, pragma("application_id")?);
    let tables = database.only("SELECT count(*) FROM sqlite_schema", [], |row| Ok(row.get::<_, i64>(0)?))?;
    if version == 0 && application == 0 && tables == 0 {
        return Ok(Format::Empty);
    }
    if application != i64::from(APPLICATION_ID) || version < 1 {
        return Err(database.damaged("the file is a database, but not a code index"));
    }
    let found = u32::try_from(version).map_err(|_| database.damaged("its format number is out of range"))?;
    if found > FORMAT {
        return Err(Error::StoreTooNew { path: database.path().to_path_buf(), found, supported: FORMAT });
    }
    Ok(Format::Known(found))
}

/// Brings the database to the newest format. `now_ns` is the time, in nanoseconds since the epoch.
pub(super) fn migrate(database: &Database, now_ns: i64) -> Result<()> {
    apply(database, MIGRATIONS, now_ns)
}

fn apply(database: &Database, scripts: &[&str], now_ns: i64) -> Result<()> {
    loop {
        let applied = database.transaction(|| {
            // Read under the write lock: another process may have migrated meanwhile.
            let done = match format_of(database)? {
                Format::Empty => 0,
                Format::Known(version) => version as usize,
            };
            let Some(script) = scripts.get(done) else { return Ok(false) };
            database.script(script)?;
            database
                .script(&format!("PRAGMA user_version = {}; PRAGMA application_id = {APPLICATION_ID}", done + 1))?;
            if done == 0 {
                let identity = identity(database, now_ns);
                database.run("INSERT INTO meta (key, value) VALUES ('identity', ?1)", params![identity])?;
            }
            Ok(true)
        })?;
        if !applied {
            return Ok(());
        }
    }
}

/// Tells two databases made at the same place apart.
pub(super) fn identity(database: &Database, now_ns: i64) -> i64 {
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

    fn empty(dir: &tempfile::TempDir) -> Database {
        Database::connect(&dir.path().join("index.db"), None, OpenFlags::default()).unwrap()
    }

    #[test]
    fn scripts_are_applied_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        assert_eq!(format_of(&database).unwrap(), Format::Empty);
        migrate(&database, 1).unwrap();
        assert_eq!(format_of(&database).unwrap(), Format::Known(FORMAT));
        let identity = database.number("identity").unwrap();
        migrate(&database, 2).unwrap();
        assert_eq!(database.number("identity").unwrap(), identity);
    }

    #[test]
    fn each_older_format_is_brought_up_to_the_newest() {
        for older in 1..MIGRATIONS.len() {
            let dir = tempfile::tempdir().unwrap();
            let database = empty(&dir);
            apply(&database, &MIGRATIONS[..older], 1).unwrap();
            let identity = database.number("identity").unwrap();
            migrate(&database, 2).unwrap();
            assert_eq!(format_of(&database).unwrap(), Format::Known(FORMAT));
            assert_eq!(database.number("identity").unwrap(), identity);
        }
    }

    #[test]
    fn failed_script_leaves_the_old_format() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        apply(&database, &MIGRATIONS[..1], 1).unwrap();
        let scripts = [MIGRATIONS[0], "CREATE TABLE further (x); CREATE TABLE meta (x);"];
        apply(&database, &scripts, 1).unwrap_err();
        assert_eq!(format_of(&database).unwrap(), Format::Known(1));
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'further'";
        assert_eq!(database.only(tables, [], |row| Ok(row.get::<_, i64>(0)?)).unwrap(), 0);
    }

    #[test]
    fn foreign_database_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let database = empty(&dir);
        database.script("CREATE TABLE other (x); PRAGMA user_version = 3").unwrap();
        assert!(matches!(format_of(&database), Err(Error::StoreDamaged { .. })));
    }
}
