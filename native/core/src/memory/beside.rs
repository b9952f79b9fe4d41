//! Taking in what waits beside the calls that leave it, while many write at once.
//!
//! One process of all has the task, which a lock tells: if they took turns, each would read anew what the others
//! changed, and make one of its callers wait for it. Its thread rests longer than it works, so that those who record
//! have the processors, and ends when nothing has come for a while.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::memory::{Memory, MemoryOptions};
use super::taking::MUCH;
use crate::clock::Clock;

/// How much longer it rests than it worked, and for how long at least.
const RESTS: i64 = 3;
const LEAST_REST: Duration = Duration::from_millis(20);
/// A longer rest than this was a clock that was put forward.
const MOST_REST: Duration = Duration::from_secs(1);

/// Rests without anything to take in after which it ends.
const PATIENCE: u32 = 50;

/// What this process takes in beside its calls.
#[derive(Debug, Default)]
pub(super) struct Beside(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    thread: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
    /// After a fork the thread is only the parent's.
    process: u32,
}

impl Beside {
    /// Begins, unless this process does so already. `task` is the lock that says that it is this process's task.
    pub(super) fn begin(&self, task: impl FnOnce() -> Option<File>, options: &MemoryOptions, clock: &Arc<dyn Clock>) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(Running::goes_on) {
            return;
        }
        let Some(task) = task() else { return };
        let (options, clock, is_over) = (options.clone(), Arc::clone(clock), Arc::new(AtomicBool::new(false)));
        let told = Arc::clone(&is_over);
        let work = move || {
            take_in(options, &clock, &told);
            drop(task);
        };
        // Without a thread it waits for whoever comes next.
        let thread = thread::Builder::new().name("codecairn-memory".to_owned()).spawn(work).ok();
        *running = thread.map(|thread| Running { thread, is_over, process: std::process::id() });
    }

    /// Ends when what is being taken in is in.
    pub(super) fn end(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running.filter(Running::is_ours) {
            running.is_over.store(true, Ordering::Relaxed);
            running.thread.thread().unpark();
            // It panicked with a message of its own.
            let _ = running.thread.join();
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.end();
    }
}

impl Running {
    fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    fn goes_on(&self) -> bool {
        self.is_ours() && !self.thread.is_finished()
    }
}

fn take_in(options: MemoryOptions, clock: &Arc<dyn Clock>, is_over: &AtomicBool) {
    let Ok(memory) = Memory::open(options, Arc::clone(clock)) else { return };
    let mut left = PATIENCE;
    loop {
        let began = clock.now_ns();
        // What can't be taken in now is taken in by whoever can.
        let Ok(intake) = memory.settle_some(0) else { return };
        left = if intake.as_ref().is_some_and(|intake| intake.records > 0) { PATIENCE } else { left - 1 };
        if left == 0 || is_over.load(Ordering::Relaxed) {
            return;
        }
        if intake.is_some_and(|intake| intake.left >= MUCH) {
            continue;
        }
        let worked = clock.now_ns().saturating_sub(began);
        let rest = Duration::from_nanos(worked.saturating_mul(RESTS).max(0) as u64);
        thread::park_timeout(rest.clamp(LEAST_REST, MOST_REST));
    }
}
