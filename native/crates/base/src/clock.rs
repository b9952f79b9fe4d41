//! Supplies the time through a [`Clock`], which tests replace.

/// Where the engine reads the time; the bindings give the system's, tests a fixed one.
pub trait Clock: Send + Sync {
    /// Nanoseconds since the Unix epoch.
    fn now_ns(&self) -> i64;

    /// Nanoseconds of processor time that this thread has used. It does not advance while the process is suspended or
    /// waits for a processor.
    fn thread_ns(&self) -> i64;
}

/// The year, month and day of a day that is counted from 1970-01-01, by Howard Hinnant's `civil_from_days`.
pub fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
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
