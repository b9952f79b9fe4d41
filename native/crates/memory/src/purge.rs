//! Removes records for good: rows, versions, full text, vectors and ledgers, and what the write-ahead log and free
//! pages still hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

use super::fact::Fact;
use super::memory::{Memory, PATIENCE};
use super::query::{Item, find_item};
use super::scene::Scene;
use super::text::{self, Space};
use super::tombstone::{self, Hiding, Kind};
use super::{anchor, facts, log, outbox, project, session, vector};

/// A shorter text is not looked for after its fact was removed: others may hold it by chance.
const MIN_PROVEN: usize = 16;

/// What is to be removed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// These events and facts, by id, and the statements of the facts wherever they occur.
    Items(Vec<String>),
    /// These events and facts alone, by id; their statements may occur elsewhere.
    Records(Vec<String>),
    /// Everything that contains this text, in any letter case.
    Containing(String),
    /// A session of the project with all its events, and the facts that were drawn from nothing else.
    Session(String),
    /// All of the project.
    Project,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Purged {
    /// Events.
    pub events: u64,
    /// Facts, with all their versions.
    pub facts: u64,
    /// Bytes of all files that were read afterwards, to look for the text that was to go.
    pub scanned_bytes: u64,
    /// Files that hold it still: something else than events and facts contains it.
    pub left_in: Vec<String>,
}

impl Memory {
    /// Removes what is selected so that no byte of it is left in the database or its log.
    ///
    /// Other processes that read at this moment may keep the log's old pages in use; then this waits for them.
    pub fn purge(&self, selection: &Selection) -> Result<Purged> {
        if matches!(selection, Selection::Containing(text) if text.trim().len() < 3) {
            let message = "give at least three characters of what is to be removed".to_owned();
            return Err(Error::InvalidArgument(message));
        }
        self.settle()?;
        let mut gone = BTreeSet::new();
        let mut purged = self.write(|database| {
            let (events, mut facts) = select(database, &self.project(), selection)?;
            let said = if matches!(selection, Selection::Items(_)) { said_by(database, &facts)? } else { Vec::new() };
            gone.extend(
                said.iter()
                    .flat_map(|(_, versions)| versions)
                    .map(|fact| fact.text.clone())
                    .filter(|text| text.len() >= MIN_PROVEN),
            );
            if !matches!(selection, Selection::Project | Selection::Records(_)) {
                facts.extend(drawn_from(database, &events, &facts)?);
                self.drop_summaries_of(database, &events)?;
                keep_out(database, &events, &facts, self.now_ms())?;
            }
            remove_facts(database, &facts)?;
            remove_events(database, &events)?;
            self.erase(database, &said)?;
            if *selection == Selection::Project {
                forget_project(database, &self.project())?;
            }
            tombstone::bump(database)?;
            Ok(Purged { events: events.len() as u64, facts: facts.len() as u64, ..Purged::default() })
        })?;
        // Even if nothing was found: titles, anchors and free pages may have held it.
        self.scrub()?;
        self.blank_spools()?;
        if let Selection::Containing(text) = selection {
            gone.insert(text.clone());
        }
        for text in gone {
            self.prove(&text, &mut purged)?;
        }
        purged.left_in.sort();
        purged.left_in.dedup();
        Ok(purged)
    }

    /// Removes the statements of removed facts wherever they occur, and keeps them out.
    fn erase(&self, database: &Database, said: &[(i64, Vec<Fact>)]) -> Result<()> {
        for (home, versions) in said {
            let scene = Scene { project: *home, now_ms: self.now_ms() };
            let hiding = Hiding { home: *home, item: &versions[0].id, kind: Kind::Purged, said: versions, holds: "" };
            tombstone::hide(database, &scene, &hiding, self.model.as_ref())?;
        }
        Ok(())
    }

    /// Removes the summaries of the sessions that lose events; they are made again of the rest.
    fn drop_summaries_of(&self, database: &Database, events: &[i64]) -> Result<()> {
        let mut sessions = BTreeSet::new();
        for seq in events {
            let sql = "SELECT session FROM event WHERE seq = ?1";
            sessions.extend(database.first(sql, [seq], |row| Ok(row.get::<_, i64>(0)?))?);
        }
        for session in sessions {
            tombstone::drop_summaries(database, session, "", true, self.now_ms(), self.model.as_ref())?;
        }
        Ok(())
    }

    /// Reads every byte of the database, its log and the spools, and says where a text is left, in any case of its
    /// letters.
    fn prove(&self, text: &str, purged: &mut Purged) -> Result<()> {
        let wanted = text.to_lowercase().into_bytes();
        let with = |ending: &str| {
            let mut name = self.path().as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let spools = self.spool_files().into_iter().map(|file| file.path);
        let own = ["", "-wal", "-shm", "-journal"].map(with).into_iter();
        for path in own.chain(spools).chain(self.set_aside()) {
            let bytes = match private_files::read(&path, u64::MAX) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                bytes => bytes.map_err(|source| Error::io(&path, source))?,
            };
            purged.scanned_bytes += bytes.len() as u64;
            let is_ascii = wanted.is_ascii();
            let holds = bytes.windows(wanted.len()).any(|window| {
                if is_ascii {
                    window.eq_ignore_ascii_case(&wanted)
                } else {
                    window == text.as_bytes() || window == wanted
                }
            });
            if holds {
                purged.left_in.push(path.display().to_string());
            }
        }
        Ok(())
    }

    /// The files of databases that were damaged and set aside, which are a person's to remove.
    fn set_aside(&self) -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (self.path().parent(), self.path().file_name()) else { return Vec::new() };
        let beginning = format!("{}.damaged-", name.to_string_lossy());
        let names = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_aside = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&beginning);
        let folders = names(folder).filter(is_aside);
        folders.flat_map(|folder| names(&folder.path())).map(|file| file.path()).collect()
    }

    /// Rebuilds the database without its free pages, and truncates the log.
    pub(super) fn scrub(&self) -> Result<()> {
        self.with_writer(PATIENCE, |database| {
            database.set_patience(PATIENCE)?;
            database.script("VACUUM")?;
            // The answer is a row: whether readers were in the way.
            let is_busy = database.only("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)?))?;
            if is_busy != 0 {
                return Err(Error::Locked { owner: "processes that still read what was removed".to_owned() });
            }
            Ok(())
        })
    }
}

/// All versions of some facts, each with its project.
fn said_by(database: &Database, facts: &[String]) -> Result<Vec<(i64, Vec<Fact>)>> {
    let mut said = Vec::new();
    for id in facts {
        let home = database
            .first("SELECT project FROM fact WHERE id = ?1", [id], |row| Ok(row.get::<_, i64>(0)?))?
            .unwrap_or(project::USER);
        said.push((home, facts::versions(database, id)?));
    }
    said.retain(|(_, versions)| !versions.is_empty());
    Ok(said)
}

/// The facts that rules or models drew from nothing but events that are removed.
fn drawn_from(database: &Database, events: &[i64], known: &[String]) -> Result<Vec<String>> {
    let removed: BTreeSet<i64> = events.iter().copied().collect();
    let mut found = BTreeSet::new();
    for seq in &removed {
        let sql = "SELECT DISTINCT fact.id FROM fact JOIN fact_source ON fact_source.fact = fact.number \
                   WHERE fact_source.seq = ?1 AND fact.maker IN ('rule', 'model')";
        found.extend(database.all(sql, [seq], |row| Ok(row.get::<_, String>(0)?))?);
    }
    let mut drawn = Vec::new();
    for id in found.into_iter().filter(|id| !known.contains(id)) {
        let versions = facts::versions(database, &id)?;
        if versions.iter().flat_map(|version| &version.sources).all(|seq| removed.contains(seq)) {
            drawn.push(id);
        }
    }
    Ok(drawn)
}

/// Keeps events and facts out that are removed, when a copy of them comes from elsewhere.
fn keep_out(database: &Database, events: &[i64], facts: &[String], now_ms: i64) -> Result<()> {
    for id in facts {
        tombstone::put_fact(database, id, now_ms)?;
    }
    for seq in events {
        if let Some(event) = log::stored(database, *seq)? {
            tombstone::put_event(database, &event.key, now_ms)?;
        }
    }
    Ok(())
}

fn select(database: &Database, name: &project::ProjectName, selection: &Selection) -> Result<(Vec<i64>, Vec<String>)> {
    let number = |sql: &str, value: &str| database.all(sql, [value], |row| Ok(row.get::<_, i64>(0)?));
    let ids = |sql: &str, value: &str| database.all(sql, [value], |row| Ok(row.get::<_, String>(0)?));
    match selection {
        Selection::Items(items) | Selection::Records(items) => {
            let (mut events, mut facts) = (Vec::new(), Vec::new());
            for item in items {
                match find_item(database, item)? {
                    Some(Item::Event(seq)) => events.push(seq),
                    Some(Item::Fact(id)) => facts.push(id),
                    None => return Err(Error::InvalidArgument(format!("there is no event or fact `{item}`"))),
                }
            }
            Ok((events, facts))
        }
        Selection::Containing(text) => {
            let columns = ["title", "body", "command", "path", "tags", "meta", "tool", "branch", "key", "hook"];
            let holds = |columns: &[&str]| {
                let each: Vec<String> = columns
                    .iter()
                    .map(|column| format!("instr({column}, ?1) > 0 OR instr(lower({column}), lower(?1)) > 0"))
                    .collect();
                each.join(" OR ")
            };
            let events = number(&format!("SELECT seq FROM event WHERE {}", holds(&columns)), text)?;
            let columns = ["title", "text", "tags", "subject", "predicate", "meta", "reason", "branch"];
            let facts = ids(&format!("SELECT DISTINCT id FROM fact WHERE {}", holds(&columns)), text)?;
            let anchors = holds(&["path", "name", "body"]);
            database.run(&format!("DELETE FROM anchor WHERE {anchors}"), [text])?;
            let sessions = holds(&["title"]);
            database.run(&format!("UPDATE session SET title = '' WHERE {sessions}"), [text])?;
            Ok((events, facts))
        }
        Selection::Session(key) => {
            let project = project::find(database, name)?.unwrap_or(-1);
            let Some(session) = session::number_of(database, project, key)? else {
                return Err(Error::InvalidArgument(format!("there is no session `{key}`")));
            };
            let session = session.to_string();
            let events = number("SELECT seq FROM event WHERE session = CAST(?1 AS INTEGER)", &session)?;
            let facts = ids(
                "SELECT DISTINCT fact.id FROM fact WHERE fact.session = CAST(?1 AS INTEGER) AND fact.maker = 'rule'",
                &session,
            )?;
            database.run("UPDATE session SET title = '' WHERE number = CAST(?1 AS INTEGER)", [&session])?;
            Ok((events, facts))
        }
        Selection::Project => {
            let project = project::find(database, name)?.unwrap_or(-1).to_string();
            let events = number("SELECT seq FROM event WHERE project = CAST(?1 AS INTEGER)", &project)?;
            let facts = ids("SELECT DISTINCT id FROM fact WHERE project = CAST(?1 AS INTEGER)", &project)?;
            Ok((events, facts))
        }
    }
}

pub(super) fn remove_events(database: &Database, events: &[i64]) -> Result<()> {
    let mut by_project: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for seq in events {
        let sql = "SELECT project, text_hash FROM event WHERE seq = ?1";
        let Some((project, hash)) =
            database.first(sql, [seq], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))?
        else {
            continue;
        };
        by_project.entry(project).or_default().push(*seq);
        if let Some(event) = log::get(database, *seq)? {
            let sql = "UPDATE session SET title = '' WHERE title = ?2 \
                       AND number = (SELECT session FROM event WHERE seq = ?1)";
            database.run(sql, params![seq, session::title_of(&event)])?;
        }
        database.run("DELETE FROM event WHERE seq = ?1", [seq])?;
        database.run("DELETE FROM hidden WHERE seq = ?1", [seq])?;
        database.run("DELETE FROM fact_source WHERE seq = ?1", [seq])?;
        remove_from_ledgers(database, &format!("E{seq}"))?;
        anchor::remove(database, &format!("E{seq}"))?;
        vector::remove(database, &hash)?;
    }
    for (project, seqs) in by_project {
        text::remove(database, Space::events(project), &seqs)?;
    }
    Ok(())
}

fn remove_facts(database: &Database, facts: &[String]) -> Result<()> {
    let mut by_project: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for id in facts {
        let sql = "SELECT number, project, text_hash FROM fact WHERE id = ?1";
        let rows = database
            .all(sql, [id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)))?;
        database.run("DELETE FROM fact WHERE id = ?1", [id])?;
        database.run("DELETE FROM fact_use WHERE id = ?1", [id])?;
        database.run("UPDATE fact SET superseded_by = NULL WHERE superseded_by = ?1", [id])?;
        remove_from_ledgers(database, id)?;
        anchor::remove(database, id)?;
        for (number, project, hash) in rows {
            database.run("DELETE FROM fact_source WHERE fact = ?1", [number])?;
            vector::remove(database, &hash)?;
            by_project.entry(project).or_default().push(number);
        }
    }
    for (project, numbers) in by_project {
        text::remove(database, Space::facts(project), &numbers)?;
    }
    Ok(())
}

/// Removes one version of a fact. Runs inside a transaction.
pub(super) fn remove_version(database: &Database, number: i64) -> Result<()> {
    let sql = "SELECT project, text_hash FROM fact WHERE number = ?1";
    let (project, hash) = database.only(sql, [number], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    database.run("DELETE FROM fact WHERE number = ?1", [number])?;
    database.run("DELETE FROM fact_source WHERE fact = ?1", [number])?;
    vector::remove(database, &hash)?;
    text::remove(database, Space::facts(project), &[number])
}

/// Jobs and deliveries carry copies.
fn remove_from_ledgers(database: &Database, item: &str) -> Result<()> {
    outbox::remove_item(database, item)?;
    super::injection::remove_texts(database, item)?;
    database.run("DELETE FROM job WHERE instr(payload, ?1) > 0 OR key = ?1", [item])?;
    database.run("DELETE FROM injection WHERE instr(items, ?1) > 0", [format!("\"{item}\"")]).map(drop)
}

fn forget_project(database: &Database, name: &project::ProjectName) -> Result<()> {
    let Some(number) = project::find(database, name)?.filter(|number| *number != project::USER) else { return Ok(()) };
    outbox::forget_project(database, number)?;
    tombstone::remove_of_project(database, number)?;
    for table in ["snapshot", "injection"] {
        let sql = format!("DELETE FROM {table} WHERE session IN (SELECT number FROM session WHERE project = ?1)");
        database.run(&sql, [number])?;
    }
    database.run("UPDATE project_folder SET former = NULL WHERE former = ?1", params![number])?;
    for (table, column) in [
        ("session", "project"),
        ("file_pair", "project"),
        ("project_alias", "project"),
        ("project_folder", "project"),
        ("project", "number"),
    ] {
        database.run(&format!("DELETE FROM {table} WHERE {column} = ?1"), params![number])?;
    }
    Ok(())
}
