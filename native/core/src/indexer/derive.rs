//! The derived files of a run: what is live, what grows, what is made again from the store.
//!
//! Invariant: when a run publishes, the segments of each kind cover every document of the store.
//! Documents that an earlier run committed and did not publish, and those of files that are gone or
//! damaged, are made again from the stored texts and vectors.

use std::path::{Path, PathBuf};

use super::catch_up;
use super::derive_vectors::{Gaps, GrowingVectors};
use super::segments::{Mergeable, settle};
use crate::cancel::CancelToken;
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::failpoint;
use crate::id::{DocId, EmbedderId, Generation};
use crate::lexical::{AnalyzedBatch, LexicalIndex, SegmentBuilder, SegmentFile};
use crate::store::{Segment, SegmentKind, Segments, Snapshot, Store};
use crate::vector::{QuantisedVector, VectorSegmentFile};

/// A segment in the making is written out when it holds this much memory.
const LARGEST_BUILDER: usize = 128 << 20;

/// Whose vectors are kept.
#[derive(Clone, Copy)]
pub(super) struct VectorSpace<'a> {
    /// The store's row.
    pub(super) id: EmbedderId,
    /// The model's id.
    pub(super) name: &'a str,
    /// Numbers in a vector.
    pub(super) dimensions: u32,
    /// The model, if it is compiled in.
    pub(super) model: Option<&'a dyn Embedder>,
}

/// The derived files while a run goes on.
pub(super) struct Derived<'a> {
    store: Store,
    folder: PathBuf,
    generation: Generation,
    embedder: EmbedderId,
    lexical: Vec<SegmentFile>,
    vectors: GrowingVectors<'a>,
    builder: SegmentBuilder,
    changed: bool,
    /// Texts that were embedded to make good what was missing.
    embedded: u64,
}

impl<'a> Derived<'a> {
    /// Takes up the live files and makes good what is missing. With `afresh` all are made again.
    pub(super) fn open(
        store: &Store,
        space: VectorSpace<'a>,
        afresh: bool,
        generation: Generation,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let snapshot = store.reader()?;
        let folder = store.segments_dir();
        let mut lexical = Vec::new();
        if !afresh {
            lexical = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
            // A damaged or missing file is no error here: it is derived, and made again.
            if LexicalIndex::open(&folder, &lexical).is_err() {
                lexical.clear();
            }
        }
        let vectors = GrowingVectors::open(store, space, afresh, generation)?;
        let covered = lexical.last().map_or(DocId(0), end);
        let mut derived = Self {
            store: store.clone(),
            folder,
            generation,
            embedder: space.id,
            lexical,
            vectors,
            builder: SegmentBuilder::new(covered),
            changed: false,
            embedded: 0,
        };
        catch_up::terms(&mut derived, &snapshot, Gaps::Kept, cancel)?;
        derived.embedded = derived.vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
        Ok(derived)
    }

    /// How many texts were embedded to make good what was missing.
    pub(super) fn embedded(&self) -> u64 {
        self.embedded
    }

    /// Makes all files again, without the documents that were collected, for documents that are being numbered anew.
    pub(super) fn without_gaps(
        store: &Store,
        snapshot: &Snapshot,
        space: VectorSpace<'a>,
        generation: Generation,
        cancel: &CancelToken,
    ) -> Result<Segments> {
        let mut derived = Self {
            store: store.clone(),
            folder: store.segments_dir(),
            generation,
            embedder: space.id,
            lexical: Vec::new(),
            vectors: GrowingVectors::open(store, space, true, generation)?,
            builder: SegmentBuilder::new(DocId(0)),
            changed: false,
            embedded: 0,
        };
        catch_up::terms(&mut derived, snapshot, Gaps::Closed, cancel)?;
        derived.vectors.catch_up(snapshot, Gaps::Closed, cancel)?;
        derived.write_terms()?;
        settle(&derived.folder, &mut derived.lexical, generation)?;
        derived.vectors.write()?;
        Ok(derived.listed())
    }

    /// The first document that the lexical segments do not have yet.
    pub(super) fn next_term_doc(&self) -> DocId {
        DocId(self.lexical.last().map_or(0, |file| end(file).0) + self.builder.len() as u32)
    }

    /// Appends documents' terms.
    pub(super) fn push_terms(&mut self, terms: &AnalyzedBatch, keep: &[bool]) -> Result<()> {
        self.builder.push(terms, keep);
        if self.builder.byte_size() > LARGEST_BUILDER {
            self.write_terms()?;
        }
        Ok(())
    }

    /// Appends a document's vector.
    pub(super) fn push_vector(&mut self, vector: Option<&QuantisedVector>) -> Result<()> {
        self.vectors.push(vector)
    }

    fn write_terms(&mut self) -> Result<()> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let next = SegmentBuilder::new(self.next_term_doc());
        let file = std::mem::replace(&mut self.builder, next).write(&self.folder, self.generation)?;
        self.changed = true;
        self.lexical.push(file);
        Ok(())
    }

    /// Writes what has grown.
    pub(super) fn finish(&mut self, cancel: &CancelToken) -> Result<()> {
        self.write_terms()?;
        settle(&self.folder, &mut self.lexical, self.generation)?;
        failpoint::reach("derive.terms-written")?;
        let snapshot = self.store.reader()?;
        self.vectors.catch_up(&snapshot, Gaps::Kept, cancel)?;
        self.vectors.write()?;
        failpoint::reach("derive.vectors-written")?;
        let (terms, vectors, docs) = (self.next_term_doc(), self.vectors.next_doc(), snapshot.next_doc()?);
        if terms == docs && vectors == docs {
            Ok(())
        } else {
            Err(Error::Internal(format!("segments end at {} and {}, documents at {}", terms.0, vectors.0, docs.0)))
        }
    }

    /// Whether there are files that no publication lists yet.
    pub(super) fn has_changed(&self) -> bool {
        self.changed || self.vectors.has_changed()
    }

    /// The live files, for publication.
    pub(super) fn listed(&self) -> Segments {
        Segments::from([
            (SegmentKind::Lexical, self.lexical.iter().map(Mergeable::listed).collect()),
            (SegmentKind::Vector(self.embedder), self.vectors.listed()),
        ])
    }
}

/// The first document after a file's last.
pub(super) fn end<F: Mergeable>(file: &F) -> DocId {
    let listed = file.listed();
    DocId(listed.first.0 + listed.count)
}

/// Listed segments as the lexical index opens them.
pub fn lexical_files(folder: &Path, segments: &[Segment]) -> Vec<SegmentFile> {
    segments
        .iter()
        .map(|segment| SegmentFile {
            file_name: segment.file.clone(),
            generation: segment.generation,
            first: segment.first,
            count: segment.count,
            size_bytes: size_bytes(folder, segment),
        })
        .collect()
}

/// Listed segments as the vector index opens them.
pub fn vector_files(folder: &Path, segments: &[Segment]) -> Vec<VectorSegmentFile> {
    segments
        .iter()
        .map(|segment| VectorSegmentFile {
            file_name: segment.file.clone(),
            generation: segment.generation,
            first: segment.first,
            count: segment.count,
            size_bytes: size_bytes(folder, segment),
        })
        .collect()
}

/// The length of a segment's file; none if it is gone, which opening it then tells.
fn size_bytes(folder: &Path, segment: &Segment) -> u64 {
    std::fs::metadata(folder.join(&segment.file)).map_or(0, |metadata| metadata.len())
}
