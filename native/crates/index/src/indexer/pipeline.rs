//! The pipeline of files: one thread reads ahead, all cores prepare, one thread commits in the files' order.
//!
//! The reader finds the texts that are new; any free core prepares them. There are no batches, so no core idles while
//! there are files, however different they are. Of two files with one text the first in order is prepared, whichever
//! thread is faster.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rayon::Scope;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::feed_all_threads;
use codecairn_model::embed::Embedder;
use codecairn_store::{Snapshot, Store};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_walk::{Skip, Source, WalkedFile};

use super::backpressure::{Backpressure, StopOnDrop, load_of};
use super::prepare::{PreparedText, PreparerPool};

/// So much is indexed whatever the deadline, so that a run always gets somewhere: bytes, or files.
const MIN_BYTES: u64 = 8 << 20;
pub(super) const MIN_FILES: usize = 512;
/// Files that are looked up in one state of the store: bytes, or files.
const LOOK_UP_BYTES: u64 = 256 << 10;
const LOOK_UP_FILES: usize = 16;

/// One file of a run.
pub(super) struct ReadFile {
    pub(super) file: WalkedFile,
    /// When the file was looked at, before its content was read.
    pub(super) recorded_ns: i64,
    pub(super) content: Content,
}

impl ReadFile {
    /// A file that was not read because time ran out.
    pub(super) fn waiting(file: WalkedFile) -> Self {
        Self { file, recorded_ns: 0, content: Content::Waiting }
    }
}

/// What reading a file gave.
pub(super) enum Content {
    /// A text that the store does not have.
    New(Box<PreparedText>),
    /// A text that the store has.
    Stored(BlobId),
    /// The same text as another file of this run.
    Twin(ContentHash, &'static str),
    /// Nothing to index.
    Skipped(Skip),
    /// Not read: it waits for the next run.
    Waiting,
}

/// Reads files and prepares new texts.
pub(super) struct Pipeline<'a> {
    pub(super) store: &'a Store,
    pub(super) embedder: &'a dyn Embedder,
    pub(super) clock: &'a dyn Clock,
    pub(super) cancel: &'a CancelToken,
    /// When to stop reading, by the clock; never without.
    pub(super) deadline_ns: Option<i64>,
    pub(super) workbench: PreparerPool<'a>,
    /// Contents that are prepared again though the store has them.
    pub(super) retried: BTreeSet<BlobId>,
    /// Gives the content at a path.
    pub(super) read: &'a (dyn Fn(&str) -> Result<Source, Skip> + Sync),
}

/// A text as one file has it.
type TextKey = (ContentHash, &'static str);
/// What reading a file gave: it is done, or its text must be prepared.
type Reading = (ReadFile, Option<Source>);
/// Files that one thread prepares together, by the number of their group.
type Numbered = (usize, Result<Vec<ReadFile>>);

impl Pipeline<'_> {
    /// Calls `take_in` with the prepared files, in their order, while others are being prepared.
    pub(super) fn run<T>(
        &self,
        files: Vec<WalkedFile>,
        take_in: impl FnOnce(&mut InOrder<'_>) -> Result<T>,
    ) -> Result<T> {
        let flow = &Backpressure::new();
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            scope.spawn(move || feed_all_threads(|scope, threads| self.feed(files, scope, threads, &sender, flow)));
            let _stop = StopOnDrop(flow);
            let (early, group) = (BTreeMap::new(), Vec::new().into_iter());
            take_in(&mut InOrder { receiver, flow, early, next: 0, group, held: 0 })
        })
    }

    /// Reads file after file and has new texts prepared.
    fn feed<'scope>(
        &'scope self,
        files: Vec<WalkedFile>,
        scope: &Scope<'scope>,
        threads: usize,
        sender: &Sender<Numbered>,
        flow: &'scope Backpressure,
    ) {
        let mut seen = HashSet::new();
        let (mut group, mut number, mut bytes) = (0, 0, 0);
        for some in cut(files) {
            let begun = bytes >= MIN_BYTES || number >= MIN_FILES;
            let is_late = begun && self.deadline_ns.is_some_and(|deadline| self.clock.now_ns() > deadline);
            number += some.len();
            bytes += some.iter().map(|file| file.size).sum::<u64>();
            let readings = if is_late {
                Ok(some.into_iter().map(|file| (ReadFile::waiting(file), None)).collect())
            } else {
                self.read_some(some, &mut seen)
            };
            let readings = match readings {
                Ok(readings) => readings,
                Err(error) => {
                    // The receiver is gone if it can't be sent.
                    let _ = sender.send((group, Err(error)));
                    return;
                }
            };
            for readings in self.grouped(readings) {
                if !flow.admit(load_of(readings.iter().map(|(file, _)| file.file.size)), threads) {
                    return;
                }
                let (sender, number) = (sender.clone(), group);
                group += 1;
                if readings.iter().all(|(_, source)| source.is_none()) {
                    let _ = sender.send((number, Ok(readings.into_iter().map(|(file, _)| file).collect())));
                    continue;
                }
                flow.waits();
                scope.spawn(move |_| {
                    let prepared = if flow.begins() { self.prepare_all(readings) } else { Err(Error::Cancelled) };
                    let _ = sender.send((number, prepared));
                });
            }
        }
    }

    /// The files that one thread prepares together: a parse takes far longer than to hand a file over, taking in a record
    /// does not.
    fn grouped(&self, readings: Vec<Reading>) -> Vec<Vec<Reading>> {
        if self.workbench.has_records() { vec![readings] } else { readings.into_iter().map(|one| vec![one]).collect() }
    }

    fn prepare_all(&self, readings: Vec<Reading>) -> Result<Vec<ReadFile>> {
        let prepare = |(file, source)| match source {
            Some(source) => self.prepare(file, source),
            None => Ok(file),
        };
        readings.into_iter().map(prepare).collect()
    }

    fn read_some(&self, files: Vec<WalkedFile>, seen: &mut HashSet<TextKey>) -> Result<Vec<Reading>> {
        let mut sources = Vec::with_capacity(files.len());
        for file in files {
            self.cancel.check()?;
            let recorded_ns = self.clock.now_ns();
            let source = (self.read)(&file.path);
            sources.push((file, recorded_ns, source));
        }
        // Held for these look-ups only: the log can't be truncated while a reader uses it.
        let snapshot = self.store.reader()?;
        let recognise = |(file, recorded_ns, source)| {
            let (content, source) = match source {
                Err(skip) => (Content::Skipped(skip), None),
                Ok(source) => self.recognise(source, seen, &snapshot)?,
            };
            Ok((ReadFile { file, recorded_ns, content }, source))
        };
        sources.into_iter().map(recognise).collect()
    }

    /// Tells a text that must be prepared, which is given back, from one that is there already. What this run has met
    /// is a twin, whether or not it has been committed meanwhile.
    fn recognise(
        &self,
        source: Source,
        seen: &mut HashSet<TextKey>,
        snapshot: &Snapshot,
    ) -> Result<(Content, Option<Source>)> {
        let key = (source.hash, source.language.id);
        if seen.contains(&key) {
            return Ok((Content::Twin(key.0, key.1), None));
        }
        let stored = snapshot.find_blob(source.hash, source.language.id, EXTRACTOR_VERSION)?;
        if let Some(blob) = stored.filter(|blob| !self.retried.contains(blob)) {
            return Ok((Content::Stored(blob), None));
        }
        seen.insert(key);
        // Stands in until the text is prepared.
        Ok((Content::Twin(key.0, key.1), Some(source)))
    }

    fn prepare(&self, file: ReadFile, source: Source) -> Result<ReadFile> {
        self.cancel.check()?;
        // The committing thread would wait indefinitely for a file that never comes.
        let prepared = catch_unwind(AssertUnwindSafe(|| self.workbench.prepare(source, self.embedder)))
            .map_err(|_| Error::Internal(format!("preparing `{}` panicked", file.file.path)))??;
        Ok(ReadFile { content: Content::New(Box::new(prepared)), ..file })
    }
}

/// Splits `files` into groups that are looked up together.
fn cut(files: Vec<WalkedFile>) -> impl Iterator<Item = Vec<WalkedFile>> {
    let mut files = files.into_iter().peekable();
    std::iter::from_fn(move || {
        files.peek()?;
        let (mut some, mut bytes) = (Vec::new(), 0);
        while bytes < LOOK_UP_BYTES && some.len() < LOOK_UP_FILES {
            let Some(file) = files.next() else { break };
            bytes += file.size;
            some.push(file);
        }
        Some(some)
    })
}

/// Restores the order of the files, whichever was prepared first.
pub(super) struct InOrder<'a> {
    receiver: Receiver<Numbered>,
    flow: &'a Backpressure,
    early: BTreeMap<usize, Vec<ReadFile>>,
    next: usize,
    /// The rest of the group that is being taken in.
    group: std::vec::IntoIter<ReadFile>,
    /// The load of the group on the flow.
    held: u64,
}

impl Iterator for InOrder<'_> {
    type Item = Result<ReadFile>;

    fn next(&mut self) -> Option<Result<ReadFile>> {
        loop {
            if let Some(file) = self.group.next() {
                return Some(Ok(file));
            }
            self.flow.is_taken(std::mem::take(&mut self.held));
            let group = loop {
                if let Some(group) = self.early.remove(&self.next) {
                    break group;
                }
                match self.receiver.recv().ok()? {
                    (number, Ok(group)) => self.early.insert(number, group),
                    (_, Err(error)) => return Some(Err(error)),
                };
            };
            self.next += 1;
            self.held = load_of(group.iter().map(|file| file.file.size));
            self.group = group.into_iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecairn_walk::FileStat;

    #[test]
    fn what_is_looked_up_together_is_bounded_and_keeps_its_order() {
        let file = |number: usize, size| {
            WalkedFile::new(format!("{number:04}"), FileStat { size, mtime_ns: 0, ctime_ns: 0, inode: 0 })
        };
        let some: Vec<_> = cut((0..40).map(|number| file(number, 1)).collect()).collect();
        assert_eq!(some.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 8]);
        assert!(some.concat().is_sorted_by(|left, right| left.path < right.path));
        assert_eq!(cut((0..3).map(|number| file(number, LOOK_UP_BYTES)).collect()).count(), 3);
        assert_eq!(cut(Vec::new()).count(), 0);
    }
}
