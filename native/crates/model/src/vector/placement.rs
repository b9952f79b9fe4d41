//! Takes a segment out of its place, so that it can be exported, and puts one that came from elsewhere into a place.
//!
//! The place is the first document and the generation in the header; without them equal vectors give equal bytes.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::atomic_file::AtomicFile;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{DocId, Generation};
use codecairn_base::private_files;

use super::layout::{HEADER, Header, Sections, VERSION};
use super::segment::{VectorSegment, VectorSegmentFile};
use super::writer::{SegmentOptions, file_name};

/// What segments of a model must agree in to be read here: the version of their format, and the model.
pub fn format_name(embedder: &str, dimensions: usize) -> String {
    format!("vectors {VERSION} {embedder}/{dimensions}")
}

/// The length in bytes of a segment of so many documents; `None` if there can be none.
pub fn segment_bytes(dimensions: usize, count: u32) -> Option<usize> {
    Sections::new(dimensions, count as usize).map(|sections| sections.presence.end)
}

/// The bytes of a listed segment with zeros in the place of its first document and generation.
///
/// # Errors
/// [`Error::StoreDamaged`] if it is not what is listed or its checksum does not match; input errors.
pub fn take_out(folder: &Path, listed: &VectorSegmentFile) -> Result<Vec<u8>> {
    let segment = VectorSegment::open(folder, listed)?;
    segment.verify_checksum()?;
    let mut bytes = segment.bytes().to_vec();
    segment.check_whole()?;
    let header = Header { first: DocId(0), generation: Generation(0), ..*segment.header() };
    bytes[..HEADER].copy_from_slice(&header.to_bytes());
    Ok(bytes)
}

/// Writes the bytes of [`take_out`] to `folder` as a segment in the place of `options`, and verifies its rows. No publication
/// lists it yet. `count` is the number of documents that it must have.
///
/// # Errors
/// [`Error::StoreDamaged`] for bytes that are not such a segment of this model, of which no file is left; output errors.
pub fn put_in(folder: &Path, bytes: &[u8], count: u32, options: &SegmentOptions<'_>) -> Result<VectorSegmentFile> {
    let SegmentOptions { first, dimensions, embedder, generation } = *options;
    let file_name = file_name(xxh3_64(embedder.as_bytes()), generation, first);
    let path = folder.join(&file_name);
    let damaged = |detail: String| Error::StoreDamaged { path: path.clone(), detail };
    let header = Header::read(bytes).map_err(damaged)?;
    let expected = Header {
        dimensions: dimensions as u32,
        generation: Generation(0),
        first: DocId(0),
        count,
        embedder: xxh3_64(embedder.as_bytes()),
        body_checksum: header.body_checksum,
    };
    if header != expected {
        return Err(damaged(format!("it is not a segment of {count} documents of `{embedder}` without a place")));
    }
    if first.0.checked_add(count).is_none() || segment_bytes(dimensions, count) != Some(bytes.len()) {
        return Err(damaged(format!("{} bytes are not the length that its header declares", bytes.len())));
    }
    let mut file = AtomicFile::create(folder, &file_name)?;
    file.write(bytes)?;
    file.publish(&Header { generation, first, ..header }.to_bytes())?;
    let listed = VectorSegmentFile { file_name, generation, first, count, size_bytes: bytes.len() as u64 };
    let verified = VectorSegment::open(folder, &listed).and_then(|segment| segment.verify_rows());
    if verified.is_err() {
        // In use on Windows: it is collected later.
        let _ = private_files::remove(&path);
    }
    verified.map(|()| listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{VectorIndex, VectorSegmentWriter, quantise};

    fn options(first: u32, generation: u64) -> SegmentOptions<'static> {
        SegmentOptions { first: DocId(first), dimensions: 40, embedder: "a model", generation: Generation(generation) }
    }

    fn segment(folder: &Path, options: &SegmentOptions<'_>) -> VectorSegmentFile {
        let mut writer = VectorSegmentWriter::create(folder, options).unwrap();
        for number in 0..70u8 {
            let vector: Vec<f32> = (0..40u8).map(|at| f32::from(at ^ number) - 17.0).collect();
            writer.push(Some(quantise(&vector).unwrap()).filter(|_| number % 9 > 0).as_ref()).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn a_segment_has_the_same_bytes_wherever_it_was_and_is_itself_again_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (segment(folder.path(), &options(0, 3)), segment(folder.path(), &options(70, 9)));
        let bytes = take_out(folder.path(), &here).unwrap();
        assert_eq!(bytes, take_out(folder.path(), &there).unwrap());
        assert_eq!(segment_bytes(40, 70), Some(bytes.len()));
        let before = std::fs::read(folder.path().join(&there.file_name)).unwrap();
        std::fs::remove_file(folder.path().join(&there.file_name)).unwrap();
        let again = put_in(folder.path(), &bytes, 70, &options(70, 9)).unwrap();
        assert_eq!((&again, std::fs::read(folder.path().join(&again.file_name)).unwrap()), (&there, before));
        VectorIndex::open(folder.path(), &[here, again]).unwrap().verify().unwrap();
    }

    #[test]
    fn what_is_no_whole_segment_of_the_model_without_a_place_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let listed = segment(folder.path(), &options(5, 3));
        let bytes = take_out(folder.path(), &listed).unwrap();
        let placed = std::fs::read(folder.path().join(&listed.file_name)).unwrap();
        let into = tempfile::tempdir().unwrap();
        let put = |bytes: &[u8], count| put_in(into.path(), bytes, count, &options(0, 1));
        assert!(put(&placed, 70).is_err(), "it has a place");
        assert!(put(&bytes, 71).is_err(), "it has other documents");
        assert!(put_in(into.path(), &bytes, 70, &options(u32::MAX, 1)).is_err());
        assert!(put_in(into.path(), &bytes, 70, &SegmentOptions { embedder: "other", ..options(0, 1) }).is_err());
        assert!(put_in(into.path(), &bytes, 70, &SegmentOptions { dimensions: 41, ..options(0, 1) }).is_err());
        for end in (0..bytes.len()).step_by(7) {
            assert!(put(&bytes[..end], 70).is_err(), "{end}");
        }
        for at in (0..56).chain((64..bytes.len()).step_by(11)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(put(&damaged, 70).is_err(), "{at}");
        }
        assert_eq!(std::fs::read_dir(into.path()).unwrap().count(), 0);
        put(&bytes, 70).unwrap();
    }

    #[test]
    fn rows_that_disagree_with_themselves_are_refused_even_if_the_checksum_fits() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = take_out(folder.path(), &segment(folder.path(), &options(0, 3))).unwrap();
        let sections = Sections::new(40, 70).unwrap();
        let into = tempfile::tempdir().unwrap();
        for (section, is_refused) in
            [(&sections.rows, true), (&sections.scales, true), (&sections.presence, true), (&sections.sketches, false)]
        {
            for at in section.clone().step_by(13) {
                let mut forged = bytes.clone();
                forged[at] ^= 1;
                let body_checksum = xxh3_64(&forged[HEADER..]);
                let header = Header { body_checksum, ..Header::read(&bytes).unwrap() };
                forged[..HEADER].copy_from_slice(&header.to_bytes());
                let put = put_in(into.path(), &forged, 70, &options(0, 1));
                assert_eq!(put.is_err(), is_refused, "{at}");
                if let Ok(listed) = put {
                    VectorIndex::open(into.path(), &[listed]).unwrap().verify().unwrap_err();
                }
            }
        }
    }
}
