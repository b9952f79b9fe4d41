//! Backpressure between the reader, the preparing threads and the committing thread: bounded bytes in flight, and no
//! more queued groups of texts than keep all threads busy.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes in flight, from the reading of a file to its commit.
pub(super) const MAX_BYTES: u64 = 12 << 20;
/// The overhead of a file, in bytes.
const FILE_BYTES: u64 = 16 << 10;
/// Queued groups per thread; other parallel work of the pool queues behind them.
const WAITING_PER_THREAD: usize = 4;

/// The load of files of these sizes, in bytes.
pub(super) fn load_of(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.map(|size| size + FILE_BYTES).sum()
}

/// The shared counts of files in flight.
pub(super) struct Backpressure {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: u64,
    waiting: usize,
    is_stopped: bool,
}

/// Stops the flow on drop, also when its owner panics.
pub(super) struct StopOnDrop<'a>(pub(super) &'a Backpressure);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_stopped = true);
    }
}

impl Backpressure {
    /// A flow with nothing in flight.
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), changed: Condvar::new() }
    }

    /// Blocks until there is room for files of this load, and fewer groups are queued than `threads` threads should
    /// have; if no other is in flight there always is. Returns false once the flow is stopped.
    pub(super) fn admit(&self, bytes: u64, threads: usize) -> bool {
        let is_full = |state: &mut State| {
            let has_room = state.bytes == 0 || state.bytes + bytes <= MAX_BYTES;
            !state.is_stopped && (!has_room || state.waiting >= threads * WAITING_PER_THREAD)
        };
        let mut state = self.changed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        state.bytes += bytes;
        !state.is_stopped
    }

    /// Counts a group as queued.
    pub(super) fn waits(&self) {
        self.change(|state| state.waiting += 1);
    }

    /// Counts a queued group as being prepared. Returns false once the flow is stopped.
    pub(super) fn begins(&self) -> bool {
        self.change(|state| state.waiting -= 1)
    }

    /// Releases the load of committed files.
    pub(super) fn is_taken(&self, bytes: u64) {
        self.change(|state| state.bytes -= bytes);
    }

    fn change(&self, change: impl FnOnce(&mut State)) -> bool {
        let mut state = self.lock();
        change(&mut state);
        self.changed.notify_one();
        !state.is_stopped
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn reading_waits_for_room_and_for_threads_and_is_let_go_at_the_end() {
        let flow = Backpressure::new();
        assert!(flow.admit(MAX_BYTES * 5, 1), "one file has room however large it is");
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            scope.spawn(|| {
                let sender = sender;
                for bytes in [1, 2, 3] {
                    sender.send((bytes, flow.admit(bytes, 1))).unwrap();
                }
            });
            assert!(receiver.try_recv().is_err());
            for _ in 0..WAITING_PER_THREAD {
                flow.waits();
            }
            flow.is_taken(MAX_BYTES * 5);
            assert!(receiver.try_recv().is_err());
            assert!(flow.begins());
            assert_eq!((receiver.recv().unwrap(), receiver.recv().unwrap()), ((1, true), (2, true)));
            drop(StopOnDrop(&flow));
            assert!(!flow.begins());
            assert!(receiver.recv().is_ok());
            assert!(!flow.admit(1, 1));
        });
    }
}
