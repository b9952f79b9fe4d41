//! Stores the anchors of facts and events in a table.

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::Anchor;
use crate::memory::Memory;
use crate::query::{Item, find_item};

/// Keeps the anchors of a fact or an event, less those it has. Runs inside a transaction.
pub(crate) fn put(database: &Database, item: &str, anchors: &[Anchor]) -> Result<()> {
    let known = of_item(database, item)?;
    let new =
        anchors.iter().filter(|anchor| !known.iter().any(|old| old.path == anchor.path && old.name == anchor.name));
    for (place, anchor) in new.enumerate() {
        set(database, item, known.len() + place, anchor)?;
    }
    Ok(())
}

/// Keeps the anchors of a fact that is said again: of the same code as it is now. Runs inside a transaction.
pub(crate) fn renew(database: &Database, item: &str, anchors: &[Anchor]) -> Result<()> {
    for (place, old) in of_item(database, item)?.iter().enumerate() {
        if let Some(anchor) = anchors.iter().find(|anchor| old.path == anchor.path && old.name == anchor.name) {
            set(database, item, place, anchor)?;
        }
    }
    put(database, item, anchors)
}

fn set(database: &Database, item: &str, place: usize, anchor: &Anchor) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO anchor (item, place, path, name, kind, body_hash, signature_hash, body) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Anchor { path, name, kind, body_hash, signature_hash, body } = anchor;
    database.run(sql, params![item, place as i64, path, name, kind, body_hash, signature_hash, body]).map(drop)
}

/// The anchors of a fact or an event.
pub(crate) fn of_item(database: &Database, item: &str) -> Result<Vec<Anchor>> {
    let sql = "SELECT path, name, kind, body_hash, signature_hash, body FROM anchor WHERE item = ?1 ORDER BY place";
    database.all(sql, [item], |row| {
        Ok(Anchor {
            path: row.get(0)?,
            name: row.get(1)?,
            kind: row.get(2)?,
            body_hash: row.get(3)?,
            signature_hash: row.get(4)?,
            body: row.get(5)?,
        })
    })
}

/// Facts that speak of one of the same symbols.
pub(crate) fn sharing(database: &Database, anchors: &[Anchor]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for anchor in anchors {
        let sql = "SELECT item FROM anchor WHERE name = ?1 AND path = ?2 AND item NOT LIKE 'E%' ORDER BY item";
        found.extend(database.all(sql, [&anchor.name, &anchor.path], |row| Ok(row.get::<_, String>(0)?))?);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Removes the anchors of a fact or an event. Runs inside a transaction.
pub(crate) fn remove(database: &Database, item: &str) -> Result<()> {
    database.run("DELETE FROM anchor WHERE item = ?1", [item]).map(drop)
}

impl Memory {
    /// The anchors of each of these facts and events, by their ids.
    pub fn anchors(&self, items: &[String]) -> Result<Vec<Vec<Anchor>>> {
        let found = self.read(|database, _| items.iter().map(|item| of_item(database, item)).collect())?;
        Ok(found.unwrap_or_else(|| vec![Vec::new(); items.len()]))
    }

    /// Adds anchors to a fact or an event, or, where `place` names one of its own, puts the first in its place: its
    /// symbol was found elsewhere.
    ///
    /// # Errors
    /// [`InvalidArgument`](codecairn_base::Error::InvalidArgument) if there is no such item.
    pub fn anchor(&self, item: &str, anchors: &[Anchor], place: Option<usize>) -> Result<()> {
        let anchors = self.cleaned_anchors(anchors);
        self.settle()?;
        self.write(|database| {
            let item = match find_item(database, item)? {
                Some(Item::Fact(id)) => id,
                Some(Item::Event(seq)) => format!("E{seq}"),
                None => {
                    let message = format!("there is no event or fact `{item}`");
                    return Err(codecairn_base::Error::InvalidArgument(message));
                }
            };
            match (place, anchors.first()) {
                (Some(place), Some(anchor)) => set(database, &item, place, anchor),
                _ => put(database, &item, &anchors),
            }
        })
    }

    /// A symbol's text goes through privacy like every other; its hashes are of the text as it was.
    pub(crate) fn cleaned_anchors(&self, anchors: &[Anchor]) -> Vec<Anchor> {
        let clean = |text: &String| crate::privacy::cleaned(text, self.options.unclosed).0;
        let one = |Anchor { path, name, kind, body_hash, signature_hash, body }: &Anchor| Anchor {
            path: clean(path),
            name: clean(name),
            kind: clean(kind),
            body_hash: clean(body_hash),
            signature_hash: clean(signature_hash),
            body: clean(body),
        };
        anchors.iter().map(one).collect()
    }
}
