//! Manages the derived files of a run: the live segments, and those that grow.
//!
//! Invariant: when a run publishes, the segments of each kind cover every document of the store. Documents that an
//! earlier run committed and did not publish, and those of missing or damaged files, are derived from the stored texts
//! and vectors again. Documents that were adopted from another store and whose texts never came are forgotten then.

use std::thread;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::id::Generation;
use codecairn_lexical::AnalyzedBatch;
use codecairn_model::vector::SketchedVector;
use codecairn_store::{SegmentKind, Segments, Snapshot, Store, WriteGuard};

use super::restore_terms;
use super::term_segments::TermSegments;
use super::text_locations::Gaps;
use super::vector_segments::{VectorSegments, VectorSpace};

/// The derived files while a run goes on.
pub(super) struct DerivedFiles<'a> {
    store: Store,
    terms: TermSegments,
    vectors: VectorSegments<'a>,
    /// Texts that were embedded for missing documents.
    embedded: u64,
}

impl<'a> DerivedFiles<'a> {
    /// Opens the live files and rebuilds missing documents; with `afresh` all of them.
    pub(super) fn open(
        guard: &mut WriteGuard,
        space: VectorSpace<'a>,
        afresh: bool,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let (store, generation) = (&guard.store().clone(), guard.next_generation()?);
        let mut snapshot = store.reader()?;
        let mut terms = TermSegments::open(store, &snapshot, afresh, generation)?;
        let mut vectors = VectorSegments::open(store, space, afresh, generation)?;
        let covered = terms.next_doc().min(vectors.next_doc());
        if covered < snapshot.next_doc()? {
            drop(snapshot);
            guard.forget_documents_without_text(covered)?;
            snapshot = store.reader()?;
        }
        restore_terms::terms(&mut terms, &snapshot, Gaps::Kept, cancel)?;
        let embedded = vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
        Ok(Self { store: store.clone(), terms, vectors, embedded })
    }

    /// The number of texts that were embedded for missing documents.
    pub(super) fn embedded(&self) -> u64 {
        self.embedded
    }

    /// Rebuilds all files without the collected documents, for documents that are being renumbered.
    pub(super) fn without_gaps(
        store: &Store,
        snapshot: &Snapshot,
        space: VectorSpace<'a>,
        generation: Generation,
        cancel: &CancelToken,
    ) -> Result<Segments> {
        let mut terms = TermSegments::open(store, snapshot, true, generation)?;
        restore_terms::terms(&mut terms, snapshot, Gaps::Closed, cancel)?;
        terms.write()?;
        let mut vectors = VectorSegments::open(store, space, true, generation)?;
        vectors.catch_up(snapshot, Gaps::Closed, cancel)?;
        vectors.write()?;
        Ok(listed(&terms, &vectors))
    }

    /// Appends documents' terms.
    pub(super) fn push_terms(&mut self, terms: &AnalyzedBatch, keep: &[bool]) -> Result<()> {
        self.terms.push(terms, keep)
    }

    /// Appends a document's vector.
    pub(super) fn push_vector(&mut self, vector: Option<&SketchedVector>) -> Result<()> {
        self.vectors.push_sketched(vector)
    }

    /// Writes the growing segments, each kind on a thread of its own, while `commit` commits their documents. If that
    /// fails, no publication lists the files.
    pub(super) fn write_while(&mut self, commit: impl FnOnce() -> Result<()>) -> Result<()> {
        let (terms, vectors) = (&mut self.terms, &mut self.vectors);
        thread::scope(|scope| {
            let writing = [scope.spawn(|| terms.write()), scope.spawn(|| vectors.write())];
            let committed = commit();
            let written = writing.map(|thread| {
                thread.join().unwrap_or_else(|_| Err(Error::Internal("a thread that wrote a segment panicked".into())))
            });
            committed.and(written.into_iter().collect())
        })
    }

    /// Makes sure that all documents of the store are covered.
    pub(super) fn finish(&mut self, cancel: &CancelToken) -> Result<()> {
        self.terms.write()?;
        failpoint::reach("derive.terms-written")?;
        let snapshot = self.store.reader()?;
        self.vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
        self.vectors.write()?;
        failpoint::reach("derive.vectors-written")?;
        let (terms, vectors, docs) = (self.terms.next_doc(), self.vectors.next_doc(), snapshot.next_doc()?);
        if terms == docs && vectors == docs {
            Ok(())
        } else {
            Err(Error::Internal(format!("segments end at {} and {}, documents at {}", terms.0, vectors.0, docs.0)))
        }
    }

    /// Whether there are files that no publication lists yet.
    pub(super) fn has_changed(&self) -> bool {
        self.terms.has_changed() || self.vectors.has_changed()
    }

    /// The live files, for publication.
    pub(super) fn listed(&self) -> Segments {
        listed(&self.terms, &self.vectors)
    }
}

fn listed(terms: &TermSegments, vectors: &VectorSegments<'_>) -> Segments {
    let mut segments = vectors.listed();
    segments.insert(SegmentKind::Lexical, terms.listed());
    segments
}
