//! Writes vector segments: rows as they come, columns at the end, the name last.
//!
//! Invariant: the file gets its name only when it is whole and synced. A writer that is dropped
//! removes what it wrote.

use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use codecairn_base::atomic_file::AtomicFile;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{DocId, Generation};

use super::block::{BLOCK, block_bytes};
use super::layout::{HEADER, Header, Sections, row_bytes};
use super::quantise::{MAX_DIMENSIONS, QuantisedVector};
use super::segment::{VectorSegment, VectorSegmentFile};
use super::sketch;
use super::sketched_vector::SketchedVector;

/// The properties of a segment.
#[derive(Debug, Clone, Copy)]
pub struct SegmentOptions<'a> {
    /// First document.
    pub first: DocId,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Id of the model that made them.
    pub embedder: &'a str,
    /// Generation it is written for.
    pub generation: Generation,
}

/// A segment being written; one call of [`push`](Self::push) per document, in order.
pub struct VectorSegmentWriter {
    file_name: String,
    file: AtomicFile,
    header: Header,
    checksum: Xxh3,
    written: usize,
    scales: Vec<f32>,
    sketches: Vec<u8>,
    presence: Vec<u64>,
    row: Vec<i8>,
}

impl VectorSegmentWriter {
    /// Begins a segment in `folder`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for dimensions that can't be; input and output errors.
    pub fn create(folder: &Path, options: &SegmentOptions<'_>) -> Result<Self> {
        Self::with_embedder(folder, options, xxh3_64(options.embedder.as_bytes()))
    }

    fn with_embedder(folder: &Path, options: &SegmentOptions<'_>, embedder: u64) -> Result<Self> {
        if options.dimensions == 0 || options.dimensions > MAX_DIMENSIONS {
            return Err(Error::InvalidArgument(format!("vectors of {} dimensions", options.dimensions)));
        }
        let (generation, first) = (options.generation, options.first);
        let file_name = file_name(embedder, generation, first);
        let mut file = AtomicFile::create(folder, &file_name)?;
        file.write(&[0; HEADER])?;
        let dimensions = options.dimensions as u32;
        let header = Header { dimensions, generation, first, count: 0, embedder, body_checksum: 0 };
        Ok(Self {
            file_name,
            file,
            header,
            checksum: Xxh3::new(),
            written: HEADER,
            scales: Vec::new(),
            sketches: Vec::new(),
            presence: Vec::new(),
            row: vec![0; row_bytes(options.dimensions)],
        })
    }

    /// Appends the next document's vector; `None` or a vector of zeros if it has none.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for other dimensions; input and output errors.
    pub fn push(&mut self, vector: Option<&QuantisedVector>) -> Result<()> {
        self.push_sketched(vector.cloned().map(SketchedVector::of).as_ref())
    }

    /// The same with a vector whose sketch has been made.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_sketched(&mut self, sketched: Option<&SketchedVector>) -> Result<()> {
        let dimensions = self.header.dimensions as usize;
        if let Some(SketchedVector { vector, .. }) = sketched
            && vector.dimensions() != dimensions
        {
            let found = vector.dimensions();
            return Err(Error::InvalidArgument(format!("a vector of {found} dimensions among those of {dimensions}")));
        }
        if self.header.first.0.checked_add(self.header.count + 1).is_none() {
            return Err(Error::InvalidArgument("more documents than can be numbered".to_owned()));
        }
        let sketched = sketched.filter(|sketched| !sketched.vector.is_zero());
        let mut row = std::mem::take(&mut self.row);
        row.fill(0);
        let index = self.header.count as usize;
        let sketch_len = block_bytes(row.len());
        if index.is_multiple_of(BLOCK) {
            self.presence.push(0);
            self.sketches.resize(self.sketches.len() + sketch_len, 0);
        }
        if let Some(SketchedVector { vector, sketch }) = sketched {
            row[..dimensions].copy_from_slice(vector.values());
            sketch::put(sketch, index % BLOCK, &mut self.sketches[index / BLOCK * sketch_len..]);
        }
        self.scales.push(sketched.map_or(0.0, |sketched| sketched.vector.scale()));
        self.presence[index / 64] |= u64::from(sketched.is_some()) << (index % 64);
        self.header.count += 1;
        let written = self.body(bytemuck::cast_slice(&row));
        self.row = row;
        written
    }

    /// Documents pushed so far.
    pub fn len(&self) -> usize {
        self.header.count as usize
    }

    /// Whether no document was pushed.
    pub fn is_empty(&self) -> bool {
        self.header.count == 0
    }

    /// Writes the columns and the header, syncs, and gives the file its name.
    ///
    /// # Errors
    /// Input and output errors; the file then does not exist.
    pub fn finish(mut self) -> Result<VectorSegmentFile> {
        let sections = Sections::new(self.header.dimensions as usize, self.len())
            .ok_or_else(|| Error::InvalidArgument("a vector segment beyond what can be addressed".to_owned()))?;
        let (scales, sketches) = (std::mem::take(&mut self.scales), std::mem::take(&mut self.sketches));
        let presence = std::mem::take(&mut self.presence);
        for (start, column) in [
            (sections.scales.start, bytemuck::cast_slice::<f32, u8>(&scales)),
            (sections.sketches.start, &sketches[..]),
            (sections.presence.start, bytemuck::cast_slice(&presence)),
        ] {
            self.body(&[0; HEADER][..start - self.written])?;
            self.body(column)?;
        }
        self.header.body_checksum = self.checksum.digest();
        self.file.publish(&self.header.to_bytes())?;
        Ok(VectorSegmentFile {
            file_name: self.file_name,
            generation: self.header.generation,
            first: self.header.first,
            count: self.header.count,
            size_bytes: self.written as u64,
        })
    }

    fn body(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        self.written += bytes.len();
        self.file.write(bytes)
    }
}

/// The name of the file of a segment in its place.
pub(super) fn file_name(embedder: u64, generation: Generation, first: DocId) -> String {
    format!("vectors-{:08x}-{:x}-{:x}.seg", embedder >> 32, generation.0, first.0)
}

/// Writes adjacent segments, in order, as one.
///
/// # Errors
/// [`Error::InvalidArgument`] if they are not adjacent or not of one model; [`Error::StoreDamaged`]
/// if one can't be read; input and output errors.
pub fn merge(folder: &Path, files: &[VectorSegmentFile], generation: Generation) -> Result<VectorSegmentFile> {
    let segments = files.iter().map(|file| VectorSegment::open(folder, file)).collect::<Result<Vec<_>>>()?;
    let fits = |pair: &[VectorSegment]| {
        let (left, right) = (pair[0].header(), pair[1].header());
        left.first.0 + left.count == right.first.0
            && (left.dimensions, left.embedder) == (right.dimensions, right.embedder)
    };
    let Some(head) = segments.first().map(VectorSegment::header).filter(|_| segments.windows(2).all(fits)) else {
        return Err(Error::InvalidArgument("only adjacent vector segments of one model can be merged".to_owned()));
    };
    let options = SegmentOptions { first: head.first, dimensions: head.dimensions as usize, embedder: "", generation };
    let mut writer = VectorSegmentWriter::with_embedder(folder, &options, head.embedder)?;
    for segment in &segments {
        for index in 0..segment.len() {
            writer.push(segment.vector(index).as_ref())?;
        }
    }
    writer.finish()
}
