//! The walk itself: lists, never opens.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::entry::{Walk, WalkedFile};
use super::read::{MAX_FILE_BYTES, too_large};
use super::rules::Rules;
use super::skip::{Skip, SkipReason};
use super::stat::FileStat;
use super::{link, path};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};

/// More threads than this only wait for each other in the kernel's directory cache.
const MAX_THREADS: usize = 4;

/// Lists everything below `root` that `rules` let through, with one look at each file.
///
/// Fails only when `root` itself can't be listed, is not the one that `rules` were made for, or the work is
/// cancelled.
pub fn walk(root: &Path, rules: &Rules, cancel: &CancelToken) -> Result<Walk> {
    let bad_root = |detail: String| Error::BadRoot { path: root.to_path_buf(), detail };
    let canonical = root.canonicalize().map_err(|error| bad_root(error.to_string().to_lowercase()))?;
    if canonical != rules.root() {
        return Err(bad_root(format!("the rules were made for `{}`", rules.root().display())));
    }
    rules.refresh();
    let pruned = Arc::new(Pruned::default());
    let mut builder = WalkBuilder::new(&canonical);
    builder.standard_filters(false).follow_links(false).threads(threads());
    builder.filter_entry({
        let (rules, pruned) = (rules.clone(), Arc::clone(&pruned));
        move |entry| pruned.lets_through(&rules, entry)
    });
    let found = Mutex::default();
    builder.build_parallel().run(|| {
        let mut visitor = Visitor { root: &canonical, cancel, mine: Found::default(), all: &found };
        Box::new(move |entry| visitor.visit(entry))
    });
    cancel.check()?;

    let Found { mut walk, root_error } = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(detail) = root_error {
        return Err(bad_root(detail));
    }
    walk.skipped.append(&mut pruned.skipped.lock().unwrap_or_else(PoisonError::into_inner));
    walk.ignored = pruned.ignored.load(Ordering::Relaxed);
    walk.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walk.skipped.sort_unstable();
    Ok(walk)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
}

/// What the rules keep the walk from seeing.
#[derive(Debug, Default)]
struct Pruned {
    ignored: AtomicU64,
    skipped: Mutex<Vec<Skip>>,
}

impl Pruned {
    fn lets_through(&self, rules: &Rules, entry: &DirEntry) -> bool {
        let (path, (reason, detail)) = match path::relative(rules.root(), entry.path()) {
            Ok(path) => match rules.explain(&path, entry.path(), is_dir(entry)) {
                Some(reason) => (path, reason),
                None => return true,
            },
            Err(lossy) => (lossy, (SkipReason::UnreadableName, "the name is not valid unicode")),
        };
        match reason {
            SkipReason::Ignored => {
                self.ignored.fetch_add(1, Ordering::Relaxed);
            }
            SkipReason::Internal => {}
            _ => self.skipped.lock().unwrap_or_else(PoisonError::into_inner).push(Skip::new(path, reason, detail)),
        }
        false
    }
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// What one thread finds, or all of them together.
#[derive(Debug, Default)]
struct Found {
    walk: Walk,
    root_error: Option<String>,
}

/// One thread's collector; hands in what it has when the thread ends.
struct Visitor<'w> {
    root: &'w Path,
    cancel: &'w CancelToken,
    mine: Found,
    all: &'w Mutex<Found>,
}

impl Visitor<'_> {
    fn visit(&mut self, entry: std::result::Result<DirEntry, ignore::Error>) -> WalkState {
        if self.cancel.is_cancelled() {
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => self.take(&entry),
            Err(error) => self.take_error(&error),
        }
        WalkState::Continue
    }

    fn take(&mut self, entry: &DirEntry) {
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else {
            return;
        };
        let Ok(path) = path::relative(self.root, entry.path()) else {
            return; // filtered out before
        };
        let skip = if kind.is_symlink() {
            link::skip(self.root, entry.path(), path)
        } else if !kind.is_file() {
            Skip::new(path, SkipReason::Special, "a pipe, socket or device")
        } else {
            match entry.path().symlink_metadata() {
                Ok(metadata) if metadata.len() >= MAX_FILE_BYTES => too_large(path, metadata.len()),
                Ok(metadata) => {
                    self.mine.walk.files.push(WalkedFile::new(path, FileStat::of(&metadata)));
                    return;
                }
                Err(error) => Skip::io(path, &error),
            }
        };
        self.mine.walk.skipped.push(skip);
    }

    /// A folder that can't be listed, or an entry that went away.
    fn take_error(&mut self, error: &ignore::Error) {
        let detail = error.io_error().map_or_else(|| error.to_string(), ToString::to_string).to_lowercase();
        let place = place_of(error).unwrap_or(self.root);
        if place == self.root {
            self.mine.root_error = Some(detail);
            return;
        }
        let path = path::relative(self.root, place).unwrap_or_else(|lossy| lossy);
        let is_gone = error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let reason = if is_gone { SkipReason::Vanished } else { SkipReason::Unreadable };
        self.mine.walk.skipped.push(Skip::new(path, reason, detail));
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.walk.files.append(&mut self.mine.walk.files);
        all.walk.skipped.append(&mut self.mine.walk.skipped);
        all.root_error = all.root_error.take().or(self.mine.root_error.take());
    }
}

/// The path that an error of the walker is about.
fn place_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place_of(err),
        _ => None,
    }
}
