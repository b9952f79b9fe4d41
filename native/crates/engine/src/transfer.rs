//! Exports the index for other stores, and imports what another one exported.

use std::sync::{Mutex, PoisonError};

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::Generation;
use codecairn_index::indexer::{IndexReport, Progress, current_branch};
use codecairn_index::transfer::{self, Digests, RecordPacks};
use codecairn_store::Snapshot;

use super::Engine;

pub use codecairn_index::transfer::{IndexedContent, NumberingPart, SegmentPart, TextDigest};

/// One export of an index: all of its parts are of the state that the first one was of.
#[derive(Debug, Default)]
pub struct Export(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The database and the generation.
    version: Option<(u64, Generation)>,
    digests: Digests,
}

impl Export {
    /// Calls `pack` with a snapshot of the state that is exported.
    fn with<T>(&self, engine: &Engine, pack: impl FnOnce(&Snapshot, &mut Digests) -> Result<T>) -> Result<T> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = engine.store.reader()?;
        let version = (snapshot.identity()?, snapshot.generation());
        if *state.version.get_or_insert(version) != version {
            let detail = "the index was changed while it was being exported; begin a new export";
            return Err(Error::InvalidArgument(detail.to_owned()));
        }
        pack(&snapshot, &mut state.digests)
    }
}

impl Engine {
    /// All versions that two stores must agree in, as one text.
    pub fn transfer_format(&self) -> String {
        transfer::format_name(self.embedder.as_ref())
    }

    /// The files of a branch, of the current one without a name, in order of their paths, by the digests of their texts.
    pub fn export_contents(&self, export: &Export, branch: Option<&str>) -> Result<Vec<IndexedContent>> {
        let branch = branch.map_or_else(|| current_branch(&self.root).0, str::to_owned);
        let found = export.with(self, |snapshot, digests| transfer::contents(snapshot, &branch, digests))?;
        found.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })
    }

    /// The records of texts, given by digest and language, as one pack.
    pub fn export_records(&self, export: &Export, wanted: &[(TextDigest, String)]) -> Result<Vec<u8>> {
        export.with(self, |snapshot, digests| transfer::records(snapshot, digests, wanted))
    }

    /// The numbering of all documents that segments cover.
    pub fn export_numbering(&self, export: &Export) -> Result<Vec<NumberingPart>> {
        export.with(self, |snapshot, _| transfer::numbering_parts(snapshot))
    }

    /// The segments of terms, and of the vectors of the built-in model.
    pub fn export_segments(&self, export: &Export) -> Result<Vec<SegmentPart>> {
        let folder = self.store.segments_dir();
        export.with(self, |snapshot, _| transfer::segment_parts(snapshot, &folder, self.embedder.as_ref()))
    }

    /// Adopts the documents of another store, which no branch has yet; this one must have none. Returns their number.
    pub fn adopt<D: AsRef<[u8]>>(
        &self,
        numbering: &[NumberingPart<D>],
        segments: &[SegmentPart<D>],
        cancel: &CancelToken,
    ) -> Result<u32> {
        let mut guard = self.store.lock(&self.writer)?;
        let adopted = transfer::adopt(&self.store, &mut guard, self.embedder.as_ref(), numbering, segments, cancel);
        adopted.map_err(|error| self.located(error))
    }

    /// Indexes changed files, and takes records in place of parses where `packs` have them.
    pub fn index_with_records(
        &self,
        packs: Vec<Vec<u8>>,
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<IndexReport> {
        let records = RecordPacks::open(packs)?;
        self.index_with(Some(&records), false, None, progress, cancel)
    }
}
