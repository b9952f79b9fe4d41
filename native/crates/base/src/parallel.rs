//! Owns the thread pool that all parallel work shares.
//!
//! They belong to one process: a fork copies memory but no threads, and work handed to threads that are not there
//! would never be done. So a process that finds another one's pool makes its own. Callers hold no lock over what they
//! hand in: a thread that waits for its part may take up another caller's.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// The stack of each thread. `tree-sitter` calls itself once for each nested bracket where a grammar is ambiguous; what
/// is never used costs no memory.
const STACK_BYTES: usize = 16 << 20;

static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs `work` where `rayon` spreads it over all threads: those of the pool that the caller belongs to, or ours.
pub fn on_all_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() { work() } else { pool().install(work) }
}

/// Runs `feed` on this thread, which is none of the pool's: what it spawns is begun on all threads in the order in
/// which it comes, and done when this returns. `feed` receives the number of threads.
pub fn feed_all_threads<'scope, T>(feed: impl FnOnce(&Scope<'scope>, usize) -> T) -> T {
    let pool = pool();
    pool.in_place_scope(|scope| feed(scope, pool.current_num_threads()))
}

/// Maps each item by `work`, in order: on all threads, or on this one if parallel work does not pay. `start` makes a
/// thread's state, which is reused from item to item.
pub fn map_each<T: Sync, S, R: Send>(
    items: &[T],
    on_all: bool,
    start: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
) -> Vec<R> {
    if on_all {
        return on_all_threads(|| items.par_iter().map_init(start, work).collect());
    }
    let mut state = start();
    items.iter().map(|item| work(&mut state, item)).collect()
}

fn pool() -> Arc<ThreadPool> {
    let process = std::process::id();
    let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*shared {
        Some((owner, pool)) if *owner == process => Arc::clone(pool),
        _ => {
            // The other process's pool is never dropped: that would wait for its threads.
            std::mem::forget(shared.take());
            let pool =
                ThreadPoolBuilder::new().stack_size(STACK_BYTES).thread_name(|number| format!("codecairn-{number}"));
            let pool = Arc::new(pool.build().expect("invariant: a process may start a few threads"));
            *shared = Some((process, Arc::clone(&pool)));
            pool
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pool_serves_nested_and_parallel_work() {
        let sum =
            || on_all_threads(|| (0..1000_u64).into_par_iter().map(|number| on_all_threads(|| number)).sum::<u64>());
        std::thread::scope(|scope| {
            let sums: Vec<_> = (0..4).map(|_| scope.spawn(sum)).collect();
            assert!(sums.into_iter().all(|sum| sum.join().unwrap() == 499_500));
        });
        assert!(Arc::ptr_eq(&pool(), &pool()));
    }
}
