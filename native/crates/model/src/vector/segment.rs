//! Reads the vectors of a contiguous range of documents from a mapped file.
//!
//! Invariant: a segment opens only if its header is whole, the file is as long as the header says, and no
//! document behind the last is present, so that no later access can leave the map. Damage inside the sections can make scores
//! wrong, which is what [`VectorSegment::verify`] finds, but nothing else.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{DocId, Generation};
use codecairn_base::mapped_file::MappedFile;

use super::block::{BLOCK, block_bytes};
use super::layout::{HEADER, Header, Sections, row_bytes};
use super::quantise::{QuantisedVector, scale_of};
use super::sketch;

/// A segment as the store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSegmentFile {
    /// Name within the folder of segments.
    pub file_name: String,
    /// Generation it was written for.
    pub generation: Generation,
    /// First document.
    pub first: DocId,
    /// Number of documents, those without a vector included.
    pub count: u32,
    /// Length of the file.
    pub size_bytes: u64,
}

/// An open segment.
#[derive(Debug)]
pub(super) struct VectorSegment {
    file: MappedFile,
    header: Header,
    sections: Sections,
}

impl VectorSegment {
    /// Opens the segment that the store lists as `listed`.
    pub(super) fn open(folder: &Path, listed: &VectorSegmentFile) -> Result<Self> {
        let path = folder.join(&listed.file_name);
        let file = MappedFile::open(&path)?;
        let damaged = |detail: String| Error::StoreDamaged { path: path.clone(), detail };
        let header = Header::read(file.bytes()).map_err(damaged)?;
        let actual = (header.generation, header.first, header.count);
        if actual != (listed.generation, listed.first, listed.count) {
            return Err(damaged(format!("it holds {actual:?} and not what is listed")));
        }
        let sections = Sections::new(header.dimensions as usize, header.count as usize)
            .filter(|sections| sections.presence.end == file.bytes().len())
            .ok_or_else(|| {
                damaged(format!("{} bytes are not the length that its header declares", file.bytes().len()))
            })?;
        let segment = Self { file, header, sections };
        segment.check_alignment().map_err(damaged)?;
        if segment.presence().last().is_some_and(|last| last & !present(segment.len() % BLOCK) != 0) {
            return Err(segment.damaged("it says that documents behind its last one are present".to_owned()));
        }
        Ok(segment)
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// All bytes, from the header on.
    pub(super) fn bytes(&self) -> &[u8] {
        self.file.bytes()
    }

    pub(super) fn first(&self) -> usize {
        self.header.first.index()
    }

    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.header.count as usize
    }

    pub(super) fn dimensions(&self) -> usize {
        self.header.dimensions as usize
    }

    pub(super) fn rows(&self) -> &[i8] {
        bytemuck::cast_slice(&self.file.bytes()[self.sections.rows.clone()])
    }

    pub(super) fn scales(&self) -> &[f32] {
        bytemuck::cast_slice(&self.file.bytes()[self.sections.scales.clone()])
    }

    /// The sketches of a block of 64 documents.
    pub(super) fn sketch_block(&self, block: usize) -> &[u8] {
        let len = block_bytes(row_bytes(self.dimensions()));
        &self.file.bytes()[self.sections.sketches.clone()][block * len..(block + 1) * len]
    }

    fn presence(&self) -> &[u64] {
        bytemuck::cast_slice(&self.file.bytes()[self.sections.presence.clone()])
    }

    /// Row and scale of the `index`-th document, if it has a vector.
    pub(super) fn row(&self, index: usize) -> Option<(&[i8], f32)> {
        if self.presence()[index / 64] >> (index % 64) & 1 == 0 {
            return None;
        }
        let width = row_bytes(self.dimensions());
        Some((&self.rows()[index * width..(index + 1) * width], self.scales()[index]))
    }

    /// Groups of 64 documents; the last may be shorter.
    pub(super) fn blocks(&self) -> usize {
        self.len().div_ceil(64)
    }

    /// Which documents of a block are live and have a vector, a bit each.
    pub(super) fn live_in_block(&self, block: usize, live: &Bitmap) -> u64 {
        let at = self.first() + block * 64;
        let (word, shift) = (at / 64, at % 64);
        let word_at = |index: usize| live.words().get(index).copied().unwrap_or(0);
        let low = word_at(word) >> shift;
        let high = if shift == 0 { 0 } else { word_at(word + 1) << (64 - shift) };
        self.presence()[block] & (low | high)
    }

    /// The whole body against its checksum.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if it does not match.
    pub(super) fn verify_checksum(&self) -> Result<()> {
        if xxh3_64(&self.file.bytes()[HEADER..]) == self.header.body_checksum {
            return Ok(());
        }
        Err(self.damaged("the body's checksum does not match".to_owned()))
    }

    /// Fails if reading has met a page that is gone.
    pub(super) fn check_whole(&self) -> Result<()> {
        self.file.check_whole()
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The whole body against its checksum, and each row against its scale and presence. Sketches choose candidates only,
    /// whose scores come from the rows, and deriving them again takes three times as long as this.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] with the first thing that is wrong.
    pub(super) fn verify_rows(&self) -> Result<()> {
        self.verify_checksum()?;
        for (index, row) in self.rows().chunks_exact(row_bytes(self.dimensions())).enumerate() {
            let scale = scale_of(row);
            let agrees = self.scales()[index].to_bits() == scale.to_bits()
                && self.row(index).is_some() == (scale > 0.0)
                && row[self.dimensions()..].iter().all(|&value| value == 0);
            if !agrees {
                return Err(self.damaged(format!("document {} disagrees with itself", self.first() + index)));
            }
        }
        Ok(())
    }

    /// The same, and each row against its sketch.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] with the first thing that is wrong.
    pub(super) fn verify(&self) -> Result<()> {
        self.verify_rows()?;
        let width = row_bytes(self.dimensions());
        let mut sketches = vec![0; block_bytes(width)];
        for (block, rows) in self.rows().chunks(width * BLOCK).enumerate() {
            sketches.fill(0);
            for (slot, row) in rows.chunks_exact(width).enumerate() {
                sketch::put(&sketch::of(row), slot, &mut sketches);
            }
            if self.sketch_block(block) != sketches {
                return Err(self.damaged(format!("sketches from document {} on", self.first() + block * BLOCK)));
            }
        }
        Ok(())
    }

    fn damaged(&self, detail: String) -> Error {
        Error::StoreDamaged { path: self.file.path().to_path_buf(), detail }
    }

    /// The vector of the `index`-th document.
    pub(super) fn vector(&self, index: usize) -> Option<QuantisedVector> {
        self.row(index).map(|(row, _)| QuantisedVector::of(row[..self.dimensions()].to_vec()))
    }

    /// Whether all sections can be read as what they are (alignment; fails on no known system).
    fn check_alignment(&self) -> Result<(), String> {
        let bytes = self.file.bytes();
        let aligned = bytemuck::try_cast_slice::<u8, f32>(&bytes[self.sections.scales.clone()]).is_ok()
            && bytemuck::try_cast_slice::<u8, u64>(&bytes[self.sections.presence.clone()]).is_ok();
        if aligned { Ok(()) } else { Err("the file is mapped at an odd address".to_owned()) }
    }
}

/// The bits of the documents of a block of so many; 0 stands for a whole one.
fn present(count: usize) -> u64 {
    if count == 0 { u64::MAX } else { (1 << count) - 1 }
}
