//! Hides stretches of stored events. The log keeps their bytes until a purge; no reader gets them.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_model::embed::Embedder;

use super::rows::{Kind, Tombstones};
use super::statement::{Found, Hash, Matcher, without};
use crate::event::Event;
use crate::words::{Origin, Role};
use crate::{log, outbox, session};

/// A hidden stretch of an event: its part, first byte and end.
type Stretch = (String, usize, usize);

/// How the parts begin that are values of the metadata.
const META: &str = "meta.";

/// The column of an event's hidden stretches, which [`apply`] reads; NULL if there is none.
pub(crate) const COLUMN: &str = "(SELECT json_group_array(json_array(part, start, stop)) FROM hidden WHERE hidden.seq = event.seq HAVING count(*) > 0)";

/// Takes the hidden stretches out of an event. A value of the metadata goes whole: it is no text for readers.
pub(crate) fn apply(event: &mut Event, column: Option<&str>) {
    let Some(stretches) = column.and_then(|text| serde_json::from_str::<Vec<Stretch>>(text).ok()) else { return };
    let mut by_part: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (part, start, stop) in &stretches {
        by_part.entry(part).or_default().push((*start, *stop));
    }
    for (part, stretches) in by_part {
        match part.strip_prefix(META) {
            Some(name) => drop(event.meta.get_mut(name).map(std::mem::take)),
            None => {
                if let Some(text) = part_of(event, part) {
                    *text = without(text, &stretches);
                }
            }
        }
    }
}

fn part_of<'a>(event: &'a mut Event, part: &str) -> Option<&'a mut String> {
    match part {
        "title" => Some(&mut event.title),
        "body" => Some(&mut event.body),
        "command" => Some(&mut event.command),
        _ => None,
    }
}

/// The texts of an event in which statements are looked for.
fn parts(event: &Event) -> impl Iterator<Item = (String, &str)> {
    let own = [("title", &event.title), ("body", &event.body), ("command", &event.command)];
    let own = own.into_iter().map(|(name, text)| (name.to_owned(), text.as_str()));
    own.chain(event.meta.iter().map(|(name, text)| (format!("{META}{name}"), text.as_str())))
}

/// Whether statements of a kind may be hidden in an event: an agent does not take a person's words away.
pub(super) fn may_hide(event: &Event, kind: Kind) -> bool {
    kind != Kind::Revised || event.role != Role::User || event.origin != Origin::User
}

/// Whether an event makes a statement.
pub(super) fn holds(event: &Event, matcher: &Matcher) -> bool {
    parts(event).any(|(_, text)| !matcher.find(text).is_empty())
}

/// Cuts purged statements out of an event that is to be stored.
pub(crate) fn cut_purged(event: &mut Event, tombstones: &Tombstones) {
    cut(event, |text| {
        let found = tombstones.find(text).into_iter();
        found.filter(|(_, kind, _)| *kind == Kind::Purged).map(|(found, ..)| found).collect()
    });
}

/// Cuts stretches out of an event.
fn cut(event: &mut Event, find: impl Fn(&str) -> Vec<Found>) {
    let stretches = |text: &str| find(text).into_iter().map(|each| (each.start, each.end)).collect::<Vec<_>>();
    for text in [&mut event.title, &mut event.body, &mut event.command] {
        let found = stretches(text);
        if !found.is_empty() {
            *text = without(text, &found);
        }
    }
    event.meta.values_mut().filter(|text| !stretches(text).is_empty()).for_each(String::clear);
    event.tags.retain(|text| stretches(text).is_empty());
}

/// Hides the statements with a tombstone in a stored event; returns whether there are any. Runs inside a transaction.
pub(crate) fn mark(database: &Database, seq: i64, event: &Event, tombstones: &Tombstones) -> Result<bool> {
    let mut is_marked = false;
    for (part, text) in parts(event) {
        for (found, ..) in tombstones.find(text).into_iter().filter(|(_, kind, _)| may_hide(event, *kind)) {
            put(database, seq, &part, found)?;
            is_marked = true;
        }
    }
    Ok(is_marked)
}

fn put(database: &Database, seq: i64, part: &str, found: Found) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO hidden (seq, part, start, stop, hash) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Found { start, end, hash, .. } = found;
    database.run(sql, params![seq, part, start as i64, end as i64, hash]).map(drop)
}

/// Hides statements in a stored event. Runs inside a transaction.
pub(super) fn hide(database: &Database, seq: i64, matcher: &Matcher, model: &dyn Embedder) -> Result<()> {
    let Some(stored) = log::stored(database, seq)? else { return Ok(()) };
    change(database, seq, model, || {
        for (part, text) in parts(&stored) {
            for found in matcher.find(text) {
                put(database, seq, &part, found)?;
            }
        }
        outbox::renew_item(database, &stored.id())
    })
}

/// Shows the stretches again whose statement has no tombstone any more. Runs inside a transaction.
pub(super) fn show(database: &Database, hashes: &BTreeSet<Hash>, model: &dyn Embedder) -> Result<()> {
    for hash in hashes {
        let sql = "SELECT 1 FROM tombstone WHERE hash = ?1 LIMIT 1";
        if database.first(sql, [hash], |_| Ok(()))?.is_some() {
            continue;
        }
        let sql = "SELECT DISTINCT seq FROM hidden WHERE hash = ?1";
        for seq in database.all(sql, [hash], |row| Ok(row.get::<_, i64>(0)?))? {
            change(database, seq, model, || {
                database.run("DELETE FROM hidden WHERE seq = ?1 AND hash = ?2", params![seq, hash])?;
                outbox::show_item(database, &format!("E{seq}"))
            })?;
        }
    }
    Ok(())
}

/// Removes the bytes of statements from a stored event. Runs inside a transaction.
pub(super) fn erase(database: &Database, seq: i64, matcher: &Matcher, model: &dyn Embedder) -> Result<()> {
    let Some(mut stored) = log::stored(database, seq)? else { return Ok(()) };
    change(database, seq, model, || {
        cut(&mut stored, |text| matcher.find(text));
        log::rewrite(database, seq, &stored)?;
        database.run("DELETE FROM hidden WHERE seq = ?1", [seq])?;
        let project =
            database.only("SELECT project FROM event WHERE seq = ?1", [seq], |row| Ok(row.get::<_, i64>(0)?))?;
        if let Some(tombstones) = Tombstones::load(database, project)? {
            mark(database, seq, &stored, &tombstones)?;
        }
        outbox::renew_item(database, &stored.id())
    })
}

/// Changes the shown text of an event with its terms, its vector and the title of its session.
fn change(database: &Database, seq: i64, model: &dyn Embedder, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let Some(before) = log::get(database, seq)? else { return Ok(()) };
    work()?;
    let Some(after) = log::get(database, seq)? else { return Ok(()) };
    if before == after {
        return Ok(());
    }
    log::index_again(database, &after, model)?;
    let sql = "UPDATE session SET title = ?3 WHERE title = ?2 AND number = (SELECT session FROM event WHERE seq = ?1)";
    database.run(sql, params![seq, session::title_of(&before), session::title_of(&after)]).map(drop)
}
