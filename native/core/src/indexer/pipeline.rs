//! The files to read, cut into batches of bounded size and prepared on all cores.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use super::prepare::{Prepared, Workbench};
use crate::cancel::CancelToken;
use crate::chunk::EXTRACTOR_VERSION;
use crate::clock::Clock;
use crate::embed::Embedder;
use crate::error::Result;
use crate::hash::ContentHash;
use crate::id::BlobId;
use crate::parallel::on_all_threads;
use crate::store::{Snapshot, Store};
use crate::walk::{Skip, Source, WalkedFile, read_source};

/// A batch ends with the file that brings it here: enough to keep all cores busy, little enough to hold twice.
const BATCH_BYTES: u64 = 8 << 20;
/// Small files have a cost of their own.
const BATCH_FILES: usize = 512;

/// One file of a batch.
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
    New(Box<Prepared>),
    /// A text that the store has.
    Stored(BlobId),
    /// The same text as another file of this run.
    Twin(ContentHash, &'static str),
    /// Nothing to index.
    Skipped(Skip),
    /// Not read: it waits for the next run.
    Waiting,
}

/// Cuts `files` into batches.
pub(super) fn cut(files: Vec<WalkedFile>) -> Vec<Vec<WalkedFile>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut bytes = 0;
    for file in files {
        bytes += file.size;
        batch.push(file);
        if bytes >= BATCH_BYTES || batch.len() >= BATCH_FILES {
            batches.push(std::mem::take(&mut batch));
            bytes = 0;
        }
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

/// Prepares batches one after the other, each on all cores.
pub(super) struct Preparer<'a> {
    pub(super) root: &'a Path,
    pub(super) store: &'a Store,
    pub(super) embedder: Option<&'a dyn Embedder>,
    pub(super) clock: &'a dyn Clock,
    pub(super) cancel: &'a CancelToken,
    pub(super) workbench: Workbench,
    /// Texts that some batch before has prepared.
    pub(super) seen: HashSet<(ContentHash, &'static str)>,
}

impl Preparer<'_> {
    /// Reads and prepares one batch; outcomes come in the order of the files.
    pub(super) fn prepare(&mut self, files: Vec<WalkedFile>) -> Result<Vec<ReadFile>> {
        self.prepare_with(files, read_source)
    }

    /// Prepares one batch of what `read` gives for the root and a path.
    pub(super) fn prepare_with(
        &mut self,
        files: Vec<WalkedFile>,
        read: impl Fn(&Path, &str) -> Result<Source, Skip> + Sync,
    ) -> Result<Vec<ReadFile>> {
        let (root, clock, cancel) = (self.root, self.clock, self.cancel);
        let read_one = |file: &WalkedFile| {
            cancel.check()?;
            Ok((clock.now_ns(), read(root, &file.path)))
        };
        let sources: Vec<(i64, Result<Source, Skip>)> =
            on_all_threads(|| files.par_iter().map(read_one).collect::<Result<_>>())?;
        // Held for these look-ups only: the log can't be emptied while somebody reads from it.
        let snapshot = self.store.reader()?;
        let mut outcomes = Vec::with_capacity(files.len());
        let mut new: Vec<Option<Source>> = Vec::with_capacity(files.len());
        for (file, (recorded_ns, source)) in files.into_iter().zip(sources) {
            let (content, source) = match source {
                Err(skip) => (Content::Skipped(skip), None),
                Ok(source) => self.recognise(source, &snapshot)?,
            };
            outcomes.push(ReadFile { file, recorded_ns, content });
            new.push(source);
        }
        drop(snapshot);
        let (workbench, embedder) = (&self.workbench, self.embedder);
        let prepare_one = |source: Option<Source>| {
            cancel.check()?;
            Ok(source.map(|source| workbench.prepare(source, embedder)))
        };
        let prepared: Vec<Option<Prepared>> =
            on_all_threads(|| new.into_par_iter().map(prepare_one).collect::<Result<_>>())?;
        for (outcome, prepared) in outcomes.iter_mut().zip(prepared) {
            if let Some(prepared) = prepared {
                outcome.content = Content::New(Box::new(prepared));
            }
        }
        Ok(outcomes)
    }

    /// Tells a text that must be prepared, which is given back, from one that is there already. What this run has met is
    /// a twin, whether or not it has been committed meanwhile.
    fn recognise(&mut self, source: Source, snapshot: &Snapshot) -> Result<(Content, Option<Source>)> {
        let key = (source.hash, source.language.id);
        if self.seen.contains(&key) {
            return Ok((Content::Twin(key.0, key.1), None));
        }
        if let Some(blob) = snapshot.find_blob(source.hash, source.language.id, EXTRACTOR_VERSION)? {
            return Ok((Content::Stored(blob), None));
        }
        self.seen.insert(key);
        // Stands in until the text is prepared.
        Ok((Content::Twin(key.0, key.1), Some(source)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::FileStat;

    #[test]
    fn batches_are_bounded_and_keep_order() {
        let file =
            |number: usize, size| WalkedFile::new(format!("{number:04}"), FileStat { size, mtime_ns: 0, inode: 0 });
        let batches = cut((0..1200).map(|number| file(number, 1)).collect());
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [512, 512, 176]);
        let batches = cut((0..3).map(|number| file(number, BATCH_BYTES)).collect());
        assert_eq!(batches.len(), 3);
        assert!(cut(Vec::new()).is_empty());
    }
}
