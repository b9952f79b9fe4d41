//! Takes statements out of sight, and keeps them out: forgotten, superseded and purged ones.
//!
//! | file | content |
//! |---|---|
//! | `words` | text → normalised words |
//! | `statement` | words → keyed hashes, and where they stand in a text |
//! | `rows` | the table of tombstones, and its key |
//! | `events` | the stretches of events that are not shown |
//! | `derived` | facts, summaries and texts made of others |
//!
//! A statement is the text of a fact, and each of its longer sentences. It goes wherever it occurs in its project:
//! the rest of an event is still shown, a summary loses its line, and one that a model wrote is dropped, to be made again.
//! A tombstone keeps it out when it comes again: from an export, a team, a model or an agent. A person who says it again
//! lifts the tombstone. Other words for the same are never touched.

mod derived;
mod events;
mod rows;
mod statement;
mod words;

use std::collections::BTreeSet;

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_model::embed::Embedder;

use self::derived::{Removal, clear_facts, clear_given, clear_summaries};
use self::rows::{Maker, hash_in, make_key};
use self::statement::{Found, Hash, Matcher, Statement, statements};
use crate::event::Event;
use crate::extract::sentences::sentences;
use crate::fact::{Fact, title_of};
use crate::scene::Scene;
use crate::words::{FactType, Origin, Role};
use crate::{facts, log, project};

pub(crate) use derived::{REASON, cleared, drop_summaries, is_digest};
pub(crate) use events::{COLUMN, apply, cut_purged, mark};
pub(crate) use rows::{Kind, Tombstones, bump, has_event, has_fact, put_event, put_fact, revision};

/// The key in `meta` of whether older forgotten facts have tombstones.
const ADOPTED: &str = "tombstones_adopted";
/// The reasons by which earlier versions forgot a fact whose source had it no more, or that a model did not keep.
const WITHDRAWN: [&str; 4] =
    [crate::provisional::NOT_KEPT, "the team took it back", "deleted by its key", "the graph ended it"];
/// The same as a pattern, behind the name of a member.
const WITHDRAWN_IN_TEAM: &str = "% ended it in the team";
/// The hook of events that other tools recorded.
const IMPORTED: &str = "import";

/// The statements of a fact that are to be hidden.
pub(crate) struct Hiding<'a> {
    /// The project of the fact.
    pub(crate) home: i64,
    /// Its id.
    pub(crate) item: &'a str,
    /// Why.
    pub(crate) kind: Kind,
    /// Its versions.
    pub(crate) said: &'a [Fact],
    /// The text that still holds.
    pub(crate) holds: &'a str,
}

/// Hides statements wherever they occur, and keeps them out; a purge removes their bytes. Runs inside a transaction.
pub(crate) fn hide(database: &Database, scene: &Scene, hiding: &Hiding<'_>, model: &dyn Embedder) -> Result<()> {
    let key = make_key(database)?;
    let holds: BTreeSet<Hash> = statements(&key, hiding.holds).into_iter().map(|each| each.hash).collect();
    let mut gone: Vec<Statement> = hiding.said.iter().flat_map(|fact| of_fact(&key, fact)).collect();
    let mut met = BTreeSet::new();
    gone.retain(|statement| !holds.contains(&statement.hash) && met.insert(statement.hash));
    bump(database)?;
    let is_purge = hiding.kind == Kind::Purged;
    // A purge applies to all projects.
    let home = if is_purge { project::USER } else { hiding.home };
    let maker = Maker { project: home, item: hiding.item, kind: hiding.kind, now_ms: scene.now_ms };
    for hash in &holds {
        database.run("DELETE FROM tombstone WHERE item = ?1 AND hash = ?2", params![hiding.item, hash])?;
    }
    events::show(database, &holds, model)?;
    rows::put(database, maker, &gone)?;
    // The words of a digest are those of others.
    if hiding.said.iter().all(|fact| is_digest(fact.fact_type)) && !is_purge {
        return Ok(());
    }
    let projects = in_reach(database, home)?;
    let matcher = Matcher::new(key, gone.into_iter());
    let removal = Removal { projects: &projects, item: hiding.item, kind: hiding.kind, now_ms: scene.now_ms };
    let found = holding(database, &projects, &matcher)?;
    clear_summaries(database, &removal, &found, model)?;
    for seq in found {
        if is_purge {
            events::erase(database, seq, &matcher, model)?;
        } else {
            events::hide(database, seq, &matcher, model)?;
        }
    }
    clear_facts(database, &removal, &matcher, model)?;
    clear_given(database, &projects, &matcher)
}

/// The statements of a fact. Of a digest only all of it is one; the state of a task is none.
fn of_fact(key: &statement::Key, fact: &Fact) -> Vec<Statement> {
    let mut found = statements(key, &fact.text);
    if is_digest(fact.fact_type) {
        found.truncate(1);
    }
    if let Some((_, task)) = fact.text.split_once("] ").filter(|_| fact.fact_type == FactType::Task) {
        found.extend(statements(key, task));
    }
    found
}

/// The projects that the facts of one are shown in.
fn in_reach(database: &Database, home: i64) -> Result<Vec<i64>> {
    if home != project::USER {
        return Ok(vec![home]);
    }
    database.all("SELECT number FROM project ORDER BY number", [], |row| Ok(row.get(0)?))
}

/// The events that make one of the statements.
fn holding(database: &Database, projects: &[i64], matcher: &Matcher) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    let sql = format!("{} WHERE event.project = ?1", *log::COLUMNS);
    for project in projects.iter().filter(|_| !matcher.is_empty()) {
        database.each(&sql, [project], |row| {
            let event = log::read_stored(row)?;
            if events::holds(&event, matcher) {
                found.push(event.seq);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Lifts the tombstones of a fact. Runs inside a transaction.
pub(crate) fn lift_item(database: &Database, item: &str, model: &dyn Embedder) -> Result<()> {
    let sql = "SELECT DISTINCT hash FROM tombstone WHERE item = ?1";
    let hashes = database.all(sql, [item], |row| hash_in(row.get_ref(0)?.as_blob().unwrap_or_default()))?;
    database.run("DELETE FROM tombstone WHERE item = ?1", [item])?;
    events::show(database, &hashes.into_iter().collect(), model)
}

/// Lifts the tombstones of statements that a person says again. Runs inside a transaction.
pub(crate) fn lift_said(database: &Database, home: i64, text: &str, model: &dyn Embedder) -> Result<()> {
    let Some(tombstones) = Tombstones::load(database, home)? else { return Ok(()) };
    let said: BTreeSet<Hash> = tombstones.find(text).into_iter().map(|(found, ..)| found.hash).collect();
    lift(database, home, &said, model)
}

/// The same for a prompt that came after they were made: where it states them, and does not quote or ask.
pub(crate) fn lift_prompted(database: &Database, home: i64, event: &Event, model: &dyn Embedder) -> Result<()> {
    if !is_persons(event) {
        return Ok(());
    }
    let Some(tombstones) = Tombstones::load(database, home)? else { return Ok(()) };
    let said: Vec<(usize, usize)> = sentences(&event.body)
        .into_iter()
        .filter(|sentence| !sentence.trim_end().ends_with(['?', '？', '؟']))
        .map(|sentence| {
            let start = sentence.as_ptr().addr() - event.body.as_ptr().addr();
            (start, start + sentence.len())
        })
        .collect();
    let found = tombstones.find(&event.body).into_iter().filter(|(found, _, made_ms)| {
        let sentence = said.iter().find(|(start, end)| (*start..*end).contains(&found.start));
        sentence.is_some_and(|(start, _)| *made_ms < event.ts_ms && opens(&event.body[*start..found.start]))
    });
    let again: BTreeSet<Hash> = found.map(|(found, ..)| found.hash).collect();
    lift(database, home, &again, model)
}

/// Whether a statement can begin after the words before it in its sentence: there are none, or they are set apart, as in
/// `Remember: …` and `Actually, …`.
fn opens(before: &str) -> bool {
    let before = before.trim_end();
    !before.chars().any(char::is_alphanumeric) || before.ends_with([':', '：', ',', '，', '、', ';', '—', '–', '-'])
}

/// Whether a person says something here, now.
fn is_persons(event: &Event) -> bool {
    event.role == Role::User && event.origin == Origin::User && event.hook != IMPORTED
}

fn lift(database: &Database, home: i64, hashes: &BTreeSet<Hash>, model: &dyn Embedder) -> Result<()> {
    for hash in hashes {
        let sql = "DELETE FROM tombstone WHERE hash = ?1 AND project IN (?2, ?3)";
        database.run(sql, params![hash, home, project::USER])?;
    }
    events::show(database, hashes, model)
}

/// Takes statements with a tombstone out of a fact before it is stored; returns whether a rest is left.
pub(crate) fn screen(database: &Database, home: i64, fact: &mut Fact, least: Kind) -> Result<bool> {
    let Some(tombstones) = Tombstones::load(database, home)? else { return Ok(true) };
    let found = |text: &str| -> Vec<(usize, usize)> {
        let is_out = |found: &Found, kind: Kind| kind >= least && (found.is_last || kind == Kind::Purged);
        let found = tombstones.find(text).into_iter().filter(|(found, kind, _)| is_out(found, *kind));
        found.map(|(found, ..)| found.sentence).collect()
    };
    let stretches = found(&fact.text);
    if !stretches.is_empty() {
        let rest = cleared(&fact.text, &stretches);
        if fact.title == title_of(&fact.text) {
            fact.title = title_of(&rest);
        }
        fact.text = rest;
    }
    if !found(&fact.title).is_empty() {
        fact.title = title_of(&fact.text);
    }
    fact.meta.retain(|_, value| found(value).is_empty());
    Ok(!fact.text.is_empty())
}

/// Hides the statements of the facts that were forgotten before there were tombstones, once. Runs inside a transaction.
pub(crate) fn adopt(database: &Database, now_ms: i64, model: &dyn Embedder) -> Result<()> {
    if database.number(ADOPTED)? > 0 {
        return Ok(());
    }
    database.set_number(ADOPTED, 1)?;
    let sql = "SELECT DISTINCT id, project FROM fact WHERE state = 'forgotten' AND maker <> 'init' \
               AND reason NOT IN (SELECT value FROM json_each(?1)) AND reason NOT LIKE ?2 \
               AND NOT EXISTS (SELECT 1 FROM fact AS later WHERE later.id = fact.id AND later.version > fact.version)";
    let withdrawn = serde_json::to_string(&WITHDRAWN).unwrap_or_default();
    let forgotten = database
        .all(sql, params![withdrawn, WITHDRAWN_IN_TEAM], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    for (id, home) in forgotten {
        let said = facts::versions(database, &id)?;
        let hiding = Hiding { home, item: &id, kind: Kind::Forgotten, said: &said, holds: "" };
        hide(database, &Scene { project: home, now_ms }, &hiding, model)?;
    }
    Ok(())
}
