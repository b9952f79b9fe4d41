//! The handler of the signals by which a fault or an abort ends a process. It records the work of this thread.
//!
//! The handler runs between two instructions of a thread whose memory may be in any state, so it does only what is safe
//! there: it reads atomics and a value on the stack of [`watch`], and calls `getpid`, `pthread_self`, `mkdir`, `open`,
//! `write`, `fsync`, `close`, `sigaction` and `raise`. It takes no lock and no memory, nor thread-local variables, which
//! may be made when they are first used. Afterwards the action that was there before gets the signal: mostly the end of
//! the process, with the report of Python's `faulthandler` if that is on.
//!
//! A signal that another process sends says nothing about a content: what is noted are faults, and what this thread raised
//! itself.

#![allow(unsafe_code, reason = "signals are handled by unsafe calls; each block names what makes it sound")]

use std::cell::RefCell;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use super::crash_log::WatchedContent;

/// Threads that are recorded at once; further ones are not.
const SLOTS: usize = 256;

/// The stack that a handler runs on, in bytes: a parse may have used up its own.
const STACK: usize = 64 << 10;

/// The longest line in bytes.
const MAX_LINE: usize = 256;

/// The signals, but for SIGBUS, whose handler [`mapped_file`](super::mapped_file) has.
const SIGNALS: [libc::c_int; 4] = [libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV];

/// The actions that were there before; never freed, as a handler may be reading them.
static PREVIOUS: [AtomicPtr<libc::sigaction>; SIGNALS.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; SIGNALS.len()];

static TABLE: [Slot; SLOTS] = [const { Slot::new() }; SLOTS];

/// One thread's work.
struct Slot {
    /// The process; a child of `fork` has none of its parent's threads. 0 while the slot is free.
    process: AtomicI32,
    thread: AtomicUsize,
    watched: AtomicPtr<Watched>,
}

impl Slot {
    const fn new() -> Self {
        let (process, thread) = (AtomicI32::new(0), AtomicUsize::new(0));
        Self { process, thread, watched: AtomicPtr::new(ptr::null_mut()) }
    }
}

/// A file to append lines to, and the folders above it that may have to be made.
pub(super) struct Target {
    file: CString,
    folders: Vec<CString>,
}

/// The work of a thread.
pub(super) struct Watched {
    pub(super) target: &'static Target,
    pub(super) content: WatchedContent,
    pub(super) version: &'static str,
}

/// The target of a file, which stays for the rest of the process; `None` for a path that no call to the system can have.
pub(super) fn target(file: &Path) -> Option<&'static Target> {
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
    let mut folders: Vec<CString> = file.ancestors().skip(1).take(3).filter_map(text).collect();
    folders.reverse();
    Some(Box::leak(Box::new(Target { file: text(file)?, folders })))
}

/// Does some work that is noted if this thread ends the process.
pub(super) fn watch<R>(watched: &Watched, work: impl FnOnce() -> R) -> R {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    STACK_OF_THREAD.with_borrow_mut(|stack| {
        stack.get_or_insert_with(SignalStack::new);
    });
    let process = std::process::id().cast_signed();
    let is_free = |slot: &&Slot| {
        let taken = slot.process.load(Ordering::Relaxed);
        taken != process && slot.process.compare_exchange(taken, process, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    let Some(slot) = TABLE.iter().find(is_free) else { return work() };
    // SAFETY: pthread_self has no preconditions.
    slot.thread.store(unsafe { libc::pthread_self() } as usize, Ordering::Release);
    slot.watched.store(ptr::from_ref(watched).cast_mut(), Ordering::Release);
    let _release = ReleaseOnDrop(slot);
    work()
}

/// Frees a slot, also when the work panics.
struct ReleaseOnDrop(&'static Slot);

impl Drop for ReleaseOnDrop {
    fn drop(&mut self) {
        self.0.watched.store(ptr::null_mut(), Ordering::Release);
        self.0.thread.store(0, Ordering::Release);
        self.0.process.store(0, Ordering::Release);
    }
}

thread_local! {
    /// Made with the first work of the thread.
    static STACK_OF_THREAD: RefCell<Option<SignalStack>> = const { RefCell::new(None) };
}

/// A stack for the handlers of this thread, unless it has one.
struct SignalStack(Option<Box<[MaybeUninit<u8>]>>);

impl SignalStack {
    fn new() -> Self {
        let mut current = MaybeUninit::<libc::stack_t>::uninit();
        // SAFETY: with no new stack, sigaltstack only writes the current one, whole, when it returns 0.
        let has_none = unsafe {
            libc::sigaltstack(ptr::null(), current.as_mut_ptr()) == 0
                && current.assume_init().ss_flags & libc::SS_DISABLE != 0
        };
        if !has_none {
            return Self(None);
        }
        let mut memory = Box::new_uninit_slice(STACK);
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
        // SAFETY: the memory lives until it is no longer the stack.
        let is_set = unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) } == 0;
        Self(is_set.then_some(memory))
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        if let Some(memory) = &mut self.0 {
            let none = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: libc::SS_DISABLE, ss_size: STACK };
            // SAFETY: the thread is ending, and is not in a handler.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
    }
}

/// Sets the handlers, once: one that was set later calls ours when it is done.
fn install() {
    super::mapped_file::watch_faults();
    for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
        let mut current = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with no new action, sigaction only writes the current one, whole, when it returns 0. A sigaction of
        // zeros is valid; the handler has the signature that SA_SIGINFO asks for, and finds what was there before.
        unsafe {
            if libc::sigaction(signal, ptr::null(), current.as_mut_ptr()) != 0 {
                continue;
            }
            previous.store(Box::into_raw(Box::new(current.assume_init())), Ordering::Release);
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_end;
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

extern "C" fn on_end(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the system passes a valid siginfo.
    let is_fault = unsafe { note(signal, info) };
    let previous = SIGNALS.iter().zip(&PREVIOUS).find(|(known, _)| **known == signal);
    let previous = previous.map_or(ptr::null_mut(), |(_, previous)| previous.load(Ordering::Acquire));
    // SAFETY: what PREVIOUS points to is never freed. Setting an action and raising a signal are allowed in a handler. A
    // fault is met again when this returns; a signal that was sent is sent once more, and comes then.
    unsafe {
        if previous.is_null() {
            libc::signal(signal, libc::SIG_DFL);
        } else {
            libc::sigaction(signal, previous, ptr::null_mut());
        }
        if !is_fault {
            libc::raise(signal);
        }
    }
}

/// Records the work of this thread if it ends the process itself; whether the signal is a fault.
///
/// # Safety
///
/// `info` is the argument that the system passed to a handler of this signal.
pub(super) unsafe fn note(signal: libc::c_int, info: *mut libc::siginfo_t) -> bool {
    /// Sent by a process: Apple's number, which elsewhere no signal here has.
    const SENT: libc::c_int = 0x10001;

    // SAFETY: as the caller promises. A signal that was sent has the process that sent it.
    let (is_fault, is_own) = unsafe {
        let code = (*info).si_code;
        let is_fault = code > 0 && code != SENT;
        (is_fault, is_fault || (*info).si_pid() == libc::getpid())
    };
    if is_own {
        // SAFETY: neither has preconditions.
        let (process, thread) = unsafe { (libc::getpid(), libc::pthread_self() as usize) };
        let is_here = |slot: &&Slot| {
            slot.process.load(Ordering::Acquire) == process && slot.thread.load(Ordering::Acquire) == thread
        };
        if let Some(slot) = TABLE.iter().find(is_here) {
            // SAFETY: set to a value on the stack of this thread's `watch`, which has not returned.
            if let Some(watched) = unsafe { slot.watched.load(Ordering::Acquire).as_ref() } {
                append(watched, signal);
            }
        }
    }
    is_fault
}

/// Appends the line of a content.
fn append(watched: &Watched, signal: libc::c_int) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        _ => "SIGSEGV",
    };
    let mut line = [0_u8; MAX_LINE];
    let mut length = 0;
    // No word with a panic in it: a line that is too long is cut, and then passed over.
    let mut put = |byte: u8| {
        if let Some(place) = line.get_mut(length) {
            *place = byte;
            length += 1;
        }
    };
    for byte in watched.content.hash.as_bytes() {
        for half in [byte >> 4, byte & 15] {
            put(DIGITS[usize::from(half)]);
        }
    }
    for word in [watched.content.language, name, watched.version] {
        put(b' ');
        word.bytes().for_each(&mut put);
    }
    put(b'\n');
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK;
    // SAFETY: the paths end in a zero byte and are never freed; the line has so many bytes; the file is only used while
    // it is open.
    unsafe {
        for folder in &watched.target.folders {
            libc::mkdir(folder.as_ptr(), 0o700);
        }
        let file = libc::open(watched.target.file.as_ptr(), flags, 0o600);
        if file >= 0 {
            libc::write(file, line.as_ptr().cast(), length);
            libc::fsync(file);
            libc::close(file);
        }
    }
}
