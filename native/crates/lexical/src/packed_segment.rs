//! A segment in bytes that the caller stores: a row of a database, committed with what it indexes.
//!
//! A document is a segment of one; larger ones come from merging, which drops the documents that were removed. Documents
//! are numbered from 0, and a term is any short string of bytes, such as the hash of a word.

use std::path::Path;

use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};

use super::index::to_posting;
use super::length::{dequantise, quantise};
use super::merge::{Source, merge_terms};
use super::posting::{self, Frequencies};
use super::score::{Field, Posting};
use super::segment::{Segment, SegmentBytes};
use super::writer::SegmentWriter;

/// Bytes of a segment that lie in no file.
#[derive(Debug)]
pub(super) struct StoredBytes(pub(super) Vec<u8>);

impl SegmentBytes for StoredBytes {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn path(&self) -> &Path {
        Path::new("a stored segment")
    }
}

/// A segment that lies in no file.
///
/// ```
/// use codecairn_lexical::{Field, PackedSegment};
///
/// let one = PackedSegment::of_document([(b"ferry", Field::Body, 2)]).unwrap();
/// let two = PackedSegment::of_document([(b"ferry", Field::Body, 1), (b"lamps", Field::Body, 1)]).unwrap();
/// let both = PackedSegment::merge(&[&one, &two], |_, _| true).unwrap();
/// let mut found = Vec::new();
/// both.for_each_posting(b"ferry", |posting| found.push((posting.doc.0, posting.body))).unwrap();
/// assert_eq!(found, [(0, 2), (1, 1)]);
/// assert_eq!(both.lengths().collect::<Vec<u32>>(), [2, 2]);
/// ```
#[derive(Debug)]
pub struct PackedSegment {
    segment: Segment<StoredBytes>,
}

impl PackedSegment {
    /// A segment of one document, from its distinct terms in byte order with the field and frequency of each.
    ///
    /// # Errors
    /// None: a segment in memory can always be written.
    pub fn of_document<T: AsRef<[u8]>>(terms: impl IntoIterator<Item = (T, Field, u16)> + Clone) -> Result<Self> {
        let mut lengths = [0_u32; 3];
        for (_, field, count) in terms.clone() {
            let length = &mut lengths[field as usize];
            *length = length.saturating_add(frequencies(field, count).in_field(field));
        }
        let mut writer = SegmentWriter::begin(Vec::new(), DocId(0), Generation(0), &[lengths.map(quantise)])?;
        let mut encoded = Vec::new();
        for (term, field, count) in terms {
            encoded.clear();
            posting::put(&mut encoded, 0, 0, frequencies(field, count));
            writer.push(term.as_ref(), &encoded)?;
        }
        Self::finish(writer)
    }

    /// The segment in these bytes.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::error::Error::StoreDamaged) if they are no segment of this version.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self { segment: Segment::read(StoredBytes(bytes))? })
    }

    /// The bytes to store.
    pub fn bytes(&self) -> &[u8] {
        self.segment.bytes()
    }

    /// The number of documents.
    pub fn document_count(&self) -> u32 {
        self.segment.header().count
    }

    /// The length of each document's text in terms, quantised.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.document_count() as usize).map(|document| dequantise(self.segment.length_codes(document)[0]))
    }

    /// Calls `each` with every document that has `term`, in rising order.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::error::Error::StoreDamaged) if the bytes can't be read.
    pub fn for_each_posting(&self, term: &[u8], mut each: impl FnMut(Posting)) -> Result<()> {
        let damaged = |detail| self.segment.damaged(detail);
        let Some(range) = self.segment.terms().find(term).map_err(damaged)? else { return Ok(()) };
        let postings = self.segment.postings(range);
        postings.for_each(|document, found| each(to_posting(DocId(document), found))).map_err(damaged)
    }

    /// One segment of the documents that `keeps` is true for, by segment and number; they are numbered in order.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::error::Error::StoreDamaged) if a segment can't be read.
    pub fn merge(segments: &[&Self], keeps: impl Fn(usize, u32) -> bool) -> Result<Self> {
        let mut lengths = Vec::new();
        let mut numbers: Vec<Vec<Option<u32>>> = Vec::with_capacity(segments.len());
        for (at, packed) in segments.iter().enumerate() {
            super::verify::verify_checksum(&packed.segment)?;
            let number = |document: u32| {
                let codes = keeps(at, document).then(|| packed.segment.length_codes(document as usize))?;
                lengths.push(codes);
                Some(lengths.len() as u32 - 1)
            };
            numbers.push((0..packed.document_count()).map(number).collect());
        }
        let mut writer = SegmentWriter::begin(Vec::new(), DocId(0), Generation(0), &lengths)?;
        let numbered = |numbers: Vec<Option<u32>>| move |document: u32| numbers[document as usize];
        let sources = segments.iter().zip(numbers).map(|(packed, own)| Source::open(&packed.segment, numbered(own)));
        merge_terms(&mut sources.collect::<Result<Vec<_>>>()?, &mut writer)?;
        Self::finish(writer)
    }

    /// Decodes everything and checks order, counts and checksums.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::error::Error::StoreDamaged) with the first problem.
    pub fn verify(&self) -> Result<()> {
        super::verify::verify(&self.segment)
    }

    fn finish(writer: SegmentWriter<Vec<u8>>) -> Result<Self> {
        let (mut bytes, header, _) = writer.finish()?;
        let header = header.to_bytes();
        bytes[..header.len()].copy_from_slice(&header);
        Self::open(bytes)
    }
}

/// The frequencies of a term that occurs in one field.
fn frequencies(field: Field, count: u16) -> Frequencies {
    let small = u8::try_from(count).unwrap_or(u8::MAX);
    match field {
        Field::Body => Frequencies { body: count, ..Frequencies::default() },
        Field::Names => Frequencies { names: small, ..Frequencies::default() },
        Field::Comments => Frequencies { comments: small, ..Frequencies::default() },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Terms = BTreeMap<[u8; 2], (bool, u16)>;

    fn packed(terms: &Terms) -> PackedSegment {
        let field = |is_name| if is_name { Field::Names } else { Field::Body };
        PackedSegment::of_document(terms.iter().map(|(term, (is_name, count))| (term, field(*is_name), *count)))
            .unwrap()
    }

    fn documents() -> impl Strategy<Value = Vec<Terms>> {
        let count = prop_oneof![1_u16..9, any::<u16>().prop_map(|count| count.max(1))];
        let key = prop::sample::select(vec![[0, 0], [0, 7], [1, 0], [1, 255], [3, 7], [9, 9], [200, 1], [255, 255]]);
        let terms = prop::collection::btree_map(key, (any::<bool>(), count), 0..12);
        prop::collection::vec(terms, 1..24)
    }

    proptest! {
        /// Segments merged in any grouping, with some documents dropped on the way, are those of what stays.
        #[test]
        fn a_merge_is_the_segment_of_what_stays(
            documents in documents(), dropped in prop::collection::vec(any::<bool>(), 24), cut in 0_usize..24, early: bool,
        ) {
            let all: Vec<PackedSegment> = documents.iter().map(packed).collect();
            let cut = cut.min(all.len());
            let refs = |segments: &'_ [PackedSegment]| -> PackedSegment {
                PackedSegment::merge(&segments.iter().collect::<Vec<_>>(), |_, _| true).unwrap()
            };
            let (left, right) = (refs(&all[..cut]), refs(&all[cut..]));
            let grouped = if early {
                let left = PackedSegment::merge(&[&left], |_, document| !dropped[document as usize]).unwrap();
                let right = PackedSegment::merge(&[&right], |_, document| !dropped[cut + document as usize]).unwrap();
                PackedSegment::merge(&[&left, &right], |_, _| true).unwrap()
            } else {
                PackedSegment::merge(&[&left, &right], |at, document| !dropped[at * cut + document as usize]).unwrap()
            };
            let staying: Vec<&PackedSegment> =
                all.iter().zip(&dropped).filter(|(_, dropped)| !**dropped).map(|(segment, _)| segment).collect();
            let at_once = PackedSegment::merge(&staying, |_, _| true).unwrap();
            prop_assert_eq!(grouped.bytes(), at_once.bytes());
            at_once.verify().unwrap();
            let reopened = PackedSegment::open(at_once.bytes().to_vec()).unwrap();
            prop_assert_eq!(reopened.document_count() as usize, staying.len());
        }

        #[test]
        fn any_bytes_are_an_error_and_no_panic(flip in any::<prop::sample::Index>(), documents in documents()) {
            let all: Vec<PackedSegment> = documents.iter().map(packed).collect();
            let merged = PackedSegment::merge(&all.iter().collect::<Vec<_>>(), |_, _| true).unwrap();
            let mut bytes = merged.bytes().to_vec();
            let at = flip.index(bytes.len());
            bytes[at] ^= 0x55;
            if let Ok(damaged) = PackedSegment::open(bytes) {
                prop_assert!(damaged.verify().is_err());
                let _ = damaged.for_each_posting(&[3, 7], |_| ());
                prop_assert!(PackedSegment::merge(&[&damaged], |_, _| true).is_err());
            }
        }
    }
}
