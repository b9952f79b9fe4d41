//! Reads events and facts: by id, as a list, around a time.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};

use super::event::Event;
use super::fact::Fact;
use super::memory::Memory;
use super::project::ProjectName;
use super::words::{FactType, Scope};
use super::{facts, log, project, tombstone};

/// Facts that are not the repository's own; stores of the version before know no such origin.
const OWN: &str = "(fact.origin = 'user' OR fact.origin <> 'repository' AND fact.maker <> 'init' \
                   AND json_extract(fact.meta, '$.team') IS NULL)";

/// Anything else of a record, by name.
type Meta = BTreeMap<String, String>;

/// The name under which a record shown in a submodule has the project around it that it is of.
pub(super) const PARENT: &str = "parent_project";

/// The shortest beginning of an id that names a fact.
const MIN_PREFIX: usize = 4;

/// Which facts are listed; all conditions that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own")]
pub struct FactFilter {
    /// Any of these; none for all.
    pub types: Vec<FactType>,
    /// Any of these; none for all.
    pub scopes: Vec<Scope>,
    /// Whether to include facts that are no longer valid.
    pub with_history: bool,
    /// Whether to include private facts.
    pub with_private: bool,
    /// In all projects.
    pub all_projects: bool,
    /// Also of the projects around a submodule.
    pub with_parents: bool,
    /// Their numbers, as the memory finds them.
    #[serde(skip)]
    pub(super) parents: Vec<i64>,
    /// As of this time of recording and validity, in milliseconds since the epoch.
    pub as_of_ms: Option<i64>,
    /// Only facts recorded later. Lists apply it, searches do not.
    pub recorded_after_ms: Option<i64>,
    /// Only facts that were forgotten. Lists apply it, searches find none of these.
    pub is_forgotten: bool,
    /// Only facts that a user pinned.
    pub is_pinned: bool,
    /// Whether to leave out statements from the repository's files and committed memory, unless a user adopted them.
    pub without_repository: bool,
    /// Files of the repository whose facts to leave out, by name, or all of a folder (`.cursor/rules/*`). A fact has its
    /// file in `meta.file`.
    pub without_files: Vec<String>,
}

impl FactFilter {
    /// The numbers of the newest facts that pass, the newest first.
    ///
    /// The valid facts of a project are read from the index by type and number, so only `limit` rows per type are read,
    /// however many there are.
    fn newest(&self, database: &Database, project: i64, now_ms: i64, limit: usize) -> Result<Vec<i64>> {
        let now = self.now(now_ms);
        if self.all_projects || self.with_history || self.is_forgotten || self.as_of_ms.is_some() {
            let conditions = self.conditions(project, "?1");
            let sql = format!("SELECT number FROM fact WHERE {conditions} ORDER BY number DESC LIMIT {limit}");
            return database.all(&sql, params_from_iter(now), |row| Ok(row.get(0)?));
        }
        let types: &[FactType] = if self.types.is_empty() { FactType::ALL } else { &self.types };
        let types: BTreeSet<FactType> = types.iter().copied().collect();
        let rest = Self { types: Vec::new(), all_projects: true, ..self.clone() };
        // One statement that runs often: SQLite would plan a union of as many for a millisecond.
        let sql = format!(
            "SELECT number FROM fact WHERE project = ?2 AND type = ?3 AND {} ORDER BY number DESC LIMIT {limit}",
            rest.conditions(project, "?1")
        );
        let mut newest: Vec<i64> = Vec::new();
        for home in self.parents.iter().copied().chain([project, project::USER]) {
            for each in &types {
                database.each(&sql, params![now, home, each.name()], |row| {
                    newest.push(row.get(0)?);
                    Ok(())
                })?;
            }
        }
        newest.sort_unstable_by(|left, right| right.cmp(left));
        newest.truncate(limit);
        Ok(newest)
    }

    /// The same with the numbers of the projects around this one, if they are wanted.
    pub(super) fn among(&self, database: &Database, name: &ProjectName, own: i64) -> Result<Self> {
        let parents = if self.with_parents { project::parents(database, name, own)? } else { Vec::new() };
        Ok(Self { parents, ..self.clone() })
    }

    /// Notes in a fact or an event that it is of a project around this one.
    pub(super) fn label(&self, database: &Database, table: &str, id: &str, meta: &mut Meta) -> Result<()> {
        if self.parents.is_empty() {
            return Ok(());
        }
        let (key, id) = if table == "event" { ("seq", id.trim_start_matches('E')) } else { ("id", id) };
        let sql = format!(
            "SELECT project.number, project.name FROM {table} JOIN project ON project.number = {table}.project \
             WHERE {table}.{key} = ?1 LIMIT 1"
        );
        let of = database.first(&sql, [id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        if let Some((_, name)) = of.filter(|(number, _)| self.parents.contains(number)) {
            meta.insert(PARENT.to_owned(), name);
        }
        Ok(())
    }

    /// The time, if the conditions speak of it.
    pub(super) fn now(&self, now_ms: i64) -> Option<i64> {
        (self.as_of_ms.is_none() && !self.with_history && !self.is_forgotten).then_some(now_ms)
    }

    /// The conditions in SQL, after `WHERE`. `now` is the parameter of the time, which is bound if [`Self::now`] gives
    /// one: in the text it would make every statement a new one.
    pub(super) fn conditions(&self, project: i64, now: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.all_projects {
            let homes = self.parents.iter().copied().chain([project, project::USER]);
            let homes: Vec<String> = homes.map(|number| number.to_string()).collect();
            parts.push(format!("fact.project IN ({})", homes.join(", ")));
        }
        let quoted = |names: Vec<&str>| names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        if !self.parents.is_empty() {
            // This workspace's trust says nothing of the files around it.
            let parents: Vec<String> = self.parents.iter().map(i64::to_string).collect();
            parts.push(format!("(fact.project NOT IN ({}) OR {OWN})", parents.join(", ")));
        }
        if !self.types.is_empty() {
            parts.push(format!("fact.type IN ({})", quoted(self.types.iter().map(|each| each.name()).collect())));
        }
        if !self.scopes.is_empty() {
            parts.push(format!("fact.scope IN ({})", quoted(self.scopes.iter().map(|each| each.name()).collect())));
        }
        if !self.with_private {
            parts.push("fact.is_private = 0".to_owned());
        }
        if self.is_pinned {
            parts.push("fact.is_pinned = 1".to_owned());
        }
        if self.without_repository {
            parts.push(OWN.to_owned());
        }
        let (folders, files): (Vec<&String>, Vec<&String>) =
            self.without_files.iter().partition(|file| file.ends_with('*'));
        let text = |file: &str| format!("'{}'", file.replace('\'', "''"));
        if !files.is_empty() {
            let files: Vec<String> = files.into_iter().map(|file| text(file)).collect();
            parts.push(format!("COALESCE(json_extract(fact.meta, '$.file'), '') NOT IN ({})", files.join(", ")));
        }
        for folder in folders {
            let start = folder.trim_end_matches('*');
            let length = start.chars().count();
            parts.push(format!(
                "substr(COALESCE(json_extract(fact.meta, '$.file'), ''), 1, {length}) <> {}",
                text(start)
            ));
        }
        match self.as_of_ms {
            Some(moment) => parts.push(format!(
                "fact.recorded_ms <= {moment} AND (fact.retracted_ms IS NULL OR fact.retracted_ms > {moment}) \
                 AND fact.valid_from_ms <= {moment} AND (fact.invalid_at_ms IS NULL OR fact.invalid_at_ms > {moment} \
                 OR fact.invalidated_ms > {moment}) AND (fact.expires_ms IS NULL OR fact.expires_ms > {moment})"
            )),
            None if self.is_forgotten => parts.push(
                "fact.state = 'forgotten' AND NOT EXISTS (SELECT 1 FROM fact AS later WHERE later.id = fact.id \
                 AND later.version > fact.version)"
                    .to_owned(),
            ),
            None if self.with_history => {
                // The older versions of what a person forgot are in its history alone, and so are those that say it.
                parts.push(format!(
                    "fact.state <> 'forgotten' AND (fact.state <> 'replaced' OR fact.reason <> '{}' \
                     AND fact.id NOT IN (SELECT item FROM tombstone WHERE kind IN ('forgotten', 'purged')))",
                    tombstone::REASON
                ));
            }
            None => {
                parts.push(format!("fact.state = 'live' AND (fact.expires_ms IS NULL OR fact.expires_ms > {now})"));
            }
        }
        if parts.is_empty() { "1".to_owned() } else { parts.join(" AND ") }
    }
}

/// The log around one event.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Timeline {
    /// The events before, in order.
    pub before: Vec<Event>,
    /// The event itself.
    pub anchor: Event,
    /// The events after, in order.
    pub after: Vec<Event>,
}

/// An injection of an item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InjectionEntry {
    /// The host's id of the session.
    pub session: String,
    /// The last event of the log then.
    pub seq: i64,
    /// Its placement: `static`, `volatile` or `compaction`.
    pub placement: String,
    /// When, in milliseconds since the epoch.
    pub ts_ms: i64,
}

/// The item of an id.
pub(super) enum Item {
    Event(i64),
    Fact(String),
}

/// Reads an id: `E12`, or a fact's id or the beginning of one.
pub(super) fn find_item(database: &Database, id: &str) -> Result<Option<Item>> {
    let id = id.trim();
    if let Some(seq) = id.strip_prefix(['E', 'e']).and_then(|seq| seq.parse::<i64>().ok()) {
        let found = database.first("SELECT seq FROM event WHERE seq = ?1", [seq], |row| Ok(row.get(0)?))?;
        return Ok(found.map(Item::Event));
    }
    let exact = "SELECT id FROM fact WHERE id = ?1 LIMIT 1";
    if let Some(id) = database.first(exact, [id], |row| Ok(row.get::<_, String>(0)?))? {
        return Ok(Some(Item::Fact(id)));
    }
    let is_prefix = id.len() >= MIN_PREFIX && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_prefix {
        return Ok(None);
    }
    let sql = "SELECT DISTINCT id FROM fact WHERE id >= ?1 AND id < ?1 || 'z' LIMIT 2";
    let found = database.all(sql, [id], |row| Ok(row.get::<_, String>(0)?))?;
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(Item::Fact(only.clone()))),
        _ => Err(Error::InvalidArgument(format!("several facts begin with `{id}`; give more of it"))),
    }
}

impl Memory {
    /// The facts that pass a filter, the newest first.
    pub fn list(&self, filter: &FactFilter, limit: usize) -> Result<Vec<Fact>> {
        let now_ms = self.now_ms();
        self.read(|database, project| {
            // Only what is listed is read in full.
            let sql = format!("{} WHERE fact.number = ?1 AND fact.recorded_ms > ?2", facts::COLUMNS);
            let later_than = filter.recorded_after_ms.unwrap_or(i64::MIN);
            let filter = filter.among(database, &self.project(), project)?;
            let mut found: Vec<Fact> = Vec::new();
            for number in filter.newest(database, project, now_ms, limit)? {
                if let Some(mut fact) = database.first(&sql, [number, later_than], facts::read)? {
                    filter.label(database, "fact", &fact.id, &mut fact.meta)?;
                    found.push(fact);
                }
            }
            Ok(found)
        })
        .map(Option::unwrap_or_default)
    }

    /// All versions of a fact, the newest first; a unique beginning of its id will do. Empty if there is none.
    pub fn fact(&self, id: &str) -> Result<Vec<Fact>> {
        let found = self.read(|database, _| match find_item(database, id)? {
            Some(Item::Fact(id)) => facts::versions(database, &id),
            _ => Ok(Vec::new()),
        })?;
        if let Some(first) = found.as_ref().and_then(|versions| versions.first()) {
            self.count_read(&first.id);
        }
        Ok(found.unwrap_or_default())
    }

    /// The current version of a fact, if it is not private; its reads are not counted.
    pub(super) fn current_fact(&self, id: &str) -> Result<Option<Fact>> {
        let found = self.read(|database, _| facts::versions(database, id))?;
        Ok(found.unwrap_or_default().into_iter().next().filter(|fact| !fact.is_private))
    }

    /// Whether a fact is of another project than this one, whose files have other paths.
    pub(super) fn is_of_parent(&self, id: &str) -> Result<bool> {
        if self.options.project.parent.is_none() {
            return Ok(false);
        }
        let sql = "SELECT 1 FROM fact WHERE id = ?1 AND project NOT IN (?2, ?3) LIMIT 1";
        let found = self.look(|database, project| {
            database.first(sql, params![id, project, project::USER], |row| Ok(row.get::<_, i64>(0)?))
        })?;
        Ok(found.flatten().is_some())
    }

    /// The facts that pass a filter and have an anchor in a file, the newest first.
    pub(super) fn facts_about(&self, path: &str, filter: &FactFilter) -> Result<Vec<Fact>> {
        let now_ms = self.now_ms();
        self.look(|database, project| {
            let sql = "SELECT 1 FROM anchor WHERE path = ?1 LIMIT 1";
            if database.first(sql, [path], |row| Ok(row.get::<_, i64>(0)?))?.is_none() {
                return Ok(Vec::new());
            }
            // The plus keeps SQLite from the index of the project, by which it would read all facts of the project.
            let anywhere = FactFilter { all_projects: true, ..filter.clone() };
            let sql = format!(
                "{} WHERE fact.id IN (SELECT item FROM anchor WHERE path = ?1) AND +fact.project IN ({project}, {}) \
                 AND {} ORDER BY fact.number DESC",
                facts::COLUMNS,
                project::USER,
                anywhere.conditions(project, "?2")
            );
            database.all(&sql, params![path, now_ms], facts::read)
        })
        .map(Option::unwrap_or_default)
    }

    /// The event of this id (`E12`).
    pub fn event(&self, id: &str) -> Result<Option<Event>> {
        let found = self.read(|database, _| match find_item(database, id)? {
            Some(Item::Event(seq)) => log::get(database, seq),
            _ => Ok(None),
        })?;
        Ok(found.flatten())
    }

    /// The events of the project, or of one session of it, the newest first; only those before `before_seq` if given.
    pub fn events(
        &self,
        session: Option<&str>,
        before_seq: Option<i64>,
        with_private: bool,
        limit: usize,
    ) -> Result<Vec<Event>> {
        self.read(|database, project| {
            let mut conditions = vec![format!("event.project = {project}")];
            let mut values: Vec<Value> = Vec::new();
            if let Some(session) = session {
                conditions.push("session.key = ?1".to_owned());
                values.push(Value::from(session.to_owned()));
            }
            if let Some(seq) = before_seq {
                conditions.push(format!("event.seq < {seq}"));
            }
            if !with_private {
                conditions.push("event.is_private = 0".to_owned());
            }
            let conditions = conditions.join(" AND ");
            let sql = format!("{} WHERE {conditions} ORDER BY event.seq DESC LIMIT {limit}", *log::COLUMNS);
            database.all(&sql, params_from_iter(values), log::read)
        })
        .map(Option::unwrap_or_default)
    }

    /// What users and agents said in a period, both ends included, the newest first.
    pub fn talk(
        &self,
        since_ms: i64,
        until_ms: i64,
        session: Option<&str>,
        with_private: bool,
        limit: usize,
    ) -> Result<Vec<Event>> {
        self.read(|database, project| {
            let sql = format!(
                "{} WHERE event.project = ?1 AND event.ts_ms BETWEEN ?2 AND ?3 AND event.role IN ('user', 'assistant') \
                 AND (?4 OR event.is_private = 0) AND (?6 IS NULL OR session.key = ?6) ORDER BY event.ts_ms DESC, event.seq DESC LIMIT ?5",
                *log::COLUMNS
            );
            let values = rusqlite::params![project, since_ms, until_ms, with_private, limit as i64, session];
            database.all(&sql, values, log::read)
        })
        .map(Option::unwrap_or_default)
    }

    /// When a fact or an event was shown to agents, the newest first.
    pub fn shown(&self, id: &str, limit: usize) -> Result<Vec<InjectionEntry>> {
        self.read(|database, _| {
            let sql = "SELECT session.key, injection.turn, injection.placement, injection.ts_ms FROM injection \
                       JOIN session ON session.number = injection.session \
                       WHERE instr(injection.items, ?1) > 0 ORDER BY injection.number DESC LIMIT ?2";
            database.all(sql, rusqlite::params![format!("\"{id}\""), limit as i64], |row| {
                Ok(InjectionEntry {
                    session: row.get(0)?,
                    seq: row.get(1)?,
                    placement: row.get(2)?,
                    ts_ms: row.get(3)?,
                })
            })
        })
        .map(Option::unwrap_or_default)
    }

    /// The events around an event, or around the newest source of a fact, in the same project.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is no such event.
    pub fn timeline(&self, id: &str, before: usize, after: usize, with_private: bool) -> Result<Timeline> {
        let found = self.read(|database, _| {
            let seq = match find_item(database, id)? {
                Some(Item::Event(seq)) => Some(seq),
                Some(Item::Fact(id)) => {
                    facts::versions(database, &id)?.iter().flat_map(|fact| fact.sources.iter().copied()).max()
                }
                None => None,
            };
            let Some(seq) = seq else { return Ok(None) };
            let Some(anchor) = log::get(database, seq)? else { return Ok(None) };
            let private = if with_private { "" } else { " AND event.is_private = 0" };
            let side = |comparison: &str, order: &str, limit: usize| {
                let sql = format!(
                    "{} WHERE event.project = (SELECT project FROM event WHERE seq = {seq}) \
                     AND event.seq {comparison} {seq}{private} ORDER BY event.seq {order} LIMIT {limit}",
                    *log::COLUMNS
                );
                database.all(&sql, [], log::read)
            };
            let mut earlier = side("<", "DESC", before)?;
            earlier.reverse();
            Ok(Some(Timeline { before: earlier, anchor, after: side(">", "ASC", after)? }))
        })?;
        found.flatten().ok_or_else(|| Error::InvalidArgument(format!("there is no event `{id}`, nor a fact with one")))
    }

    /// Counts a read of a fact; if that can't be written, only the count is lost.
    fn count_read(&self, id: &str) {
        let now_ms = self.now_ms();
        let _ = self.try_write(std::time::Duration::ZERO, |database| {
            let sql = "INSERT INTO fact_use (id, reads, last_ms) VALUES (?1, 1, ?2) \
                       ON CONFLICT (id) DO UPDATE SET reads = reads + 1, last_ms = ?2";
            database.run(sql, rusqlite::params![id, now_ms])
        });
    }
}
