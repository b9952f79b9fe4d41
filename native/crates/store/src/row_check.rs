//! Computes checksums of rows: `SQLite` has none for its pages, so a flipped byte would change an answer unnoticed.
//!
//! They cover the rows that names, positions and texts of hits depend on: `blob`, `blob_chunks`, and the entries of
//! each layer. Texts and symbols have zstd's checksums, and the other tables are looked up by hashes. Rows of older
//! formats have none (`NULL`).

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use codecairn_base::id::BlobId;

/// The checksum of a row of these columns, in the order of the table.
pub(super) fn of_row(columns: &[&[u8]]) -> i64 {
    let mut hash = Xxh3::new();
    for column in columns {
        hash.update(&(column.len() as u64).to_le_bytes());
        hash.update(column);
    }
    hash.digest() as i64
}

/// An entry's part in the checksum of its layer, which is the parts of all entries combined by exclusive or: so it is
/// known without the others when an entry comes or goes.
pub(super) fn of_entry(path: &str, blob: Option<BlobId>) -> i64 {
    let blob = blob.map_or(u64::MAX, |blob| u64::from(blob.0));
    (xxh3_64(path.as_bytes()) ^ xxh3_64(&blob.to_le_bytes()).rotate_left(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64
}

/// The checksum of a row of `blob_chunks`: the parts of both columns by exclusive or, as documents are renumbered
/// without the tables.
pub(super) fn of_chunks(blob: u32, docs: &[u8], chunks: &[u8]) -> i64 {
    of_docs(blob, docs) ^ of_row(&[&blob.to_le_bytes(), b"chunks", chunks])
}

/// The part of the documents in [`of_chunks`].
pub(super) fn of_docs(blob: u32, docs: &[u8]) -> i64 {
    of_row(&[&blob.to_le_bytes(), b"docs", docs])
}
