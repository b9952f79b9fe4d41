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
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use super::crash_signals as signals;
use super::hash::ContentHash;
use super::private_files;

/// The file's name in the user's data folder.
pub const CRASH_FILE: &str = "crashes";

/// More than this is not read: ten thousand lines.
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
    /// which has no spaces. A file that can't be read counts as empty.
    pub fn open(version: &'static str) -> Option<Self> {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let bytes = private_files::read(&place.file, MAX_BYTES).unwrap_or_default();
        let signals = Arc::new(parse(&String::from_utf8_lossy(&bytes), version));
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
    fn only_whole_lines_of_this_version_count() {
        let text = "aa ruby SIGABRT 1+2\nbb ruby SIGSEGV 1+1\ncc perl SIGKILL 1+2\ndd perl SIGBUS 1+2 more\nee perl\n\n\u{fffd}\nff c SIGILL 1+2";
        let lines = parse(text, "1+2");
        let found: Vec<_> = lines.iter().map(|((hash, language), signal)| (&**hash, &**language, *signal)).collect();
        assert_eq!(found, [("aa", "ruby", "SIGABRT"), ("ff", "c", "SIGILL")]);
    }
}
