//! Takes a statement out of derived records: facts that repeat it, summaries of sessions, texts given to agents.

use std::collections::BTreeSet;

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_model::embed::Embedder;

use super::rows::Kind;
use super::statement::{MARK, Matcher, without};
use crate::fact::{Fact, title_of};
use crate::words::{FactType, Origin, State};
use crate::{facts, injection, outbox, purge, session_digest};

/// How the hooks of our own records begin.
const OWN_HOOKS: &str = "codecairn.";
/// Why a fact is not shown any more.
pub(crate) const REASON: &str = "it repeats a statement that was forgotten or replaced";

/// A removal: its projects, its fact and its reason.
pub(super) struct Removal<'a> {
    pub(super) projects: &'a [i64],
    /// The fact that it was; it is dealt with by the caller.
    pub(super) item: &'a str,
    pub(super) kind: Kind,
    pub(super) now_ms: i64,
}

/// A fact's row.
struct FactRow {
    number: i64,
    project: i64,
    session: Option<i64>,
    fact: Fact,
}

/// Whether facts of a type are made of other records.
pub(crate) fn is_digest(fact_type: FactType) -> bool {
    matches!(fact_type, FactType::SessionSummary | FactType::Conversation | FactType::FileActivity)
}

/// The rest of a text without statements; lines without a rest are dropped.
pub(crate) fn cleared(text: &str, stretches: &[(usize, usize)]) -> String {
    let kept = without(text, stretches);
    let says_more = |line: &str| line.chars().any(char::is_alphanumeric) && !line.trim_end().ends_with([':', '：']);
    let lines = kept.lines().map(|line| (line.contains(MARK), line.replace(MARK, "").trim_end().to_owned()));
    let lines = lines.filter(|(is_cut, line)| !is_cut || says_more(line)).map(|(_, line)| line);
    let lines: Vec<String> = lines.collect();
    let kept = lines.join("\n").trim().to_owned();
    if kept.chars().any(char::is_alphanumeric) { kept } else { String::new() }
}

/// The rest of a fact without statements. Its unit is the sentence: one that goes on after a statement says something else,
/// and stays unless its bytes are to go.
fn rest_of(matcher: &Matcher, text: &str, kind: Kind) -> Option<String> {
    let found = matcher.find(text).into_iter().filter(|each| each.is_last || kind == Kind::Purged);
    let found: Vec<(usize, usize)> = found.map(|each| each.sentence).collect();
    (!found.is_empty()).then(|| cleared(text, &found))
}

/// Takes statements out of facts. Runs inside a transaction.
pub(super) fn clear_facts(
    database: &Database,
    removal: &Removal<'_>,
    matcher: &Matcher,
    model: &dyn Embedder,
) -> Result<()> {
    for project in removal.projects {
        for row in rows(database, *project, removal.kind == Kind::Purged)? {
            if row.fact.id == removal.item {
                continue;
            }
            let Some(rest) = rest_of(matcher, &row.fact.text, removal.kind) else {
                clear_fields(database, removal, matcher, &row)?;
                continue;
            };
            if removal.kind == Kind::Revised && row.fact.origin == Origin::User {
                continue;
            }
            injection::remove_texts(database, &row.fact.id)?;
            match removal.kind {
                Kind::Purged => rewrite(database, &row, &rest, model)?,
                Kind::Revised | Kind::Superseded if rest.is_empty() => end(database, removal, &row)?,
                Kind::Revised | Kind::Superseded if is_digest(row.fact.fact_type) => {
                    shorten(database, removal, &row, State::Superseded, rest, model)?;
                }
                Kind::Revised | Kind::Superseded => {}
                // A version that has a next one is shown in the history of its fact alone, by this reason.
                Kind::Forgotten if row.fact.state == State::Replaced => {
                    database.run("UPDATE fact SET reason = ?2 WHERE number = ?1", params![row.number, REASON])?;
                }
                Kind::Forgotten => shorten(database, removal, &row, State::Forgotten, rest, model)?,
            }
        }
    }
    Ok(())
}

/// Takes statements out of the other texts of a fact; only a purge removes them from its history.
fn clear_fields(database: &Database, removal: &Removal<'_>, matcher: &Matcher, row: &FactRow) -> Result<()> {
    let holds = |text: &str| !matcher.find(text).is_empty();
    let fact = &row.fact;
    if holds(&fact.title) {
        database.run("UPDATE fact SET title = ?2 WHERE number = ?1", params![row.number, title_of(&fact.text)])?;
    }
    if removal.kind == Kind::Purged {
        let mut meta = fact.meta.clone();
        meta.retain(|_, value| !holds(value));
        if meta != fact.meta {
            let meta = serde_json::to_string(&meta).unwrap_or_default();
            database.run("UPDATE fact SET meta = ?2 WHERE number = ?1", params![row.number, meta])?;
        }
        for (column, text) in [("reason", &fact.reason), ("subject", &fact.subject), ("predicate", &fact.predicate)] {
            if holds(text) {
                database.run(&format!("UPDATE fact SET {column} = '' WHERE number = ?1"), [row.number])?;
            }
        }
    }
    Ok(())
}

fn rows(database: &Database, project: i64, with_forgotten: bool) -> Result<Vec<FactRow>> {
    let sql = format!(
        "{} WHERE fact.project = ?1 AND (?2 OR fact.state <> 'forgotten') ORDER BY fact.number",
        facts::COLUMNS
    );
    let mut found = database.all(&sql, params![project, with_forgotten], |row| {
        Ok(FactRow { number: row.get(0)?, project, session: None, fact: facts::read(row)? })
    })?;
    for row in &mut found {
        let sql = "SELECT session FROM fact WHERE number = ?1";
        row.session = database.only(sql, [row.number], |row| Ok(row.get(0)?))?;
    }
    Ok(found)
}

/// Replaces a text by its rest; a row without a rest is removed.
fn rewrite(database: &Database, row: &FactRow, rest: &str, model: &dyn Embedder) -> Result<()> {
    if rest.is_empty() {
        return purge::remove_version(database, row.number);
    }
    let title = if row.fact.title == title_of(&row.fact.text) { title_of(rest) } else { row.fact.title.clone() };
    let fact = Fact { text: rest.to_owned(), title, ..row.fact.clone() };
    facts::rewrite(database, row.project, row.number, &fact, model)
}

/// Ends a fact that repeats a superseded statement, unless a person wrote or pinned it.
fn end(database: &Database, removal: &Removal<'_>, row: &FactRow) -> Result<()> {
    let fact = &row.fact;
    if fact.is_pinned || fact.origin == Origin::User && fact.maker == "add" {
        return Ok(());
    }
    let sql = "UPDATE fact SET state = ?2, invalid_at_ms = max(valid_from_ms, ?3), invalidated_ms = ?3, \
               superseded_by = ?4, reason = ?5 WHERE number = ?1 AND state = 'live'";
    let values = params![row.number, State::Superseded.name(), removal.now_ms, removal.item, "its words were replaced"];
    database.run(sql, values).map(drop)
}

/// Retracts a version with a removed statement; the rest of a live one becomes its next version.
fn shorten(
    database: &Database,
    removal: &Removal<'_>,
    row: &FactRow,
    state: State,
    rest: String,
    model: &dyn Embedder,
) -> Result<()> {
    let has_next = !rest.is_empty() && row.fact.state == State::Live;
    if state == State::Superseded && !has_next {
        return Ok(());
    }
    let state = if has_next { State::Replaced } else { state };
    let sql = "UPDATE fact SET state = ?2, retracted_ms = coalesce(retracted_ms, ?3), reason = ?4 WHERE number = ?1";
    database.run(sql, params![row.number, state.name(), removal.now_ms, REASON])?;
    if !has_next {
        return Ok(());
    }
    let title = if row.fact.title == title_of(&row.fact.text) { title_of(&rest) } else { row.fact.title.clone() };
    let next = Fact {
        version: row.fact.version + 1,
        text: rest,
        title,
        recorded_ms: removal.now_ms,
        reason: "a statement in it was taken out".to_owned(),
        ..row.fact.clone()
    };
    facts::insert(database, row.project, &next, row.session, model).map(drop)
}

/// Takes out what models made of sessions whose events say something that is removed: they use words of their own. What
/// is removed is made again of the rest when the session is summarised next. Runs inside a transaction.
pub(super) fn clear_summaries(
    database: &Database,
    removal: &Removal<'_>,
    events: &[i64],
    model: &dyn Embedder,
) -> Result<()> {
    let mut sessions = BTreeSet::new();
    for seq in events {
        let sql = "SELECT session FROM event WHERE seq = ?1";
        sessions.extend(database.first(sql, [seq], |row| Ok(row.get::<_, i64>(0)?))?);
    }
    for session in sessions {
        drop_summaries(database, session, "model", removal.kind == Kind::Purged, removal.now_ms, model)?;
    }
    Ok(())
}

/// Removes the summaries of a session that a maker made, with the records that they were made.
pub(crate) fn drop_summaries(
    database: &Database,
    session: i64,
    maker: &str,
    is_purge: bool,
    now_ms: i64,
    model: &dyn Embedder,
) -> Result<()> {
    let sql = format!(
        "{} WHERE fact.session = ?1 AND fact.type = ?2 AND (fact.maker = ?3 OR ?3 = '' AND fact.maker IN ('rule', 'model')) \
         ORDER BY fact.number",
        facts::COLUMNS
    );
    let summary = FactType::SessionSummary.name();
    let found = database.all(&sql, params![session, summary, maker], |row| Ok((row.get(0)?, facts::read(row)?)))?;
    let mut lines = BTreeSet::new();
    let is_one = !found.is_empty();
    for (number, fact) in found {
        lines.insert(format!("- {}", session_digest::line_of(&fact)));
        injection::remove_texts(database, &fact.id)?;
        if is_purge {
            outbox::remove_item(database, &fact.id)?;
            purge::remove_version(database, number)?;
        } else {
            let sql = "UPDATE fact SET state = ?2, retracted_ms = coalesce(retracted_ms, ?3), reason = ?4 \
                       WHERE number = ?1 AND state <> ?2";
            database.run(sql, params![number, State::Forgotten.name(), now_ms, REASON])?;
        }
    }
    if !is_one && !is_purge {
        return Ok(());
    }
    let project = "SELECT project FROM session WHERE number = ?1";
    let project = database.only(project, [session], |row| Ok(row.get::<_, i64>(0)?))?;
    for row in rows(database, project, is_purge)?.into_iter().filter(|row| row.fact.subject == session_digest::SUBJECT)
    {
        let kept: Vec<&str> = row.fact.text.lines().filter(|line| !lines.contains(*line)).collect();
        if kept.len() < row.fact.text.lines().count() {
            rewrite(database, &row, &kept.join("\n"), model)?;
        }
    }
    let sql = "SELECT seq FROM event WHERE session = ?1 AND hook = ?2";
    let records =
        database.all(sql, params![session, format!("{OWN_HOOKS}summarised")], |row| Ok(row.get::<_, i64>(0)?))?;
    purge::remove_events(database, &records)
}

/// Removes the texts given to agents that make a statement. Runs inside a transaction.
pub(super) fn clear_given(database: &Database, projects: &[i64], matcher: &Matcher) -> Result<()> {
    let sql = "SELECT snapshot.session, placement, form, body FROM snapshot \
               JOIN session ON session.number = snapshot.session WHERE session.project = ?1";
    for project in projects {
        let given = database.all(sql, [project], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        })?;
        for (session, placement, form, body) in given {
            if !matcher.find(&body).is_empty() {
                let sql = "DELETE FROM snapshot WHERE session = ?1 AND placement = ?2 AND form = ?3";
                database.run(sql, params![session, placement, form])?;
            }
        }
        let titles = "SELECT number, title FROM session WHERE project = ?1 AND title <> ''";
        let titles = database.all(titles, [project], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        for (session, title) in titles {
            if !matcher.find(&title).is_empty() {
                database.run("UPDATE session SET title = '' WHERE number = ?1", [session])?;
            }
        }
    }
    Ok(())
}
