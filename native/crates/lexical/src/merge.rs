//! Merges segments: a k-way merge of their sorted dictionaries, in time linear to their postings.

use std::ops::Range;
use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::Generation;

use super::posting;
use super::segment::{Segment, SegmentBytes};
use super::terms::TermCursor;
use super::verify::verify_checksum;
use super::writer::{SegmentFile, SegmentSink, SegmentWriter};

/// Writes adjacent segments, in order, as one. The result is the same file as one built from all documents at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if there are none or they are not adjacent; [`Error::StoreDamaged`] if one can't be
/// read; input and output errors.
pub fn merge(folder: &Path, files: &[SegmentFile], generation: Generation) -> Result<SegmentFile> {
    let segments = files.iter().map(|file| Segment::open(folder, file)).collect::<Result<Vec<_>>>()?;
    // Damage must not be copied into a new file with a valid checksum.
    segments.iter().try_for_each(verify_checksum)?;
    let adjacent = |pair: &[SegmentFile]| pair[0].first.0 + pair[0].count == pair[1].first.0;
    let Some(first) = files.first().filter(|_| files.windows(2).all(adjacent)).map(|file| file.first) else {
        return Err(Error::InvalidArgument("only adjacent lexical segments can be merged".to_owned()));
    };
    let lengths: Vec<[u8; 3]> = segments
        .iter()
        .flat_map(|segment| (0..segment.header().count as usize).map(|index| segment.length_codes(index)))
        .collect();
    let mut writer = SegmentWriter::create(folder, first, generation, &lengths)?;
    let shifted = |segment: &Segment| {
        let base = segment.header().first.0 - first.0;
        move |document| Some(base + document)
    };
    let sources = segments.iter().map(|segment| Source::open(segment, shifted(segment)));
    merge_terms(&mut sources.collect::<Result<Vec<_>>>()?, &mut writer)?;
    writer.publish()
}

/// Writes the terms of all sources with their postings. Terms that only dropped documents have are dropped too.
pub(super) fn merge_terms<B: SegmentBytes, N: Fn(u32) -> Option<u32>>(
    sources: &mut [Source<'_, B, N>],
    writer: &mut SegmentWriter<impl SegmentSink>,
) -> Result<()> {
    let (mut term, mut encoded) = (Vec::new(), Vec::new());
    while let Some(lowest) = sources.iter().filter(|source| source.range.is_some()).map(Source::term).min() {
        term.clear();
        term.extend_from_slice(lowest);
        encoded.clear();
        let mut expected = 0;
        for source in &mut *sources {
            if source.range.is_some() && source.term() == term {
                expected = source.append(expected, &mut encoded)?;
                source.advance()?;
                if source.range.is_some() && source.term() <= term.as_slice() {
                    return Err(source.segment.damaged("terms are out of order"));
                }
            }
        }
        if !encoded.is_empty() {
            writer.push(&term, &encoded)?;
        }
    }
    Ok(())
}

/// One segment being read from its first term to its last.
pub(super) struct Source<'a, B, N> {
    segment: &'a Segment<B>,
    /// The number of a document in the merged segment, rising; `None` for one that is dropped.
    renumber: N,
    cursor: TermCursor<'a>,
    /// Where the postings of the term at hand lie; `None` behind the last.
    range: Option<Range<usize>>,
}

impl<'a, B: SegmentBytes, N: Fn(u32) -> Option<u32>> Source<'a, B, N> {
    pub(super) fn open(segment: &'a Segment<B>, renumber: N) -> Result<Self> {
        let mut source = Self { segment, renumber, cursor: segment.terms().reader(), range: None };
        source.advance()?;
        Ok(source)
    }

    fn term(&self) -> &[u8] {
        &self.cursor.term
    }

    fn advance(&mut self) -> Result<()> {
        self.range = self.cursor.advance().map_err(|detail| self.segment.damaged(detail))?;
        Ok(())
    }

    /// Appends the postings of the term at hand; returns one past the last document.
    fn append(&self, mut expected: u32, encoded: &mut Vec<u8>) -> Result<u32> {
        let postings = self.segment.postings(self.range.clone().unwrap_or_default());
        let append = |document, found| {
            if let Some(document) = (self.renumber)(document) {
                posting::put(encoded, document, expected, found);
                expected = document + 1;
            }
        };
        postings.for_each(append).map_err(|detail| self.segment.damaged(detail))?;
        Ok(expected)
    }
}
