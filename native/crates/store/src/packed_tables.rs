//! Packs a blob's tables on any thread, so that the one writer thread only writes them.

use zstd::bulk::{Compressor, Decompressor};

use codecairn_base::error::Result;
use codecairn_base::leb128::Malformed;

use super::chunk_table::{self, LARGEST, StoredTable};
use super::frames::{compress, compressor, decompress_into, decompressor, is_whole_frame};

/// A blob's chunk table, and its symbols and references, in their stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedTables {
    pub(super) chunks: Vec<u8>,
    pub(super) syntax: Vec<u8>,
}

impl PackedTables {
    /// Makes one blob's tables ready.
    pub fn new(chunks: &[u8], syntax: &[u8]) -> Self {
        TablePacker::default().pack(chunks.to_vec(), syntax)
    }

    /// The chunk table, and the symbols and references, in their stored form.
    pub fn stored(&self) -> (&[u8], &[u8]) {
        (&self.chunks, &self.syntax)
    }

    /// The tables of [`stored`](Self::stored), as [`TableUnpacker`] has read them.
    pub fn of_stored(chunks: &[u8], syntax: &[u8]) -> Self {
        Self { chunks: chunks.to_vec(), syntax: syntax.to_vec() }
    }
}

/// A reusable packer of blobs' tables.
pub struct TablePacker(Compressor<'static>);

impl Default for TablePacker {
    fn default() -> Self {
        Self(compressor())
    }
}

impl TablePacker {
    /// The extractor's packed chunk table and its packed symbols and references as they are to be stored.
    pub fn pack(&mut self, chunks: Vec<u8>, syntax: &[u8]) -> PackedTables {
        let (mut chunks, mut syntax) = (chunk_table::pack(&mut self.0, chunks), compress(&mut self.0, syntax));
        chunks.shrink_to_fit();
        syntax.shrink_to_fit();
        PackedTables { chunks, syntax }
    }
}

/// A reusable reader of stored tables.
pub struct TableUnpacker {
    decompressor: Decompressor<'static>,
    chunks: Vec<u8>,
    syntax: Vec<u8>,
}

impl Default for TableUnpacker {
    fn default() -> Self {
        Self { decompressor: decompressor(), chunks: Vec::new(), syntax: Vec::new() }
    }
}

impl TableUnpacker {
    /// A chunk table of the store as the extractor packed it.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`](codecairn_base::Error::StoreDamaged) if it can't be decompressed.
    pub fn table<'a>(&'a mut self, StoredTable(stored): StoredTable<'a>) -> Result<&'a [u8]> {
        if !chunk_table::is_compressed(stored) {
            return Ok(stored);
        }
        decompress_into(&mut self.decompressor, stored, LARGEST, &mut self.chunks).ok_or(Malformed)?;
        Ok(&self.chunks)
    }

    /// The chunk table, and the symbols and references, that came from elsewhere, as the extractor packed them; `None`
    /// unless both are in the form that [`TablePacker`] gives them, of at most `limit` bytes each.
    pub fn unpack<'a>(&'a mut self, chunks: &'a [u8], syntax: &[u8], limit: usize) -> Option<(&'a [u8], &'a [u8])> {
        let is_short = chunk_table::is_short(chunks);
        if !is_whole_frame(syntax) || !(is_short || is_whole_frame(chunks)) {
            return None;
        }
        decompress_into(&mut self.decompressor, syntax, limit, &mut self.syntax)?;
        if is_short {
            return Some((chunks, &self.syntax));
        }
        decompress_into(&mut self.decompressor, chunks, limit, &mut self.chunks)?;
        Some((&self.chunks, &self.syntax))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_tables_that_came_from_elsewhere_are_read_within_bounds() {
        let syntax = vec![7; 5_000];
        for length in [0, 1, 1023, 1024, 40_000] {
            let chunks = vec![3; length];
            let tables = PackedTables::new(&chunks, &syntax);
            let (stored_chunks, stored_syntax) = tables.stored();
            let mut unpacker = TableUnpacker::default();
            let found = unpacker.unpack(stored_chunks, stored_syntax, 40_000);
            assert_eq!(found, Some((&chunks[..], &syntax[..])), "{length}");
            assert_eq!(PackedTables::of_stored(stored_chunks, stored_syntax), tables);
            assert_eq!(unpacker.table(StoredTable(stored_chunks)).unwrap(), chunks);
            assert!(unpacker.unpack(stored_chunks, stored_syntax, 4_999).is_none(), "it holds more than the limit");
        }
    }

    #[test]
    fn what_is_not_in_stored_form_is_refused() {
        let (chunks, syntax) = (vec![3; 2_000], vec![7; 5_000]);
        let tables = PackedTables::new(&chunks, &syntax);
        let (stored_chunks, stored_syntax) = tables.stored();
        let mut unpacker = TableUnpacker::default();
        let mut is_read = |chunks: &[u8], syntax: &[u8]| unpacker.unpack(chunks, syntax, 1 << 20).is_some();
        assert!(is_read(stored_chunks, stored_syntax));
        assert!(!is_read(&chunks, stored_syntax), "a long table is compressed");
        assert!(!is_read(stored_chunks, &syntax) && !is_read(stored_chunks, b""), "facts are compressed");
        let two = [stored_syntax, stored_syntax].concat();
        assert!(!is_read(stored_chunks, &two), "there is more behind the frame");
        let unchecked = zstd::bulk::compress(&syntax, 3).unwrap();
        assert!(!is_read(stored_chunks, &unchecked), "a frame has a checksum");
        for at in 0..stored_syntax.len() {
            let mut damaged = stored_syntax.to_vec();
            damaged[at] ^= 1;
            assert!(!is_read(stored_chunks, &damaged) && !is_read(stored_chunks, &stored_syntax[..at]), "{at}");
        }
    }
}
