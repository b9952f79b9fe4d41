//! The file format of a lexical segment.
//!
//! Numbers are little-endian. Behind the header the sections follow each other without gaps:
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNLEX` |
//! | 8..12 | format version, 1 |
//! | 12..16 | version of the analyzer |
//! | 16..24 | generation |
//! | 24..28 | first document |
//! | 28..32 | documents |
//! | 32..36 | terms |
//! | 36..40 | terms that differ from their stem |
//! | 40..48 | length of the postings |
//! | 48..56 | length of the dictionary |
//! | 56..64 | xxh3-64 of everything behind the header (verified on request) |
//! | 64..72 | xxh3-64 of bytes 0..64 (verified on opening) |
//! | lengths | a byte per document and field: body, then names, then comments; see `length` |
//! | postings | of all terms in the order of the dictionary; see `posting` |
//! | dictionary, blocks, stems | see `terms` |

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::id::{DocId, Generation};

use super::analyzer::ANALYZER_VERSION;

/// Length of the header in bytes.
pub(super) const HEADER: usize = 72;
/// Terms that share a block of the dictionary.
pub(super) const TERMS_PER_BLOCK: usize = 16;
/// Bytes of a block in the block index.
pub(super) const BLOCK_ENTRY: usize = 12;
/// Bytes of a term in the list by stem.
pub(super) const STEM_ENTRY: usize = 8;
const MAGIC: &[u8; 8] = b"CAIRNLEX";
/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) generation: Generation,
    pub(super) first: DocId,
    pub(super) count: u32,
    pub(super) terms: u32,
    pub(super) stems: u32,
    pub(super) postings_bytes: u64,
    pub(super) dictionary_bytes: u64,
    pub(super) body_checksum: u64,
}

impl Header {
    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&ANALYZER_VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.0.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.count.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.terms.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.stems.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.postings_bytes.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.dictionary_bytes.to_le_bytes());
        bytes[56..64].copy_from_slice(&self.body_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..64]);
        bytes[64..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file; the error describes the problem.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err("not a lexical segment".to_owned());
        }
        let small = |at: usize| u32_at(bytes, at).expect("invariant: inside the header");
        let large = |at: usize| u64_at(bytes, at).expect("invariant: inside the header");
        if large(64) != xxh3_64(&bytes[..64]) {
            return Err("the header's checksum does not match".to_owned());
        }
        if (small(8), small(12)) != (VERSION, ANALYZER_VERSION) {
            let (format, analyzer) = (small(8), small(12));
            return Err(format!(
                "lexical format {format} of analyzer {analyzer}, this version reads {VERSION} of {ANALYZER_VERSION}"
            ));
        }
        let header = Self {
            generation: Generation(large(16)),
            first: DocId(small(24)),
            count: small(28),
            terms: small(32),
            stems: small(36),
            postings_bytes: large(40),
            dictionary_bytes: large(48),
            body_checksum: large(56),
        };
        if header.first.0.checked_add(header.count).is_none() {
            return Err("more documents than can be numbered".to_owned());
        }
        Ok(header)
    }
}

/// The byte ranges of the sections in the file.
#[derive(Debug, Clone)]
pub(super) struct Sections {
    pub(super) lengths: Range<usize>,
    pub(super) postings: Range<usize>,
    pub(super) dictionary: Range<usize>,
    pub(super) blocks: Range<usize>,
    pub(super) stems: Range<usize>,
}

impl Sections {
    /// The sections by the counts of `header`; `None` if no file can be that long.
    pub(super) fn of(header: &Header) -> Option<Self> {
        let mut at = HEADER;
        let mut next = |length: usize| {
            let start = at;
            at = at.checked_add(length)?;
            Some(start..at)
        };
        Some(Self {
            lengths: next((header.count as usize).checked_mul(3)?)?,
            postings: next(usize::try_from(header.postings_bytes).ok()?)?,
            dictionary: next(usize::try_from(header.dictionary_bytes).ok()?)?,
            blocks: next((header.terms as usize).div_ceil(TERMS_PER_BLOCK).checked_mul(BLOCK_ENTRY)?)?,
            stems: next((header.stems as usize).checked_mul(STEM_ENTRY)?)?,
        })
    }

    /// Length of the file.
    pub(super) fn end(&self) -> usize {
        self.stems.end
    }
}

/// The four-byte number at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// The eight-byte number at `at`.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
