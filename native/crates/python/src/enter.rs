//! Enters the engine from Python, in the one way that all bindings share: the GIL is released, Ctrl-C cancels, errors
//! are mapped.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::{Error, Result};
use codecairn_engine::{Phase, Progress};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(codecairn._native, NativeError, PyException, "A failure of the core: (kind, message).");

/// How often pending signals are looked at while long work runs.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// Runs short work without the GIL.
pub(crate) fn enter<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(work).map_err(to_python)
}

/// Runs long work on a thread of its own, while this one answers signals: Ctrl-C cancels `token`
/// and is raised once the work has stopped cleanly.
pub(crate) fn enter_long<T: Send>(
    py: Python<'_>,
    token: &CancelToken,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let mut interrupted = None;
    let result = thread::scope(|scope| {
        let (sender, receiver) = channel();
        // Only this thread receives; the lock makes that known to the compiler.
        let receiver = Mutex::new(receiver);
        scope.spawn(move || {
            // The receiver outlives this thread: it is dropped after the scope's wait.
            let _ = sender.send(work());
        });
        loop {
            match py.detach(|| receiver.lock().expect("invariant: not poisoned").recv_timeout(SIGNAL_POLL)) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {
                    if interrupted.is_none()
                        && let Err(signal) = py.check_signals()
                    {
                        token.cancel();
                        interrupted = Some(signal);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("a worker thread panicked".into()));
                }
            }
        }
    });
    match interrupted {
        Some(signal) => Err(signal),
        None => result.map_err(to_python),
    }
}

/// The same with a progress callback in Python: the phase, the work done and the total. What it raises cancels the work
/// and is raised once that has stopped.
pub(crate) fn enter_with_progress<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Progress<'_>, &CancelToken) -> Result<T> + Send,
) -> PyResult<T> {
    let token = CancelToken::default();
    let failure = Mutex::new(None);
    let tell = |phase: Phase, done: u64, total: u64| {
        let Some(progress) = &progress else { return };
        let called = Python::attach(|py| progress.call1(py, (phase.name(), done, total)).map(drop));
        if let Err(error) = called {
            token.cancel();
            *failure.lock().expect("invariant: no holder panics") = Some(error);
        }
    };
    let result = enter_long(py, &token, || work(&tell, &token));
    match failure.into_inner().expect("invariant: no holder panics") {
        Some(error) => Err(error),
        None => result,
    }
}

/// An error of the engine as a Python exception: the stable kind and the message.
pub(crate) fn to_python(error: Error) -> PyErr {
    let kind = error.kind().name();
    NativeError::new_err((kind, error.to_string()))
}
