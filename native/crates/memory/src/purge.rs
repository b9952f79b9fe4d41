//! Removes records for good: rows, versions, full text, vectors and ledgers, and what the write-ahead log and free
//! pages still hold.

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

use super::memory::{Memory, PATIENCE};
use super::query::{Item, find_item};
use super::text::{self, Space};
use super::{anchor, log, outbox, project, session};

/// What is to be removed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// These events and facts, by id.
    Items(Vec<String>),
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
        let mut purged = self.write(|database| {
            let (events, facts) = select(database, &self.options.project, selection)?;
            remove_facts(database, &facts)?;
            remove_events(database, &events)?;
            if *selection == Selection::Project {
                forget_project(database, &self.options.project)?;
            }
            Ok(Purged { events: events.len() as u64, facts: facts.len() as u64, ..Purged::default() })
        })?;
        // Even if nothing was found: titles, anchors and free pages may have held it.
        self.scrub()?;
        self.blank_spools()?;
        if let Selection::Containing(text) = selection {
            self.prove(text, &mut purged)?;
        }
        Ok(purged)
    }

    /// Reads every byte of the database, its log and the spools, and says where a text is left, in any case of its
    /// letters.
    fn prove(&self, text: &str, purged: &mut Purged) -> Result<()> {
        let wanted = text.to_lowercase().into_bytes();
        let with = |ending: &str| {
            let mut name = self.path().as_os_str().to_owned();
            name.push(ending);
            std::path::PathBuf::from(name)
        };
        let spools = self.spool_files().into_iter().map(|file| file.path);
        for path in ["", "-wal", "-shm", "-journal"].map(with).into_iter().chain(spools) {
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

fn select(database: &Database, name: &project::ProjectName, selection: &Selection) -> Result<(Vec<i64>, Vec<String>)> {
    let number = |sql: &str, value: &str| database.all(sql, [value], |row| Ok(row.get::<_, i64>(0)?));
    let ids = |sql: &str, value: &str| database.all(sql, [value], |row| Ok(row.get::<_, String>(0)?));
    match selection {
        Selection::Items(items) => {
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

fn remove_events(database: &Database, events: &[i64]) -> Result<()> {
    let mut by_project: std::collections::BTreeMap<i64, Vec<i64>> = std::collections::BTreeMap::new();
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
        database.run("DELETE FROM fact_source WHERE seq = ?1", [seq])?;
        remove_from_ledgers(database, &format!("E{seq}"))?;
        anchor::remove(database, &format!("E{seq}"))?;
        remove_vector(database, &hash)?;
    }
    for (project, seqs) in by_project {
        text::remove(database, Space::events(project), &seqs)?;
    }
    Ok(())
}

fn remove_facts(database: &Database, facts: &[String]) -> Result<()> {
    let mut by_project: std::collections::BTreeMap<i64, Vec<i64>> = std::collections::BTreeMap::new();
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
            remove_vector(database, &hash)?;
            by_project.entry(project).or_default().push(number);
        }
    }
    for (project, numbers) in by_project {
        text::remove(database, Space::facts(project), &numbers)?;
    }
    Ok(())
}

/// A vector goes with the last text that it was made of.
fn remove_vector(database: &Database, hash: &[u8]) -> Result<()> {
    let sql = "DELETE FROM vector WHERE text_hash = ?1 AND NOT EXISTS (SELECT 1 FROM event WHERE text_hash = ?1) \
               AND NOT EXISTS (SELECT 1 FROM fact WHERE text_hash = ?1)";
    database.run(sql, [hash]).map(drop)
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
    for table in ["snapshot", "injection"] {
        let sql = format!("DELETE FROM {table} WHERE session IN (SELECT number FROM session WHERE project = ?1)");
        database.run(&sql, [number])?;
    }
    for (table, column) in
        [("session", "project"), ("file_pair", "project"), ("project_alias", "project"), ("project", "number")]
    {
        database.run(&format!("DELETE FROM {table} WHERE {column} = ?1"), params![number])?;
    }
    Ok(())
}
