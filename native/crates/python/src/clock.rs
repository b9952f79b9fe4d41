//! Hands the system's clock to the engine.

use std::time::{SystemTime, UNIX_EPOCH};

use codecairn_base::clock::Clock;
use cpu_time::ThreadTime;
use pyo3::prelude::*;

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

/// The user's time zone at a moment in milliseconds since the epoch: milliseconds that it adds to UTC, and its name. Python
/// reads it from the environment and the system; where it can't, it is UTC.
pub(crate) fn zone(ms: i64) -> (i64, String) {
    let read = |py: Python<'_>| -> PyResult<(i64, String)> {
        let local = py.import("time")?.call_method1("localtime", (ms.div_euclid(1_000),))?;
        Ok((local.getattr("tm_gmtoff")?.extract::<i64>()? * 1_000, local.getattr("tm_zone")?.extract()?))
    };
    Python::attach(read).unwrap_or_else(|_| (0, "UTC".to_owned()))
}
