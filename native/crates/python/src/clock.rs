//! Hands the system's clock to the engine.

use std::time::{SystemTime, UNIX_EPOCH};

use codecairn_base::clock::Clock;
use cpu_time::ThreadTime;

/// Reads the time of this machine.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "the one place where the system's time enters")]
    fn now_ns(&self) -> i64 {
        // Before 1970 or after 2262 the time is as good as unknown.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
    }

    fn thread_ns(&self) -> i64 {
        i64::try_from(ThreadTime::now().as_duration().as_nanos()).unwrap_or(i64::MAX)
    }
}
