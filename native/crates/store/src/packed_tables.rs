//! Packs a blob's tables on any thread, so that the one writer thread only writes them.

use zstd::bulk::Compressor;

use super::chunk_table;
use super::frames::{compress, compressor};

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
