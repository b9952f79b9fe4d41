//! Arms a failpoint from the environment, in builds that have failpoints.

use pyo3::prelude::*;

/// Arms the point that `CAIRN_FAILPOINT` names. It is no setting, so it has no setting's name.
#[cfg(debug_assertions)]
#[allow(
    clippy::disallowed_methods,
    reason = "a test's child process is reached in no other way before it opens a store"
)]
pub(crate) fn arm() -> PyResult<()> {
    match std::env::var("CAIRN_FAILPOINT") {
        Ok(text) => codecairn_base::failpoint::arm(&text).map_err(crate::enter::to_python),
        Err(_) => Ok(()),
    }
}

/// A build without failpoints looks at nothing.
#[cfg(not(debug_assertions))]
#[allow(clippy::unnecessary_wraps, reason = "as in builds with failpoints")]
pub(crate) fn arm() -> PyResult<()> {
    Ok(())
}
