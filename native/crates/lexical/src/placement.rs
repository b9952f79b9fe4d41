//! Takes a segment out of its place, so that it can be exported, and puts one that came from elsewhere into a place.
//!
//! The place is the first document and the generation in the header; without them equal documents give equal bytes.

use std::path::Path;

use codecairn_base::atomic_file::AtomicFile;
use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};

use super::analyzer::ANALYZER_VERSION;
use super::layout::{HEADER, Header, VERSION};
use super::packed_segment::StoredBytes;
use super::segment::Segment;
use super::verify::{verify_checksum, verify_structure};
use super::writer::{SegmentFile, file_name};

/// What segments must agree in to be read here: the versions of their format and of the analyzer.
pub fn format_name() -> String {
    format!("lexical {VERSION}.{ANALYZER_VERSION}")
}

/// The bytes of a listed segment with zeros in the place of its first document and generation.
///
/// # Errors
/// [`Error::StoreDamaged`](codecairn_base::error::Error::StoreDamaged) if it is not what is listed or its checksum
/// does not match; input errors.
pub fn take_out(folder: &Path, listed: &SegmentFile) -> Result<Vec<u8>> {
    let segment = Segment::open(folder, listed)?;
    verify_checksum(&segment)?;
    let mut bytes = segment.bytes().to_vec();
    segment.check_whole()?;
    bytes[..HEADER].copy_from_slice(&placed(segment.header(), DocId(0), Generation(0)));
    Ok(bytes)
}

/// Verifies the structure of the bytes of [`take_out`] and writes them to `folder` as a segment that begins at `first`. No publication
/// lists it yet. `count` is the number of documents that it must have.
///
/// # Errors
/// [`Error::StoreDamaged`](codecairn_base::error::Error::StoreDamaged) for bytes that are not such a segment; output
/// errors.
pub fn put_in(folder: &Path, bytes: Vec<u8>, first: DocId, count: u32, generation: Generation) -> Result<SegmentFile> {
    let segment = Segment::read(StoredBytes(bytes))?;
    let header = *segment.header();
    if (header.first, header.generation, header.count) != (DocId(0), Generation(0), count) {
        return Err(segment.damaged(format!("it is not a segment of {count} documents without a place")));
    }
    if first.0.checked_add(count).is_none() {
        return Err(segment.damaged("it has more documents than can be numbered"));
    }
    verify_structure(&segment)?;
    let file_name = file_name(generation, first, count);
    let mut file = AtomicFile::create(folder, &file_name)?;
    file.write(segment.bytes())?;
    file.publish(&placed(&header, first, generation))?;
    Ok(SegmentFile { file_name, generation, first, count, size_bytes: segment.bytes().len() as u64 })
}

fn placed(header: &Header, first: DocId, generation: Generation) -> [u8; HEADER] {
    Header { generation, first, ..*header }.to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyzer::{QueryTerm, stem};
    use crate::{AnalyzedBatch, Document, LexicalIndex, SegmentBuilder};

    fn segment(folder: &Path, first: u32, generation: u64) -> SegmentFile {
        let texts = ["fn one() {}", "fn two() { one() }", "words and more words"];
        let batch = AnalyzedBatch::analyze(texts.map(|text| Document { text, names: &["one"], comments: &[] }));
        let mut builder = SegmentBuilder::new(DocId(first));
        builder.push(&batch, &[true; 3]);
        builder.write(folder, Generation(generation)).unwrap()
    }

    #[test]
    fn a_segment_has_the_same_bytes_wherever_it_was_and_is_itself_again_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (segment(folder.path(), 0, 3), segment(folder.path(), 70, 9));
        let bytes = take_out(folder.path(), &here).unwrap();
        assert_eq!(bytes, take_out(folder.path(), &there).unwrap());
        let before = std::fs::read(folder.path().join(&there.file_name)).unwrap();
        std::fs::remove_file(folder.path().join(&there.file_name)).unwrap();
        let again = put_in(folder.path(), bytes, DocId(70), 3, Generation(9)).unwrap();
        assert_eq!((&again, std::fs::read(folder.path().join(&again.file_name)).unwrap()), (&there, before));
        assert_eq!(LexicalIndex::open(folder.path(), &[here]).unwrap().document_count(), 3);
    }

    #[test]
    fn what_is_no_whole_segment_without_a_place_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let listed = segment(folder.path(), 5, 3);
        let bytes = take_out(folder.path(), &listed).unwrap();
        let placed = std::fs::read(folder.path().join(&listed.file_name)).unwrap();
        let into = tempfile::tempdir().unwrap();
        let put = |bytes: Vec<u8>, count| put_in(into.path(), bytes, DocId(0), count, Generation(1));
        assert!(put(placed, 3).is_err(), "it has a place");
        assert!(put(bytes.clone(), 4).is_err(), "it has other documents");
        assert!(put_in(into.path(), bytes.clone(), DocId(u32::MAX), 3, Generation(1)).is_err());
        for end in 0..bytes.len() {
            assert!(put(bytes[..end].to_vec(), 3).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(put(damaged, 3).is_err(), "{at}");
        }
        assert_eq!(std::fs::read_dir(into.path()).unwrap().count(), 0);
        put(bytes, 3).unwrap();
    }

    #[test]
    fn what_can_be_put_in_can_be_read_even_if_its_author_made_the_checksum_fit() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = take_out(folder.path(), &segment(folder.path(), 0, 3)).unwrap();
        let header = *Segment::read(StoredBytes(bytes.clone())).unwrap().header();
        let mut taken = 0;
        for (at, bit) in (HEADER..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut forged = bytes.clone();
            forged[at] ^= 1 << bit;
            let body_checksum = xxhash_rust::xxh3::xxh3_64(&forged[HEADER..]);
            forged[..HEADER].copy_from_slice(&Header { body_checksum, ..header }.to_bytes());
            let into = tempfile::tempdir().unwrap();
            let Ok(file) = put_in(into.path(), forged, DocId(0), 3, Generation(1)) else { continue };
            let index = LexicalIndex::open(into.path(), &[file]).unwrap();
            let mut terms = Vec::new();
            index.for_each_term(|term, _| terms.push(term.to_owned())).unwrap();
            for term in terms.iter().map(String::as_str).chain(["one", "words", "absent"]) {
                let sought =
                    QueryTerm { term: term.to_owned(), stem: stem(term).into_owned(), is_whole_identifier: false };
                index.for_each_posting(&sought, |_, _| taken += 1).unwrap();
                index.for_each_exact(term, |posting| assert!(posting.doc.0 < 3)).unwrap();
            }
        }
        assert!(taken > 0, "frequencies, lengths and hashes of stems are taken as they are");
    }
}
