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

use super::backpressure::{Backpressure, StopOnDrop};
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
type Numbered = (usize, Result<ReadFile>);

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
            take_in(&mut InOrder { receiver, flow, early: BTreeMap::new(), next: 0, held_bytes: None })
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
        let (mut number, mut bytes) = (0, 0);
        for some in cut(files) {
            let begun = bytes >= MIN_BYTES || number >= MIN_FILES;
            let is_late = begun && self.deadline_ns.is_some_and(|deadline| self.clock.now_ns() > deadline);
            let readings = if is_late {
                Ok(some.into_iter().map(|file| (ReadFile::waiting(file), None)).collect())
            } else {
                self.read_some(some, &mut seen)
            };
            let readings = match readings {
                Ok(readings) => readings,
                Err(error) => {
                    // The receiver is gone if it can't be sent.
                    let _ = sender.send((number, Err(error)));
                    return;
                }
            };
            for (file, source) in readings {
                bytes += file.file.size;
                if !flow.admit(file.file.size, threads) {
                    return;
                }
                let sender = sender.clone();
                match source {
                    None => {
                        let _ = sender.send((number, Ok(file)));
                    }
                    Some(source) => {
                        flow.waits();
                        scope.spawn(move |_| {
                            let prepared =
                                if flow.begins() { self.prepare(file, source) } else { Err(Error::Cancelled) };
                            let _ = sender.send((number, prepared));
                        });
                    }
                }
                number += 1;
            }
        }
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
    early: BTreeMap<usize, ReadFile>,
    next: usize,
    /// The size of the file that was returned last and is being committed.
    held_bytes: Option<u64>,
}

impl Iterator for InOrder<'_> {
    type Item = Result<ReadFile>;

    fn next(&mut self) -> Option<Result<ReadFile>> {
        if let Some(bytes) = self.held_bytes.take() {
            self.flow.is_taken(bytes);
        }
        loop {
            if let Some(file) = self.early.remove(&self.next) {
                self.next += 1;
                self.held_bytes = Some(file.file.size);
                return Some(Ok(file));
            }
            match self.receiver.recv().ok()? {
                (number, Ok(file)) => self.early.insert(number, file),
                (_, Err(error)) => return Some(Err(error)),
            };
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
