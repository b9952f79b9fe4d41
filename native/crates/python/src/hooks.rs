//! Binds the hooks: one call of a host, and what Python needs of their state.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codecairn_base::{Error, Result};
use codecairn_hooks::{Call, CommandEnd, DueWork, Environment, HOSTS, Host, Resolution, Services, State};
use pyo3::prelude::*;

use crate::clock::{SystemClock, zone};
use crate::enter::to_python;

/// The environment of this process.
fn environment() -> Environment {
    Environment {
        variables: std::env::vars_os().collect(),
        home: std::env::home_dir().unwrap_or_default(),
        working_directory: std::env::current_dir().unwrap_or_default(),
    }
}

/// Has parses that end the process recorded in the user's data folder. Called where anything may be parsed.
pub(crate) fn keep_crashes() {
    codecairn_base::crash_log::keep_in(&environment().data_folder());
}

/// Why the record of parses that ended a process can't be read; `None` if it can, or if there is none.
#[pyfunction]
pub(crate) fn crash_log_fault() -> Option<String> {
    keep_crashes();
    codecairn_base::crash_log::check().err().map(|error| error.to_string())
}

fn state() -> State {
    State::of(&environment(), Arc::new(SystemClock))
}

/// Serves one call: (the answer, what is to be started afterwards as (kind, root)).
///
/// `resolve` gives the project of a folder as JSON, `recorded` is called once the event needs no other process to record it.
#[pyfunction]
#[pyo3(signature = (agent, event, raw, *, happened_ms, is_late, resolve, recorded))]
#[allow(clippy::too_many_arguments, reason = "they are Python's")]
pub(crate) fn hook(
    py: Python<'_>,
    agent: &str,
    event: &str,
    raw: &[u8],
    happened_ms: i64,
    is_late: bool,
    resolve: Py<PyAny>,
    recorded: Py<PyAny>,
) -> (String, Option<(&'static str, OsString)>) {
    let resolve = |folder: &Path| -> Result<Resolution> {
        let resolved = Python::attach(|py| resolve.call1(py, (folder.as_os_str(),))?.extract::<String>(py));
        let json = resolved.map_err(|error| Error::InvalidArgument(error.to_string()))?;
        serde_json::from_str(&json).map_err(|error| Error::Internal(error.to_string()))
    };
    let on_recorded = || {
        // Without it, the event is recorded once more under the same key, which changes nothing.
        let _ = Python::attach(|py| recorded.call0(py));
    };
    let answer = py.detach(|| {
        keep_crashes();
        let environment = environment();
        let services = Services {
            environment: &environment,
            clock: Arc::new(SystemClock),
            resolve: &resolve,
            zone: &zone,
            on_recorded: &on_recorded,
        };
        codecairn_hooks::serve(Call { agent, event, raw, happened_ms, is_late }, &services)
    });
    let due = answer.due.map(|due| match due {
        DueWork::Maintenance(root) => ("work", root.into_os_string()),
        DueWork::Reading(root) => ("quiet", root.into_os_string()),
    });
    (answer.text, due)
}

/// What an event means, as JSON; `None` if it is of no interest.
#[pyfunction]
pub(crate) fn hook_event(py: Python<'_>, agent: &str, event: &str, payload: &[u8]) -> PyResult<Option<String>> {
    let host = named(agent)?;
    let translated = py.detach(|| {
        let document = codecairn_hooks::json::parse(payload).ok()?;
        host.translate(event, document.as_object()?, &|end: &CommandEnd<'_>| end.exit_code())
    });
    let as_json = |event| serde_json::to_string(&event).map_err(|error| to_python(Error::Internal(error.to_string())));
    translated.map(as_json).transpose()
}

/// The answer by which a host puts a context before its agent, as JSON in ASCII.
#[pyfunction]
pub(crate) fn hook_reply(agent: &str, event: &str, context: &str) -> PyResult<String> {
    Ok(codecairn_hooks::json::ascii(&named(agent)?.reply(event, context)))
}

/// The names of the hosts whose events are understood.
#[pyfunction]
pub(crate) fn hook_hosts() -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.name).collect()
}

/// The folder of the hooks' state.
#[pyfunction]
pub(crate) fn hooks_folder() -> OsString {
    state().folder().as_os_str().to_owned()
}

/// Notes in the hooks' log what went wrong.
#[pyfunction]
pub(crate) fn hooks_log(message: &str) {
    state().log(message);
}

/// Removes the files of a folder of the hooks' state that were not written for so long.
#[pyfunction]
#[pyo3(signature = (sub, *, older_s))]
pub(crate) fn hooks_sweep(sub: &str, older_s: f64) {
    state().sweep(sub, Duration::from_secs_f64(older_s));
}

/// Whether this process is the first to do something within some seconds.
#[pyfunction]
#[pyo3(signature = (*parts, within_s))]
pub(crate) fn hooks_claimed(parts: Vec<String>, within_s: f64) -> bool {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    state().claim(&parts, Duration::from_secs_f64(within_s))
}

fn named(agent: &str) -> PyResult<&'static Host> {
    Host::named(agent).ok_or_else(|| to_python(Error::InvalidArgument(format!("unknown agent `{agent}`"))))
}
