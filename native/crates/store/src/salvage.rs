//! Copies the readable rows of a damaged database into a new one.
//!
//! A row that can't be read is skipped, and so are rows that can't be reached past it; a verification of the result
//! finds incomplete content. Derived files are not listed in it, so they are rebuilt.

use std::path::Path;

use rusqlite::types::Value;

use codecairn_base::error::Result;
use codecairn_base::failpoint;

use super::access;
use super::column::Column;
use super::migrate::{self, Format};
use super::publish::forget_notes;
use codecairn_base::database::Database;

/// Tables whose rows have a number, with its column and all their columns.
const NUMBERED: [(&str, &str, usize); 13] = [
    ("frame", "id", 2),
    ("blob", "id", 12),
    ("blob_chunks", "blob", 4),
    ("blob_syntax", "blob", 2),
    ("chunk_page", "id", 2),
    ("text_page", "id", 2),
    ("plain_text", "text", 1),
    ("run", "id", 4),
    ("run_page", "id", 2),
    ("embedder", "id", 4),
    ("vector_block", "id", 4),
    ("layer", "id", 4),
    ("worktree", "id", 2),
];

/// Tables without, with the columns of their key and the number of all.
const KEYED: [(&str, &str, usize); 7] = [
    ("meta", "key", 2),
    ("layer_entry", "layer, path", 3),
    ("branch", "name", 5),
    ("stat", "worktree, path", 8),
    ("skip", "worktree, path", 4),
    ("failed_text", "embedder, hash", 3),
    ("spending", "embedder", 5),
];

/// Fills the new database at `target` with what can be read of the one at `source`. Returns the number of rows; none if
/// it is no database of ours.
pub(super) fn salvage(source: &Path, target: &Path, now_ns: i64) -> Result<u64> {
    let Ok(reader) = access::connect_reader(source) else { return Ok(0) };
    let old = reader.database;
    if !matches!(migrate::format_of(&old), Ok(Format::Known(_))) {
        return Ok(0);
    }
    let new = access::connect_writer(target, super::Journal::Truncate)?;
    migrate::migrate(&new, now_ns)?;
    failpoint::reach("salvage.begun")?;
    new.transaction(|| {
        let identity = new.number("identity")?;
        let mut rows = 0;
        for (table, key, columns) in NUMBERED {
            rows += copy_table(&old, &new, table, key, columns, true)?;
        }
        for (table, key, columns) in KEYED {
            rows += copy_table(&old, &new, table, key, columns, false)?;
        }
        new.set_number("identity", identity)?;
        forget_notes(&new)?;
        fill_gaps(&new)?;
        for (key, least) in low_counters(&new)? {
            new.set_number(key, least)?;
        }
        failpoint::reach("salvage.copied")?;
        Ok(rows)
    })
}

/// Copies what can be read of a table with so many columns; `key` are those of its key, and whether that is a row's
/// number. Returns how many rows are new.
pub fn copy_table(
    old: &Database,
    new: &Database,
    table: &str,
    key: &str,
    columns: usize,
    is_numbered: bool,
) -> Result<u64> {
    if is_numbered { numbered(old, new, table, key, columns) } else { keyed(old, new, table, key, columns) }
}

/// Copies a table by its numbers, upwards; past what can't be read it goes on as near as it can.
fn numbered(old: &Database, new: &Database, table: &str, key: &str, columns: usize) -> Result<u64> {
    let upwards = format!("SELECT * FROM {table} WHERE {key} >= ?1 ORDER BY {key}");
    let downwards = format!("SELECT * FROM {table} WHERE {key} BETWEEN ?1 AND ?2 ORDER BY {key} DESC");
    let insert = insertion(table, columns);
    let (mut next, mut rows) = (i64::MIN, 0);
    'damage: loop {
        let mut last = next;
        let read = copy(old, &upwards, [next], columns, |row| {
            if let Value::Integer(number) = row[0] {
                last = number;
            }
            rows += put(new, &insert, &row)?;
            Ok(())
        });
        if read? {
            return Ok(rows);
        }
        let mut step = 1i64;
        loop {
            let Some(begin) = last.checked_add(step).filter(|_| step < 1 << 40) else { break 'damage };
            let found = old.first(&format!("{upwards} LIMIT 1"), [begin], |row| Ok(row.get::<_, i64>(0)?));
            if let Ok(found) = found {
                // What lies between is read from the other side as far as that goes.
                let _ = copy(old, &downwards, [last, begin - 1], columns, |row| {
                    rows += put(new, &insert, &row)?;
                    Ok(())
                });
                match found {
                    Some(found) => next = found,
                    None => break 'damage,
                }
                continue 'damage;
            }
            step = step.saturating_mul(2);
        }
    }
    Ok(rows)
}

/// Copies a table from both of its ends.
fn keyed(old: &Database, new: &Database, table: &str, key: &str, columns: usize) -> Result<u64> {
    let insert = insertion(table, columns);
    let mut rows = 0;
    for order in ["ASC", "DESC"] {
        let keys: Vec<String> = key.split(", ").map(|column| format!("{column} {order}")).collect();
        let sql = format!("SELECT * FROM {table} ORDER BY {}", keys.join(", "));
        let whole = copy(old, &sql, [], columns, |row| {
            rows += put(new, &insert, &row)?;
            Ok(())
        });
        if whole? {
            break;
        }
    }
    Ok(rows)
}

/// Passes the rows of a query on until one can't be read; returns whether all could. Only a failure of `take` is an
/// error.
fn copy(
    old: &Database,
    sql: &str,
    params: impl rusqlite::Params,
    columns: usize,
    mut take: impl FnMut(Vec<Value>) -> Result<()>,
) -> Result<bool> {
    let mut failed = None;
    let read = old.each(sql, params, |row| {
        // A table of an older format lacks the last columns.
        let known = row.as_ref().column_count();
        let value = |column| if column < known { row.get(column) } else { Ok(Value::Null) };
        let values = (0..columns).map(value).collect::<rusqlite::Result<Vec<Value>>>()?;
        take(values).map_err(|error| {
            let stopped = codecairn_base::Error::Cancelled;
            failed = Some(error);
            stopped
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(read.is_ok()),
    }
}

/// Writes a row unless it is there; one that the table can't take is left out.
fn put(new: &Database, insert: &str, row: &[Value]) -> Result<u64> {
    match new.run(insert, rusqlite::params_from_iter(row)) {
        Ok(rows) => Ok(rows as u64),
        Err(codecairn_base::Error::Database(_) | codecairn_base::Error::StoreDamaged { .. }) => Ok(0),
        Err(other) => Err(other),
    }
}

fn insertion(table: &str, columns: usize) -> String {
    // A fresh database has an identity and a generation of its own; those of the old one go before.
    let replacing = if table == "meta" { "REPLACE" } else { "IGNORE" };
    format!("INSERT OR {replacing} INTO {table} VALUES ({})", vec!["?"; columns].join(", "))
}

/// Pages of the columns that are lost, or too short, become pages of collected entries.
fn fill_gaps(new: &Database) -> Result<()> {
    for column in [Column::Chunk, Column::Text] {
        column.fill_gaps(new)?;
    }
    Ok(())
}

/// The counters of `meta`, and queries for the least that each may be: one more than the largest number that was given.
const COUNTERS: [(&str, &str); 4] = [
    ("next_blob", "SELECT coalesce(max(id), -1) + 1 FROM blob"),
    ("next_frame", "SELECT coalesce(max(id), -1) + 1 FROM frame"),
    ("next_run", "SELECT coalesce(max((SELECT max(id) FROM run), (SELECT max(id) >> 20 FROM run_page)), -1) + 1"),
    ("generation", "SELECT coalesce(max(generation), 0) FROM branch"),
];

/// The counters that would give a number a second time, with the least that they may be.
pub(super) fn low_counters(database: &Database) -> Result<Vec<(&'static str, u64)>> {
    let mut low = Vec::new();
    for (key, sql) in COUNTERS {
        let least = database.only(sql, [], |row| Ok(row.get::<_, i64>(0)?))? as u64;
        if database.number(key)? < least {
            low.push((key, least));
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rusqlite::OpenFlags;

    use super::*;

    #[test]
    fn every_table_is_copied_with_all_its_columns() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::connect(&dir.path().join("index.db"), None, OpenFlags::default()).unwrap();
        migrate::migrate(&database, 0).unwrap();
        let sql = "SELECT table_.name, count(*) FROM sqlite_schema AS table_ JOIN pragma_table_info(table_.name) \
                   WHERE table_.type = 'table' AND table_.name NOT LIKE 'sqlite_%' GROUP BY table_.name";
        let tables = database.all(sql, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize))).unwrap();
        let mut tables: BTreeMap<String, usize> = tables.into_iter().collect();
        assert!(tables.remove("segment").is_some(), "derived files are made again");
        let copied = NUMBERED.iter().chain(&KEYED).map(|&(table, _, columns)| (table.to_owned(), columns));
        assert_eq!(tables, copied.collect());
    }

    #[test]
    fn what_is_no_database_of_ours_gives_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (source, target) = (dir.path().join("old.db"), dir.path().join("new.db"));
        std::fs::write(&source, b"rubbish").unwrap();
        assert_eq!(salvage(&source, &target, 0).unwrap(), 0);
        let _ = std::fs::remove_file(&source);
        Database::connect(&source, None, OpenFlags::default()).unwrap().script("CREATE TABLE other (x)").unwrap();
        assert_eq!(salvage(&source, &target, 0).unwrap(), 0);
        assert!(!target.exists());
    }
}
