//! Taking in what waits beside the calls that leave it, while many write at once.
//!
//! One process of all has the task, which a lock tells: if they took turns, each would read anew what the others
//! changed, and make one of its callers wait for it. Those who record have the processors: its thread takes in what
//! they left once they pause, or once much waits, and ends when nothing has come for a while.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use codecairn_base::clock::Clock;

use super::memory::{Memory, MemoryOptions};
use super::spool_drain::HELP_BYTES;

/// How long nothing has to come for it to be a pause.
const PAUSE: Duration = Duration::from_millis(50);

/// Pauses without anything to take in after which it ends.
const IDLE_PAUSES: u32 = 20;

/// What this process takes in beside its calls.
#[derive(Debug, Default)]
pub(super) struct BackgroundDrain(Mutex<Option<DrainThread>>);

#[derive(Debug)]
struct DrainThread {
    thread: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
    /// After a fork the thread is only the parent's.
    process: u32,
}

impl BackgroundDrain {
    /// Begins, unless this process does so already. `task` is the lock that says that it is this process's task.
    pub(super) fn begin(&self, task: impl FnOnce() -> Option<File>, options: &MemoryOptions, clock: &Arc<dyn Clock>) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(DrainThread::is_running) {
            return;
        }
        let Some(task) = task() else { return };
        let (options, clock, is_over) = (options.clone(), Arc::clone(clock), Arc::new(AtomicBool::new(false)));
        let told = Arc::clone(&is_over);
        let work = move || {
            run(options, &clock, &told);
            drop(task);
        };
        // Without a thread it waits for whoever comes next.
        let thread = thread::Builder::new().name("codecairn-memory".to_owned()).spawn(work).ok();
        *running = thread.map(|thread| DrainThread { thread, is_over, process: std::process::id() });
    }

    /// Ends when what is being taken in is in.
    pub(super) fn end(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running.filter(DrainThread::is_ours) {
            running.is_over.store(true, Ordering::Relaxed);
            running.thread.thread().unpark();
            // It panicked with a message of its own.
            let _ = running.thread.join();
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
        self.is_ours() && !self.thread.is_finished()
    }
}

fn run(options: MemoryOptions, clock: &Arc<dyn Clock>, is_over: &AtomicBool) {
    let Ok(memory) = Memory::open(options, Arc::clone(clock)) else { return };
    let mut left = IDLE_PAUSES;
    let mut before = Vec::new();
    while left > 0 && !is_over.load(Ordering::Relaxed) {
        let files = memory.spool_files();
        let is_pause = files == before;
        before = files;
        // What can't be taken in now is taken in by whoever can.
        let Ok(intake) = memory.drain_some(if is_pause { 0 } else { HELP_BYTES }) else { return };
        let has_taken = intake.is_some_and(|intake| intake.records > 0);
        left = if is_pause && !has_taken { left - 1 } else { IDLE_PAUSES };
        if !has_taken {
            thread::park_timeout(PAUSE);
        }
    }
}
