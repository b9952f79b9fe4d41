//! Supplies the time through a [`Clock`], which tests replace.

/// Where the engine reads the time; the bindings give the system's, tests a fixed one.
pub trait Clock: Send + Sync {
    /// Nanoseconds since the Unix epoch.
    fn now_ns(&self) -> i64;

    /// Nanoseconds of processor time that this thread has used. It does not advance while the process is suspended or
    /// waits for a processor.
    fn thread_ns(&self) -> i64;
}

/// A clock with a constant time, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub i64);

impl Clock for FixedClock {
    fn now_ns(&self) -> i64 {
        self.0
    }

    fn thread_ns(&self) -> i64 {
        self.0
    }
}

/// A clock for tests, on which a second passes with every look, and a quarter of it on the thread's.
#[derive(Debug, Default)]
pub struct TickingClock(std::sync::atomic::AtomicI64);

impl TickingClock {
    /// How often it was looked at.
    pub fn looks(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::Relaxed) as usize
    }
}

impl Clock for TickingClock {
    fn now_ns(&self) -> i64 {
        1_000_000_000 * self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }

    fn thread_ns(&self) -> i64 {
        self.now_ns() / 4
    }
}
