//! The write path: stores a clean record as rows, directly or by way of a spool.
//!
//! If the database is free, a call drains the spools and stores its own record in one transaction, so the records of a
//! process keep their order. If it is busy, the record is appended to the spool of the database: syncing a small file
//! costs less than waiting for twenty writers. If it can't be written at all, the record goes to the workspace's spool.

use std::path::Path;
use std::time::Duration;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_walk::git::Repository;

use super::event::{self, CleanEvent, NewEvent};
use super::fact::{self, CleanFact, NewFact};
use super::facts::{self, KeepOutcome};
use super::memory::Memory;
use super::names::pseudonym;
pub(super) use super::scene::Scene;
use super::spool::{Entry, SpoolRecord};
use super::spool_drain::{HELP_BYTES, is_unwritable};
use super::words::{Category, Role};
use super::{contention, extract, log, project, session, tombstone};

/// An event does not wait for another writer: it is spooled, and the other one may drain it.
const NO_TIMEOUT: Duration = Duration::ZERO;

/// Pending records that an event's transaction drains before its own.
const PIGGYBACK_BATCH: usize = 64;

/// How long a fact waits for other writers before it is spooled.
const FACT_BUSY_TIMEOUT: Duration = Duration::from_millis(200);

/// The outcome of recording an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordOutcome {
    /// Its number in the log; absent while it is pending, if it is a duplicate, or if it must not be stored.
    pub seq: Option<i64>,
    /// Whether it is stored in the log or pending in a spool. False if privacy forbids that.
    pub is_kept: bool,
    /// Whether it is pending in a spool.
    pub is_waiting: bool,
    /// The facts that were extracted from it.
    pub facts: Vec<String>,
}

/// The outcome of adding a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct AddOutcome {
    /// Its id; that of the older fact if it is a duplicate or a version.
    pub id: String,
    /// Whether it was new.
    pub is_new: bool,
    /// Whether it is the next version of an older fact.
    pub is_version: bool,
    /// The facts that it ended.
    pub ended: Vec<String>,
    /// Facts that it may contradict, or that only a person may end.
    pub may_contradict: Vec<String>,
    /// Whether it is pending in a spool.
    pub is_waiting: bool,
}

impl Memory {
    /// Records an event. When this returns, the event survives a loss of power. The host's ids of the event and its
    /// session are stored as [`super::pseudonym`] describes.
    pub fn record(&self, mut new: NewEvent) -> Result<RecordOutcome> {
        new.session = pseudonym(new.session);
        new.key = new.key.map(pseudonym);
        new.parent_session = new.parent_session.map(pseudonym);
        if new.is_here && new.branch.is_empty() && new.commit.is_empty() {
            let repository = Repository::discover(Path::new(&self.options.project.root));
            (new.branch, new.commit) = repository.map(|found| found.branch_and_commit()).unwrap_or_default();
        }
        let Some(clean) = event::prepare(new, &self.options, self.now_ms())? else {
            return Ok(RecordOutcome::default());
        };
        let is_end = is_end(&clean);
        let entry = Entry { project: self.project(), waiting: SpoolRecord::Event(clean) };
        let waits = RecordOutcome { is_kept: true, is_waiting: true, ..RecordOutcome::default() };
        let now_ns = self.now_ns();
        if self.is_contended(now_ns) {
            self.busy_spool.put(&entry, now_ns)?;
            if self.contention.is_turn() {
                self.drain_in_background();
                // Spooled records are durable; if they can't be drained now, they stay pending.
                let _ = self.drain_some(HELP_BYTES);
            }
            return Ok(waits);
        }
        let attempt = self.try_write(NO_TIMEOUT, |database| {
            let intake = self.drain(database, PIGGYBACK_BATCH)?;
            // It must not overtake earlier records.
            let done = if intake.has_more { None } else { Some(self.apply(database, &entry)?) };
            Ok((intake, done))
        });
        match attempt {
            Ok(Some((intake, done))) => {
                self.sweep(&intake.taken);
                if is_end {
                    self.tidy_some();
                }
                if let Some(AppliedRecord { seq, facts, is_outdated, .. }) = done {
                    return Ok(RecordOutcome { seq, is_kept: !is_outdated, is_waiting: false, facts });
                }
                // There are more pending records than one call should drain.
                self.contention.note_busy(now_ns);
                self.busy_spool.put(&entry, now_ns)?;
            }
            Ok(None) => {
                self.contention.note_busy(now_ns);
                self.busy_spool.put(&entry, now_ns)?;
            }
            Err(error) => self.spool_or_fail(&entry, error)?,
        }
        Ok(waits)
    }

    /// Adds a statement word for word, as cleaned by privacy. The returned id is final: the fact can be read by it at
    /// once, or, if the database can't be written, as soon as the spool is drained.
    pub fn add(&self, new: NewFact) -> Result<AddOutcome> {
        let clean = fact::prepare(new, &self.options, self.now_ns())?;
        let id = clean.fact.id.clone();
        let entry = Entry { project: self.project(), waiting: SpoolRecord::Fact(clean) };
        let attempt = self.try_write(FACT_BUSY_TIMEOUT, |database| {
            let intake = self.drain(database, PIGGYBACK_BATCH)?;
            let done = if intake.has_more { None } else { Some(self.apply(database, &entry)?) };
            Ok((intake, done))
        });
        let waits = AddOutcome { id: id.clone(), is_new: true, is_waiting: true, ..AddOutcome::default() };
        match attempt {
            Ok(Some((intake, done))) => {
                self.sweep(&intake.taken);
                if let Some(done) = done {
                    return Ok(match done.kept {
                        Some(KeepOutcome::Same { id, ended, rivals }) => {
                            AddOutcome { id, ended, may_contradict: rivals, ..AddOutcome::default() }
                        }
                        Some(KeepOutcome::Version { id, ended }) => {
                            AddOutcome { id, is_version: true, ended, ..AddOutcome::default() }
                        }
                        Some(KeepOutcome::New { ended, rivals }) => {
                            AddOutcome { id, is_new: true, ended, may_contradict: rivals, ..AddOutcome::default() }
                        }
                        Some(KeepOutcome::Gone) => return gone(&entry.waiting),
                        None => AddOutcome { id, is_new: true, ..AddOutcome::default() },
                    });
                }
                self.busy_spool.put(&entry, self.now_ns())?;
            }
            Ok(None) => self.busy_spool.put(&entry, self.now_ns())?,
            Err(error) => self.spool_or_fail(&entry, error)?,
        }
        Ok(waits)
    }

    /// How often something was forgotten, replaced or purged. What is made of other records names the number that it read
    /// before them, and is not stored if it has changed.
    pub fn removals(&self) -> Result<u64> {
        Ok(self.read(|database, _| tombstone::revision(database))?.unwrap_or_default())
    }

    /// Whether several processes write: as this process found out, or as fresh records in the spool show, so that a new
    /// process need not open the database to learn of it.
    fn is_contended(&self, now_ns: i64) -> bool {
        if self.contention.is_on(now_ns) {
            return true;
        }
        let is_stormy = self.busy_spool.is_used_by_others(now_ns.saturating_sub(contention::FRESH_NS));
        if is_stormy {
            self.contention.note_busy(now_ns);
        }
        is_stormy
    }

    /// Spools a record if the database can't be written; otherwise fails with the error.
    fn spool_or_fail(&self, entry: &Entry, error: Error) -> Result<()> {
        if !is_unwritable(&error) {
            return Err(error);
        }
        let now_ns = self.now_ns();
        let kept = self.spools().map(|spool| spool.put(entry, now_ns)).find(Result::is_ok);
        kept.unwrap_or(Err(error))
    }

    /// Stores a record that waited in a spool.
    pub(super) fn apply_waiting(&self, database: &Database, entry: &Entry) -> Result<AppliedRecord> {
        let project = project::resolve_waiting(database, &entry.project, self.now_ms())?;
        self.apply_to(database, entry, project)
    }

    fn apply(&self, database: &Database, entry: &Entry) -> Result<AppliedRecord> {
        let project = project::resolve(database, &entry.project, self.now_ms())?;
        self.apply_to(database, entry, project)
    }

    fn apply_to(&self, database: &Database, entry: &Entry, project: i64) -> Result<AppliedRecord> {
        let now_ms = self.now_ms();
        let scene = Scene { project, now_ms };
        match &entry.waiting {
            SpoolRecord::Event(clean) => self.apply_event(database, &scene, clean),
            SpoolRecord::Fact(clean) => self.apply_fact(database, &scene, clean),
        }
    }

    fn apply_event(&self, database: &Database, scene: &Scene, clean: &CleanEvent) -> Result<AppliedRecord> {
        if is_outdated(database, clean.removals)? {
            return Ok(AppliedRecord { is_outdated: true, ..AppliedRecord::default() });
        }
        let parent = clean.parent_session.as_deref();
        let session = session::enter(database, scene, &clean.session, parent, &clean.host, &clean.model)?;
        tombstone::lift_prompted(database, scene.project, &clean.event, self.model.as_ref())?;
        let Some(seq) = log::insert(database, scene, session, clean, self.model.as_ref())? else {
            return Ok(AppliedRecord::default());
        };
        let Some(event) = log::get(database, seq)? else { return Ok(AppliedRecord::default()) };
        let is_prompt = event.role == Role::User && event.category != Category::SessionMeta;
        session::touch(database, session, is_prompt, &session::title_of(&event), is_end(clean).then_some(event.ts_ms))?;
        let facts = extract::run(database, scene, session, seq, &event, self.model.as_ref())?;
        Ok(AppliedRecord { seq: Some(seq), facts, ..AppliedRecord::default() })
    }

    fn apply_fact(&self, database: &Database, scene: &Scene, clean: &CleanFact) -> Result<AppliedRecord> {
        if is_outdated(database, clean.removals)? {
            return Ok(AppliedRecord { kept: Some(KeepOutcome::Gone), ..AppliedRecord::default() });
        }
        let session = match &clean.session {
            Some(key) => Some(session::enter(database, scene, key, None, "", "")?),
            None => None,
        };
        let kept = facts::keep(database, scene, clean, session, self.model.as_ref())?;
        Ok(AppliedRecord { kept: Some(kept), ..AppliedRecord::default() })
    }
}

/// Whether something was removed since the records were read that this one is made of.
fn is_outdated(database: &Database, removals: Option<u64>) -> Result<bool> {
    Ok(match removals {
        Some(seen) => tombstone::revision(database)? != seen,
        None => false,
    })
}

/// The answer to a statement that may not come again: a person's or an agent's call is told so, and others go on.
fn gone(record: &SpoolRecord) -> Result<AddOutcome> {
    match record {
        SpoolRecord::Fact(clean) if clean.fact.maker == "add" => Err(tombstone::refused()),
        _ => Ok(AddOutcome::default()),
    }
}

/// Whether a session ends with this event.
fn is_end(clean: &CleanEvent) -> bool {
    matches!(clean.event.hook.as_str(), "SessionEnd" | "session-end" | "session.deleted")
}

/// The rows of a stored record.
#[derive(Debug, Default)]
pub(super) struct AppliedRecord {
    seq: Option<i64>,
    facts: Vec<String>,
    /// The outcome of a fact.
    kept: Option<KeepOutcome>,
    /// Whether it was made of records of which something was removed since.
    is_outdated: bool,
}
