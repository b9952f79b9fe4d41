//! Stores sessions, the runs of agents, with their parents.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::event::Event;
use super::fact;
use super::memory::Memory;
use super::scene::Scene;

/// A session without an agent: older versions stored contexts under it that they had built in advance.
const PREPARED: &str = "(prepared)";
/// How far a line of parents is followed; a longer one, or a circle, ends there.
const MAX_ANCESTORS: usize = 64;

/// The events of one agent's run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The host's id.
    pub id: String,
    /// The project's name.
    pub project: String,
    /// The session that started this one.
    pub parent: Option<String>,
    /// The root of its line; itself if it has no parent.
    pub root: String,
    /// Which agent.
    pub host: String,
    /// The model that it ran on.
    pub model: String,
    /// Its id.
    pub title: String,
    /// `open` or `ended`.
    pub status: String,
    /// When it began, in milliseconds since the epoch.
    pub started_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// Prompts of the user.
    pub turns: u64,
    /// Events in it.
    pub events: u64,
}

/// The number of a session, made if it is new; a parent that is unknown yet is made too, and a line of parents that
/// became known joins its root. A parent that would close a cycle is ignored. A host or model that was not known when the
/// session was made is filled in: what is shown to a session may be noted before its first event.
pub(super) fn enter(
    database: &Database,
    scene: &Scene,
    key: &str,
    parent: Option<&str>,
    host: &str,
    model: &str,
) -> Result<i64> {
    let found = number_of(database, scene.project, key)?;
    let parent = match parent.filter(|parent| *parent != key) {
        Some(parent) => Some(match number_of(database, scene.project, parent)? {
            Some(number) => number,
            None => make(database, scene, parent, host, "")?,
        }),
        None => None,
    };
    let number = match found {
        Some(number) => {
            name_host_and_model(database, number, host, model)?;
            number
        }
        None => make(database, scene, key, host, model)?,
    };
    if let Some(parent) = parent
        && !line_of(database, parent)?.contains(&number)
    {
        let sql = "UPDATE session SET parent = ?2 WHERE number = ?1 AND parent IS NULL";
        if database.run(sql, [number, parent])? > 0 {
            let root = line_of(database, number)?.last().copied().unwrap_or(number);
            database.run("UPDATE session SET root = ?2 WHERE root = ?1 OR number = ?1", [number, root])?;
        }
    }
    Ok(number)
}

fn make(database: &Database, scene: &Scene, key: &str, host: &str, model: &str) -> Result<i64> {
    database.run(
        "INSERT INTO session (project, key, parent, root, host, model, title, status, started_ms, ended_ms, turns, \
         extracted_seq, summarised_seq) VALUES (?1, ?2, NULL, 0, ?3, ?4, '', 'open', ?5, NULL, 0, 0, 0)",
        params![scene.project, key, host, model, scene.now_ms],
    )?;
    let number = database.last_row();
    database.run("UPDATE session SET root = number WHERE number = ?1", [number])?;
    Ok(number)
}

fn name_host_and_model(database: &Database, number: i64, host: &str, model: &str) -> Result<()> {
    let sql = "UPDATE session SET host = CASE host WHEN '' THEN ?2 ELSE host END, \
               model = CASE model WHEN '' THEN ?3 ELSE model END \
               WHERE number = ?1 AND ((host = '' AND ?2 <> '') OR (model = '' AND ?3 <> ''))";
    database.run(sql, params![number, host, model])?;
    Ok(())
}

pub(super) fn number_of(database: &Database, project: i64, key: &str) -> Result<Option<i64>> {
    let sql = "SELECT number FROM session WHERE project = ?1 AND key = ?2";
    database.first(sql, params![project, key], |row| Ok(row.get(0)?))
}

/// A session and its ancestors.
fn line_of(database: &Database, number: i64) -> Result<Vec<i64>> {
    let mut line = vec![number];
    while line.len() < MAX_ANCESTORS {
        let last = line[line.len() - 1];
        let sql = "SELECT parent FROM session WHERE number = ?1";
        let parent = database.first(sql, [last], |row| Ok(row.get::<_, Option<i64>>(0)?))?.flatten();
        match parent {
            Some(parent) if !line.contains(&parent) => line.push(parent),
            _ => break,
        }
    }
    Ok(line)
}

/// The title of a session that begins with this event.
pub(super) fn title_of(event: &Event) -> String {
    let mut title = match event.title.as_str() {
        _ if event.is_private => String::new(),
        "" => fact::title_of(&event.body),
        title => title.to_owned(),
    };
    title.truncate(title.floor_char_boundary(120));
    title
}

/// After an event: a prompt is a turn, the first one is the title, an end closes.
pub(super) fn touch(
    database: &Database,
    number: i64,
    is_prompt: bool,
    title: &str,
    ended_ms: Option<i64>,
) -> Result<()> {
    if is_prompt {
        let sql = "UPDATE session SET turns = turns + 1, status = 'open', ended_ms = NULL, \
                   title = CASE title WHEN '' THEN ?2 ELSE title END WHERE number = ?1";
        database.run(sql, params![number, title])?;
    }
    if let Some(ended_ms) = ended_ms {
        let sql = "UPDATE session SET status = 'ended', ended_ms = ?2 WHERE number = ?1";
        database.run(sql, params![number, ended_ms])?;
    }
    Ok(())
}

const COLUMNS: &str = "SELECT session.key, project.name, parent.key, root.key, session.host, session.model, \
     session.title, session.status, session.started_ms, session.ended_ms, session.turns, \
     (SELECT count(*) FROM event WHERE event.session = session.number) \
     FROM session JOIN project ON project.number = session.project \
     LEFT JOIN session AS parent ON parent.number = session.parent \
     LEFT JOIN session AS root ON root.number = session.root";

fn read(row: &Row<'_>) -> Result<Session> {
    let id: String = row.get(0)?;
    Ok(Session {
        root: row.get::<_, Option<String>>(3)?.unwrap_or_else(|| id.clone()),
        id,
        project: row.get(1)?,
        parent: row.get(2)?,
        host: row.get(4)?,
        model: row.get(5)?,
        title: row.get(6)?,
        status: row.get(7)?,
        started_ms: row.get(8)?,
        ended_ms: row.get(9)?,
        turns: row.get::<_, i64>(10)? as u64,
        events: row.get::<_, i64>(11)? as u64,
    })
}

impl Memory {
    /// The project's sessions, the newest first.
    pub fn sessions(&self, limit: usize) -> Result<Vec<Session>> {
        self.read(|database, project| {
            let sql = format!(
                "{COLUMNS} WHERE session.project = ?1 AND session.key <> '{PREPARED}' ORDER BY session.number DESC LIMIT ?2"
            );
            database.all(&sql, params![project, limit as i64], read)
        })
        .map(Option::unwrap_or_default)
    }

    /// One session of the project, with those it started.
    pub fn session(&self, key: &str) -> Result<Vec<Session>> {
        self.read(|database, project| {
            let sql = format!(
                "{COLUMNS} WHERE session.project = ?1 AND (session.key = ?2 OR root.key = ?2) ORDER BY session.number"
            );
            database.all(&sql, params![project, key], read)
        })
        .map(Option::unwrap_or_default)
    }
}
