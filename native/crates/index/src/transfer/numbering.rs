//! Packs the numbers of documents: which chunk each document is.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNNUM` |
//! | 8..12 | format version, 1 |
//! | 12..16 | documents |
//! | then, compressed | chunk ids, 16 bytes each; hashes of their texts, 16 bytes each; a byte each: 1 if the text needs no vector |
//!
//! A collected document is all zeros. Where documents begin is not in it, so equal documents give equal bytes.

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{ChunkId, DocId};
use codecairn_store::{NumberedChunk, SegmentKind, Snapshot};

use super::compressed::{compress, decompress};

/// The version of the format.
pub(super) const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"CAIRNNUM";
const HEADER: usize = 16;
/// Bytes of a document.
const WIDTH: usize = 33;
/// The maximum of documents in all parts together: half a gigabyte, of some ten gigabytes of source.
pub(super) const MAX_DOCUMENTS: u32 = 16 << 20;
/// zstd's level. Hashes can't be compressed, and the rest is small.
const LEVEL: i32 = 1;

/// The numbering of a range of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberingPart<D = Vec<u8>> {
    /// The first document.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The packed chunks.
    pub data: D,
}

/// The numbering of all documents that segments cover, cut where the lexical segments are.
pub fn numbering_parts(snapshot: &Snapshot) -> Result<Vec<NumberingPart>> {
    let part = |first: DocId, count| {
        let chunks = snapshot.numbered_chunks(first..DocId(first.0 + count))?;
        Ok(NumberingPart { first: first.0, count, data: pack(&chunks) })
    };
    let segments = snapshot.segments(SegmentKind::Lexical)?;
    let documents: u64 = segments.iter().map(|segment| u64::from(segment.count)).sum();
    if documents > u64::from(MAX_DOCUMENTS) {
        let detail = format!("the index has {documents} documents; at most {MAX_DOCUMENTS} can be exported");
        return Err(Error::InvalidArgument(detail));
    }
    segments.iter().map(|segment| part(segment.first, segment.count)).collect()
}

/// The caller has bounded the number of chunks.
fn pack(chunks: &[Option<NumberedChunk>]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(chunks.len() * WIDTH);
    let none = ContentHash::from_bytes([0; 16]);
    raw.extend(chunks.iter().flat_map(|chunk| *chunk.map_or(none, |chunk| chunk.chunk.0).as_bytes()));
    raw.extend(chunks.iter().flat_map(|chunk| *chunk.map_or(none, |chunk| chunk.text_hash).as_bytes()));
    raw.extend(chunks.iter().map(|chunk| u8::from(chunk.is_some_and(|chunk| chunk.is_plain))));
    let mut data = Vec::with_capacity(HEADER + raw.len());
    data.extend_from_slice(MAGIC);
    data.extend_from_slice(&VERSION.to_le_bytes());
    data.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    data.extend_from_slice(&compress(&raw, LEVEL));
    data
}

/// The chunks of a part that must have `count` documents; the error describes the problem.
pub(super) fn unpack(data: &[u8], count: u32) -> Result<Vec<Option<NumberedChunk>>, &'static str> {
    let header = data.get(..HEADER).filter(|header| header.starts_with(MAGIC)).ok_or("it is no numbering")?;
    let number_at = |at: usize| u32::from_le_bytes(*header[at..].first_chunk().expect("invariant: four bytes"));
    if number_at(8) != VERSION {
        return Err("it was made by another version");
    }
    if number_at(12) != count || count > MAX_DOCUMENTS {
        return Err("it has other documents than it should");
    }
    let count = count as usize;
    let raw = decompress(&data[HEADER..], count * WIDTH)?;
    let (ids, rest) = raw.split_at(count * 16);
    let (hashes, plain) = rest.split_at(count * 16);
    let hash = |bytes: &[u8; 16]| ContentHash::from_bytes(*bytes);
    let rows = ids.as_chunks().0.iter().zip(hashes.as_chunks().0).zip(plain);
    let chunk = |((id, text), plain): ((&[u8; 16], &[u8; 16]), &u8)| match (id, text, plain) {
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], _, _) if *text == [0; 16] && *plain == 0 => Ok(None),
        (_, _, 0 | 1) if *id != [0; 16] && *text != [0; 16] => {
            Ok(Some(NumberedChunk { chunk: ChunkId(hash(id)), text_hash: hash(text), is_plain: *plain == 1 }))
        }
        _ => Err("a document is neither a chunk nor collected"),
    };
    rows.map(chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks() -> Vec<Option<NumberedChunk>> {
        let chunk = |number: u8| NumberedChunk {
            chunk: ChunkId(ContentHash::of(&[number])),
            text_hash: ContentHash::of(&[number, number]),
            is_plain: number.is_multiple_of(3),
        };
        (0..50).map(|number| (number != 7).then(|| chunk(number))).collect()
    }

    #[test]
    fn numbers_come_back() {
        let packed = pack(&chunks());
        assert_eq!(unpack(&packed, 50), Ok(chunks()));
        assert_eq!(unpack(&pack(&[]), 0), Ok(Vec::new()));
        assert!(unpack(&packed, 49).is_err() && unpack(&packed, u32::MAX).is_err());
    }

    #[test]
    fn damage_is_found() {
        let packed = pack(&chunks());
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            assert!(unpack(&damaged, 50).is_err(), "{at}");
            assert!(unpack(&packed[..at], 50).is_err(), "{at}");
        }
    }

    #[test]
    fn a_document_is_a_chunk_or_collected() {
        let row = |id: u8, text: u8, plain: u8| {
            let raw = [vec![id; 16], vec![text; 16], vec![plain]].concat();
            let head = [&MAGIC[..], &VERSION.to_le_bytes(), &1u32.to_le_bytes()].concat();
            unpack(&[head, compress(&raw, LEVEL)].concat(), 1)
        };
        assert!(row(0, 0, 0).is_ok_and(|rows| rows == [None]) && row(1, 2, 1).is_ok_and(|rows| rows[0].is_some()));
        for (id, text, plain) in [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 2)] {
            assert!(row(id, text, plain).is_err(), "{id} {text} {plain}");
        }
    }
}
