//! Defines the file format of a vector segment.
//!
//! Numbers are little-endian; sections begin at multiples of 64 bytes, gaps are zero.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNVEC` |
//! | 8..12 | format version, 1 |
//! | 12..16 | dimensions |
//! | 16..24 | generation |
//! | 24..28 | first document |
//! | 28..32 | documents |
//! | 32..40 | xxh3-64 of the embedder's id |
//! | 40..48 | xxh3-64 of everything from byte 64 on (verified on request) |
//! | 48..56 | xxh3-64 of bytes 0..48 (verified on opening) |
//! | 56..64 | zero |
//! | rows | i8, [`row_bytes`] a document, zeros where there is no vector |
//! | scales | f32 a document |
//! | sketches | blocks of 64 documents, see [`sketch`](super::sketch); the last is filled up with zeros |
//! | presence | one bit per document: whether it has a vector that points somewhere, u64 words |
//!
//! Rows come first so that they can be written while their number is still unknown.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::id::{DocId, Generation};

use super::block::{BLOCK, block_bytes};
use super::quantise::MAX_DIMENSIONS;
use super::simd::ROW_ALIGNMENT;

/// Length of the header and alignment of all sections, in bytes.
pub(super) const HEADER: usize = 64;
const MAGIC: &[u8; 8] = b"CAIRNVEC";
/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// Length of a row of so many dimensions, in bytes.
pub(super) fn row_bytes(dimensions: usize) -> usize {
    dimensions.next_multiple_of(ROW_ALIGNMENT)
}

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dimensions: u32,
    pub(super) generation: Generation,
    pub(super) first: DocId,
    pub(super) count: u32,
    pub(super) embedder: u64,
    pub(super) body_checksum: u64,
}

impl Header {
    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.dimensions.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.0.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.count.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.embedder.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.body_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..48]);
        bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The header of a file of these bytes, or what is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err("not a vector segment".to_owned());
        }
        let small = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("invariant: four bytes"));
        let large = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("invariant: eight bytes"));
        if large(48) != xxh3_64(&bytes[..48]) {
            return Err("the header's checksum does not match".to_owned());
        }
        if small(8) != VERSION {
            return Err(format!("vector format {}, this version reads {VERSION}", small(8)));
        }
        let header = Self {
            dimensions: small(12),
            generation: Generation(large(16)),
            first: DocId(small(24)),
            count: small(28),
            embedder: large(32),
            body_checksum: large(40),
        };
        if header.dimensions == 0 || header.dimensions as usize > MAX_DIMENSIONS {
            return Err(format!("{} dimensions", header.dimensions));
        }
        if header.first.0.checked_add(header.count).is_none() {
            return Err("documents beyond the last possible one".to_owned());
        }
        Ok(header)
    }
}

/// Where the sections lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sections {
    pub(super) rows: Range<usize>,
    pub(super) scales: Range<usize>,
    pub(super) sketches: Range<usize>,
    pub(super) presence: Range<usize>,
}

impl Sections {
    /// The sections of `count` documents, if they can be addressed at all.
    pub(super) fn new(dimensions: usize, count: usize) -> Option<Self> {
        let mut end = HEADER;
        let mut section = |len: usize| {
            let start = end.checked_next_multiple_of(HEADER)?;
            end = start.checked_add(len)?;
            Some(start..end)
        };
        Some(Self {
            rows: section(count.checked_mul(row_bytes(dimensions))?)?,
            scales: section(count.checked_mul(4)?)?,
            sketches: section(count.div_ceil(BLOCK).checked_mul(block_bytes(row_bytes(dimensions)))?)?,
            presence: section(count.div_ceil(64) * 8)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_every_flipped_byte_is_found() {
        let header = Header {
            dimensions: 256,
            generation: Generation(7),
            first: DocId(70),
            count: 1_000,
            embedder: 5,
            body_checksum: 9,
        };
        let bytes = header.to_bytes();
        assert_eq!(Header::read(&bytes), Ok(header));
        for at in 0..56 {
            let mut damaged = bytes;
            damaged[at] ^= 1;
            assert!(Header::read(&damaged).is_err(), "flipped at {at}");
        }
    }

    #[test]
    fn impossible_headers_are_refused() {
        let header = Header {
            dimensions: 1,
            generation: Generation(0),
            first: DocId(1),
            count: u32::MAX,
            embedder: 0,
            body_checksum: 0,
        };
        assert!(Header::read(&header.to_bytes()).is_err());
        assert!(Header::read(&Header { dimensions: 0, count: 0, ..header }.to_bytes()).is_err());
        assert!(Header::read(&Header { dimensions: 1 << 20, count: 0, ..header }.to_bytes()).is_err());
    }

    #[test]
    fn sections_are_aligned_and_in_order() {
        let sections = Sections::new(100, 65).unwrap();
        assert_eq!(sections.rows, 64..64 + 65 * 128);
        assert_eq!(sections.scales.start % 64, 0);
        assert_eq!(sections.sketches.len(), 128 * 16);
        assert_eq!(sections.presence.len(), 16);
        assert!(sections.presence.start >= sections.sketches.end);
    }
}
