//! How far reading may run ahead of who takes in: bounded memory, and no more waiting work than keeps all threads busy.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes under way, from a file's reading to its being taken in.
pub(super) const MAX_BYTES: u64 = 12 << 20;
/// What a file takes beside its bytes.
const FILE_BYTES: u64 = 16 << 10;
/// Texts for each thread that wait for it: other parallel work waits behind them.
const WAITING_PER_THREAD: usize = 4;

/// Files under way.
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

/// Ends a flow, however who holds it comes to its end.
pub(super) struct StopOnDrop<'a>(pub(super) &'a Backpressure);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_stopped = true);
    }
}

impl Backpressure {
    /// With nothing under way.
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until there is room for a file of so many bytes and work for `threads`; one file has room always. Says
    /// false once nobody takes in any more.
    pub(super) fn admit(&self, bytes: u64, threads: usize) -> bool {
        let bytes = bytes + FILE_BYTES;
        let is_full = |state: &mut State| {
            let has_room = state.bytes == 0 || state.bytes + bytes <= MAX_BYTES;
            !state.is_stopped && (!has_room || state.waiting >= threads * WAITING_PER_THREAD)
        };
        let mut state = self.changed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        state.bytes += bytes;
        !state.is_stopped
    }

    /// A text waits to be prepared.
    pub(super) fn waits(&self) {
        self.change(|state| state.waiting += 1);
    }

    /// A text that waited is being prepared. Says false once nobody takes in any more.
    pub(super) fn begins(&self) -> bool {
        self.change(|state| state.waiting -= 1)
    }

    /// A file of so many bytes was taken in.
    pub(super) fn is_taken(&self, bytes: u64) {
        self.change(|state| state.bytes -= bytes + FILE_BYTES);
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
