//! Remembers which contents ended a process while they were worked on, so that none ends a second one.
//!
//! Parsers are C that others wrote, and a text may come from anyone. A thread that parses says so here ([`CrashLog::watch`],
//! some nanoseconds); if it ends the process by a fault or an abort, a handler of that signal appends a line to one file of
//! the user's data folder. Whoever parses next finds the line ([`CrashLog::signal_of`]) and does without the parse. A
//! process that is interrupted, killed or out of memory leaves no line.
//!
//! A content is known by its hash, so a line holds in every workspace and clone. It speaks of these bytes alone and of one
//! version of the program; nothing in a repository can write one.
//!
//! Windows has no such signals: there [`CrashLog::watch`] only calls its work.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::atomic_file::AtomicFile;
#[cfg(unix)]
use super::crash_signals as signals;
use super::error::{Error, Result};
use super::hash::ContentHash;
use super::private_files;

/// The file's name in the user's data folder.
pub const CRASH_FILE: &str = "crashes";

/// More than this at the end of the file is not read: ten thousand lines.
const MAX_BYTES: u64 = 1 << 20;

/// The signals by which a content ends a process.
pub const CRASH_SIGNALS: [&str; 5] = ["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV"];

/// Where this process keeps its log, once it knows.
static PLACE: Mutex<Option<Place>> = Mutex::new(None);

#[derive(Clone)]
struct Place {
    file: PathBuf,
    #[cfg(unix)]
    target: Option<&'static signals::Target>,
}

/// Keeps the log in this folder from now on. Without it, nothing is remembered.
pub fn keep_in(data_folder: &Path) {
    let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = data_folder.join(CRASH_FILE);
    if place.as_ref().is_none_or(|known| known.file != file) {
        *place = Some(Place {
            #[cfg(unix)]
            target: signals::target(&file),
            file,
        });
    }
}

/// A content as it is worked on: equal bytes may end the parser of one language and not that of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchedContent {
    /// The hash of the text.
    pub hash: ContentHash,
    /// The language's id.
    pub language: &'static str,
}

type Lines = BTreeMap<(String, String), &'static str>;

/// The contents that ended a process of this version of the program.
#[derive(Clone)]
pub struct CrashLog {
    place: Place,
    version: &'static str,
    signals: Arc<Lines>,
}

impl std::fmt::Debug for CrashLog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CrashLog").field("file", &self.place.file).finish_non_exhaustive()
    }
}

impl CrashLog {
    /// Reads the log of this process's user; `None` if it is nowhere kept. A line counts for the version that wrote it,
    /// which has no spaces. A file that can't be read counts as empty. Of one that is longer than [`MAX_BYTES`], the
    /// end is read, and only the lines of this version are kept.
    pub fn open(version: &'static str) -> Option<Self> {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let (text, is_whole) = read_end(&place.file, MAX_BYTES).unwrap_or((String::new(), true));
        let signals = parse(&text, version);
        if !is_whole {
            // Without room for it, the file stays as it is.
            let _ = write(&place.file, &signals, version);
        }
        let signals = Arc::new(signals);
        Some(Self { place, version, signals })
    }

    /// The file that has the lines.
    pub fn file(&self) -> &Path {
        &self.place.file
    }

    /// The signal by which this content ended a process; `None` if it did not.
    pub fn signal_of(&self, content: WatchedContent) -> Option<&'static str> {
        if self.signals.is_empty() {
            return None;
        }
        self.signals.get(&(content.hash.to_string(), content.language.to_owned())).copied()
    }

    /// Does some work on a content, which is noted if this thread ends the process by a signal of [`CRASH_SIGNALS`].
    pub fn watch<R>(&self, content: WatchedContent, work: impl FnOnce() -> R) -> R {
        #[cfg(unix)]
        if let Some(target) = self.place.target {
            return signals::watch(&signals::Watched { target, content, version: self.version }, work);
        }
        let _ = content;
        work()
    }
}

/// Checks that the log of this process's user can be read, if it is kept anywhere and there is one.
///
/// # Errors
/// [`Error::Io`] if it can't.
pub fn check() -> Result<()> {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match place.map(|place| read_end(&place.file, MAX_BYTES).map_err(|source| Error::io(&place.file, source))) {
        Some(Err(error)) => Err(error),
        _ => Ok(()),
    }
}

/// The last `max_bytes` of a file, and whether that is all of it; nothing if there is no file.
fn read_end(path: &Path, max_bytes: u64) -> io::Result<(String, bool)> {
    let mut file = match private_files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((String::new(), true)),
        opened => opened?,
    };
    let skipped = file.metadata()?.len().saturating_sub(max_bytes);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), skipped == 0))
}

/// Replaces the log by the lines of one version.
fn write(path: &Path, lines: &Lines, version: &str) -> Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(());
    };
    let mut file = AtomicFile::create(folder, name)?;
    for ((hash, language), signal) in lines {
        file.write(format!("{hash} {language} {signal} {version}\n").as_bytes())?;
    }
    file.publish(&[])
}

/// The lines of one version: content and language, with the signal. What is no line of ours is passed over: one that a
/// dying process wrote may be cut.
fn parse(text: &str, version: &str) -> Lines {
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let (hash, language, signal) = (words.next()?, words.next()?, words.next()?);
        let signal = CRASH_SIGNALS.into_iter().find(|known| *known == signal)?;
        let is_whole = words.next() == Some(version) && words.next().is_none();
        is_whole.then(|| ((hash.to_owned(), language.to_owned()), signal))
    };
    text.lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_a_long_log_counts_and_the_lines_of_other_versions_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CRASH_FILE);
        let others = "0a ruby SIGABRT 0+1\n".repeat(MAX_BYTES as usize / 20 + 1);
        std::fs::write(&path, format!("{others}aa ruby SIGABRT 1+2\n")).unwrap();
        keep_in(folder.path());
        let log = CrashLog::open("1+2").unwrap();
        assert_eq!(log.signals.values().collect::<Vec<_>>(), [&"SIGABRT"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "aa ruby SIGABRT 1+2\n");
        assert!(check().is_ok());
        std::fs::remove_file(&path).unwrap();
        assert!(check().is_ok());
        std::fs::create_dir(&path).unwrap();
        assert!(check().unwrap_err().to_string().contains(CRASH_FILE));
    }

    #[test]
    fn only_whole_lines_of_this_version_count() {
        let text = "aa ruby SIGABRT 1+2\nbb ruby SIGSEGV 1+1\ncc perl SIGKILL 1+2\ndd perl SIGBUS 1+2 more\nee perl\n\n\u{fffd}\nff c SIGILL 1+2";
        let lines = parse(text, "1+2");
        let found: Vec<_> = lines.iter().map(|((hash, language), signal)| (&**hash, &**language, *signal)).collect();
        assert_eq!(found, [("aa", "ruby", "SIGABRT"), ("ff", "c", "SIGILL")]);
    }
}
