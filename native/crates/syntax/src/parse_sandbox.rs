//! Runs tree-sitter on a stack and in memory of its own, so that no text can exhaust those of the process.
//!
//! tree-sitter has no way to report that memory is short: it aborts the process if an allocation fails, and a single
//! step of its error recovery may take gigabytes. So a parse runs as a coroutine, and its allocations come from an
//! [`Arena`] with a bound. The allocation that would exceed it switches back to the caller and is never resumed: nothing
//! is unwound and no C function returns early, its frames and all that it allocated are simply given up, as those of a
//! permanently parked thread would be. Switching stacks costs nanoseconds, so every parse runs this way.
//!
//! tree-sitter also calls itself, once for each node of the stack of an ambiguous parse. A frame of such a call (96 to
//! 176 bytes) is smaller than the node that it visits (232 bytes), and the node lies in the arena: a stack that is as
//! large as the arena may become can't overflow. What is never touched of it costs no memory.
//!
//! What external scanners allocate with plain `malloc` is neither counted nor given up. Their state has to fit into 1,024
//! bytes when it is saved, so the state of a scanner, some kilobytes, is lost with each parse that is abandoned.

#![allow(
    unsafe_code,
    reason = "C calls back for memory and is left on its stack; each block names what makes it sound"
)]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Once;

use corosensei::stack::DefaultStack;
use corosensei::{CoroutineResult, ScopedCoroutine, Yielder};
use tree_sitter::Allocator;

use super::arena::Arena;

/// The stack of a parse that took no more memory is kept for the next one.
const MAX_RETAINED_BYTES: usize = 8 << 20;

/// The fixed part of a stack; the rest grows with the text.
const MIN_STACK: usize = 1 << 20;

/// A parse that has begun and not ended.
struct RunningParse {
    arena: *mut Arena,
    yielder: *const Yielder<(), ()>,
}

thread_local! {
    /// What this thread's allocations belong to; null outside of [`ParseSandbox::run`].
    static RUNNING: Cell<*const RunningParse> = const { Cell::new(ptr::null()) };
}

/// The memory and the stack of one thread's parses, reused from one to the next.
#[derive(Default)]
pub(crate) struct ParseSandbox {
    arena: Arena,
    stack: Option<(usize, DefaultStack)>,
}

/// The parse needs more memory than it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutOfMemory;

impl ParseSandbox {
    /// What `work` returns; tree-sitter's allocations in it may take `max_bytes`.
    ///
    /// # Safety
    ///
    /// What tree-sitter allocates in `work` is not used after it. Where `work` calls tree-sitter, it holds nothing whose
    /// drop others rely on, such as a lock: after an error, nothing that it holds is dropped.
    pub(super) unsafe fn run<R>(&mut self, max_bytes: usize, work: impl FnOnce() -> R) -> Result<R, OutOfMemory> {
        install_allocator();
        let size = max_bytes + MIN_STACK;
        let mut stack = match self.stack.take().filter(|(known, _)| *known >= size) {
            Some(stack) => stack,
            None => (size, DefaultStack::new(size).map_err(|_| OutOfMemory)?),
        };
        // SAFETY: as the caller promises, nothing of the run before is in use.
        unsafe { self.arena.begin(max_bytes) };
        let arena = &raw mut self.arena;
        let body = |yielder: &Yielder<(), ()>, ()| {
            let running = RunningParse { arena, yielder };
            let _reset = ResetOnDrop;
            RUNNING.set(&raw const running);
            work()
        };
        let done = ScopedCoroutine::with_stack(&mut stack.1, body).scope(|mut coroutine| {
            match coroutine.as_mut().resume(()) {
                CoroutineResult::Return(result) => Ok(result),
                CoroutineResult::Yield(()) => {
                    RUNNING.set(ptr::null());
                    // SAFETY: as the caller promises, nothing on that stack has to be dropped.
                    unsafe { coroutine.as_mut().force_reset() };
                    Err(OutOfMemory)
                }
            }
        });
        // A stack that was used deeply would keep its pages. Its depth is at most the memory that its nodes take.
        if done.is_ok() && self.arena.mapped_bytes() <= MAX_RETAINED_BYTES {
            self.stack = Some(stack);
        }
        done
    }
}

/// Takes allocations back to those of the process, also when the work panics.
struct ResetOnDrop;

impl Drop for ResetOnDrop {
    fn drop(&mut self) {
        RUNNING.set(ptr::null());
    }
}

/// Has tree-sitter allocate here. Outside of a run that is the process's own allocator, which was tree-sitter's before.
fn install_allocator() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let allocator = Allocator { malloc, calloc, realloc, free };
        // SAFETY: the functions are of one family and never return null; outside of a run they equal the default ones,
        // so what was allocated before may be freed after. Nothing in this crate uses tree-sitter before its first run.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}

/// The arena of this thread's run.
fn running<'a>() -> Option<&'a mut Arena> {
    // SAFETY: set to a value on the stack of the run, which ends after it is reset; and the arena is only used by the
    // functions below while a run lasts, one after the other.
    unsafe { RUNNING.get().as_ref().map(|running| &mut *running.arena) }
}

/// The block, or the end of the run.
fn or_abandon(block: Option<NonNull<u8>>) -> *mut c_void {
    match block {
        Some(block) => block.as_ptr().cast(),
        None => abandon(),
    }
}

#[cold]
fn abandon() -> ! {
    // SAFETY: only called while a run lasts, on the stack of its coroutine.
    unsafe { (*(*RUNNING.get()).yielder).suspend(()) };
    unreachable!("invariant: a run that was abandoned is never resumed")
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    match running() {
        Some(arena) => or_abandon(arena.allocate(size)),
        // SAFETY: any size may be asked for.
        None => or_abort(unsafe { libc::malloc(size) }, size),
    }
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(arena) = running() else {
        // SAFETY: any size may be asked for.
        return or_abort(unsafe { libc::calloc(count, size) }, size);
    };
    let size = count.checked_mul(size);
    let block = or_abandon(size.and_then(|size| arena.allocate(size)));
    // SAFETY: the block has so many bytes.
    unsafe { block.cast::<u8>().write_bytes(0, size.unwrap_or(0)) };
    block
}

unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(arena) = running() else {
        // SAFETY: tree-sitter passes a block that it got outside of runs.
        return or_abort(unsafe { libc::realloc(block, size) }, size);
    };
    let Some(old) = NonNull::new(block.cast::<u8>()) else { return or_abandon(arena.allocate(size)) };
    // SAFETY: tree-sitter passes a block that it got in this run.
    let capacity = unsafe { arena.capacity(old) };
    if size <= capacity {
        return block;
    }
    let new = or_abandon(arena.allocate(size));
    // SAFETY: the old block has `capacity` bytes, the new one more, and they are different blocks.
    unsafe { ptr::copy_nonoverlapping(old.as_ptr(), new.cast(), capacity) };
    // SAFETY: tree-sitter uses only the new block from here on.
    unsafe { arena.free(old) };
    new
}

unsafe extern "C" fn free(block: *mut c_void) {
    match running() {
        Some(arena) => {
            if let Some(block) = NonNull::new(block.cast()) {
                // SAFETY: tree-sitter passes a block that it got in this run and does not use it again.
                unsafe { arena.free(block) };
            }
        }
        // SAFETY: tree-sitter passes a block that it got outside of runs, or null.
        None => unsafe { libc::free(block) },
    }
}

/// A block of the process's allocator; tree-sitter takes no null, and small blocks outside of runs are all that it asks
/// for.
fn or_abort(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() && size > 0 {
        std::process::abort();
    }
    block
}
