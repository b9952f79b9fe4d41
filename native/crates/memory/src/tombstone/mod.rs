//! Takes statements out of sight, and keeps them out: forgotten, superseded and purged ones.
//!
//! | file | content |
//! |---|---|
//! | `words` | text → normalised words |
//! | `statement` | words → keyed hashes, and where they stand in a text |
//! | `rows` | the table of tombstones, and its key |
//! | `events` | the stretches of events that are not shown |
//! | `prompts` | whether a person's prompt states something |
//! | `derived` | facts, summaries and texts made of others |
//! | `adoption` | tombstones of facts that older versions forgot, and of projects that become one |
//!
//! A statement is the text of a fact, and each of its longer sentences. It goes wherever it occurs in its project:
//! the rest of an event is still shown, a summary loses its line, and one that a model wrote is dropped, to be made again.
//! A tombstone keeps it out when it comes again: from an export, a team, a model or an agent. A person who says it again
//! lifts the tombstone. Other words for the same are never touched.

mod adoption;
mod derived;
mod events;
mod prompts;
mod rows;
mod statement;
mod words;

use std::collections::BTreeSet;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_model::embed::Embedder;

use self::derived::{Removal, clear_facts, clear_given, clear_summaries};
use self::rows::{Maker, hash_in, make_key};
use self::statement::{Found, Hash, Matcher, Statement, statements};
use crate::event::Event;
use crate::fact::{Fact, title_of};
use crate::scene::Scene;
use crate::words::{FactType, Origin, Role};
use crate::{log, project};

pub(crate) use adoption::{adopt, join};
pub(crate) use derived::{REASON, cleared, drop_summaries, is_digest};
pub(crate) use events::{COLUMN, apply, cut_purged, mark};
pub(crate) use prompts::asks_to_forget;
pub(crate) use rows::{Kind, Tombstones, bump, has_event, has_fact, put_event, put_fact, remove_of_project, revision};

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
    let is_purge = hiding.kind == Kind::Purged;
    if !is_purge {
        let apart = stated_apart(database, hiding, &key)?;
        gone.retain(|statement| !apart.contains(&statement.hash));
    }
    bump(database)?;
    for hash in &holds {
        rows::remove_of_item(database, hiding.item, Some(hash))?;
    }
    events::show(database, &holds, model)?;
    if !is_purge {
        return keep_out(database, scene, hiding, hiding.home, gone, model);
    }
    // The bytes of a longer statement go from all projects; a short one is another project's own.
    let (long, short): (Vec<Statement>, Vec<Statement>) = gone.into_iter().partition(|statement| statement.is_long);
    keep_out(database, scene, hiding, project::USER, long, model)?;
    keep_out(database, scene, hiding, hiding.home, short, model)
}

/// Stores tombstones of statements in a project, and takes the statements out of the projects that see it.
fn keep_out(
    database: &Database,
    scene: &Scene,
    hiding: &Hiding<'_>,
    home: i64,
    gone: Vec<Statement>,
    model: &dyn Embedder,
) -> Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    let Hiding { item, kind, said, .. } = *hiding;
    rows::put(database, Maker { project: home, item, kind, now_ms: scene.now_ms }, &gone)?;
    // The words of a digest are those of others.
    if said.iter().all(|fact| is_digest(fact.fact_type)) && kind != Kind::Purged {
        return Ok(());
    }
    let projects = in_reach(database, home)?;
    let removal = Removal { projects: &projects, item, kind, now_ms: scene.now_ms };
    take_out(database, &removal, &Matcher::new(make_key(database)?, gone.into_iter()), model)
}

/// Takes statements out of events, facts, summaries and texts that were given.
fn take_out(database: &Database, removal: &Removal<'_>, matcher: &Matcher, model: &dyn Embedder) -> Result<()> {
    if matcher.is_empty() {
        return Ok(());
    }
    let found = holding(database, removal, matcher)?;
    clear_summaries(database, removal, &found, model)?;
    for seq in found {
        if removal.kind == Kind::Purged {
            events::erase(database, seq, matcher, model)?;
        } else {
            events::hide(database, seq, matcher, model)?;
        }
    }
    clear_facts(database, removal, matcher, model)?;
    clear_given(database, removal.projects, matcher)
}

/// The sentences of a removed fact, but not all of its text, that a person stated as a fact of their own which holds.
fn stated_apart(database: &Database, hiding: &Hiding<'_>, key: &statement::Key) -> Result<BTreeSet<Hash>> {
    let whole = |text: &str| statements(key, text).first().map(|statement| statement.hash);
    let mut apart = own_statements(database, hiding.home, hiding.item, key)?;
    for text in hiding.said.iter().flat_map(texts_of) {
        if let Some(hash) = whole(text) {
            apart.remove(&hash);
        }
    }
    Ok(apart)
}

/// The whole texts of a project's live facts that a person stated, but for one of them.
fn own_statements(database: &Database, home: i64, item: &str, key: &statement::Key) -> Result<BTreeSet<Hash>> {
    let sql = "SELECT text FROM fact WHERE project IN (?1, ?2) AND id <> ?3 AND state = 'live' AND maker = 'add' \
               AND origin = 'user'";
    let texts = database.all(sql, (home, project::USER, item), |row| Ok(row.get::<_, String>(0)?))?;
    Ok(texts.iter().filter_map(|text| statements(key, text).first().map(|statement| statement.hash)).collect())
}

/// The statements of a fact. Of a digest only all of it is one.
fn of_fact(key: &statement::Key, fact: &Fact) -> Vec<Statement> {
    let mut found: Vec<Statement> = texts_of(fact).flat_map(|text| statements(key, text)).collect();
    if is_digest(fact.fact_type) {
        found.truncate(1);
    }
    found
}

/// The text of a fact, and that of a task without its state.
fn texts_of(fact: &Fact) -> impl Iterator<Item = &str> {
    let task = fact.text.split_once("] ").filter(|_| fact.fact_type == FactType::Task).map(|(_, task)| task);
    std::iter::once(fact.text.as_str()).chain(task)
}

/// The projects that the facts of one are shown in.
fn in_reach(database: &Database, home: i64) -> Result<Vec<i64>> {
    if home != project::USER {
        return Ok(vec![home]);
    }
    database.all("SELECT number FROM project ORDER BY number", [], |row| Ok(row.get(0)?))
}

/// The events that make one of the statements.
fn holding(database: &Database, removal: &Removal<'_>, matcher: &Matcher) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    let sql = format!("{} WHERE event.project = ?1", *log::COLUMNS);
    for project in removal.projects {
        database.each(&sql, [project], |row| {
            let event = log::read_stored(row)?;
            if events::may_hide(&event, removal.kind) && events::holds(&event, matcher) {
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
    rows::remove_of_item(database, item, None)?;
    events::show(database, &hashes.into_iter().collect(), model)
}

/// Lifts the tombstones, up to a kind, of statements that are said again. Runs inside a transaction.
pub(crate) fn lift_said(
    database: &Database,
    home: i64,
    text: &str,
    strongest: Kind,
    model: &dyn Embedder,
) -> Result<()> {
    let Some(tombstones) = Tombstones::load(database, home)? else { return Ok(()) };
    let said = tombstones.find(text).into_iter().filter(|(_, kind, _)| *kind <= strongest);
    lift(database, home, &said.map(|(found, ..)| found.hash).collect(), model)
}

/// The same for a prompt that came after they were made, of what it states.
pub(crate) fn lift_prompted(database: &Database, home: i64, event: &Event, model: &dyn Embedder) -> Result<()> {
    if !is_persons(event) {
        return Ok(());
    }
    let Some(tombstones) = Tombstones::load(database, home)? else { return Ok(()) };
    let older = tombstones.find(&event.body).into_iter().filter(|(.., made_ms)| *made_ms < event.ts_ms);
    let again = prompts::stated(&event.body, older.map(|(found, ..)| found));
    lift(database, home, &again, model)
}

/// Whether a person says something here, now.
fn is_persons(event: &Event) -> bool {
    event.role == Role::User && event.origin == Origin::User && event.hook != IMPORTED
}

fn lift(database: &Database, home: i64, hashes: &BTreeSet<Hash>, model: &dyn Embedder) -> Result<()> {
    for hash in hashes {
        rows::remove_said(database, home, hash)?;
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

/// The answer to somebody else's statement that was forgotten or replaced.
pub(crate) fn refused() -> Error {
    Error::InvalidArgument("this was forgotten or replaced; it is kept again when a person says it again".to_owned())
}
