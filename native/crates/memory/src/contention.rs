//! Whether many write at once: then an event is left in the spool without asking for the database first.
//!
//! Asking costs a look at a lock that is nearly always taken, and whoever gets it pays for everybody's transaction.
//! While a storm lasts, all only append, and one process takes in beside that what waits.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// How long after the database was found busy others are believed to be writing.
const CONTENTION_NS: i64 = 1_000_000_000;

/// What another process left in the spool tells of a storm for so long only: two that write now and then, and met by
/// chance, must not keep each other from the database.
pub(super) const FRESH_NS: i64 = 50_000_000;

/// Records of this process after which it takes in what waits, if nobody else does so. A hook's process never leaves
/// so many.
const DRAIN_EVERY: u32 = 64;

/// What this process saw of others' writing.
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

    /// Counts a record that was left in the spool; true if it is time to see to its being taken in.
    pub(super) fn is_turn(&self) -> bool {
        (self.appended.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(DRAIN_EVERY)
    }
}
