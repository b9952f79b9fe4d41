//! Appends the vectors of a run to a growing segment of one space, writes it, and merges it with the live ones.
//!
//! Invariant: they are derived from the store alone, so they can be rebuilt at any time: from the stored vectors, or,
//! for a built-in model, from the texts.

use std::ops::Range;
use std::path::PathBuf;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::id::{DocId, EmbedderId, Generation};
use codecairn_model::embed::Embedder as Model;
use codecairn_model::vector::{
    QuantisedVector, SegmentOptions, SketchedVector, VectorIndex, VectorSegmentFile, VectorSegmentWriter,
};
use codecairn_store::{Embedder, SegmentKind, Segments, Snapshot, Store};

use super::merge_policy::{Mergeable, end, settle};
use super::restore_vectors;
use super::segment_files::vector_files;
use super::text_locations::Gaps;

/// Documents between two looks at the cancel token.
const STRIDE: usize = 4096;

/// A vector space.
#[derive(Clone, Copy)]
pub(super) struct VectorSpace<'a> {
    /// The store's row.
    pub(super) id: EmbedderId,
    /// The model's id.
    pub(super) name: &'a str,
    /// Numbers in a vector.
    pub(super) dimensions: u32,
    /// The model, if it is compiled in.
    pub(super) model: Option<&'a dyn Model>,
}

/// Vector segments in the making.
pub(super) struct VectorSegments<'a> {
    folder: PathBuf,
    generation: Generation,
    embedder: Embedder,
    /// The model, if it is compiled in: then its vectors are not stored.
    model: Option<&'a dyn Model>,
    files: Vec<VectorSegmentFile>,
    writer: Option<VectorSegmentWriter>,
    changed: bool,
    /// Whether no live file was taken up: a graph that is listed was built from other ones.
    is_rebuilt: bool,
}

impl<'a> VectorSegments<'a> {
    /// Takes up the live files of a space, unless they are damaged; with `afresh` none of them.
    pub(super) fn open(
        store: &Store,
        VectorSpace { id, name, dimensions, model }: VectorSpace<'a>,
        afresh: bool,
        generation: Generation,
    ) -> Result<Self> {
        let folder = store.segments_dir();
        let mut files = Vec::new();
        if !afresh {
            files = vector_files(&folder, &store.reader()?.segments(SegmentKind::Vector(id))?);
            // A damaged or missing file is no error here: it is derived, and is rebuilt.
            if VectorIndex::open(&folder, &files).is_err() {
                files.clear();
            }
        }
        let embedder = Embedder { id, name: name.to_owned(), dimensions, vector_bytes: dimensions };
        let is_rebuilt = files.is_empty();
        Ok(Self { folder, generation, embedder, model, files, writer: None, changed: false, is_rebuilt })
    }

    /// The first document that is not covered yet.
    pub(super) fn next_doc(&self) -> DocId {
        let written = self.writer.as_ref().map_or(0, VectorSegmentWriter::len);
        DocId(self.files.last().map_or(0, |file| end(file).0) + written as u32)
    }

    /// Whether no live file was taken up.
    pub(super) fn is_rebuilt(&self) -> bool {
        self.is_rebuilt
    }

    /// Appends the next document's vector.
    pub(super) fn push_sketched(&mut self, vector: Option<&SketchedVector>) -> Result<()> {
        self.writer()?.push_sketched(vector)
    }

    /// The same with a vector that has no sketch yet.
    fn push(&mut self, vector: Option<&QuantisedVector>) -> Result<()> {
        self.writer()?.push(vector)
    }

    fn writer(&mut self) -> Result<&mut VectorSegmentWriter> {
        if self.writer.is_none() {
            let options = SegmentOptions {
                first: self.next_doc(),
                dimensions: self.embedder.dimensions as usize,
                embedder: &self.embedder.name,
                generation: self.generation,
            };
            self.writer = Some(VectorSegmentWriter::create(&self.folder, &options)?);
        }
        Ok(self.writer.as_mut().expect("invariant: it was just made"))
    }

    /// Appends the vectors of the documents from the first uncovered one to the last of the store. Returns how many
    /// texts had to be embedded for that.
    pub(super) fn catch_up(&mut self, snapshot: &Snapshot, gaps: Gaps, cancel: &CancelToken) -> Result<u64> {
        let (next, last) = (self.next_doc(), snapshot.next_doc()?);
        if next >= last {
            return Ok(0);
        }
        match self.model {
            Some(model) => {
                let mut embedded = 0;
                restore_vectors::each_vector(snapshot, next..last, gaps, model, cancel, |vector| {
                    embedded += u64::from(vector.is_some());
                    self.push(vector)
                })?;
                Ok(embedded)
            }
            None => self.read_stored(snapshot, next..last, gaps, cancel).map(|()| 0),
        }
    }

    fn read_stored(&mut self, snapshot: &Snapshot, docs: Range<DocId>, gaps: Gaps, cancel: &CancelToken) -> Result<()> {
        let Range { start: mut next, end: last } = docs;
        let dimensions = self.embedder.dimensions as usize;
        let embedder = self.embedder.clone();
        for chunks in snapshot.chunks(next..last)?.chunks(STRIDE) {
            cancel.check()?;
            let texts: Vec<_> = chunks.iter().map(|&(_, _, text)| text).collect();
            let mut docs = chunks.iter().map(|&(doc, _, _)| doc);
            snapshot.each_vector(&embedder, &texts, |_, bytes| {
                let doc = docs.next().unwrap_or(last);
                while next < doc && gaps == Gaps::Kept {
                    self.push(None)?;
                    next = DocId(next.0 + 1);
                }
                let vector = bytes.map(|bytes| QuantisedVector::from_bytes(bytes, dimensions)).transpose()?;
                self.push(vector.as_ref())?;
                next = DocId(doc.0 + 1);
                Ok(())
            })?;
        }
        while next < last && gaps == Gaps::Kept {
            self.push(None)?;
            next = DocId(next.0 + 1);
        }
        Ok(())
    }

    /// Whether the live files have the vector of each document that they cover and the store has one for.
    pub(super) fn agrees(&self, snapshot: &Snapshot) -> Result<bool> {
        let index = VectorIndex::open(&self.folder, &self.files)?;
        let embedded = snapshot.embedded_texts(self.embedder.id)?;
        let covered = snapshot.chunks(DocId(0)..self.next_doc().min(snapshot.next_doc()?))?;
        Ok(covered.into_iter().all(|(doc, _, text)| index.has(doc) == embedded.get(text.0 as usize)))
    }

    /// Writes what was appended.
    pub(super) fn write(&mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.finish()?;
        self.changed = true;
        self.files.push(file);
        settle(&self.folder, &mut self.files, self.generation)
    }

    /// Whether there are files that no publication lists yet.
    pub(super) fn has_changed(&self) -> bool {
        self.changed
    }

    /// The live files, for publication; without a graph if they were rebuilt.
    pub(super) fn listed(&self) -> Segments {
        let files = self.files.iter().map(Mergeable::listed).collect();
        let mut segments = Segments::from([(SegmentKind::Vector(self.embedder.id), files)]);
        if self.is_rebuilt {
            segments.insert(SegmentKind::Hnsw(self.embedder.id), Vec::new());
        }
        segments
    }
}
