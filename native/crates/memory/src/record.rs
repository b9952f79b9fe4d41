//! The one way in: from a clean record to rows, directly or by way of a spool.
//!
//! Who finds the database free takes in what waits, and then its own record, in one transaction; so the records of
//! one process keep their order. Who finds it busy leaves the record in the spool beside it, where a synced file costs
//! less than waiting for twenty others. Who can't write the database at all leaves it in the workspace's spool.

use std::path::Path;
use std::time::Duration;

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_walk::git::Repository;

use super::event::{self, CleanEvent, NewEvent};
use super::fact::{self, CleanFact, NewFact};
use super::facts::{self, KeepOutcome};
use super::memory::Memory;
use super::names::stand_in;
pub(super) use super::scene::Scene;
use super::spool::{Entry, SpoolRecord};
use super::spool_drain::{HELP_BYTES, is_unwritable};
use super::words::{Category, Role};
use super::{contention, extract, log, project, session};

/// An event doesn't wait for another writer: it goes into the spool, and the other one may take it in.
const NO_TIMEOUT: Duration = Duration::ZERO;

/// Waiting records that one writer of an event takes in before its own.
const PIGGYBACK_BATCH: usize = 64;

/// How long a fact waits for other writers before it is left in the spool.
const FACT_BUSY_TIMEOUT: Duration = Duration::from_millis(200);

/// What became of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordOutcome {
    /// Its place in the log; absent while it waits, if it was there already, or if it may not be kept.
    pub seq: Option<i64>,
    /// Whether it is kept: in the log, or waiting to be taken in. False if its privacy forbids it.
    pub is_kept: bool,
    /// Whether it waits in a spool.
    pub is_waiting: bool,
    /// The facts that were drawn from it.
    pub facts: Vec<String>,
}

/// What became of a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct AddOutcome {
    /// What it is called; the id of the older one if the same was held already, or less of it.
    pub id: String,
    /// Whether it was new.
    pub is_new: bool,
    /// Whether it is the next version of an older one, that said less or the same in other words.
    pub is_version: bool,
    /// The facts that it ended.
    pub ended: Vec<String>,
    /// Whether it waits in a spool.
    pub is_waiting: bool,
}

impl Memory {
    /// Records what happened. When this returns, it survives a loss of power. What its host calls it and its session is
    /// kept as [`super::stand_in`] says.
    pub fn record(&self, mut new: NewEvent) -> Result<RecordOutcome> {
        new.session = stand_in(new.session);
        new.key = new.key.map(stand_in);
        new.parent_session = new.parent_session.map(stand_in);
        if new.is_here && new.branch.is_empty() && new.commit.is_empty() {
            let repository = Repository::discover(Path::new(&self.options.project.root));
            (new.branch, new.commit) = repository.map(|found| found.branch_and_commit()).unwrap_or_default();
        }
        let Some(clean) = event::prepare(new, &self.options, self.now_ms())? else {
            return Ok(RecordOutcome::default());
        };
        let is_end = is_end(&clean);
        let entry = Entry { project: self.options.project.clone(), waiting: SpoolRecord::Event(clean) };
        let waits = RecordOutcome { is_kept: true, is_waiting: true, ..RecordOutcome::default() };
        let now_ns = self.now_ns();
        if self.is_contended(now_ns) {
            self.busy_spool.put(&entry, now_ns)?;
            if self.contention.is_turn() {
                self.drain_in_background();
                // What waits is safe; if it can't be taken in now, it goes on waiting.
                let _ = self.drain_some(HELP_BYTES);
            }
            return Ok(waits);
        }
        let attempt = self.try_write(NO_TIMEOUT, |database| {
            let intake = self.drain(database, PIGGYBACK_BATCH)?;
            // It must not overtake what was recorded before.
            let done = if intake.has_more { None } else { Some(self.apply(database, &entry)?) };
            Ok((intake, done))
        });
        match attempt {
            Ok(Some((intake, done))) => {
                self.sweep(&intake.taken);
                if is_end {
                    self.tidy_some();
                }
                if let Some(AppliedRecord { seq, facts, .. }) = done {
                    return Ok(RecordOutcome { seq, is_kept: true, is_waiting: false, facts });
                }
                // Others leave more than one call should take in.
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

    /// Keeps a statement word for word, less what privacy takes out. The id that is returned is real: the fact can be
    /// asked for by it at once, or, if the database can't be written, as soon as it has been taken in.
    pub fn add(&self, new: NewFact) -> Result<AddOutcome> {
        let clean = fact::prepare(new, &self.options, self.now_ns())?;
        let id = clean.fact.id.clone();
        let entry = Entry { project: self.options.project.clone(), waiting: SpoolRecord::Fact(clean) };
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
                        Some(KeepOutcome::Same(id)) => AddOutcome { id, ..AddOutcome::default() },
                        Some(KeepOutcome::Version { id, ended }) => {
                            AddOutcome { id, is_version: true, ended, ..AddOutcome::default() }
                        }
                        Some(KeepOutcome::New { ended }) => {
                            AddOutcome { id, is_new: true, ended, ..AddOutcome::default() }
                        }
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

    /// Whether many write: as this process found out, or as others that leave their records aside show it, so that
    /// whoever comes new to a storm need not open the database to learn of it.
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

    /// Keeps a record that the database can't take, where there is room; or else says why it couldn't.
    fn spool_or_fail(&self, entry: &Entry, error: Error) -> Result<()> {
        if !is_unwritable(&error) {
            return Err(error);
        }
        let now_ns = self.now_ns();
        let kept = self.spools().map(|spool| spool.put(entry, now_ns)).find(Result::is_ok);
        kept.unwrap_or(Err(error))
    }

    pub(super) fn apply(&self, database: &Database, entry: &Entry) -> Result<AppliedRecord> {
        let now_ms = self.now_ms();
        let project = project::resolve(database, &entry.project, now_ms)?;
        let scene = Scene { project, now_ms };
        match &entry.waiting {
            SpoolRecord::Event(clean) => self.apply_event(database, &scene, clean),
            SpoolRecord::Fact(clean) => self.apply_fact(database, &scene, clean),
        }
    }

    fn apply_event(&self, database: &Database, scene: &Scene, clean: &CleanEvent) -> Result<AppliedRecord> {
        let parent = clean.parent_session.as_deref();
        let session = session::enter(database, scene, &clean.session, parent, &clean.host, &clean.model)?;
        let Some(seq) = log::insert(database, scene, session, clean, self.model.as_ref())? else {
            return Ok(AppliedRecord::default());
        };
        let event = &clean.event;
        let is_prompt = event.role == Role::User && event.category != Category::SessionMeta;
        session::touch(database, session, is_prompt, &session::title_of(event), is_end(clean).then_some(event.ts_ms))?;
        let facts = extract::run(database, scene, session, seq, event, self.model.as_ref())?;
        Ok(AppliedRecord { seq: Some(seq), facts, kept: None })
    }

    fn apply_fact(&self, database: &Database, scene: &Scene, clean: &CleanFact) -> Result<AppliedRecord> {
        let session = match &clean.session {
            Some(key) => Some(session::enter(database, scene, key, None, "", "")?),
            None => None,
        };
        let kept = facts::keep(database, scene, clean, session, self.model.as_ref())?;
        Ok(AppliedRecord { kept: Some(kept), ..AppliedRecord::default() })
    }
}

/// Whether a session ends with this event.
fn is_end(clean: &CleanEvent) -> bool {
    matches!(clean.event.hook.as_str(), "SessionEnd" | "session-end" | "session.deleted")
}

/// What one record became in the database.
#[derive(Debug, Default)]
pub(super) struct AppliedRecord {
    seq: Option<i64>,
    facts: Vec<String>,
    /// What a fact became.
    kept: Option<KeepOutcome>,
}
