//! Locks a store for writing: a lock on `write.lock` that the system releases when the process ends, however it ends.
//!
//! Its holder is described in `write.owner`, apart from the locked file, which can't be read on Windows.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::civil_date;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::private_files;

/// How often a lock that is waited for is tried.
const TRY_EVERY: Duration = Duration::from_millis(5);

/// The minimum wait for the lock: a process that asks for the holder has the lock for a moment.
const MIN_WAIT: Duration = Duration::from_millis(10);

/// Bytes that the file which names the holder may have.
const MAX_OWNER_BYTES: u64 = 4096;

/// The held lock; dropping it lets the next writer in.
#[derive(Debug)]
pub(super) struct WriteLock {
    /// Locked as long as it is open.
    file: File,
}

impl WriteLock {
    /// Takes the lock of the store in `dir` as soon as it is free, or fails after `wait` with its holder. `owner` names
    /// the program, `now_ns` is the time.
    pub(super) fn acquire_within(
        dir: &Path,
        owner: &str,
        now_ns: i64,
        wait: Duration,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let mut left = wait.max(MIN_WAIT);
        loop {
            match Self::acquire(dir, owner, now_ns) {
                Err(Error::Locked { .. }) if !left.is_zero() => {
                    cancel.check()?;
                    let pause = TRY_EVERY.min(left);
                    std::thread::sleep(pause);
                    left -= pause;
                }
                outcome => return outcome,
            }
        }
    }

    /// Takes the lock of the store in `dir`, or fails with its holder.
    pub(super) fn acquire(dir: &Path, owner: &str, now_ns: i64) -> Result<Self> {
        let (lock_path, owner_path) = (dir.join("write.lock"), dir.join("write.owner"));
        check_files(dir)?;
        let file = private_files::open_or_create(&lock_path).map_err(|source| match source.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Error::StoreReadOnly { path: dir.to_path_buf(), detail: source.to_string() }
            }
            _ => Error::io(&lock_path, source),
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let owner = read_owner(&owner_path).unwrap_or_else(|| "another process".to_owned());
                return Err(Error::Locked { owner });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io(&lock_path, source)),
        }
        let lock = Self { file };
        failpoint::reach("lock.taken")?;
        let text = format!("{owner} (process {}{}, since {})\n", std::process::id(), host(), utc(now_ns));
        write_owner(&owner_path, &text).map_err(|source| Error::io(&owner_path, source))?;
        Ok(lock)
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started holds a copy until it has begun.
        let _ = self.file.unlock();
    }
}

/// Checks that the paths of the lock's files hold no other kind of file.
pub(super) fn check_files(dir: &Path) -> Result<()> {
    private_files::require_file(&dir.join("write.lock"))?;
    private_files::require_file(&dir.join("write.owner"))
}

/// The holder of the lock of the store in `dir`, in words; `None` if it is free.
pub(super) fn holder(dir: &Path) -> Option<String> {
    let file = private_files::open(&dir.join("write.lock")).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read_owner(&dir.join("write.owner")),
        _ => None,
    }
}

/// The first line of the file that names the holder; `None` if it is empty or can't be read.
fn read_owner(path: &Path) -> Option<String> {
    let text = private_files::read(path, MAX_OWNER_BYTES).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

/// Overwrites the file in place: to empty it first would make ext4 write the new content to disk at once.
fn write_owner(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = private_files::open_or_create(path)?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// ` on <host>`, if the system has its name in a file.
#[expect(clippy::disallowed_methods, reason = "a file of the kernel's")]
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { String::new() } else { format!(" on {}", name.trim()) }
}

/// A time as people read it.
fn utc(now_ns: i64) -> String {
    let seconds = now_ns.div_euclid(1_000_000_000);
    let (year, month, day) = civil_date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_827_696_000_000_000), "2000-02-29 12:34:56 UTC");
        assert_eq!(utc(-1), "1969-12-31 23:59:59 UTC");
    }

    #[test]
    fn second_lock_names_the_owner() {
        let dir = tempfile::tempdir().unwrap();
        let first = WriteLock::acquire(dir.path(), "codecairn index", 0).unwrap();
        let Err(Error::Locked { owner }) = WriteLock::acquire(dir.path(), "codecairn watch", 0) else { panic!() };
        assert!(owner.starts_with("codecairn index (process "), "{owner}");
        assert!(owner.ends_with("since 1970-01-01 00:00:00 UTC)"), "{owner}");
        drop(first);
        WriteLock::acquire(dir.path(), "codecairn watch", 0).unwrap();
    }

    #[test]
    fn a_lock_that_is_waited_for_is_taken_once_it_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let first = WriteLock::acquire(dir.path(), "first", 0).unwrap();
        let (cancel, short) = (CancelToken::default(), Duration::from_millis(1));
        let refused = WriteLock::acquire_within(dir.path(), "second", 0, short, &cancel);
        assert!(matches!(refused, Err(Error::Locked { .. })));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                WriteLock::acquire_within(dir.path(), "second", 0, Duration::from_mins(1), &CancelToken::default())
            });
            drop(first);
            second.join().unwrap().unwrap();
        });
        let _held = WriteLock::acquire(dir.path(), "first", 0).unwrap();
        cancel.cancel();
        let stopped = WriteLock::acquire_within(dir.path(), "second", 0, Duration::from_mins(1), &cancel);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
