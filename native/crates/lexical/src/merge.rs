//! Merges adjacent segments: a k-way merge of their sorted dictionaries, in time linear to their postings.

use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::Generation;

use super::posting;
use super::segment::Segment;
use super::terms::TermCursor;
use super::verify::verify_checksum;
use super::writer::{SegmentFile, SegmentWriter};

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
    let mut sources = segments.iter().map(Source::open).collect::<Result<Vec<_>>>()?;
    let (mut term, mut encoded) = (Vec::new(), Vec::new());
    while let Some(lowest) = sources.iter().filter(|source| source.range.is_some()).map(Source::term).min() {
        term.clear();
        term.extend_from_slice(lowest);
        encoded.clear();
        let mut expected = 0;
        for source in &mut sources {
            if source.range.is_some() && source.term() == term {
                expected = source.append(first.0, expected, &mut encoded)?;
                source.advance()?;
                if source.range.is_some() && source.term() <= term.as_slice() {
                    return Err(source.segment.damaged("terms are out of order"));
                }
            }
        }
        writer.push(&term, &encoded)?;
    }
    writer.finish()
}

/// One segment being read from its first term to its last.
struct Source<'a> {
    segment: &'a Segment,
    cursor: TermCursor<'a>,
    /// Where the postings of the term at hand lie; `None` behind the last.
    range: Option<std::ops::Range<usize>>,
}

impl<'a> Source<'a> {
    fn open(segment: &'a Segment) -> Result<Self> {
        let mut source = Self { segment, cursor: segment.terms().reader(), range: None };
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

    /// Appends the postings of the term at hand, numbered from `first`; returns one past the last document.
    fn append(&self, first: u32, mut expected: u32, encoded: &mut Vec<u8>) -> Result<u32> {
        let base = self.segment.header().first.0 - first;
        let postings = self.segment.postings(self.range.clone().unwrap_or_default());
        let append = |document, found| {
            posting::put(encoded, base + document, expected, found);
            expected = base + document + 1;
        };
        postings.for_each(append).map_err(|detail| self.segment.damaged(detail))?;
        Ok(expected)
    }
}
