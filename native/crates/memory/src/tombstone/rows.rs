//! Stores tombstones: keyed hashes of statements, and of the keys of events that were purged.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rusqlite::{Row, params};

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};

use super::statement::{Found, HASH_BYTES, Hash, Key, Matcher, Statement};
use crate::project;
use crate::words::Origin;

/// The key in `meta` of the key of the hashes.
const KEY: &str = "tombstone_key";
/// The key in `meta` of the number of removals.
const REVISION: &str = "removals";
/// The key in `meta` of a random number that is another one after each change of the tombstones, also after one that was
/// rolled back.
const STATE: &str = "tombstone_state";

thread_local! {
    /// The tombstones that this thread read last, with their state and their project.
    static LAST: RefCell<Option<(u64, i64, Rc<Tombstones>)>> = const { RefCell::new(None) };
}

/// Why a statement is not shown, from the weakest to the strongest reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// An agent, a rule or a model has put a newer one in its place; agents may say it again.
    Revised,
    /// A person has put a newer one in its place; it stands in the history of its fact.
    Superseded,
    /// It was forgotten; `restore` brings it back.
    Forgotten,
    /// Its bytes were removed.
    Purged,
}

impl Kind {
    /// That of a statement in whose place somebody puts another one.
    pub(crate) fn of_replacement(by: Origin) -> Self {
        if by == Origin::User { Self::Superseded } else { Self::Revised }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Revised => "revised",
            Self::Superseded => "superseded",
            Self::Forgotten => "forgotten",
            Self::Purged => "purged",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "revised" => Self::Revised,
            "superseded" => Self::Superseded,
            "purged" => Self::Purged,
            _ => Self::Forgotten,
        }
    }
}

/// The tombstones that hold in a project.
pub(crate) struct Tombstones {
    matcher: Matcher,
    known: BTreeMap<Hash, (Kind, i64)>,
}

impl Tombstones {
    /// Those of a project, and those of all; `None` if there is none. They are read again after a change only.
    pub(crate) fn load(database: &Database, project: i64) -> Result<Option<Rc<Self>>> {
        let state = database.number(STATE)?;
        if state == 0 {
            return Ok(None);
        }
        let known = LAST.with_borrow(|last| {
            let known = last.as_ref().filter(|(of_state, of, _)| (*of_state, *of) == (state, project));
            known.map(|(.., tombstones)| Rc::clone(tombstones))
        });
        if known.is_some() {
            return Ok(known);
        }
        let Some(found) = Self::read(database, project)?.map(Rc::new) else { return Ok(None) };
        LAST.set(Some((state, project, Rc::clone(&found))));
        Ok(Some(found))
    }

    fn read(database: &Database, project: i64) -> Result<Option<Self>> {
        let sql = "SELECT hash, words, print, is_long, beginnings, kind, made_ms FROM tombstone \
                   WHERE project IN (?1, ?2) AND words > 0";
        let mut known: BTreeMap<Hash, (Kind, i64)> = BTreeMap::new();
        let rows = database.all(sql, [project::USER, project], |row| {
            let (statement, kind) = (statement(row)?, Kind::of(&row.get::<_, String>(5)?));
            let note = known.entry(statement.hash).or_insert((kind, i64::MIN));
            *note = (note.0.max(kind), note.1.max(row.get(6)?));
            Ok(statement)
        })?;
        let Some(key) = key(database)?.filter(|_| !rows.is_empty()) else { return Ok(None) };
        Ok(Some(Self { matcher: Matcher::new(key, rows.into_iter()), known }))
    }

    /// The stretches of a text that are not shown, with the reason and the time of each.
    pub(crate) fn find(&self, text: &str) -> Vec<(Found, Kind, i64)> {
        let note = |found: Found| {
            let (kind, made_ms) = self.known[&found.hash];
            (found, kind, made_ms)
        };
        self.matcher.find(text).into_iter().map(note).collect()
    }
}

/// A statement from a row that begins with its hash, words, fingerprint, length and beginnings.
fn statement(row: &Row<'_>) -> Result<Statement> {
    Ok(Statement {
        hash: hash_in(row.get_ref(0)?.as_blob().unwrap_or_default())?,
        words: row.get::<_, i64>(1)? as usize,
        print: row.get::<_, i64>(2)?.cast_unsigned(),
        is_long: row.get(3)?,
        beginnings: row.get(4)?,
    })
}

/// The statements of one kind of tombstones of a project, with the time of each.
pub(super) fn of_kind(database: &Database, project: i64, kind: Kind) -> Result<Vec<(Statement, i64)>> {
    let sql = "SELECT hash, words, print, is_long, beginnings, made_ms FROM tombstone \
               WHERE project = ?1 AND kind = ?2 AND words > 0";
    database.all(sql, params![project, kind.name()], |row| Ok((statement(row)?, row.get(5)?)))
}

/// Deletes the tombstones of a statement in a project and in all.
pub(super) fn remove_said(database: &Database, project: i64, hash: &Hash) -> Result<()> {
    let sql = "DELETE FROM tombstone WHERE hash = ?1 AND project IN (?2, ?3)";
    database.run(sql, params![hash, project, project::USER])?;
    change_state(database)
}

/// Deletes the tombstones of an item; with `hash`, that of one of its statements.
pub(super) fn remove_of_item(database: &Database, item: &str, hash: Option<&Hash>) -> Result<()> {
    database.run("DELETE FROM tombstone WHERE item = ?1 AND (?2 IS NULL OR hash = ?2)", params![item, hash])?;
    change_state(database)
}

/// Gives the tombstones of a project to another one.
pub(super) fn move_to(database: &Database, from: i64, to: i64) -> Result<()> {
    database.run("UPDATE OR IGNORE tombstone SET project = ?2 WHERE project = ?1", [from, to])?;
    remove_of_project(database, from)
}

/// Deletes the tombstones of a project.
pub(crate) fn remove_of_project(database: &Database, project: i64) -> Result<()> {
    database.run("DELETE FROM tombstone WHERE project = ?1", [project])?;
    change_state(database)
}

fn change_state(database: &Database) -> Result<()> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string()))?;
    // SQLite's numbers have a sign, and 0 stands for none.
    database.set_number(STATE, (u64::from_le_bytes(bytes) >> 1).max(1))
}

/// The key of this database's hashes, if it has one.
pub(super) fn key(database: &Database) -> Result<Option<Key>> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let bytes = database.first(sql, [KEY], |row| Ok(row.get::<_, Vec<u8>>(0)?))?;
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map(Key::new))
}

/// The same; a key is made if there is none. Runs inside a transaction.
pub(super) fn make_key(database: &Database) -> Result<Key> {
    if let Some(key) = key(database)? {
        return Ok(key);
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string()))?;
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", params![KEY, bytes])?;
    Ok(Key::new(bytes))
}

/// Where, of which item, why and when a tombstone is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker<'a> {
    pub(super) project: i64,
    pub(super) item: &'a str,
    pub(super) kind: Kind,
    pub(super) now_ms: i64,
}

/// Stores tombstones of statements.
pub(super) fn put(database: &Database, maker: Maker<'_>, statements: &[Statement]) -> Result<()> {
    let sql = "INSERT INTO tombstone (project, hash, kind, item, words, print, is_long, beginnings, made_ms) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
               ON CONFLICT DO UPDATE SET kind = excluded.kind, made_ms = excluded.made_ms";
    for Statement { hash, words, print, is_long, beginnings } in statements {
        let Maker { project, item, kind, now_ms } = maker;
        let (words, print) = (*words as i64, print.cast_signed());
        let values = params![project, hash, kind.name(), item, words, print, is_long, beginnings, now_ms];
        database.run(sql, values)?;
    }
    change_state(database)
}

/// Stores a tombstone of the key of an event, by which another copy of it is known.
pub(crate) fn put_event(database: &Database, event_key: &str, now_ms: i64) -> Result<()> {
    let key = make_key(database)?;
    let hash = key.hash("event", std::iter::once(event_key));
    let nameless = Statement { hash, words: 0, print: 0, is_long: false, beginnings: Vec::new() };
    put(database, Maker { project: project::USER, item: "", kind: Kind::Purged, now_ms }, &[nameless])
}

/// Stores a tombstone of a fact's id, by which another copy of it is known.
pub(crate) fn put_fact(database: &Database, id: &str, now_ms: i64) -> Result<()> {
    let hash = make_key(database)?.hash("fact", std::iter::once(id));
    let nameless = Statement { hash, words: 0, print: 0, is_long: false, beginnings: Vec::new() };
    put(database, Maker { project: project::USER, item: id, kind: Kind::Purged, now_ms }, &[nameless])
}

/// Whether an event of this key was purged.
pub(crate) fn has_event(database: &Database, event_key: &str) -> Result<bool> {
    let Some(key) = key(database)? else { return Ok(false) };
    let hash = key.hash("event", std::iter::once(event_key));
    let sql = "SELECT 1 FROM tombstone WHERE project = ?1 AND hash = ?2 AND words = 0";
    Ok(database.first(sql, params![project::USER, hash], |_| Ok(()))?.is_some())
}

/// Whether a fact of this id was forgotten, if so it can be restored, or purged.
pub(crate) fn has_fact(database: &Database, id: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM tombstone WHERE item = ?1 AND kind IN ('forgotten', 'purged') LIMIT 1";
    Ok(database.first(sql, [id], |_| Ok(()))?.is_some())
}

/// The hash of a statement in a column.
pub(super) fn hash_in(bytes: &[u8]) -> Result<Hash> {
    <[u8; HASH_BYTES]>::try_from(bytes).map_err(|_| Error::Internal("a tombstone has no hash".to_owned()))
}

/// The number of removals: a record that was made of others is not stored if it has changed since they were read.
pub(crate) fn revision(database: &Database) -> Result<u64> {
    database.number(REVISION)
}

/// Notes that something was removed.
pub(crate) fn bump(database: &Database) -> Result<()> {
    database.set_number(REVISION, revision(database)? + 1)
}
