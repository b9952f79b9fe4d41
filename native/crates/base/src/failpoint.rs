//! Lets tests end the process, or fail a step, at named points, to check that nothing is left broken.
//!
//! Only builds with debug assertions have failpoints; in others [`reach`] does nothing. A process can arm one point,
//! once, from its environment. Tests find the names of the points by reading these sources.

use crate::error::Result;

/// Does at this point what a test asked for; nothing, if none did.
///
/// # Errors
/// [`Error::DiskFull`](crate::Error::DiskFull), if the point is armed to fail.
#[cfg(not(debug_assertions))]
#[inline]
pub fn reach(_point: &'static str) -> Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub use armed::arm;
#[cfg(debug_assertions)]
pub use armed::reach;

#[cfg(debug_assertions)]
mod armed {
    use std::path::PathBuf;
    use std::sync::{Mutex, PoisonError};

    use super::Result;
    use crate::error::Error;

    /// The action, the point, and the number of passes before it.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Armed {
        pub(super) point: String,
        pub(super) aborts: bool,
        pub(super) left: u32,
    }

    /// The process has one, as there is one process to end.
    static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

    /// Arms a point: `<point>=abort` or `<point>=fail`, with `@<n>` for the n-th time that it is reached.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for any other text.
    pub fn arm(text: &str) -> Result<()> {
        let armed = parse(text)
            .ok_or_else(|| Error::InvalidArgument(format!("`{text}` is no failpoint: `<point>=abort|fail[@<n>]`")))?;
        *ARMED.lock().unwrap_or_else(PoisonError::into_inner) = Some(armed);
        Ok(())
    }

    /// Does at this point what a test asked for; nothing, if none did.
    pub fn reach(point: &'static str) -> Result<()> {
        let mut armed = ARMED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(here) = armed.as_mut().filter(|armed| armed.point == point) else { return Ok(()) };
        here.left -= 1;
        if here.left > 0 {
            return Ok(());
        }
        if here.aborts {
            std::process::abort();
        }
        *armed = None;
        Err(Error::DiskFull { path: PathBuf::from(point) })
    }

    pub(super) fn parse(text: &str) -> Option<Armed> {
        let (point, action) = text.split_once('=')?;
        let (action, left) = match action.split_once('@') {
            Some((action, left)) => (action, left.parse().ok().filter(|left| *left > 0)?),
            None => (action, 1),
        };
        let aborts = match action {
            "abort" => true,
            "fail" => false,
            _ => return None,
        };
        Some(Armed { point: point.to_owned(), aborts, left })
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::armed::{Armed, parse};

    #[test]
    fn what_arms_a_point_is_read() {
        let point = || "a.b".to_owned();
        assert_eq!(parse("a.b=abort"), Some(Armed { point: point(), aborts: true, left: 1 }));
        assert_eq!(parse("a.b=fail@3"), Some(Armed { point: point(), aborts: false, left: 3 }));
        for text in ["", "a.b", "a.b=", "a.b=stop", "a.b=fail@", "a.b=fail@0", "a.b=abort@x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
