//! Opens a lexical segment and reads it.
//!
//! Invariant: a segment opens only if its header is valid and the file has the length that the header promises.
//! Everything after the header is decoded with bounds checks: invalid bytes are [`Error::StoreDamaged`], never a panic.

use std::ops::Range;
use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::mapped_file::MappedFile;

use super::layout::{Header, Sections};
use super::posting::Postings;
use super::terms::Terms;
use super::writer::SegmentFile;

/// An open segment.
#[derive(Debug)]
pub(super) struct Segment {
    file: MappedFile,
    header: Header,
    sections: Sections,
}

impl Segment {
    /// Opens the segment that the store lists as `listed`.
    pub(super) fn open(folder: &Path, listed: &SegmentFile) -> Result<Self> {
        let path = folder.join(&listed.file_name);
        let file = MappedFile::open(&path)?;
        let damaged = |detail: String| Error::StoreDamaged { path: path.clone(), detail };
        let header = Header::read(file.bytes()).map_err(damaged)?;
        let actual = (header.generation, header.first, header.count);
        if actual != (listed.generation, listed.first, listed.count) {
            return Err(damaged(format!("it holds {actual:?} and not what is listed")));
        }
        let sections = Sections::of(&header)
            .filter(|sections| sections.end() == file.bytes().len())
            .ok_or_else(|| damaged(format!("{} bytes are not what its header promises", file.bytes().len())))?;
        Ok(Self { file, header, sections })
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Everything behind the header.
    pub(super) fn body(&self) -> &[u8] {
        &self.file.bytes()[super::layout::HEADER..]
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

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Fails if a page of the mapped file was cut off.
    pub(super) fn check_whole(&self) -> Result<()> {
        self.file.check_whole()
    }

    /// The error for a damaged segment, with its path.
    pub(super) fn damaged(&self, detail: impl Into<String>) -> Error {
        Error::StoreDamaged { path: self.file.path().to_path_buf(), detail: detail.into() }
    }

    fn section(&self, range: &Range<usize>) -> &[u8] {
        &self.file.bytes()[range.clone()]
    }
}
