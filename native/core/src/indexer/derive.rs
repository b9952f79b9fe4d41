//! The derived files of a run: what is live, what grows, what is made again from the store.
//!
//! Invariant: when a run publishes, the segments of each kind cover every document of the store.
//! Documents that an earlier run committed and did not publish, and those of files that are gone or
//! damaged, are made again from the stored texts and vectors.

use std::path::{Path, PathBuf};

use super::catch_up;
use super::segments::{Mergeable, append};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::id::{DocId, EmbedderId, Generation};
use crate::lexical::{AnalyzedBatch, LexicalIndex, SegmentBuilder, SegmentFile};
use crate::store::{Segment, SegmentKind, Segments, Store, WriteGuard};
use crate::vector::{QuantisedVector, SegmentOptions, VectorIndex, VectorSegmentFile, VectorSegmentWriter};

/// A segment in the making is written out when it holds this much memory.
const LARGEST_BUILDER: usize = 128 << 20;

/// Whose vectors are kept: the store's row, the model's id, its dimensions.
pub(super) type VectorSpace<'a> = (EmbedderId, &'a str, u32);

/// The derived files while a run goes on.
pub(super) struct Derived {
    pub(super) store: Store,
    pub(super) folder: PathBuf,
    pub(super) generation: Generation,
    pub(super) embedder: EmbedderId,
    model: String,
    dimensions: u32,
    lexical: Vec<SegmentFile>,
    vectors: Vec<VectorSegmentFile>,
    builder: SegmentBuilder,
    writer: Option<VectorSegmentWriter>,
    changed: bool,
}

impl Derived {
    /// Takes up the live files and makes good what is missing. With `afresh` all are made again.
    pub(super) fn open(
        store: &Store,
        (embedder, model, dimensions): VectorSpace<'_>,
        afresh: bool,
        generation: Generation,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let snapshot = store.reader()?;
        let folder = store.segments_dir();
        let (mut lexical, mut vectors) = (Vec::new(), Vec::new());
        if !afresh {
            lexical = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
            vectors = vector_files(&folder, &snapshot.segments(SegmentKind::Vector(embedder))?);
            // A damaged or missing file is no error here: it is derived, and made again.
            if LexicalIndex::open(&folder, &lexical).is_err() {
                lexical.clear();
            }
            if VectorIndex::open(&folder, &vectors).is_err() {
                vectors.clear();
            }
        }
        let covered = lexical.last().map_or(DocId(0), end);
        let mut derived = Self {
            store: store.clone(),
            folder,
            generation,
            embedder,
            model: model.to_owned(),
            dimensions,
            lexical,
            vectors,
            builder: SegmentBuilder::new(covered),
            writer: None,
            changed: false,
        };
        catch_up::terms(&mut derived, &snapshot, cancel)?;
        catch_up::vectors(&mut derived, &snapshot, cancel)?;
        Ok(derived)
    }

    /// The first document that the lexical segments do not have yet.
    pub(super) fn next_term_doc(&self) -> DocId {
        DocId(self.lexical.last().map_or(0, |file| end(file).0) + self.builder.len() as u32)
    }

    /// The first document that the vector segments do not have yet.
    pub(super) fn next_vector_doc(&self) -> DocId {
        let written = self.writer.as_ref().map_or(0, VectorSegmentWriter::len);
        DocId(self.vectors.last().map_or(0, |file| end(file).0) + written as u32)
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
        if self.writer.is_none() {
            let first = self.next_vector_doc();
            let options = SegmentOptions {
                first,
                dimensions: self.dimensions as usize,
                embedder: &self.model,
                generation: self.generation,
            };
            self.writer = Some(VectorSegmentWriter::create(&self.folder, &options)?);
        }
        self.writer.as_mut().map_or(Ok(()), |writer| writer.push(vector))
    }

    /// Length of the vectors.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions as usize
    }

    fn write_terms(&mut self) -> Result<()> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let next = SegmentBuilder::new(self.next_term_doc());
        let file = std::mem::replace(&mut self.builder, next).write(&self.folder, self.generation)?;
        self.changed = true;
        append(&self.folder, &mut self.lexical, file, self.generation)
    }

    /// Writes what has grown. Vectors that come from outside are taken from the store.
    pub(super) fn finish(&mut self, cancel: &CancelToken) -> Result<()> {
        self.write_terms()?;
        let snapshot = self.store.reader()?;
        catch_up::vectors(self, &snapshot, cancel)?;
        if let Some(writer) = self.writer.take() {
            let file = writer.finish()?;
            self.changed = true;
            append(&self.folder, &mut self.vectors, file, self.generation)?;
        }
        let (terms, vectors, docs) = (self.next_term_doc(), self.next_vector_doc(), snapshot.next_doc()?);
        if terms == docs && vectors == docs {
            Ok(())
        } else {
            Err(Error::Internal(format!("segments end at {} and {}, documents at {}", terms.0, vectors.0, docs.0)))
        }
    }

    /// Whether there are files that no publication lists yet.
    pub(super) fn has_changed(&self) -> bool {
        self.changed
    }

    /// The live files, for publication.
    pub(super) fn listed(&self) -> Segments {
        Segments::from([
            (SegmentKind::Lexical, self.lexical.iter().map(Mergeable::listed).collect()),
            (SegmentKind::Vector(self.embedder), self.vectors.iter().map(Mergeable::listed).collect()),
        ])
    }
}

/// Makes the vector segments of a space anew from the store and publishes them.
pub fn derive_vectors(store: &Store, guard: &mut WriteGuard, space: VectorSpace<'_>) -> Result<()> {
    let mut derived = Derived::open(store, space, false, guard.next_generation()?, &CancelToken::default())?;
    derived.vectors.clear();
    derived.writer = None;
    derived.finish(&CancelToken::default())?;
    guard.publish_segments(&derived.listed())?;
    Ok(())
}

fn end<F: Mergeable>(file: &F) -> DocId {
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
