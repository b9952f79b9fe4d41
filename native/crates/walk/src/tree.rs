//! Walks a tree: lists entries, and opens none.

use std::fs::FileType;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};

use super::entry::{Walk, WalkedFile};
use super::read::{MAX_FILE_BYTES, too_large};
use super::rules::Rules;
use super::skip::{Skip, SkipReason};
use super::stat::FileStat;
use super::{link, path};

/// More threads than this only wait for each other in the kernel's directory cache.
const MAX_THREADS: usize = 4;

/// Lists everything below `root` that `rules` let through, with one look at each file.
///
/// Fails only when `root` itself can't be listed, is not the one that `rules` were made for, or the work is
/// cancelled.
pub fn walk(root: &Path, rules: &Rules, cancel: &CancelToken) -> Result<Walk> {
    walk_until(root, rules, cancel, &|| false)
}

/// The same until `is_late` returns true; see [`Walk::is_cut_short`].
pub fn walk_until(
    root: &Path,
    rules: &Rules,
    cancel: &CancelToken,
    is_late: &(dyn Fn() -> bool + Sync),
) -> Result<Walk> {
    let bad_root = |detail: String| Error::BadRoot { path: root.to_path_buf(), detail };
    let canonical = root.canonicalize().map_err(|error| bad_root(error.to_string().to_lowercase()))?;
    if canonical != rules.root() {
        return Err(bad_root(format!("the rules were made for `{}`", rules.root().display())));
    }
    rules.refresh();
    let mut walk = list(&canonical, rules, cancel, is_late)?;
    walk.skip_all(rules.refused());
    Ok(walk)
}

/// Lists what lies below one folder, which the rules let through, under the rules as they were last read.
pub(super) fn walk_below(rules: &Rules, folder: &str, cancel: &CancelToken) -> Result<Walk> {
    list(&path::absolute(rules.root(), folder), rules, cancel, &|| false)
}

fn list(start: &Path, rules: &Rules, cancel: &CancelToken, is_late: &(dyn Fn() -> bool + Sync)) -> Result<Walk> {
    let pruned = Arc::new(PrunedEntries::default());
    let mut builder = WalkBuilder::new(start);
    builder.standard_filters(false).follow_links(false).threads(threads());
    builder.filter_entry({
        let (rules, pruned) = (rules.clone(), Arc::clone(&pruned));
        move |entry| pruned.lets_through(&rules, entry)
    });
    let (found, cut_short) = (Mutex::default(), AtomicBool::new(false));
    builder.build_parallel().run(|| {
        let mine = WalkResult::default();
        let mut visitor = Visitor { start, root: rules.root(), cancel, mine, all: &found };
        let cut_short = &cut_short;
        Box::new(move |entry| {
            if is_late() {
                cut_short.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            visitor.visit(entry)
        })
    });
    cancel.check()?;

    let WalkResult { mut walk, root_error } = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(detail) = root_error {
        return Err(Error::BadRoot { path: start.to_path_buf(), detail });
    }
    walk.skipped.append(&mut pruned.skipped.lock().unwrap_or_else(PoisonError::into_inner));
    walk.ignored = pruned.ignored.load(Ordering::Relaxed);
    walk.is_cut_short = cut_short.load(Ordering::Relaxed);
    walk.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walk.skipped.sort_unstable();
    Ok(walk)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
}

/// An entry that is no folder and that the rules let through: a file, or why it is left out.
pub(super) fn look(root: &Path, place: &Path, path: String, kind: FileType) -> std::result::Result<WalkedFile, Skip> {
    if kind.is_symlink() {
        return Err(link::skip(root, place, path));
    }
    if !kind.is_file() {
        return Err(Skip::new(path, SkipReason::Special, "a pipe, socket or device"));
    }
    match place.symlink_metadata() {
        Ok(metadata) if metadata.len() >= MAX_FILE_BYTES => Err(too_large(path, metadata.len())),
        Ok(metadata) => Ok(WalkedFile::new(path, FileStat::of(&metadata))),
        Err(error) => Err(Skip::io(path, &error)),
    }
}

/// The entries that rules exclude from the walk.
#[derive(Debug, Default)]
struct PrunedEntries {
    ignored: AtomicU64,
    skipped: Mutex<Vec<Skip>>,
}

impl PrunedEntries {
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

/// The findings of one thread, or of all.
#[derive(Debug, Default)]
struct WalkResult {
    walk: Walk,
    root_error: Option<String>,
}

/// One thread's collector; hands in what it has when the thread ends.
struct Visitor<'w> {
    start: &'w Path,
    root: &'w Path,
    cancel: &'w CancelToken,
    mine: WalkResult,
    all: &'w Mutex<WalkResult>,
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
        match look(self.root, entry.path(), path, kind) {
            Ok(file) => self.mine.walk.files.push(file),
            Err(skip) => self.mine.walk.skipped.push(skip),
        }
    }

    /// A folder that can't be listed, or an entry that went away.
    fn take_error(&mut self, error: &ignore::Error) {
        let detail = error.io_error().map_or_else(|| error.to_string(), ToString::to_string).to_lowercase();
        let place = place_of(error).unwrap_or(self.start);
        if place == self.start {
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
