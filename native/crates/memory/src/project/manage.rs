//! Shows which folders share a memory and why, merges two projects, and parts a folder from its project.

use rusqlite::params;
use serde::Serialize;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};

use super::name::ProjectName;
use super::rules::{self, FolderRow, Reason};
use crate::memory::Memory;
use crate::reindex::reindex;
use crate::scene::Scene;
use crate::tombstone;

/// The newest commits of a project that are named, by which its repository can be recognised.
const MAX_COMMITS: usize = 8;

/// A folder of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectFolder {
    /// Its path when it was last met.
    pub path: String,
    /// Its remote then.
    pub remote: Option<String>,
    /// Whether it is still there.
    pub is_there: bool,
    /// Whether it is the one that is asked for.
    pub is_this: bool,
}

/// A project, with the names, remotes and folders that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectRow {
    /// Its number, by which it is chosen.
    pub number: i64,
    /// Its display name.
    pub name: String,
    /// The names that settings give it.
    pub names: Vec<String>,
    /// The remotes that lead to it.
    pub remotes: Vec<String>,
    /// Its folders, by path.
    pub folders: Vec<ProjectFolder>,
    /// Its sessions.
    pub sessions: u64,
    /// Its events.
    pub events: u64,
    /// Its facts that hold.
    pub facts: u64,
    /// When its last event happened, in milliseconds since the epoch.
    pub last_ms: Option<i64>,
    /// Commits that were checked out at its last events.
    pub commits: Vec<String>,
}

/// The project of a folder, and why it is that one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectReport {
    /// The folder that is asked for.
    pub folder: String,
    /// Its remote.
    pub remote: Option<String>,
    /// The name that the settings give it.
    pub named: Option<String>,
    /// Its project; `None` if nothing is remembered yet.
    pub project: Option<ProjectRow>,
    /// Why it is that one.
    pub reason: Reason,
    /// The project that the folder had, or might have had, before.
    pub former: Option<ProjectRow>,
    /// The projects around a submodule, whose memory it is shown.
    pub parents: Vec<ProjectRow>,
}

/// The outcome of a merge or a parting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Adopted {
    /// Events that changed their project.
    pub events: u64,
    /// Facts that changed their project.
    pub facts: u64,
    /// Folders that changed their project.
    pub folders: u64,
}

impl Memory {
    /// The project of this memory's folder.
    pub fn project_report(&self) -> Result<ProjectReport> {
        let name = self.project();
        let found = self.read(|database, _| {
            let decision = rules::decide(database, &name)?;
            let row = |number: Option<i64>| number.map(|number| row_of(database, number, &name)).transpose();
            let exists = "SELECT number FROM project WHERE number = ?1";
            let former = decision.former.map(|former| database.first(exists, [former], |row| Ok(row.get(0)?)));
            let former: Option<i64> = former.transpose()?.flatten();
            let number = decision.project.unwrap_or(-1);
            let parents = rules::parents(database, &name, number)?;
            Ok(ProjectReport {
                project: row(decision.project)?,
                reason: decision.reason,
                former: row(former)?.filter(|former| former.events + former.facts > 0),
                parents: parents.into_iter().map(|each| row_of(database, each, &name)).collect::<Result<_>>()?,
                ..empty_report(&name)
            })
        })?;
        Ok(found.unwrap_or_else(|| empty_report(&name)))
    }

    /// All projects with records or folders, by number.
    pub fn projects(&self) -> Result<Vec<ProjectRow>> {
        let name = self.project();
        self.read(|database, _| {
            let sql = "SELECT number FROM project WHERE number > 0 ORDER BY number";
            let numbers: Vec<i64> = database.all(sql, [], |row| Ok(row.get(0)?))?;
            numbers.into_iter().map(|number| row_of(database, number, &name)).collect()
        })
        .map(Option::unwrap_or_default)
    }

    /// Gives this folder the memory of another project: both become one, with all their folders, remotes and records.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such project, or it is that of the folder.
    pub fn adopt_project(&self, number: i64) -> Result<Adopted> {
        self.settle()?;
        let (name, now_ms) = (self.project(), self.now_ms());
        let model = self.model.as_ref();
        self.write(|database| {
            let sql = "SELECT 1 FROM project WHERE number = ?1 AND number > 0";
            if database.first(sql, [number], |row| Ok(row.get::<_, i64>(0)?))?.is_none() {
                return Err(Error::InvalidArgument(format!("there is no project {number}")));
            }
            let own = rules::resolve(database, &name, now_ms)?;
            if own == number {
                return Err(Error::InvalidArgument(format!("project {number} is already that of this folder")));
            }
            let adopted = move_records(database, own, number)?;
            move_names(database, own, number)?;
            rules::keep_identity(database, own, number)?;
            database.run("DELETE FROM project WHERE number = ?1", [own])?;
            if adopted.events + adopted.facts > 0 {
                reindex(database, model)?;
            }
            tombstone::join(database, &Scene { project: number, now_ms }, own, model)?;
            Ok(adopted)
        })
    }

    /// Gives this folder a project of its own, without any memory; the one that it had stays as it is.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the settings name its project.
    pub fn part_project(&self) -> Result<Adopted> {
        self.settle()?;
        let (name, now_ms) = (self.project(), self.now_ms());
        if name.custom().is_some() {
            return Err(Error::InvalidArgument("the settings name the project of this folder".to_owned()));
        }
        self.write(|database| {
            rules::resolve(database, &name, now_ms)?;
            rules::part(database, &name, now_ms)?;
            Ok(Adopted { events: 0, facts: 0, folders: 1 })
        })
    }
}

fn empty_report(name: &ProjectName) -> ProjectReport {
    let without_kind =
        |alias: Option<&str>| alias.and_then(|alias| alias.split_once(':')).map(|(_, rest)| rest.to_owned());
    ProjectReport {
        folder: name.root.clone(),
        remote: without_kind(name.remote()),
        named: without_kind(name.custom()),
        project: None,
        reason: Reason::New,
        former: None,
        parents: Vec::new(),
    }
}

fn row_of(database: &Database, number: i64, name: &ProjectName) -> Result<ProjectRow> {
    let count = |sql: &str| database.only(sql, [number], |row| Ok(row.get::<_, i64>(0)? as u64));
    let aliases = |kind: &str| {
        let sql = "SELECT substr(alias, ?2) FROM project_alias WHERE project = ?1 AND alias LIKE ?3 ORDER BY alias";
        let from = kind.len() as i64 + 2;
        database.all(sql, params![number, from, format!("{kind}:%")], |row| Ok(row.get(0)?))
    };
    let this = name.path();
    let folder = |row: FolderRow| ProjectFolder {
        is_this: this.as_ref() == Some(&row.path),
        is_there: rules::is_there(&row),
        remote: row.remote.as_deref().and_then(|alias| alias.split_once(':')).map(|(_, remote)| remote.to_owned()),
        path: row.path,
    };
    let commits = "SELECT commit_id FROM event WHERE project = ?1 AND commit_id <> '' \
                   GROUP BY commit_id ORDER BY max(seq) DESC LIMIT ?2";
    Ok(ProjectRow {
        number,
        name: database.only("SELECT name FROM project WHERE number = ?1", [number], |row| Ok(row.get(0)?))?,
        names: aliases("custom")?,
        remotes: aliases("remote")?,
        folders: rules::folders_of(database, number)?.into_iter().map(folder).collect(),
        sessions: count("SELECT count(*) FROM session WHERE project = ?1")?,
        events: count("SELECT count(*) FROM event WHERE project = ?1")?,
        facts: count("SELECT count(*) FROM fact WHERE project = ?1 AND state = 'live'")?,
        last_ms: database.only("SELECT max(ts_ms) FROM event WHERE project = ?1", [number], |row| Ok(row.get(0)?))?,
        commits: database.all(commits, params![number, MAX_COMMITS as i64], |row| Ok(row.get(0)?))?,
    })
}

/// Gives all records of a project to another one. Sessions and events that both have become one, or get keys of their own.
fn move_records(database: &Database, from: i64, to: i64) -> Result<Adopted> {
    let shared = "SELECT other.number, own.number FROM session AS other JOIN session AS own ON own.key = other.key \
                  WHERE other.project = ?1 AND own.project = ?2";
    let pairs = database.all(shared, [from, to], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    for (other, own) in pairs {
        for sql in [
            "UPDATE event SET session = ?2 WHERE session = ?1",
            "UPDATE fact SET session = ?2 WHERE session = ?1",
            "UPDATE injection SET session = ?2 WHERE session = ?1",
            "UPDATE job SET session = ?2 WHERE session = ?1",
            "UPDATE session SET parent = ?2 WHERE parent = ?1",
            "UPDATE session SET root = ?2 WHERE root = ?1",
            "UPDATE session SET turns = turns + (SELECT turns FROM session WHERE number = ?1) WHERE number = ?2",
        ] {
            database.run(sql, [other, own])?;
        }
        database.run("DELETE FROM snapshot WHERE session = ?1", [other])?;
        database.run("DELETE FROM session WHERE number = ?1", [other])?;
    }
    // The opening blocks of sessions lack the other memory.
    let opened = "DELETE FROM snapshot WHERE session IN (SELECT number FROM session WHERE project IN (?1, ?2))";
    database.run(opened, [from, to])?;
    database.run("UPDATE session SET project = ?2 WHERE project = ?1", [from, to])?;
    let keyed = "UPDATE OR IGNORE event SET project = ?2, key = ?2 || substr(key, instr(key, '/')) WHERE project = ?1";
    let mut events = database.run(keyed, [from, to])?;
    let again = "UPDATE event SET project = ?2, key = ?2 || '/' || key WHERE project = ?1";
    events += database.run(again, [from, to])?;
    let facts = database.run("UPDATE fact SET project = ?2 WHERE project = ?1", [from, to])?;
    for sql in [
        "INSERT INTO file_pair (project, first, second, weight, last_ms) \
         SELECT ?2, first, second, weight, last_ms FROM file_pair WHERE project = ?1 \
         ON CONFLICT (project, first, second) DO UPDATE SET weight = weight + excluded.weight, \
         last_ms = max(last_ms, excluded.last_ms)",
        "UPDATE outbox SET project = ?2 WHERE project = ?1",
        // Events that the other project had not sent yet are taken from the log again.
        "UPDATE outbox_cursor SET seq = min(seq, (SELECT other.seq FROM outbox_cursor AS other \
         WHERE other.sink = outbox_cursor.sink AND other.project = ?1)) \
         WHERE project = ?2 AND EXISTS (SELECT 1 FROM outbox_cursor AS other \
         WHERE other.sink = outbox_cursor.sink AND other.project = ?1)",
        "UPDATE OR IGNORE outbox_cursor SET project = ?2 WHERE project = ?1",
    ] {
        database.run(sql, [from, to])?;
    }
    for table in ["file_pair", "outbox_cursor"] {
        database.run(&format!("DELETE FROM {table} WHERE project = ?1"), [from])?;
    }
    let folders = database.run("UPDATE project_folder SET project = ?2 WHERE project = ?1", [from, to])?;
    Ok(Adopted { events: events as u64, facts: facts as u64, folders: folders as u64 })
}

/// Lets everything that led to a project lead to another one.
fn move_names(database: &Database, from: i64, to: i64) -> Result<()> {
    database.run("UPDATE project_alias SET project = ?2 WHERE project = ?1", [from, to])?;
    database.run("UPDATE project_folder SET former = NULL WHERE former IN (?1, project)", [from]).map(drop)
}
