//! Searches all lexical segments of a store as one index.

use std::ops::Range;
use std::path::Path;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::DocId;

use super::analyzer::QueryTerm;
use super::length::{FieldLengths, dequantise};
use super::posting::Frequencies;
use super::score::{Posting, TermPostings};
use super::segment::Segment;
use super::writer::SegmentFile;

/// The open segments, which cover the documents from the first on without a gap.
#[derive(Debug, Default)]
pub struct LexicalIndex {
    segments: Vec<Segment>,
    documents: usize,
}

impl LexicalIndex {
    /// Opens the segments in `folder` that the store lists as `files`, in order.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment is not what is listed or if they leave a gap; input errors.
    pub fn open(folder: &Path, files: &[SegmentFile]) -> Result<Self> {
        let mut index = Self::default();
        for file in files {
            if file.first.index() != index.documents {
                let detail = format!("it begins at document {} and not at {}", file.first.0, index.documents);
                return Err(Error::StoreDamaged { path: folder.join(&file.file_name), detail });
            }
            index.segments.push(Segment::open(folder, file)?);
            index.documents += file.count as usize;
        }
        Ok(index)
    }

    /// The number of documents, live or not.
    pub fn document_count(&self) -> usize {
        self.documents
    }

    /// The lengths of a document's fields, quantised; zero for a document beyond the last.
    pub fn lengths(&self, doc: DocId) -> FieldLengths {
        let [body, names, comments] = self.length_codes(doc).map(dequantise);
        FieldLengths { body, names, comments }
    }

    /// The length codes of a document's fields (body, names, comments); zeros for a document beyond the last.
    pub fn length_codes(&self, doc: DocId) -> [u8; 3] {
        let next = self.segments.partition_point(|segment| segment.header().first <= doc);
        let Some(segment) = next.checked_sub(1).map(|at| &self.segments[at]) else { return [0; 3] };
        let index = doc.index() - segment.header().first.index();
        if index < segment.header().count as usize { segment.length_codes(index) } else { [0; 3] }
    }

    /// The documents among `live` that have exactly `term`.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    pub fn term_postings(&self, term: &str, live: &Bitmap) -> Result<TermPostings> {
        let mut found = TermPostings::default();
        for segment in &self.segments {
            if let Some(range) = segment.terms().find(term.as_bytes()).map_err(|detail| segment.damaged(detail))? {
                found.append(collect(segment, range, live)?);
            }
        }
        Ok(found)
    }

    /// The documents among `live` that have a term with this stem; frequencies are summed over such terms.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    #[cfg(test)]
    pub(crate) fn stem_postings(&self, stem: &str, live: &Bitmap) -> Result<TermPostings> {
        Ok(self.group(None, stem, live)?.1)
    }

    /// The documents among `live` that have the exact term, and those that have its stem. The group of a stem is looked
    /// up once for both.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    pub fn postings(&self, term: &QueryTerm, live: &Bitmap) -> Result<(TermPostings, TermPostings)> {
        self.group(Some(&term.term), &term.stem, live)
    }

    /// Calls `each` with every document that has the term's stem, in rising order, and with the occurrences of the
    /// exact term in it. Deleted documents are included: the caller maps each document to its chunks, which drops them.
    ///
    /// The lists of all terms but the most frequent are sorted and merged first; the longest list is then merged while
    /// it is decoded, so that it is never copied.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    pub fn for_each_posting(&self, term: &QueryTerm, mut each: impl FnMut(Posting, ExactMatch)) -> Result<()> {
        for segment in &self.segments {
            let damaged = |detail| segment.damaged(detail);
            let mut group = segment.terms().group(&term.stem).map_err(damaged)?;
            let written = segment.terms().find(term.term.as_bytes()).map_err(damaged)?;
            let is_written = |range: &Range<usize>| written.as_ref() == Some(range);
            group.sort_by_key(ExactSizeIterator::len);
            let Some(longest) = group.pop() else { continue };
            let mut others: Vec<(Posting, ExactMatch)> = Vec::new();
            for range in group {
                let written = is_written(&range);
                stream(segment, range, |posting| others.push((posting, ExactMatch::of(posting, written))))?;
            }
            others.sort_by_key(|(posting, _)| posting.doc);
            others.dedup_by(|next, kept| {
                let same = next.0.doc == kept.0.doc;
                if same {
                    add(kept, next);
                }
                same
            });
            let (mut rest, written) = (&others[..], is_written(&longest));
            stream(segment, longest, |posting| {
                let mut found = (posting, ExactMatch::of(posting, written));
                while let Some((other, later)) = rest.split_first().filter(|(other, _)| other.0.doc <= posting.doc) {
                    rest = later;
                    if other.0.doc == posting.doc { add(&mut found, other) } else { each(other.0, other.1) }
                }
                each(found.0, found.1);
            })?;
            for &(posting, written) in rest {
                each(posting, written);
            }
        }
        Ok(())
    }

    /// Calls `each` with every document that has exactly `term`, live or not, in rising order.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    pub fn for_each_exact(&self, term: &str, mut each: impl FnMut(Posting)) -> Result<()> {
        for segment in &self.segments {
            if let Some(range) = segment.terms().find(term.as_bytes()).map_err(|detail| segment.damaged(detail))? {
                stream(segment, range, &mut each)?;
            }
        }
        Ok(())
    }

    /// Calls `each` with every term and the number of documents that have it, live or not; once for each segment that has it.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a segment can't be read.
    pub fn for_each_term(&self, mut each: impl FnMut(&str, u32)) -> Result<()> {
        for segment in &self.segments {
            let damaged = |detail| segment.damaged(detail);
            let mut terms = segment.terms().reader();
            while let Some(range) = terms.advance().map_err(damaged)? {
                let term = std::str::from_utf8(&terms.term).map_err(|_| segment.damaged("a term is not text"))?;
                let mut documents = 0;
                segment.postings(range).for_each(|_, _| documents += 1).map_err(damaged)?;
                each(term, documents);
            }
        }
        Ok(())
    }

    fn group(&self, term: Option<&str>, stem: &str, live: &Bitmap) -> Result<(TermPostings, TermPostings)> {
        let (mut exact, mut grouped) = (TermPostings::default(), TermPostings::default());
        for segment in &self.segments {
            let damaged = |detail| segment.damaged(detail);
            let mut group = segment.terms().group(stem).map_err(damaged)?;
            let written = match term {
                Some(term) => segment.terms().find(term.as_bytes()).map_err(damaged)?,
                None => None,
            };
            // Short lists are merged first, so that the long ones are copied once.
            group.sort_by_key(ExactSizeIterator::len);
            let mut union = TermPostings::default();
            for range in group {
                let is_written = written.as_ref() == Some(&range);
                let of_term = collect(segment, range, live)?;
                if is_written {
                    exact.append(of_term.clone());
                }
                union = union.union(of_term);
            }
            grouped.append(union);
        }
        Ok((exact, grouped))
    }

    /// Decodes all segments and checks order, counts and checksums.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] with the first problem.
    pub fn verify(&self) -> Result<()> {
        self.segments.iter().try_for_each(super::verify::verify)
    }

    /// Checks the checksum of each segment that `is_wanted`, by its name: 0.1 ms a megabyte.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] for the first that does not match.
    pub fn verify_checksums(&self, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
        let mut wanted = self.segments.iter().filter(|segment| is_wanted(segment.path()));
        wanted.try_for_each(super::verify::verify_checksum)
    }

    /// Fails with [`Error::StoreDamaged`] if a segment was cut since it was opened, as far as reading has met it.
    pub fn check_whole(&self) -> Result<()> {
        self.segments.iter().try_for_each(Segment::check_whole)
    }

    /// The files of all segments.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.segments.iter().map(Segment::path)
    }
}

/// The occurrences of the exact term in a document, among those of all terms with its stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExactMatch {
    /// How often in the text.
    pub body: u16,
    /// Whether in the names that the document defines.
    pub is_name: bool,
}

impl ExactMatch {
    fn of(posting: Posting, is_written: bool) -> Self {
        if is_written { Self { body: posting.body, is_name: posting.names > 0 } } else { Self::default() }
    }
}

/// Adds the frequencies of another term of the stem in the same document.
fn add((sum, written): &mut (Posting, ExactMatch), (other, also): &(Posting, ExactMatch)) {
    sum.body = sum.body.saturating_add(other.body);
    sum.names = sum.names.saturating_add(other.names);
    sum.comments = sum.comments.saturating_add(other.comments);
    written.body = written.body.max(also.body);
    written.is_name |= also.is_name;
}

/// Calls `each` with the postings at `range`.
#[inline]
fn stream(segment: &Segment, range: Range<usize>, mut each: impl FnMut(Posting)) -> Result<()> {
    let first = segment.header().first.0;
    let each = |document: u32, found| each(to_posting(DocId(first + document), found));
    segment.postings(range).for_each(each).map_err(|detail| segment.damaged(detail))
}

#[inline]
pub(super) fn to_posting(doc: DocId, Frequencies { body, names, comments }: Frequencies) -> Posting {
    Posting { doc, body, names, comments }
}

/// The live ones of the postings at `range`.
fn collect(segment: &Segment, range: Range<usize>, live: &Bitmap) -> Result<TermPostings> {
    let words = live.words();
    let mut found = TermPostings::default();
    found.reserve(segment.postings(range.clone()).at_most());
    stream(segment, range, |posting| {
        let doc = posting.doc.0;
        if words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1) {
            found.push(posting);
        }
    })?;
    Ok(found)
}
