//! Reads content through a snapshot: blobs, their texts and tables, symbols, chunks and vectors.

use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, ChunkId, DocId, EmbedderId, TextId};
use codecairn_base::parallel::on_all_threads;
use codecairn_base::span::ByteSpan;

use super::chunk_table::StoredTable;
use super::column::Column;
use super::delta_list::{count_docs, unpack_docs};
use super::frames::{self, FRAME_BYTES, TextPosition};
use super::key_index::{hash_of, text_of};
use super::names::NameHash;
use super::record::{BlobRecord, Embedder};
use super::row_check;
use super::snapshot::{self, Snapshot};
use super::sorted_runs::{self, Space};
use super::vector_blocks;
use codecairn_base::database::Database;

/// The maximum size of a blob's packed symbols and references: far more than 64 MB of text can yield.
const LARGEST_SYNTAX: usize = 1 << 30;

const BLOB_COLUMNS: &str = "id, hash, language, class, encoding, extractor_version, byte_len, line_count, flags, \
                            first_frame, frame_offset, checksum";

impl Snapshot {
    /// The blob with this content, read as this language by this version of the extractor.
    pub fn find_blob(&self, hash: ContentHash, language: &str, extractor_version: u32) -> Result<Option<BlobId>> {
        snapshot::find_blob(self.database(), hash, language, extractor_version)
    }

    /// A blob without its text and tables.
    pub fn blob(&self, id: BlobId) -> Result<BlobRecord> {
        blob(self.database(), id)?.ok_or_else(|| self.missing_blob(id))
    }

    /// The `ids`, which are in ascending order, without their texts and tables.
    pub fn blobs_of(&self, ids: &[BlobId]) -> Result<Vec<BlobRecord>> {
        if !is_dense(ids) {
            return ids.iter().map(|id| self.blob(*id)).collect();
        }
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(Vec::new()) };
        let mut found = Vec::with_capacity(ids.len());
        let sql = format!("SELECT {BLOB_COLUMNS} FROM blob WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
        self.database().each(&sql, (first.0, last.0), |row| {
            if ids.get(found.len()) == Some(&BlobId(row.get(0)?)) {
                found.push(blob_of(row)?);
            }
            Ok(())
        })?;
        if found.len() == ids.len() { Ok(found) } else { Err(self.missing_blob(ids[found.len()])) }
    }

    /// All blobs without their texts and tables, by number.
    pub fn blobs(&self) -> Result<Vec<BlobRecord>> {
        self.database().all(&format!("SELECT {BLOB_COLUMNS} FROM blob ORDER BY id"), [], blob_of)
    }

    /// The same, each with whether its checksum matches.
    pub(super) fn blobs_with_soundness(&self) -> Result<Vec<(BlobRecord, bool)>> {
        self.database().all(&format!("SELECT {BLOB_COLUMNS} FROM blob ORDER BY id"), [], read_blob)
    }

    /// Visits the documents and the packed chunk table of each of `blobs`, which are in ascending order.
    pub fn each_chunks(
        &self,
        blobs: &[BlobId],
        mut visit: impl FnMut(BlobId, &[DocId], StoredTable<'_>) -> Result<()>,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (blobs.first(), blobs.last()) else { return Ok(()) };
        debug_assert!(blobs.is_sorted(), "blobs are in ascending order");
        let mut docs = Vec::new();
        let mut found = 0;
        let mut read = |row: &rusqlite::Row<'_>| {
            let blob = BlobId(row.get(0)?);
            if blobs.get(found) != Some(&blob) {
                return Ok(());
            }
            found += 1;
            docs.clear();
            let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            unpack_docs(packed, &mut docs)
                .ok_or_else(|| self.database().damaged(format!("the documents of blob {} are unreadable", blob.0)))?;
            let chunks = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let checksum: Option<i64> = row.get(3)?;
            if checksum.is_some_and(|checksum| checksum != row_check::of_chunks(blob.0, packed, chunks)) {
                return Err(damaged_row("blob_chunks", blob));
            }
            visit(blob, &docs, StoredTable(chunks))
        };
        if is_dense(blobs) {
            let sql = "SELECT blob, docs, chunks, checksum FROM blob_chunks WHERE blob BETWEEN ?1 AND ?2 ORDER BY blob";
            self.database().each(sql, (first.0, last.0), &mut read)?;
        } else {
            for blob in blobs {
                let sql = "SELECT blob, docs, chunks, checksum FROM blob_chunks WHERE blob = ?1";
                self.database().first(sql, [blob.0], &mut read)?;
            }
        }
        if found == blobs.len() { Ok(()) } else { Err(self.missing_blob(blobs[found])) }
    }

    /// The number of chunks of each of `blobs`, which are in ascending order.
    pub fn chunk_counts(&self, blobs: &[BlobId]) -> Result<Vec<u64>> {
        let (Some(first), Some(last)) = (blobs.first(), blobs.last()) else { return Ok(Vec::new()) };
        debug_assert!(blobs.is_sorted(), "blobs are in ascending order");
        let mut counts = Vec::with_capacity(blobs.len());
        let mut read = |row: &rusqlite::Row<'_>| {
            let blob = BlobId(row.get(0)?);
            let count = count_docs(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
            // Several files may have one blob.
            while blobs.get(counts.len()) == Some(&blob) {
                counts.push(count);
            }
            Ok(())
        };
        if is_dense(blobs) {
            let sql = "SELECT blob, docs FROM blob_chunks WHERE blob BETWEEN ?1 AND ?2 ORDER BY blob";
            self.database().each(sql, (first.0, last.0), &mut read)?;
        } else {
            for run in blobs.chunk_by(|a, b| a == b) {
                let sql = "SELECT blob, docs FROM blob_chunks WHERE blob = ?1";
                self.database().first(sql, [run[0].0], &mut read)?;
            }
        }
        if counts.len() == blobs.len() { Ok(counts) } else { Err(self.missing_blob(blobs[counts.len()])) }
    }

    /// The documents and the packed chunk table of a blob.
    pub fn blob_chunks(&self, id: BlobId) -> Result<(Vec<DocId>, Vec<u8>)> {
        let mut found = (Vec::new(), Vec::new());
        self.each_chunks(&[id], |_, docs, chunks| {
            let unpack = |packed: &[u8], limit| self.store().frames().decompress(packed, limit);
            found = (docs.to_vec(), chunks.unpack_by(unpack)?.into_owned());
            Ok(())
        })?;
        Ok(found)
    }

    /// The packed symbols and references of a blob.
    pub fn blob_syntax(&self, id: BlobId) -> Result<Vec<u8>> {
        let sql = "SELECT data FROM blob_syntax WHERE blob = ?1";
        let packed: Option<Vec<u8>> = self.database().first(sql, [id.0], |row| Ok(row.get(0)?))?;
        let packed = packed.ok_or_else(|| self.missing_blob(id))?;
        self.store()
            .frames()
            .decompress(&packed, LARGEST_SYNTAX)
            .ok_or_else(|| self.database().damaged(format!("the symbols of blob {} can't be decompressed", id.0)))
    }

    /// Maps the packed symbols and references of many blobs by `read`, in their order; they are decompressed in
    /// parallel.
    pub fn blob_syntaxes<T: Send>(&self, ids: &[BlobId], read: impl Fn(&[u8]) -> Result<T> + Sync) -> Result<Vec<T>> {
        let sql = "SELECT data FROM blob_syntax WHERE blob = ?1";
        let mut packed: Vec<Vec<u8>> = Vec::with_capacity(ids.len());
        for id in ids {
            let data = self.database().first(sql, [id.0], |row| Ok(row.get(0)?))?;
            packed.push(data.ok_or_else(|| self.missing_blob(*id))?);
        }
        let frames = self.store().frames();
        let unpack = |(id, packed): (&BlobId, &Vec<u8>)| {
            let plain = frames.decompress(packed, LARGEST_SYNTAX);
            read(&plain.ok_or_else(|| {
                let detail = format!("the symbols of blob {} can't be decompressed", id.0);
                Error::StoreDamaged { path: "index.db".into(), detail }
            })?)
        };
        on_all_threads(|| ids.par_iter().zip(&packed).map(unpack).collect())
    }

    /// The whole text of a blob.
    pub fn blob_text(&self, id: BlobId) -> Result<String> {
        let blob = self.blob(id)?;
        self.text(&blob, 0..blob.byte_len as usize)
    }

    /// A part of a blob's text. Only the frames that it touches are read.
    pub fn blob_text_range(&self, id: BlobId, span: ByteSpan) -> Result<String> {
        let blob = self.blob(id)?;
        if span.start > span.end || span.end > blob.byte_len {
            let (start, end, length) = (span.start, span.end, blob.byte_len);
            return Err(Error::InvalidArgument(format!("bytes {start}..{end} are not in a text of {length} bytes")));
        }
        self.text(&blob, span.range())
    }

    /// Reads the frames of parts of texts into the cache; several are decompressed in parallel.
    pub fn read_ahead(&self, places: &[(BlobId, ByteSpan)]) -> Result<()> {
        let mut needed = BTreeSet::new();
        for (id, span) in places {
            needed.extend(frames::frames_within(self.blob(*id)?.place, span.range()));
        }
        frames::read_ahead(self.database(), self.store().frames(), &needed)
    }

    /// The whole texts of many blobs, in their order: for bulk work, decompressed in parallel and not cached.
    pub fn blob_texts(&self, ids: &[BlobId]) -> Result<Vec<String>> {
        let blobs = ids.iter().map(|id| self.blob(*id)).collect::<Result<Vec<_>>>()?;
        let needed: BTreeSet<u32> =
            blobs.iter().flat_map(|blob| frames::frames_of(blob.place, blob.byte_len as usize)).collect();
        let mut packed = Vec::with_capacity(needed.len());
        for id in needed {
            let sql = "SELECT data FROM frame WHERE id = ?1";
            let data: Option<Vec<u8>> = self.database().first(sql, [id], |row| Ok(row.get(0)?))?;
            packed.push((id, data.ok_or_else(|| self.database().damaged(format!("text frame {id} is missing")))?));
        }
        let plain: Vec<_> = on_all_threads(|| {
            packed
                .par_iter()
                .map_init(frames::decompressor, |state, (id, data)| (*id, frames::decompress(state, data, FRAME_BYTES)))
                .collect()
        });
        blobs.iter().map(|blob| self.assemble(blob, &plain)).collect()
    }

    /// The blobs that define a symbol of this simple name, ignoring case, in ascending order. Hashes may collide, so
    /// the caller checks the symbols.
    pub fn blobs_defining(&self, name: &str) -> Result<Vec<BlobId>> {
        let mut found = Vec::new();
        let runs = sorted_runs::runs(self.database(), Space::Symbol)?;
        sorted_runs::look_up(self.database(), &runs, NameHash::of(name).0, &mut found)?;
        found.sort_unstable();
        found.dedup();
        Ok(found.into_iter().map(BlobId).collect())
    }

    /// The chunk and the text of each document from `docs.start` up to `docs.end`; collected ones are passed over.
    pub fn chunks(&self, docs: Range<DocId>) -> Result<Vec<(DocId, ChunkId, TextId)>> {
        let mut found = Vec::with_capacity((docs.end.0.saturating_sub(docs.start.0)) as usize);
        Column::Chunk.each(self.database(), docs.start.0, docs.end.0, |doc, entry| {
            if entry.iter().any(|byte| *byte != 0) {
                found.push((DocId(doc), ChunkId(hash_of(entry)), text_of(entry)));
            }
        })?;
        Ok(found)
    }

    /// The hash of a text.
    pub(crate) fn text_hash(&self, text: TextId) -> Result<Option<ContentHash>> {
        Ok(Column::Text.entry(self.database(), text.0, hash_of)?.filter(|hash| hash.as_bytes() != &[0; 16]))
    }

    /// The pending texts, in ascending order.
    pub fn pending(&self, embedder: EmbedderId) -> Result<Vec<TextId>> {
        let (first, last) = vector_blocks::rows_of(embedder);
        let mut texts = Vec::new();
        let sql = "SELECT id, pending FROM vector_block WHERE id BETWEEN ?1 AND ?2 AND pending <> 0 ORDER BY id";
        self.database().each(sql, [first, last], |row| {
            let (base, mut bits) = (vector_blocks::first_text(row.get(0)?), row.get::<_, i64>(1)? as u64);
            while bits != 0 {
                texts.push(TextId(base.wrapping_add(bits.trailing_zeros())));
                bits &= bits - 1;
            }
            Ok(())
        })?;
        Ok(texts)
    }

    /// Visits the stored vectors of `texts` in their order; `None` where there is none. Quick for ascending numbers.
    pub fn each_vector(
        &self,
        embedder: &Embedder,
        texts: &[TextId],
        mut visit: impl FnMut(TextId, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let width = embedder.vector_bytes as usize;
        let (mut at, mut block) = (-1, vector_blocks::Block::default());
        for text in texts {
            let (row, bit) = vector_blocks::address(embedder.id, *text);
            if row != at {
                block = vector_blocks::read(self.database(), row, width)?;
                at = row;
            }
            visit(*text, block.vector(bit, width))?;
        }
        Ok(())
    }

    fn text(&self, blob: &BlobRecord, range: Range<usize>) -> Result<String> {
        let bytes = frames::read_range(self.database(), self.store().frames(), blob.place, range.start, range.end)?;
        String::from_utf8(bytes).map_err(|_| self.not_text(blob, &range))
    }

    /// A text from decompressed frames, which are in ascending order.
    fn assemble(&self, blob: &BlobRecord, frames: &[(u32, Option<Vec<u8>>)]) -> Result<String> {
        let TextPosition { frame, offset } = blob.place;
        let mut bytes = Vec::with_capacity((blob.byte_len as usize).min(8 * FRAME_BYTES));
        let mut skipped = offset as usize;
        for id in frames::frames_of(blob.place, blob.byte_len as usize) {
            let at = frames.binary_search_by_key(&id, |(id, _)| *id).ok();
            let plain = at.and_then(|at| frames[at].1.as_deref()).and_then(|plain| plain.get(skipped..));
            let plain = plain.ok_or_else(|| self.database().damaged(format!("text frame {id} is unreadable")))?;
            bytes.extend_from_slice(&plain[..plain.len().min(blob.byte_len as usize - bytes.len())]);
            skipped = 0;
        }
        if bytes.len() < blob.byte_len as usize {
            return Err(self.database().damaged(format!("text frame {frame} is shorter than the texts in it")));
        }
        String::from_utf8(bytes).map_err(|_| self.not_text(blob, &(0..blob.byte_len as usize)))
    }

    fn missing_blob(&self, id: BlobId) -> Error {
        self.database().damaged(format!("blob {} is missing", id.0))
    }

    /// The error for bytes that are not UTF-8: an invalid argument for a part, damage for a whole text.
    fn not_text(&self, blob: &BlobRecord, range: &Range<usize>) -> Error {
        if range.len() < blob.byte_len as usize {
            return Error::InvalidArgument(format!("bytes {}..{} cut a character", range.start, range.end));
        }
        self.database().damaged(format!("the text of blob {} is not UTF-8", blob.id.0))
    }
}

/// Whether one scan over rows is quicker than to read the rows of `ids`, which are in ascending order, one by one: it reads
/// rows that aren't asked for, and pays while they are not many more than those that are.
fn is_dense(ids: &[BlobId]) -> bool {
    ids.first().zip(ids.last()).is_some_and(|(first, last)| (last.0 - first.0) as usize <= 4 * ids.len())
}

fn blob(database: &Database, id: BlobId) -> Result<Option<BlobRecord>> {
    database.first(&format!("SELECT {BLOB_COLUMNS} FROM blob WHERE id = ?1"), [id.0], blob_of)
}

/// The blobs whose file had this content, in whatever language and by whatever extractor. A damaged row is still known.
pub(super) fn blobs_of_content(database: &Database, hash: ContentHash) -> Result<Vec<BlobRecord>> {
    let sql = format!("SELECT {BLOB_COLUMNS} FROM blob WHERE hash = ?1 ORDER BY language, extractor_version");
    database.all(&sql, [hash.as_bytes()], |row| Ok(read_blob(row)?.0))
}

/// Changes the mutable columns of a blob's row (flags, extractor version, position of the text) and its checksum.
pub(super) fn change_blob(database: &Database, id: BlobId, change: impl FnOnce(&mut BlobRecord)) -> Result<()> {
    let mut record = blob(database, id)?.ok_or_else(|| database.damaged(format!("blob {} is missing", id.0)))?;
    change(&mut record);
    let sql = "UPDATE blob SET flags = ?1, extractor_version = ?2, first_frame = ?3, frame_offset = ?4, checksum = ?5 \
               WHERE id = ?6";
    let BlobRecord { flags, extractor_version, place, .. } = &record;
    database.run(sql, (flags, extractor_version, place.frame, place.offset, record.checksum(), id.0)).map(drop)
}

fn blob_of(row: &rusqlite::Row<'_>) -> Result<BlobRecord> {
    let (record, is_sound) = read_blob(row)?;
    if is_sound { Ok(record) } else { Err(damaged_row("blob", record.id)) }
}

/// A row, and whether its checksum matches.
fn read_blob(row: &rusqlite::Row<'_>) -> Result<(BlobRecord, bool)> {
    let record = BlobRecord {
        id: BlobId(row.get(0)?),
        hash: ContentHash::from_bytes(row.get(1)?),
        language: row.get(2)?,
        class: row.get(3)?,
        encoding: row.get(4)?,
        extractor_version: row.get(5)?,
        byte_len: row.get(6)?,
        line_count: row.get(7)?,
        flags: row.get(8)?,
        place: TextPosition { frame: row.get(9)?, offset: row.get(10)? },
    };
    let is_sound = row.get::<_, Option<i64>>(11)?.is_none_or(|checksum| checksum == record.checksum());
    Ok((record, is_sound))
}

fn damaged_row(table: &str, id: BlobId) -> Error {
    let detail = format!("the checksum of `{table}` {} does not match", id.0);
    Error::StoreDamaged { path: "index.db".into(), detail }
}
