//! Opens a lexical segment and reads it.
//!
//! Invariant: a segment opens only if its header is valid and the file has the length that the header declares.
//! Everything after the header is decoded with bounds checks: invalid bytes are [`Error::StoreDamaged`], never a panic.

use std::ops::Range;
use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::mapped_file::MappedFile;

use super::layout::{Header, Sections};
use super::posting::Postings;
use super::terms::Terms;
use super::writer::SegmentFile;

/// Where the bytes of a segment are.
pub(super) trait SegmentBytes {
    fn bytes(&self) -> &[u8];

    /// The path that errors name.
    fn path(&self) -> &Path;
}

impl SegmentBytes for MappedFile {
    fn bytes(&self) -> &[u8] {
        self.bytes()
    }

    fn path(&self) -> &Path {
        self.path()
    }
}

/// An open segment: a mapped file, or bytes that the caller stores.
#[derive(Debug)]
pub(super) struct Segment<B = MappedFile> {
    source: B,
    header: Header,
    sections: Sections,
}

impl Segment {
    /// Opens the segment that the store lists as `listed`.
    pub(super) fn open(folder: &Path, listed: &SegmentFile) -> Result<Self> {
        let segment = Self::read(MappedFile::open(&folder.join(&listed.file_name))?)?;
        let header = &segment.header;
        let actual = (header.generation, header.first, header.count);
        if actual != (listed.generation, listed.first, listed.count) {
            return Err(segment.damaged(format!("it holds {actual:?} and not what is listed")));
        }
        Ok(segment)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    /// Fails if a page of the mapped file was cut off.
    pub(super) fn check_whole(&self) -> Result<()> {
        self.source.check_whole()
    }
}

impl<B: SegmentBytes> Segment<B> {
    /// Reads the header, and checks that the bytes are as many as it promises.
    pub(super) fn read(source: B) -> Result<Self> {
        let damaged = |detail: String| Error::StoreDamaged { path: source.path().to_path_buf(), detail };
        let header = Header::read(source.bytes()).map_err(damaged)?;
        let sections =
            Sections::of(&header).filter(|sections| sections.end() == source.bytes().len()).ok_or_else(|| {
                damaged(format!("{} bytes are not the length that its header declares", source.bytes().len()))
            })?;
        Ok(Self { source, header, sections })
    }

    /// All bytes, from the header on.
    pub(super) fn bytes(&self) -> &[u8] {
        self.source.bytes()
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Everything behind the header.
    pub(super) fn body(&self) -> &[u8] {
        &self.source.bytes()[super::layout::HEADER..]
    }

    pub(super) fn terms(&self) -> Terms<'_> {
        Terms {
            dictionary: self.section(&self.sections.dictionary),
            blocks: self.section(&self.sections.blocks),
            stems: self.section(&self.sections.stems),
            count: self.header.terms,
            postings_bytes: self.header.postings_bytes,
        }
    }

    /// The postings at `range`, which comes from [`Terms`].
    pub(super) fn postings(&self, range: Range<usize>) -> Postings<'_> {
        Postings::new(&self.section(&self.sections.postings)[range], self.header.count)
    }

    /// The length codes (body, names, comments) of the `index`-th document.
    pub(super) fn length_codes(&self, index: usize) -> [u8; 3] {
        let (codes, count) = (self.section(&self.sections.lengths), self.header.count as usize);
        [codes[index], codes[count + index], codes[2 * count + index]]
    }

    /// The error for a damaged segment, with its path.
    pub(super) fn damaged(&self, detail: impl Into<String>) -> Error {
        Error::StoreDamaged { path: self.source.path().to_path_buf(), detail: detail.into() }
    }

    fn section(&self, range: &Range<usize>) -> &[u8] {
        &self.source.bytes()[range.clone()]
    }
}
