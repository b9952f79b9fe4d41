//! Drains the spools into the database, in order of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use codecairn_base::clock::Clock;
use codecairn_base::database::Database;
use codecairn_base::error::{Error, ErrorKind, Result};

use super::memory::Memory;
use super::options::MemoryOptions;
use super::spool::{self, DrainMarks, Queue, Spool, SpoolFile};

/// Pending records that one transaction drains.
const DRAIN_BATCH: usize = 256;
/// Pending records that one transaction drains under contention.
const CONTENDED_DRAIN_BATCH: usize = 128;

/// Pending bytes, some three thousand events, from which on the recording processes help to drain them: a reader has to
/// drain them first, and a hook has 300 ms in all.
pub(super) const HELP_BYTES: u64 = 2 << 20;

/// How long no record has to arrive for the drain thread to see a pause.
const PAUSE: Duration = Duration::from_millis(50);

/// Pauses without a record to drain after which the drain thread ends.
const IDLE_PAUSES: u32 = 20;

/// The result of one draining transaction.
#[derive(Debug)]
pub(super) struct DrainedBatch {
    /// The drained offset of each file.
    pub(super) taken: DrainMarks,
    /// The number of drained records.
    pub(super) records: usize,
    /// Whether records are still pending.
    pub(super) has_more: bool,
}

impl Memory {
    pub(super) fn spools(&self) -> impl Iterator<Item = &Spool> {
        self.spool.iter().chain([&self.busy_spool])
    }

    /// Drains all records that are pending now. Records that arrive meanwhile, or can't be stored, may stay pending.
    pub(crate) fn settle(&self) -> Result<()> {
        let targets = self.spool_files();
        if targets.is_empty() {
            return Ok(());
        }
        // If they can't be read, the write below reports why, or migrates the database.
        let mut taken = self.read_marks().unwrap_or_default();
        loop {
            if Queue::new(targets.clone(), &taken, self.now_ns()).is_empty() {
                self.sweep(&taken);
                return Ok(());
            }
            let intake = match self.write(|database| self.drain(database, DRAIN_BATCH)) {
                Err(error) if is_unwritable(&error) => return Ok(()),
                intake => intake?,
            };
            self.sweep(&intake.taken);
            if intake.taken == taken {
                return Ok(());
            }
            taken = intake.taken;
        }
    }

    /// Drains a batch if no other process is writing and at least `least` bytes are pending.
    pub(super) fn drain_some(&self, least: u64) -> Result<Option<DrainedBatch>> {
        // The marks in the database cost more, most of all in a process that has not opened it.
        if self.spools().map(Spool::size).sum::<u64>() < least {
            return Ok(None);
        }
        let taken = self.try_write(Duration::ZERO, |database| {
            let is_enough = pending_bytes(&self.spool_files(), &marks(database)?) >= least;
            is_enough.then(|| self.drain(database, CONTENDED_DRAIN_BATCH)).transpose()
        })?;
        let intake = taken.flatten();
        if let Some(intake) = &intake {
            self.sweep(&intake.taken);
        }
        Ok(intake)
    }

    /// Starts the drain thread, if no process drains the spool of the busy database.
    pub(super) fn drain_in_background(&self) {
        let (options, clock) = (self.options.clone(), Arc::clone(&self.clock));
        let drain = move |is_stopped: &AtomicBool| drain_until(options, clock, is_stopped);
        self.background_drain.begin(|| self.busy_spool.claim(), drain);
    }

    /// The number of pending records.
    pub(crate) fn waiting(&self) -> usize {
        let files = self.spool_files();
        if files.is_empty() {
            return 0;
        }
        Queue::new(files, &self.read_marks().unwrap_or_default(), self.now_ns()).count()
    }

    /// Drains up to `limit` pending records. Runs inside a transaction, and has no effect unless that is committed.
    pub(super) fn drain(&self, database: &Database, limit: usize) -> Result<DrainedBatch> {
        let files = self.spool_files();
        let mut taken = marks(database)?;
        let before = taken.len();
        taken.retain(|name, _| files.iter().any(|file| file.mark() == *name));
        if taken.len() < before {
            let names: Vec<String> = taken.keys().map(|name| format!("'{}'", name.replace('\'', ""))).collect();
            database.script(&format!("DELETE FROM spool_mark WHERE file NOT IN ({})", names.join(", ")))?;
        }
        if files.is_empty() {
            return Ok(DrainedBatch { taken, records: 0, has_more: false });
        }
        let mut queue = Queue::new(files.clone(), &taken, self.now_ns());
        let mut records = 0;
        while records < limit
            && let Some(entry) = queue.next()
        {
            self.apply_waiting(database, &entry)?;
            records += 1;
        }
        let has_more = !queue.is_empty();
        for (name, bytes) in queue.taken() {
            if taken.get(&name) != Some(&bytes) {
                let sql = "INSERT INTO spool_mark (file, taken) VALUES (?1, ?2) \
                           ON CONFLICT (file) DO UPDATE SET taken = ?2";
                database.run(sql, (&name, bytes as i64))?;
                taken.insert(name, bytes);
            }
        }
        Ok(DrainedBatch { taken, records, has_more })
    }

    /// Removes fully drained files that no process appends to.
    pub(super) fn sweep(&self, taken: &DrainMarks) {
        for file in self.spool_files() {
            if taken.get(&file.mark()).copied().unwrap_or(0) >= file.len {
                spool::remove_if_left(&file.path, file.len, self.now_ns());
            }
        }
    }

    /// Overwrites the drained records in files that processes still append to.
    pub(super) fn blank_spools(&self) -> Result<()> {
        self.spools().for_each(Spool::let_go);
        let taken = self.read_marks()?;
        self.sweep(&taken);
        for file in self.spool_files() {
            if let Some(bytes) = taken.get(&file.mark()) {
                match spool::blank(&file.path, *bytes) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    done => done.map_err(|error| Error::io(&file.path, error))?,
                }
            }
        }
        Ok(())
    }

    pub(super) fn spool_files(&self) -> Vec<SpoolFile> {
        self.spools().flat_map(Spool::files).collect()
    }

    /// The drained offsets of the files, as stored in the database.
    fn read_marks(&self) -> Result<DrainMarks> {
        self.look(|database, _| marks(database)).map(Option::unwrap_or_default)
    }
}

/// Drains the spools on a connection of its own until nothing has come for [`IDLE_PAUSES`] pauses: all of it at each
/// pause, and else once [`HELP_BYTES`] are pending.
fn drain_until(options: MemoryOptions, clock: Arc<dyn Clock>, is_stopped: &AtomicBool) {
    let Ok(memory) = Memory::open(options, clock) else { return };
    let mut left = IDLE_PAUSES;
    let mut before = Vec::new();
    while left > 0 && !is_stopped.load(Ordering::Relaxed) {
        let files = memory.spool_files();
        let is_pause = files == before;
        before = files;
        // Records that can't be drained now wait for the next process that can.
        let Ok(batch) = memory.drain_some(if is_pause { 0 } else { HELP_BYTES }) else { return };
        let has_drained = batch.is_some_and(|batch| batch.records > 0);
        left = if is_pause && !has_drained { left - 1 } else { IDLE_PAUSES };
        if !has_drained {
            thread::park_timeout(PAUSE);
        }
    }
}

/// The pending bytes of the files.
fn pending_bytes(files: &[SpoolFile], taken: &DrainMarks) -> u64 {
    files.iter().map(|file| file.len.saturating_sub(taken.get(&file.mark()).copied().unwrap_or(0))).sum()
}

fn marks(database: &Database) -> Result<DrainMarks> {
    let rows = database
        .all("SELECT file, taken FROM spool_mark", [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    Ok(rows.into_iter().map(|(file, taken)| (file, taken.max(0) as u64)).collect())
}

/// Whether a record should be spooled after this error instead of being refused.
pub(super) fn is_unwritable(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StoreReadOnly | ErrorKind::StoreDamaged | ErrorKind::StoreTooNew | ErrorKind::Locked | ErrorKind::Io
    )
}
