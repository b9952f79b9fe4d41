//! The one way in: from a clean record to rows, directly or by way of a spool.
//!
//! Who finds the database free takes in what waits, and then its own record, in one transaction; so the records of
//! one process keep their order. Who finds it busy leaves the record in the spool beside it, where a synced file costs
//! less than waiting for twenty others. Who can't write the database at all leaves it in the workspace's spool.

use std::path::PathBuf;
use std::time::Duration;

use super::event::{self, CleanEvent, NewEvent};
use super::fact::{self, CleanFact, NewFact};
use super::facts::{self, Kept};
use super::memory::Memory;
use super::spool::{self, Entry, Spool, Waiting};
use super::words::{Category, Role};
use super::{extract, log, project, session};
use crate::database::Database;
use crate::error::{Error, ErrorKind, Result};

/// An event doesn't wait for another writer: it goes into the spool, and the other one may take it in.
const AT_NO_TIME: Duration = Duration::ZERO;

/// Waiting records that one writer of an event takes in before its own.
const ALONG_THE_WAY: usize = 16;

/// Waiting records that are taken in by one transaction of somebody who has time.
const AT_ONCE: usize = 256;

/// What a record belongs to, inside a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    pub(super) project: i64,
    pub(super) now_ms: i64,
}

/// What became of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Recorded {
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
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Added {
    /// What it is called; the id of the older one if the same was held already.
    pub id: String,
    /// Whether it was new.
    pub is_new: bool,
    /// Whether it waits in a spool.
    pub is_waiting: bool,
}

impl Memory {
    /// Records what happened. When this returns, it survives a loss of power.
    pub fn record(&self, new: NewEvent) -> Result<Recorded> {
        let Some(clean) = event::prepare(new, &self.options, self.now_ms())? else { return Ok(Recorded::default()) };
        let entry = Entry { project: self.options.project.clone(), waiting: Waiting::Event(clean) };
        let attempt = self.try_write(AT_NO_TIME, |database| {
            let (taken, left) = self.take_in(database, ALONG_THE_WAY)?;
            // It must not overtake what this process recorded before.
            let comes_next = !left.iter().any(|file| spool::is_own(file));
            let done = if comes_next { Some(self.apply(database, &entry)?) } else { None };
            Ok((taken, done))
        });
        match attempt {
            Ok(Some((taken, done))) => {
                spool::remove(&taken);
                if let Some(Done { seq, facts, .. }) = done {
                    return Ok(Recorded { seq, is_kept: true, is_waiting: false, facts });
                }
                self.busy_spool.put(&entry, self.now_ns())?;
            }
            Ok(None) => self.busy_spool.put(&entry, self.now_ns())?,
            Err(error) => self.put_aside(&entry, error)?,
        }
        Ok(Recorded { is_kept: true, is_waiting: true, ..Recorded::default() })
    }

    /// Keeps a statement word for word, less what privacy takes out. The id that is returned is real: the fact can be
    /// asked for by it at once, or, if the database can't be written, as soon as it has been taken in.
    pub fn add(&self, new: NewFact) -> Result<Added> {
        let clean = fact::prepare(new, &self.options, self.now_ns())?;
        let id = clean.fact.id.clone();
        let entry = Entry { project: self.options.project.clone(), waiting: Waiting::Fact(clean) };
        let attempt = self.settle().and_then(|()| self.write(|database| self.apply(database, &entry)));
        match attempt {
            Ok(done) => Ok(Added { is_new: done.same.is_none(), id: done.same.unwrap_or(id), is_waiting: false }),
            Err(error) => {
                self.put_aside(&entry, error)?;
                Ok(Added { id, is_new: true, is_waiting: true })
            }
        }
    }

    /// Takes in everything that waits. What can't be taken in now goes on waiting.
    pub fn settle(&self) -> Result<()> {
        while !self.waiting_files().is_empty() {
            let attempt = self.write(|database| self.take_in(database, AT_ONCE));
            match attempt {
                Ok((taken, left)) => {
                    spool::remove(&taken);
                    // Files that others are still writing are passed over.
                    if left.is_empty() || taken.is_empty() {
                        self.busy_spool.sweep();
                        self.spool.iter().for_each(Spool::sweep);
                        return Ok(());
                    }
                }
                Err(error) if is_unwritable(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// How many records wait.
    pub fn waiting(&self) -> usize {
        self.waiting_files().len()
    }

    fn waiting_files(&self) -> Vec<PathBuf> {
        let mut files = self.busy_spool.files();
        if let Some(spool) = &self.spool {
            files.extend(spool.files());
            files.sort_by(|left, right| left.file_name().cmp(&right.file_name()));
        }
        files
    }

    /// Keeps a record that the database can't take, where there is room; or else says why it couldn't.
    fn put_aside(&self, entry: &Entry, error: Error) -> Result<()> {
        if !is_unwritable(&error) {
            return Err(error);
        }
        let now_ns = self.now_ns();
        let places = self.spool.iter().chain([&self.busy_spool]);
        let kept = places.map(|spool| spool.put(entry, now_ns)).find(Result::is_ok);
        kept.unwrap_or(Err(error))
    }

    /// Takes in up to `limit` waiting records, those of this process first, each process's in order; returns their files, to be removed once that is
    /// committed, and those of the records that go on waiting.
    fn take_in(&self, database: &Database, limit: usize) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        let mut files = self.waiting_files();
        // What this process recorded comes before what it records now; the rest can wait for somebody with time.
        files.sort_by_key(|file| !spool::is_own(file));
        let left = files.split_off(files.len().min(limit));
        let mut taken = Vec::new();
        for path in files {
            if let Some(entry) = spool::read(&path) {
                self.apply(database, &entry)?;
                taken.push(path);
            } else if spool::is_abandoned(&path, self.now_ns()) {
                taken.push(path);
            }
        }
        Ok((taken, left))
    }

    fn apply(&self, database: &Database, entry: &Entry) -> Result<Done> {
        let now_ms = self.now_ms();
        let project = project::resolve(database, &entry.project, now_ms)?;
        let scene = Scene { project, now_ms };
        match &entry.waiting {
            Waiting::Event(clean) => self.apply_event(database, &scene, clean),
            Waiting::Fact(clean) => self.apply_fact(database, &scene, clean),
        }
    }

    fn apply_event(&self, database: &Database, scene: &Scene, clean: &CleanEvent) -> Result<Done> {
        let parent = clean.parent_session.as_deref();
        let session = session::enter(database, scene, &clean.session, parent, &clean.host, &clean.model)?;
        let Some(seq) = log::insert(database, scene, session, clean, self.model.as_ref())? else {
            return Ok(Done::default());
        };
        let event = &clean.event;
        let is_prompt = event.role == Role::User && event.category != Category::SessionMeta;
        let is_end = matches!(event.hook.as_str(), "SessionEnd" | "session-end" | "session.deleted");
        let title = match event.title.as_str() {
            _ if event.is_private => String::new(),
            "" => fact::title_of(&event.body),
            title => title.to_owned(),
        };
        session::touch(database, session, is_prompt, &title, is_end.then_some(event.ts_ms))?;
        let facts = extract::run(database, scene, session, seq, event, self.model.as_ref())?;
        Ok(Done { seq: Some(seq), facts, same: None })
    }

    fn apply_fact(&self, database: &Database, scene: &Scene, clean: &CleanFact) -> Result<Done> {
        let session = match &clean.session {
            Some(key) => Some(session::enter(database, scene, key, None, "", "")?),
            None => None,
        };
        let same = match facts::keep(database, scene, &clean.fact, session, self.model.as_ref())? {
            Kept::New => None,
            Kept::Same(id) => Some(id),
        };
        Ok(Done { same, ..Done::default() })
    }
}

/// What one record became in the database.
#[derive(Debug, Default)]
struct Done {
    seq: Option<i64>,
    facts: Vec<String>,
    /// The id of the fact that says the same.
    same: Option<String>,
}

/// Whether a record should wait for better times rather than be refused.
fn is_unwritable(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StoreReadOnly | ErrorKind::StoreDamaged | ErrorKind::StoreTooNew | ErrorKind::Locked | ErrorKind::Io
    )
}
