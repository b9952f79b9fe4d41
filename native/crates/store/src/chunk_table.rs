//! Stores chunk tables: short ones as they are, long ones compressed.
//!
//! Building a view reads all tables of a branch, and most are short: decompressing them would cost more than it saves.
//! The long ones are those of headers with thousands of names, which shrink to a tenth.

use std::borrow::Cow;

use zstd::bulk::Compressor;

use codecairn_base::error::Result;
use codecairn_base::leb128::Malformed;

use super::frames::{compress, decompress, decompressor};

/// Tables from this length on are compressed, in bytes.
const LONG: usize = 1024;

/// The magic number of zstd's frames. An uncompressed table begins with the number of its raw kinds and the length of
/// the first; with these bytes that would be six thousand letters.
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The maximum size of a table in bytes: far more than 64 MB of text can yield.
pub(super) const LARGEST: usize = 1 << 30;

/// A chunk table as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct StoredTable<'a>(pub &'a [u8]);

impl<'a> StoredTable<'a> {
    /// The table as it was packed.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`](codecairn_base::Error::StoreDamaged) if it can't be decompressed.
    pub fn unpack(self) -> Result<Cow<'a, [u8]>> {
        self.unpack_by(|packed, limit| decompress(&mut decompressor(), packed, limit))
    }

    /// The same with a given function that decompresses bytes to at most a number of bytes.
    pub(super) fn unpack_by(self, decompress: impl FnOnce(&[u8], usize) -> Option<Vec<u8>>) -> Result<Cow<'a, [u8]>> {
        if !is_compressed(self.0) {
            return Ok(Cow::Borrowed(self.0));
        }
        Ok(Cow::Owned(decompress(self.0, LARGEST).ok_or(Malformed)?))
    }
}

/// Whether a stored table is compressed.
pub(super) fn is_compressed(stored: &[u8]) -> bool {
    stored.starts_with(&COMPRESSED)
}

/// Whether a stored table is one that is kept as it is.
pub(super) fn is_short(stored: &[u8]) -> bool {
    stored.len() < LONG && !is_compressed(stored)
}

/// Packs a table in its stored form.
pub(super) fn pack(compressor: &mut Compressor<'static>, table: Vec<u8>) -> Vec<u8> {
    if table.len() < LONG { table } else { compress(compressor, &table) }
}

#[cfg(test)]
mod tests {
    use super::super::frames::compressor;
    use super::*;

    #[test]
    fn short_and_long_tables_come_back() {
        let tables: [Vec<u8>; 5] = [0, 1, LONG - 1, LONG, 100_000].map(|length| vec![7; length]);
        let packed = tables.clone().map(|table| pack(&mut compressor(), table));
        for (table, packed) in tables.iter().zip(&packed) {
            assert_eq!(*StoredTable(packed).unpack().unwrap(), *table);
        }
        assert!(packed[2].len() == LONG - 1 && packed[4].len() < 1000);
        assert!(StoredTable(&packed[4][..20]).unpack().is_err());
    }
}
