//! Keeps what is to be delivered to other systems, *sinks*, at least once: the transactional outbox, derived from the log.
//!
//! Nothing is written when an event is recorded. A cursor per sink and project says how far the log was taken, and
//! [`OutboxCommand::Take`] makes rows of the events after it. A row moves from *waiting* over *sent* to *stored*, which only a
//! caller that read the item back from the sink may say; *dead* rows wait for a person. A purged event leaves a *removing*
//! row, without text, until the sink holds it no more; then an event of which only a part is hidden is sent again. What is to be sent is claimed, so that the event is read in the
//! transaction that notes the sending: one that is purged before is not sent, and one that is purged after is removed.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;

use super::event::Event;
use super::log;
use super::memory::Memory;
use super::project;

/// The project number of rows whose project was purged: any project's run removes them from the sink.
const NO_PROJECT: i64 = -1;
/// Events that one transaction looks at: it holds the write lock, for which hooks do not wait.
const EVENTS_AT_ONCE: usize = 500;

/// The state of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutboxState {
    /// To be sent.
    Waiting,
    /// Sent, and not yet seen in the sink.
    Sent,
    /// Seen in the sink.
    Stored,
    /// Seen in the sink, to which it was sent more than once: copies may follow.
    Settling,
    /// Purged here, and to be removed from the sink.
    Removing,
    /// Given up, until a person decides.
    Dead,
    /// Not to be sent: dropped by a person after it had been sent, so that the sink may hold it and a purge is followed; or
    /// taken back, and nothing of it is shown now.
    Dropped,
}

impl OutboxState {
    fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Stored => "stored",
            Self::Settling => "settling",
            Self::Removing => "removing",
            Self::Dead => "dead",
            Self::Dropped => "dropped",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "sent" => Self::Sent,
            "stored" => Self::Stored,
            "settling" => Self::Settling,
            "removing" => Self::Removing,
            "dead" => Self::Dead,
            "dropped" => Self::Dropped,
            _ => Self::Waiting,
        }
    }
}

/// What is asked of the outbox of one sink, in the view of one project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OutboxCommand {
    /// Take new events of the log; answers with how many were taken.
    Take {
        /// Only events of these categories.
        categories: Vec<String>,
        /// The first time, the log is taken from this moment on, in milliseconds since the epoch.
        since_ms: i64,
        /// Take the log from its beginning, whatever was looked at or dropped before.
        is_from_start: bool,
        /// Where in the sink the rows belong.
        #[serde(default)]
        place: String,
        /// Whether the root session of each is part of its place, after a `/`.
        #[serde(default)]
        has_session: bool,
    },
    /// Rows of some states that are due, by failures and then number; answers with [`OutboxRow`]s.
    Rows {
        /// These states.
        states: Vec<OutboxState>,
        /// Rows that are due at this moment; all if absent.
        due_ms: Option<i64>,
        /// Only rows of higher numbers, then by number alone; all if absent.
        #[serde(default)]
        after: Option<i64>,
        /// How many at most.
        limit: usize,
    },
    /// Note rows as sent, once more, if each is still in one of these states; answers with those, and their events as they
    /// are in this transaction.
    Claim {
        /// These rows.
        numbers: Vec<i64>,
        /// Only those in these states.
        states: Vec<OutboxState>,
        /// Where in the sink they are sent to; as it is if absent.
        #[serde(default)]
        place: Option<String>,
        /// The moment, in milliseconds since the epoch.
        sent_ms: i64,
    },
    /// Change rows; answers with how many were changed. A row that a purge marked meanwhile keeps that mark.
    Mark(Vec<OutboxChange>),
    /// Note that the sink holds the items of rows in *removing* no more; answers with how many those were. The row of a
    /// purged event goes; one whose event still shows something waits, to be sent as it is shown now.
    Removed(Vec<i64>),
    /// Note how the sink fares; an absent field stays as it is.
    Note {
        /// Runs in a row that got nothing stored.
        failures: Option<i64>,
        /// When to try again, in milliseconds since the epoch.
        due_ms: Option<i64>,
        /// When something was last seen to be stored.
        stored_ms: Option<i64>,
        /// Why nothing was.
        error: Option<String>,
    },
    /// Let dead rows wait again, those of these numbers or all; answers with how many.
    Retry(Vec<i64>),
    /// Give up rows that wait or are dead, those of these numbers or all; answers with how many. A row stays as *dropped* if
    /// the sink may hold its event.
    Drop(Vec<i64>),
    /// How the sink fares; answers with an [`OutboxStatus`].
    Status,
}

/// A change of one row; an absent field stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutboxChange {
    number: i64,
    /// Its new state.
    state: OutboxState,
    #[serde(default)]
    place: Option<String>,
    #[serde(default)]
    remote: Option<String>,
    #[serde(default)]
    failures: Option<i64>,
    #[serde(default)]
    due_ms: Option<i64>,
    #[serde(default)]
    error: Option<String>,
}

/// A row with its event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutboxRow {
    /// Its number, in the order of the log.
    pub number: i64,
    /// `E<seq>`.
    pub item: String,
    /// The name by which the sink is asked for it, `category:id`: the same on every machine that recorded the event under
    /// the same project.
    pub key: String,
    /// Where in the sink it belongs.
    pub place: String,
    /// The sink's own id.
    pub remote: String,
    /// Its state.
    pub state: OutboxState,
    /// How often it was sent.
    pub sends: i64,
    /// The last time, in milliseconds since the epoch.
    pub sent_ms: i64,
    /// How often it failed where others did not.
    pub failures: i64,
    /// Not before this moment.
    pub due_ms: i64,
    /// Why it failed last.
    pub error: String,
    /// The event; `None` once it is purged.
    pub event: Option<Event>,
    /// The session that started the event's session, over all steps; itself if none did.
    pub root_session: String,
}

/// How a sink fares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutboxStatus {
    /// Events of the log that were not looked at yet.
    pub unread: u64,
    /// Rows by state.
    pub waiting: u64,
    /// See `waiting`.
    pub sent: u64,
    /// See `waiting`.
    pub stored: u64,
    /// See `waiting`.
    pub removing: u64,
    /// See `waiting`.
    pub dead: u64,
    /// Runs in a row that got nothing stored.
    pub failures: i64,
    /// When to try again, in milliseconds since the epoch.
    pub due_ms: i64,
    /// When something was last seen to be stored; 0 for never.
    pub stored_ms: i64,
    /// Why nothing was.
    pub error: String,
    /// The last moment of sending of what was sent once and stored, by place. A sink that takes what it gets in turn has
    /// processed all that was sent to the place before.
    pub processed_ms: Vec<(String, i64)>,
    /// The project's identity, by which others know it, too.
    pub identity: String,
    /// The project's name.
    pub project: String,
}

/// An answer to an [`OutboxCommand`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OutboxAnswer {
    /// How many rows were made or changed.
    Count(u64),
    /// Rows.
    Rows(Vec<OutboxRow>),
    /// The status.
    Status(OutboxStatus),
}

impl Memory {
    /// Works on the outbox of a sink.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn outbox(&self, sink: &str, command: &OutboxCommand) -> Result<OutboxAnswer> {
        match command {
            OutboxCommand::Take { categories, since_ms, is_from_start, place, has_session } => {
                let taking = Taking { sink, categories, since_ms: *since_ms, place, has_session: *has_session };
                self.take(&taking, *is_from_start).map(OutboxAnswer::Count)
            }
            OutboxCommand::Rows { states, due_ms, after, limit } => {
                let found =
                    self.read(|database, project| rows(database, sink, project, states, *due_ms, *after, *limit))?;
                Ok(OutboxAnswer::Rows(found.unwrap_or_default()))
            }
            OutboxCommand::Claim { numbers, states, place, sent_ms } => self
                .write(|database| {
                    let found =
                        numbers.iter().map(|number| claim(database, *number, states, place.as_deref(), *sent_ms));
                    Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
                })
                .map(OutboxAnswer::Rows),
            OutboxCommand::Mark(changes) => self
                .write(|database| changes.iter().map(|change| mark(database, change)).sum::<Result<u64>>())
                .map(OutboxAnswer::Count),
            OutboxCommand::Removed(numbers) => self
                .write(|database| numbers.iter().map(|number| removed(database, *number)).sum::<Result<u64>>())
                .map(OutboxAnswer::Count),
            OutboxCommand::Note { failures, due_ms, stored_ms, error } => {
                let sql = "UPDATE outbox_cursor SET failures = coalesce(?3, failures), due_ms = coalesce(?4, due_ms), \
                           stored_ms = coalesce(?5, stored_ms), error = coalesce(?6, error) \
                           WHERE sink = ?1 AND project = ?2";
                self.in_project(|database, project| {
                    database.run(sql, params![sink, project, failures, due_ms, stored_ms, error])
                })
            }
            OutboxCommand::Retry(numbers) => {
                let sql = "UPDATE outbox SET state = 'waiting', failures = 0, due_ms = 0, error = '' \
                           WHERE sink = ?1 AND project = ?2 AND state = 'dead'";
                let open = "UPDATE outbox_cursor SET due_ms = 0 WHERE sink = ?1 AND project = ?2";
                self.in_project(|database, project| {
                    database.run(open, params![sink, project])?;
                    for_each_number(database, sql, sink, project, numbers)
                })
            }
            OutboxCommand::Drop(numbers) => {
                let never_sent = "DELETE FROM outbox WHERE sink = ?1 AND project = ?2 AND state IN ('waiting', 'dead') \
                                  AND sends = 0 AND remote = ''";
                let others = "UPDATE outbox SET state = 'dropped' WHERE sink = ?1 AND project = ?2 \
                              AND state IN ('waiting', 'dead')";
                self.in_project(|database, project| {
                    let deleted = for_each_number(database, never_sent, sink, project, numbers)?;
                    Ok(deleted + for_each_number(database, others, sink, project, numbers)?)
                })
            }
            OutboxCommand::Status => {
                let found = self.read(|database, project| status(database, sink, project))?;
                Ok(OutboxAnswer::Status(found.unwrap_or_default()))
            }
        }
    }

    /// Runs `work`, which counts rows, in a transaction with the project's number; 0 if the project is not known.
    fn in_project(&self, work: impl FnOnce(&Database, i64) -> Result<usize>) -> Result<OutboxAnswer> {
        let count = self.write(|database| {
            project::find(database, &self.project())?.map_or(Ok(0), |number| work(database, number))
        })?;
        Ok(OutboxAnswer::Count(count as u64))
    }

    fn take(&self, taking: &Taking<'_>, is_from_start: bool) -> Result<u64> {
        self.settle()?;
        let mut taken = 0;
        if is_from_start {
            let sql = "UPDATE outbox SET state = 'waiting', failures = 0, due_ms = 0, error = '' \
                       WHERE sink = ?1 AND project = ?2 AND state = 'dropped'";
            taken += self.write(|database| {
                let project = project::find(database, &self.project())?;
                project.map_or(Ok(0), |number| database.run(sql, params![taking.sink, number]))
            })? as u64;
        }
        let mut is_first = true;
        loop {
            let step = self.write(|database| {
                let Some(project) = project::find(database, &self.project())? else { return Ok((0, 0)) };
                let begin = if is_from_start && is_first { Some(0) } else { None };
                taking.some(database, project, begin)
            })?;
            is_first = false;
            taken += step.1;
            if step.0 < EVENTS_AT_ONCE {
                return Ok(taken);
            }
        }
    }
}

/// What [`OutboxCommand::Take`] asks for.
struct Taking<'a> {
    sink: &'a str,
    categories: &'a [String],
    since_ms: i64,
    place: &'a str,
    has_session: bool,
}

impl Taking<'_> {
    /// Looks at the next events; returns how many it looked at, and how many it took.
    fn some(&self, database: &Database, project: i64, begin: Option<i64>) -> Result<(usize, u64)> {
        let sql = "SELECT seq FROM outbox_cursor WHERE sink = ?1 AND project = ?2";
        let found = database.first(sql, params![self.sink, project], |row| Ok(row.get::<_, i64>(0)?))?;
        let seq = match (begin, found) {
            (Some(begin), _) => begin,
            (None, Some(found)) => found,
            (None, None) => {
                let sql = "SELECT coalesce((SELECT min(seq) - 1 FROM event WHERE project = ?1 AND recorded_ms >= ?2), \
                           (SELECT max(seq) FROM event WHERE project = ?1), 0)";
                database.only(sql, [project, self.since_ms], |row| Ok(row.get::<_, i64>(0)?))?
            }
        };
        let sql = "SELECT seq, event.key, category, is_private, coalesce(root.key, '') FROM event \
                   LEFT JOIN session ON session.number = event.session \
                   LEFT JOIN session AS root ON root.number = session.root \
                   WHERE event.project = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
        let events = database.all(sql, params![project, seq, EVENTS_AT_ONCE as i64], |row| {
            let texts = (row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(4)?);
            Ok((row.get::<_, i64>(0)?, texts, row.get::<_, bool>(3)?))
        })?;
        let sql = "SELECT identity FROM project WHERE number = ?1";
        let identity = database.only(sql, [project], |row| Ok(row.get::<_, String>(0)?))?;
        let mut taken = 0;
        for (seq, (key, category, session), is_private) in &events {
            if *is_private || !self.categories.contains(category) {
                continue;
            }
            let sql = "INSERT INTO outbox (sink, project, item, key, place, remote, state, sends, sent_ms, failures, \
                       due_ms, error) VALUES (?1, ?2, ?3, ?4, ?5, '', 'waiting', 0, 0, 0, 0, '') ON CONFLICT DO NOTHING";
            let key = format!("{category}:{}", key_of(&identity, key));
            let place = if self.has_session { format!("{}/{session}", self.place) } else { self.place.to_owned() };
            taken += database.run(sql, params![self.sink, project, format!("E{seq}"), key, place])? as u64;
        }
        let last = events.last().map_or(seq, |event| event.0);
        let sql = "INSERT INTO outbox_cursor (sink, project, seq, failures, due_ms, stored_ms, error) \
                   VALUES (?1, ?2, ?3, 0, 0, 0, '') ON CONFLICT DO UPDATE SET seq = excluded.seq";
        database.run(sql, params![self.sink, project, last])?;
        Ok((events.len(), taken))
    }
}

/// The same for an event on every machine: made of the project's identity and the key of the event's host.
fn key_of(identity: &str, key: &str) -> String {
    let key = key.split_once('/').map_or(key, |found| found.1);
    format!("cc-{}", ContentHash::of_parts(&[identity.as_bytes(), key.as_bytes()]))
}

const ROW: &str = "SELECT outbox.number, item, outbox.key, place, remote, outbox.state, sends, sent_ms, failures, due_ms, \
                   error, coalesce(root.key, '') FROM outbox \
                   LEFT JOIN event ON outbox.item = 'E' || event.seq AND outbox.project = event.project \
                   LEFT JOIN session ON session.number = event.session \
                   LEFT JOIN session AS root ON root.number = session.root";

fn rows(
    database: &Database,
    sink: &str,
    project: i64,
    states: &[OutboxState],
    due_ms: Option<i64>,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<OutboxRow>> {
    let order = if after.is_some() { "outbox.number" } else { "failures, outbox.number" };
    let sql = format!(
        "{ROW} WHERE sink = ?1 AND outbox.project IN (?2, {NO_PROJECT}) AND outbox.state IN ({}) \
         AND (?3 IS NULL OR due_ms <= ?3) AND (?4 IS NULL OR outbox.number > ?4) ORDER BY {order} LIMIT ?5",
        quoted(states)
    );
    let mut found = database.all(&sql, params![sink, project, due_ms, after, limit as i64], read)?;
    for row in &mut found {
        row.event = event_of(database, &row.item)?;
    }
    Ok(found)
}

/// Notes a row as sent if it is in one of the states, and reads it with its event.
fn claim(
    database: &Database,
    number: i64,
    states: &[OutboxState],
    place: Option<&str>,
    sent_ms: i64,
) -> Result<Option<OutboxRow>> {
    let sql = format!(
        "UPDATE outbox SET state = 'sent', place = coalesce(?2, place), sends = sends + 1, sent_ms = ?3 \
         WHERE number = ?1 AND state IN ({}) RETURNING number",
        quoted(states)
    );
    if database.all(&sql, params![number, place, sent_ms], |_| Ok(()))?.is_empty() {
        return Ok(None);
    }
    let found = database.first(&format!("{ROW} WHERE outbox.number = ?1"), [number], read)?;
    found.map(|row| Ok(OutboxRow { event: event_of(database, &row.item)?, ..row })).transpose()
}

fn quoted(states: &[OutboxState]) -> String {
    let names: Vec<String> = states.iter().map(|state| format!("'{}'", state.name())).collect();
    names.join(", ")
}

fn event_of(database: &Database, item: &str) -> Result<Option<Event>> {
    match item.strip_prefix('E').map(str::parse) {
        Some(Ok(seq)) => log::get(database, seq),
        _ => Ok(None),
    }
}

fn read(row: &Row<'_>) -> Result<OutboxRow> {
    Ok(OutboxRow {
        number: row.get(0)?,
        item: row.get(1)?,
        key: row.get(2)?,
        place: row.get(3)?,
        remote: row.get(4)?,
        state: OutboxState::of(&row.get::<_, String>(5)?),
        sends: row.get(6)?,
        sent_ms: row.get(7)?,
        failures: row.get(8)?,
        due_ms: row.get(9)?,
        error: row.get(10)?,
        event: None,
        root_session: row.get(11)?,
    })
}

fn mark(database: &Database, change: &OutboxChange) -> Result<u64> {
    let sql = "UPDATE outbox SET state = CASE state WHEN 'removing' THEN state ELSE ?2 END, \
               place = coalesce(?3, place), remote = coalesce(?4, remote), failures = coalesce(?5, failures), \
               due_ms = coalesce(?6, due_ms), error = coalesce(?7, error) WHERE number = ?1";
    let OutboxChange { number, state, place, remote, failures, due_ms, error } = change;
    Ok(database.run(sql, params![number, state.name(), place, remote, failures, due_ms, error])? as u64)
}

fn for_each_number(database: &Database, sql: &str, sink: &str, project: i64, numbers: &[i64]) -> Result<usize> {
    if numbers.is_empty() {
        return database.run(sql, params![sink, project]);
    }
    let one = format!("{sql} AND number = ?3");
    numbers.iter().map(|number| database.run(&one, params![sink, project, number])).sum()
}

fn status(database: &Database, sink: &str, project: i64) -> Result<OutboxStatus> {
    let sql = "SELECT seq, failures, due_ms, stored_ms, error FROM outbox_cursor WHERE sink = ?1 AND project = ?2";
    let cursor = database.first(sql, params![sink, project], |row| {
        let status = OutboxStatus {
            failures: row.get(1)?,
            due_ms: row.get(2)?,
            stored_ms: row.get(3)?,
            error: row.get(4)?,
            ..OutboxStatus::default()
        };
        Ok((row.get::<_, i64>(0)?, status))
    })?;
    let (seq, mut status) = cursor.unwrap_or_default();
    let sql = "SELECT count(*) FROM event WHERE project = ?1 AND seq > ?2";
    status.unread = database.only(sql, [project, seq], |row| Ok(row.get::<_, i64>(0)? as u64))?;
    let sql = "SELECT identity, name FROM project WHERE number = ?1";
    let known = database.first(sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    (status.identity, status.project) = known.unwrap_or_default();
    let sql =
        format!("SELECT state, count(*) FROM outbox WHERE sink = ?1 AND project IN (?2, {NO_PROJECT}) GROUP BY state");
    database.each(&sql, params![sink, project], |row| {
        let count = row.get::<_, i64>(1)? as u64;
        match OutboxState::of(&row.get::<_, String>(0)?) {
            OutboxState::Waiting => status.waiting = count,
            OutboxState::Sent => status.sent = count,
            OutboxState::Stored | OutboxState::Settling => status.stored += count,
            OutboxState::Removing => status.removing = count,
            OutboxState::Dead => status.dead = count,
            OutboxState::Dropped => {}
        }
        Ok(())
    })?;
    let sql = "SELECT place, max(sent_ms) FROM outbox WHERE sink = ?1 AND project = ?2 AND state = 'stored' \
               AND sends = 1 GROUP BY place";
    status.processed_ms = database.all(sql, params![sink, project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(status)
}

/// Has the sinks remove an item that is purged, whether it was sent from here or not: another machine may have sent it. A row
/// without a place is nowhere. Runs inside the purge's transaction.
pub(super) fn remove_item(database: &Database, item: &str) -> Result<()> {
    database.run("DELETE FROM outbox WHERE item = ?1 AND sends = 0 AND remote = '' AND place = ''", [item])?;
    let sql = "UPDATE outbox SET state = 'removing', failures = 0, due_ms = 0, error = '' WHERE item = ?1";
    database.run(sql, [item]).map(drop)
}

/// Has the sinks remove an item whose shown text has changed, and take it again as it is shown then. One that was not sent
/// yet is sent as it is shown. Runs inside a transaction.
pub(super) fn renew_item(database: &Database, item: &str) -> Result<()> {
    let sql = "UPDATE outbox SET state = 'removing', failures = 0, due_ms = 0, error = '' \
               WHERE item = ?1 AND (sends > 0 OR remote <> '') AND state <> 'dropped'";
    database.run(sql, [item])?;
    // A dropped row is removed under the name of no event, so that nothing is sent again.
    let sql = "UPDATE outbox SET state = 'removing', item = '-' || number || item, failures = 0, due_ms = 0, error = '' \
               WHERE item = ?1 AND state = 'dropped' AND (sends > 0 OR remote <> '')";
    database.run(sql, [item]).map(drop)
}

/// The same for an item of which more is shown than before, or anything at all. Runs inside a transaction.
pub(super) fn show_item(database: &Database, item: &str) -> Result<()> {
    renew_item(database, item)?;
    let sql = "UPDATE outbox SET state = 'waiting' WHERE item = ?1 AND state = 'dropped' AND sends = 0 AND remote = ''";
    database.run(sql, [item]).map(drop)
}

/// Notes that the sink holds the item of a row no more. Returns how many rows that were.
fn removed(database: &Database, number: i64) -> Result<u64> {
    let sql = "SELECT item FROM outbox WHERE number = ?1 AND state = 'removing'";
    let Some(item) = database.first(sql, [number], |row| Ok(row.get::<_, String>(0)?))? else { return Ok(0) };
    let Some(event) = event_of(database, &item)? else {
        return Ok(database.run("DELETE FROM outbox WHERE number = ?1", [number])? as u64);
    };
    let shows = [&event.title, &event.body, &event.command].iter().any(|text| text.chars().any(char::is_alphanumeric));
    let state = if shows { OutboxState::Waiting } else { OutboxState::Dropped };
    let sql = "UPDATE outbox SET state = ?2, remote = '', sends = 0, sent_ms = 0, failures = 0, due_ms = 0, error = '' \
               WHERE number = ?1";
    Ok(database.run(sql, params![number, state.name()])? as u64)
}

/// Leaves what sinks must still remove of a purged project to the runs of other projects.
pub(super) fn forget_project(database: &Database, project: i64) -> Result<()> {
    database.run("UPDATE outbox SET project = ?2 WHERE project = ?1", [project, NO_PROJECT])?;
    database.run("DELETE FROM outbox_cursor WHERE project = ?1", [project]).map(drop)
}
