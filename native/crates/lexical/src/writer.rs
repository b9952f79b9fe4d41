//! Writes a lexical segment: length columns, postings as they come, the dictionary at the end. The file gets its name
//! last.

use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use codecairn_base::atomic_file::AtomicFile;
use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};

use super::layout::{HEADER, Header};
use super::terms::TermsWriter;

/// A segment as the store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentFile {
    /// Name within the folder of segments.
    pub file_name: String,
    /// Generation it was written for.
    pub generation: Generation,
    /// First document.
    pub first: DocId,
    /// Number of documents.
    pub count: u32,
    /// Length of the file.
    pub size_bytes: u64,
}

/// Where a segment is written.
pub(super) trait SegmentSink {
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
}

impl SegmentSink for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)
    }
}

impl SegmentSink for Vec<u8> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// A segment being written.
pub(super) struct SegmentWriter<S> {
    sink: S,
    first: DocId,
    count: u32,
    generation: Generation,
    checksum: Xxh3,
    written: u64,
    terms: TermsWriter,
}

impl SegmentWriter<AtomicFile> {
    /// Begins a file in `folder` for as many documents as there are `lengths` (body, names, comments).
    pub(super) fn create(folder: &Path, first: DocId, generation: Generation, lengths: &[[u8; 3]]) -> Result<Self> {
        let file = AtomicFile::create(folder, &file_name(generation, first, lengths.len() as u32))?;
        Self::begin(file, first, generation, lengths)
    }

    /// Writes the rest, syncs, and gives the file its name.
    pub(super) fn publish(self) -> Result<SegmentFile> {
        let (file, header, size_bytes) = self.finish()?;
        file.publish(&header.to_bytes())?;
        let Header { generation, first, count, .. } = header;
        Ok(SegmentFile { file_name: file_name(generation, first, count), generation, first, count, size_bytes })
    }
}

impl<S: SegmentSink> SegmentWriter<S> {
    /// Begins a segment behind room for its header.
    pub(super) fn begin(mut sink: S, first: DocId, generation: Generation, lengths: &[[u8; 3]]) -> Result<Self> {
        sink.write(&[0; HEADER])?;
        let (count, checksum, terms) = (lengths.len() as u32, Xxh3::new(), TermsWriter::default());
        let mut writer = Self { sink, first, count, generation, checksum, written: HEADER as u64, terms };
        for field in 0..3 {
            let column: Vec<u8> = lengths.iter().map(|lengths| lengths[field]).collect();
            writer.body(&column)?;
        }
        Ok(writer)
    }

    /// Appends a term, in byte order, with its encoded postings.
    pub(super) fn push(&mut self, term: &[u8], postings: &[u8]) -> Result<()> {
        self.terms.push(term, postings.len());
        self.body(postings)
    }

    /// Writes the rest; returns the sink with the header that belongs at its beginning, and the length.
    pub(super) fn finish(mut self) -> Result<(S, Header, u64)> {
        let stems = self.terms.stems();
        let (dictionary, blocks) = (std::mem::take(&mut self.terms.dictionary), std::mem::take(&mut self.terms.blocks));
        for section in [&dictionary, &blocks, &stems] {
            self.body(section)?;
        }
        let header = Header {
            generation: self.generation,
            first: self.first,
            count: self.count,
            terms: self.terms.count,
            stems: (stems.len() / super::layout::STEM_ENTRY) as u32,
            postings_bytes: self.terms.postings_bytes,
            dictionary_bytes: dictionary.len() as u64,
            body_checksum: self.checksum.digest(),
        };
        Ok((self.sink, header, self.written))
    }

    fn body(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        self.written += bytes.len() as u64;
        self.sink.write(bytes)
    }
}

/// The name of the file of a segment in its place.
pub(super) fn file_name(generation: Generation, first: DocId, count: u32) -> String {
    format!("lexical-{:x}-{:x}-{count:x}.seg", generation.0, first.0)
}
