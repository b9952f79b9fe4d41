//! Drains the spools in a background thread while several processes write.
//!
//! A lock elects one process: if the processes took turns, each would read the pages again that the others changed, and
//! one of its callers would wait for that. The thread leaves the processors to the recording calls: it drains the
//! spools when they pause or when many bytes are pending, and ends when no record has arrived for a while.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The drain thread of a memory, if it runs.
#[derive(Debug, Default)]
pub(super) struct BackgroundDrain(Mutex<Option<DrainThread>>);

/// A running drain thread.
#[derive(Debug)]
struct DrainThread {
    handle: JoinHandle<()>,
    is_stopped: Arc<AtomicBool>,
    /// The process that started it: after a fork the thread exists in the parent alone.
    process: u32,
}

impl BackgroundDrain {
    /// Starts the thread, unless it runs already. `claim` takes the lock that makes this process the drainer, and is
    /// `None` if another one has it; the thread holds it until `drain` returns. `drain` ends soon after the flag it is
    /// given is set.
    pub(super) fn begin(&self, claim: impl FnOnce() -> Option<File>, drain: impl FnOnce(&AtomicBool) + Send + 'static) {
        let mut thread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.as_ref().is_some_and(DrainThread::is_running) {
            return;
        }
        let Some(lock) = claim() else { return };
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let work = move || {
            drain(&is_stopped);
            drop(lock);
        };
        // If no thread can be started, the records wait for the next process that writes.
        let handle = thread::Builder::new().name("codecairn-memory".to_owned()).spawn(work).ok();
        *thread = handle.map(|handle| DrainThread { handle, is_stopped: stop, process: std::process::id() });
    }

    /// Stops the thread and waits until its transaction has ended.
    pub(super) fn end(&self) {
        let thread = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(DrainThread::is_ours) {
            thread.is_stopped.store(true, Ordering::Relaxed);
            thread.handle.thread().unpark();
            // A panic has printed a message of its own.
            let _ = thread.handle.join();
        }
    }
}

impl Drop for BackgroundDrain {
    fn drop(&mut self) {
        self.end();
    }
}

impl DrainThread {
    fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    fn is_running(&self) -> bool {
        self.is_ours() && !self.handle.is_finished()
    }
}
