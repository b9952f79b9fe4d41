//! The state that hooks keep between calls: small files in one folder of the user's data.
//!
//! - `log`, `log.1`: errors, without any prompt, path or output.
//! - `places/`: the project of a folder and its settings.
//! - `claims/`: events that are being served, so an event that is delivered twice is served once.
//! - `hints/`: the hints on tools that a session was given.
//! - `asked/`: the prompts that each session had since its agent was asked for what it learned.
//! - `sessions/`: sessions that the user excluded.
//! - `session-places/`: the project of each session, for when its folder is gone.
//!
//! Files are written whole, and are for this user alone. File names are SHA-1 digests of what they are about.

use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use codecairn_base::clock::{Clock, civil_date};
use codecairn_base::private_files;
use sha1_smol::Sha1;

use super::environment::Environment;
use super::text;

/// A file of state is far smaller.
const MAX_FILE_BYTES: u64 = 1_000_000;

/// The log is set aside when it is longer.
const MAX_LOG_BYTES: u64 = 256_000;

/// A line of the log is cut after so many characters.
const MAX_LOG_CHARACTERS: usize = 2_000;

/// The folder and the clock of the state.
pub struct State {
    folder: PathBuf,
    clock: Arc<dyn Clock>,
}

/// A file name for some texts together.
pub(crate) fn name_of(parts: &[&str]) -> String {
    Sha1::from(parts.join("\0")).digest().to_string()
}

impl State {
    /// The state of the user of this environment.
    pub fn of(environment: &Environment, clock: Arc<dyn Clock>) -> Self {
        Self { folder: environment.hooks_folder(), clock }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text of a file in a folder of the state; `None` if there is none.
    pub fn read(&self, sub: &str, name: &str) -> Option<String> {
        let bytes = private_files::read(&self.folder.join(sub).join(name), MAX_FILE_BYTES).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Writes a file whole, or not at all.
    pub fn write(&self, sub: &str, name: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(sub).join(name);
        let temporary = own_name(&path);
        let mut file = match private_files::create(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_parent(&path)?;
                private_files::create(&temporary)?
            }
            created => created?,
        };
        file.write_all(text.as_bytes())?;
        drop(file);
        std::fs::rename(temporary, path)
    }

    /// Removes a file if it is there.
    pub fn remove(&self, sub: &str, name: &str) {
        // Where it can't be removed, it stays in force.
        let _ = private_files::remove_if_exists(&self.folder.join(sub).join(name));
    }

    /// Claims something for this call; `false` if another one did within some time.
    pub fn claim(&self, parts: &[&str], within: Duration) -> bool {
        let path = self.folder.join("claims").join(name_of(parts));
        for _ in 0..2 {
            match private_files::create_new(&path).map_err(|error| error.kind()) {
                Err(io::ErrorKind::AlreadyExists) => return self.is_older(&path, within) && retake(&path).is_ok(),
                Err(io::ErrorKind::NotFound) if make_parent(&path).is_ok() => {}
                // Where nothing can be written, twice is better than never.
                _ => return true,
            }
        }
        true
    }

    /// Removes files of a folder that were not written for so long.
    pub fn sweep(&self, sub: &str, older: Duration) {
        let Ok(entries) = std::fs::read_dir(self.folder.join(sub)) else { return };
        for entry in entries.flatten().filter(|entry| self.is_older(&entry.path(), older)) {
            // Another process may sweep at the same time.
            let _ = private_files::remove_if_exists(&entry.path());
        }
    }

    /// Notes what went wrong; the log has a bounded number of bytes.
    pub fn log(&self, message: &str) {
        // Where no log can be written, an error of it can not be reported either.
        let _ = self.try_log(message);
    }

    fn try_log(&self, message: &str) -> io::Result<()> {
        let path = self.folder.join("log");
        make_parent(&path)?;
        let stamp = timestamp(self.now_ms().div_euclid(1_000));
        let line = format!("{stamp} {} {message}", process::id());
        let line = format!("{}\n", text::head(&line, MAX_LOG_CHARACTERS).replace('\n', " "));
        let mut file = private_files::open_to_append(&path)?;
        file.write_all(line.as_bytes())?;
        if file.seek(SeekFrom::End(0))? > MAX_LOG_BYTES {
            std::fs::rename(&path, self.folder.join("log.1"))?;
        }
        Ok(())
    }

    /// The time, in milliseconds since the epoch.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ns().div_euclid(1_000_000)
    }

    fn is_older(&self, path: &Path, age: Duration) -> bool {
        let Ok(modified) = std::fs::symlink_metadata(path).and_then(|found| found.modified()) else { return false };
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(self.clock.now_ns()).unwrap_or_default());
        now.duration_since(modified).is_ok_and(|passed| passed > age)
    }
}

/// Takes over an expired claim: of concurrent processes, the one whose rename succeeds.
fn retake(path: &Path) -> io::Result<()> {
    let taken = own_name(path);
    std::fs::rename(path, &taken)?;
    private_files::remove(&taken)?;
    private_files::create_new(path).map(drop)
}

/// The name of a file of this process beside a file.
fn own_name(path: &Path) -> PathBuf {
    path.with_extension(process::id().to_string())
}

fn make_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().unwrap_or(path);
    private_files::make_folder(parent).map_err(io::Error::other)
}

/// A time in seconds since the epoch as `2026-11-25T08:41:42Z`, in the Gregorian calendar.
fn timestamp(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use codecairn_base::clock::FixedClock;

    use super::*;

    /// The state in a folder, as if it were so many seconds later.
    fn state(folder: &Path, later_s: u64) -> State {
        let now = std::fs::metadata(folder).unwrap().modified().unwrap() + Duration::from_secs(later_s);
        let now_ns = now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as i64;
        State { folder: folder.join("hooks"), clock: Arc::new(FixedClock(now_ns)) }
    }

    #[cfg(unix)]
    #[test]
    fn files_are_for_this_user_alone() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path(), 0);
        assert_eq!(state.read("asked", "a"), None);
        state.write("asked", "a", "1").unwrap();
        state.write("asked", "a", "2").unwrap();
        state.log("a\nb");
        assert_eq!(state.read("asked", "a").as_deref(), Some("2"));
        let mode = |path: &str| std::fs::metadata(state.folder().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode("asked/a"), mode("log"), mode("asked"), mode("")], [0o600, 0o600, 0o700, 0o700]);
        assert_eq!(std::fs::read_dir(state.folder().join("asked")).unwrap().count(), 1);
        state.remove("asked", "a");
        state.remove("asked", "a");
        assert_eq!(state.read("asked", "a"), None);
    }

    #[test]
    fn a_claim_expires() {
        let folder = tempfile::tempdir().unwrap();
        let within = Duration::from_secs(30);
        assert!(state(folder.path(), 0).claim(&["work", "a"], within));
        assert!(!state(folder.path(), 20).claim(&["work", "a"], within));
        assert!(state(folder.path(), 20).claim(&["work", "b"], within));
        assert!(state(folder.path(), 40).claim(&["work", "a"], within));
        assert_eq!(std::fs::read_dir(folder.path().join("hooks/claims")).unwrap().count(), 2);
    }

    #[test]
    fn old_files_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        state(folder.path(), 0).write("hints", "a", "x").unwrap();
        state(folder.path(), 50).sweep("hints", Duration::from_mins(1));
        assert!(state(folder.path(), 50).read("hints", "a").is_some());
        state(folder.path(), 70).sweep("hints", Duration::from_mins(1));
        assert!(state(folder.path(), 70).read("hints", "a").is_none());
        state(folder.path(), 0).sweep("nothing", Duration::ZERO);
    }

    #[test]
    fn the_log_is_one_line_a_message_and_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path(), 0);
        for _ in 0..600 {
            state.log(&format!("a\n{}", "x".repeat(1_900)));
        }
        let sizes = ["log", "log.1"].map(|name| std::fs::metadata(state.folder().join(name)).unwrap().len());
        assert!(sizes.iter().all(|size| *size < 300_000), "{sizes:?}");
        let text = std::fs::read_to_string(state.folder().join("log")).unwrap();
        assert!(text.lines().all(|line| line.contains(" a xxx") && line.len() < 2_000));
    }

    #[test]
    fn times_are_written_in_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_596_102, "2026-11-25T08:41:42Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(timestamp(seconds), expected);
        }
    }

    #[test]
    fn names_are_digests_of_their_parts() {
        assert_eq!(name_of(&["a", "b"]), "4a3dec2d1f8245280855c42db0ee4239f917fdb8");
    }
}
