//! Detects contention for the database: while several processes write, an event is appended to the spool at once.
//!
//! Trying the database would mean to try a lock that is nearly always held, and the process that gets it would pay for
//! the records of all. Under contention all processes only append, and one drains the spool in the background.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// How long contention is assumed after the database was found busy.
const CONTENTION_NS: i64 = 1_000_000_000;

/// How long a record that another process has spooled indicates contention: two processes that write now and then and
/// met by chance must not keep each other from the database.
pub(super) const FRESH_NS: i64 = 50_000_000;

/// Records of this process after which it drains the spool, if no other process does. A hook's process never spools as
/// many.
const DRAIN_EVERY: u32 = 64;

/// The contention that this process has observed.
#[derive(Debug, Default)]
pub(super) struct Contention {
    until_ns: AtomicI64,
    appended: AtomicU32,
}

impl Contention {
    /// Whether the database is believed to be busy.
    pub(super) fn is_on(&self, now_ns: i64) -> bool {
        now_ns < self.until_ns.load(Ordering::Relaxed)
    }

    /// The database was found busy.
    pub(super) fn note_busy(&self, now_ns: i64) {
        self.until_ns.store(now_ns.saturating_add(CONTENTION_NS), Ordering::Relaxed);
    }

    /// Counts a spooled record; true if it is time to start the drain.
    pub(super) fn is_turn(&self) -> bool {
        (self.appended.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(DRAIN_EVERY)
    }
}
