//! Read-only memory maps of derived files, guarded against files that are cut while they are mapped.
//!
//! Invariant: a derived file is never changed in place by this program. It is written under a temporary name, synced
//! and renamed; an old one is unlinked, which leaves existing maps valid.
//!
//! Another program may cut one all the same (`rsync --inplace`, a restored backup), and a disk may fail to read one.
//! Reading a page that is gone raises SIGBUS, which would end the process, and with it a user's Python. So a handler
//! puts zeros in the place of the rest of such a map and marks it: the read goes on, and the caller discards the answer
//! ([`MappedFile::is_cut`], [`cut_maps`]). It is what Wayland's compositors do with the buffers of their clients.
//! Faults at any other address go to the handler that was there before. Windows does not let a mapped file be cut.

#![allow(
    unsafe_code,
    reason = "mapping a file and handling its faults is unsafe; each block names what makes it sound"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use memmap2::Mmap;

use crate::database::FileKey;
use crate::error::{Error, Result};
use crate::private_files;

/// Maps that were cut since the process began.
static CUT_MAPS: AtomicU64 = AtomicU64::new(0);

/// How many maps were found to be cut since the process began: what was read between two calls with the same answer is
/// the content of the files.
pub(crate) fn cut_maps() -> u64 {
    CUT_MAPS.load(Ordering::Acquire)
}

/// Has the handler of SIGBUS note the work that a fault outside of all maps ends, as those of other signals do.
#[cfg(unix)]
pub(crate) fn watch_faults() {
    faults::install();
}

/// A whole file, mapped for reading.
#[derive(Debug)]
pub struct MappedFile {
    path: PathBuf,
    map: Mmap,
    /// Which file it is, and when it was written.
    stamp: Option<(FileKey, SystemTime)>,
    #[cfg(unix)]
    region: Option<&'static faults::Region>,
}

impl MappedFile {
    /// Maps the file at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let file = private_files::open(path).map_err(|source| Error::io(path, source))?;
        // SAFETY: derived files are immutable once named (module invariant); one that another program cuts reads as
        // zeros.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| Error::io(path, source))?;
        #[cfg(unix)]
        let region = faults::watch(&map);
        let stamp = FileKey::of(path).zip(file.metadata().and_then(|found| found.modified()).ok());
        Ok(Self {
            path: path.to_path_buf(),
            map,
            stamp,
            #[cfg(unix)]
            region,
        })
    }

    /// The file's bytes; zeros from some page on where the file was cut since.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether reading has met a page that is gone.
    pub(crate) fn is_cut(&self) -> bool {
        #[cfg(unix)]
        return self.region.is_some_and(faults::Region::is_cut);
        #[cfg(not(unix))]
        false
    }

    /// Whether the file was written to since it was mapped. A cut within its last page reads as zeros without a fault,
    /// and other bytes in a page are no fault at all; one that was unlinked or replaced stays as it is.
    fn is_changed(&self) -> bool {
        let Some((key, modified)) = self.stamp else { return false };
        FileKey::of(&self.path) == Some(key)
            && self.path.metadata().is_ok_and(|found| {
                found.len() != self.map.len() as u64 || found.modified().is_ok_and(|now| now != modified)
            })
    }

    /// Fails with [`Error::StoreDamaged`] if reading has met a page that is gone, or the file was written to since;
    /// costs two `stat`s.
    pub fn check_whole(&self) -> Result<()> {
        if !self.is_cut() && !self.is_changed() {
            return Ok(());
        }
        let detail = "it was cut, changed or became unreadable while it was in use".to_owned();
        Err(Error::StoreDamaged { path: self.path.clone(), detail })
    }
}

#[cfg(unix)]
impl Drop for MappedFile {
    fn drop(&mut self) {
        // Before the map goes: its addresses may be another's right after.
        if let Some(region) = self.region {
            region.release();
        }
    }
}

#[cfg(unix)]
mod faults {
    //! The handler of SIGBUS and the maps that it answers for.
    //!
    //! The handler runs in the thread that reads a map, between two instructions of ours, so what it does must be safe
    //! there: it reads atomics, and calls `mmap`, `sigaction` and `raise`. It takes no lock and no memory.

    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    use super::CUT_MAPS;

    /// Maps at a time that are guarded: a process has a dozen for each open store.
    const REGIONS: usize = 2048;

    static TABLE: [Region; REGIONS] = [const { Region::new() }; REGIONS];

    /// The action that was there before ours; never freed, as a handler may be reading it.
    static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

    /// The thread that handed a fault on last, to tell a handler that raises the signal again.
    static HANDED_ON: AtomicUsize = AtomicUsize::new(0);

    /// The addresses of one map.
    #[derive(Debug)]
    pub(super) struct Region {
        is_taken: AtomicBool,
        /// Zero while the slot has no map.
        start: AtomicUsize,
        len: AtomicUsize,
        is_cut: AtomicBool,
    }

    impl Region {
        const fn new() -> Self {
            Self {
                is_taken: AtomicBool::new(false),
                start: AtomicUsize::new(0),
                len: AtomicUsize::new(0),
                is_cut: AtomicBool::new(false),
            }
        }

        pub(super) fn is_cut(&self) -> bool {
            self.is_cut.load(Ordering::Acquire)
        }

        pub(super) fn release(&self) {
            self.start.store(0, Ordering::Release);
            self.is_taken.store(false, Ordering::Release);
        }
    }

    /// Guards a map until its region is released; `None` for an empty one, and beyond the maps that can be guarded.
    pub(super) fn watch(map: &[u8]) -> Option<&'static Region> {
        if map.is_empty() || !install() {
            return None;
        }
        let free = |region: &&Region| {
            region.is_taken.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let region = TABLE.iter().find(free)?;
        region.is_cut.store(false, Ordering::Release);
        region.len.store(map.len(), Ordering::Release);
        region.start.store(map.as_ptr() as usize, Ordering::Release);
        Some(region)
    }

    /// Sees to it that SIGBUS comes here first, also where another handler was set since (Python's `faulthandler`).
    pub(super) fn install() -> bool {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut current = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with no new action, sigaction only writes the current one, whole, when it returns 0.
        let current = unsafe {
            if libc::sigaction(libc::SIGBUS, ptr::null(), current.as_mut_ptr()) != 0 {
                return false;
            }
            current.assume_init()
        };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
        let own = handler as libc::sighandler_t;
        if current.sa_sigaction == own {
            return true;
        }
        // Once for each other handler that is met: a leak of some hundred bytes.
        PREVIOUS.store(Box::into_raw(Box::new(current)), Ordering::Release);
        // SAFETY: a sigaction of zeros is valid; the handler has the signature that SA_SIGINFO asks for.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = own;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) == 0
        }
    }

    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid siginfo; its address means something where the code says
        // that the system itself raised the signal.
        let (is_fault, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as usize) };
        if !(is_fault && fill(address)) {
            // SAFETY: as above.
            unsafe { crate::crash_signals::note(signal, info) };
            hand_on(signal, info, context, is_fault);
        }
    }

    /// Puts zeros from the page of `address` on into the map that it lies in; `false` if it lies in none of ours.
    fn fill(address: usize) -> bool {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let found = TABLE.iter().find_map(|region| {
            let start = region.start.load(Ordering::Acquire);
            let end = start.checked_add(region.len.load(Ordering::Acquire))?;
            (start != 0 && (start..end).contains(&address)).then_some((region, end))
        });
        let Some((region, end)) = found else { return false };
        let first = address - address % page;
        let (flags, protection) = (libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED, libc::PROT_READ);
        if !region.is_cut.swap(true, Ordering::AcqRel) {
            CUT_MAPS.fetch_add(1, Ordering::AcqRel);
        }
        // SAFETY: the pages from `first` to `end` are part of a live map that is only read; they stay readable, and the
        // map is marked before anybody can read zeros from it.
        let mapped = unsafe { libc::mmap(first as *mut libc::c_void, end - first, protection, flags, -1, 0) };
        mapped != libc::MAP_FAILED
    }

    /// Does what would be done without us.
    fn hand_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void, is_fault: bool) {
        // SAFETY: pthread_self has no preconditions.
        let thread = unsafe { libc::pthread_self() } as usize;
        // A handler that raises the signal again has done its work, and expects the process to end.
        let is_again = HANDED_ON.swap(thread, Ordering::AcqRel) == thread && !is_fault;
        // SAFETY: what PREVIOUS points to is never freed.
        let previous = unsafe { PREVIOUS.load(Ordering::Acquire).as_ref() };
        let previous = previous.filter(|action| ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction));
        match previous.filter(|_| !is_again) {
            Some(action) if action.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: an action with SA_SIGINFO has a handler of this signature.
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    unsafe { std::mem::transmute(action.sa_sigaction) };
                handler(signal, info, context);
            }
            Some(action) => {
                // SAFETY: an action without SA_SIGINFO has a handler of this signature.
                let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(action.sa_sigaction) };
                handler(signal);
            }
            // SAFETY: setting the default action and raising a signal are allowed in a handler. A fault is met again
            // when this returns; a signal that was sent is sent once more.
            None => unsafe {
                libc::signal(signal, libc::SIG_DFL);
                if !is_fault {
                    libc::raise(signal);
                }
            },
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn file_that_is_cut_reads_as_zeros_and_is_known_to_be_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.seg");
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        let (mapped, other) = (MappedFile::open(&path).unwrap(), MappedFile::open(&path).unwrap());
        assert_eq!(mapped.bytes()[99_999], 7);
        mapped.check_whole().unwrap();
        let before = cut_maps();
        File::options().write(true).open(&path).unwrap().set_len(10_000).unwrap();
        assert_eq!((mapped.bytes()[9_999], mapped.bytes()[50_000], mapped.bytes()[99_999]), (7, 0, 0));
        assert!(mapped.is_cut() && cut_maps() > before);
        assert!(matches!(mapped.check_whole(), Err(Error::StoreDamaged { .. })));
        assert!(!other.is_cut(), "its missing pages have not been read yet");
        std::thread::scope(|scope| {
            for at in [20_000, 60_000, 90_000] {
                let bytes = other.bytes();
                scope.spawn(move || assert_eq!(bytes[at], 0));
            }
        });
        assert!(other.is_cut());
        drop((mapped, other));
        let again = MappedFile::open(&path).unwrap();
        assert!(!again.is_cut());
        assert_eq!(again.bytes(), vec![7; 10_000]);
    }
}
