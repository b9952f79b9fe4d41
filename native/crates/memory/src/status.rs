//! Counts what a memory holds, and runs its maintenance.

use codecairn_base::error::Result;

use super::memory::Memory;
use super::spool::Spool;

/// The counts of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct MemoryStatus {
    /// The database file.
    pub path: String,
    /// Its bytes, with its log.
    pub bytes: u64,
    /// The project's name; empty if it has no records yet.
    pub project: String,
    /// Projects with records.
    pub projects: u64,
    /// The project's sessions.
    pub sessions: u64,
    /// The project's events.
    pub events: u64,
    /// The facts that hold, the user's own included.
    pub facts: u64,
    /// The same by type.
    pub types: Vec<(String, u64)>,
    /// Facts that were superseded, forgotten or replaced.
    pub past_facts: u64,
    /// Jobs that are pending or running.
    pub jobs: u64,
    /// Jobs that failed for good.
    pub dead_jobs: u64,
    /// Records in spools.
    pub waiting: u64,
    /// Files in the workspace's spool that this user did not write, and that are not read.
    pub ignored: u64,
}

impl Memory {
    /// The state of the memory.
    pub fn status(&self) -> Result<MemoryStatus> {
        let counted = self.read(|database, project| {
            let count = |sql: &str| database.only(sql, [], |row| Ok(row.get::<_, i64>(0)? as u64));
            let here = format!("project IN ({project}, 0)");
            let name = "SELECT name FROM project WHERE number = ?1";
            Ok(MemoryStatus {
                project: database.first(name, [project], |row| Ok(row.get(0)?))?.unwrap_or_default(),
                projects: count("SELECT count(*) FROM project WHERE number > 0")?,
                sessions: count(&format!("SELECT count(*) FROM session WHERE project = {project}"))?,
                events: count(&format!("SELECT count(*) FROM event WHERE project = {project}"))?,
                facts: count(&format!("SELECT count(*) FROM fact WHERE {here} AND state = 'live'"))?,
                past_facts: count(&format!("SELECT count(*) FROM fact WHERE {here} AND state <> 'live'"))?,
                types: database.all(
                    &format!(
                        "SELECT type, count(*) FROM fact WHERE {here} AND state = 'live' GROUP BY type ORDER BY 1"
                    ),
                    [],
                    |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)),
                )?,
                jobs: count("SELECT count(*) FROM job WHERE state <> 'dead'")?,
                dead_jobs: count("SELECT count(*) FROM job WHERE state = 'dead'")?,
                ..MemoryStatus::default()
            })
        })?;
        let mut status = counted.unwrap_or_default();
        status.path = self.path().display().to_string();
        let mut log = self.path().as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &std::ffi::OsStr| std::fs::metadata(path).map_or(0, |file| file.len());
        status.bytes = size(self.path().as_os_str()) + size(&log);
        status.waiting = self.waiting() as u64;
        status.ignored = self.spool.as_ref().map_or(0, Spool::ignored);
        Ok(status)
    }

    /// Merges segments of the full-text index if no other process is writing, at the end of a session. A failure is
    /// ignored: a later call merges them.
    pub(super) fn tidy_some(&self) {
        const STEPS: usize = 4;
        for _ in 0..STEPS {
            if !matches!(self.try_write(std::time::Duration::ZERO, super::text::merge_largest), Ok(Some(true))) {
                break;
            }
        }
    }

    /// Maintenance: drains the spools and merges segments of the full-text index. Returns whether
    /// there was something to do.
    pub fn tidy(&self) -> Result<bool> {
        let had_waiting = self.waiting() > 0;
        self.settle()?;
        if !self.path().exists() {
            return Ok(had_waiting);
        }
        let mut did = had_waiting;
        while self.write(super::text::merge_largest)? {
            did = true;
        }
        Ok(did)
    }
}
