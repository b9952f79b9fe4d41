//! Reads the numbers that documents have, and takes over those of another store into one that has none.
//!
//! Invariant: documents that were taken over are committed together with the list of the segments that cover them, in
//! one transaction: a document has a stored text, or a listed segment that covers it, or is forgotten.

use std::collections::BTreeSet;
use std::ops::Range;

use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{ChunkId, DocId, Generation, TextId};

use super::column::Column;
use super::garbage::forget_docs_without_blob;
use super::key_index::{hash_of, text_of};
use super::publish::{check_segments, write_segments};
use super::record::Segments;
use super::snapshot::Snapshot;
use super::write_guard::WriteGuard;

/// What a document's number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedChunk {
    /// The chunk.
    pub chunk: ChunkId,
    /// Hash of its text.
    pub text_hash: ContentHash,
    /// Whether its text needs no vector.
    pub is_plain: bool,
}

impl Snapshot {
    /// What the documents from `docs.start` up to `docs.end` stand for, in order; `None` for a collected one.
    pub fn numbered_chunks(&self, docs: Range<DocId>) -> Result<Vec<Option<NumberedChunk>>> {
        let plain = self.plain_texts()?;
        let count = (docs.end.0.saturating_sub(docs.start.0)) as usize;
        let mut found: Vec<Option<(ChunkId, TextId)>> = vec![None; count];
        Column::Chunk.each(self.database(), docs.start.0, docs.end.0, |doc, entry| {
            if entry.iter().any(|byte| *byte != 0) {
                found[(doc - docs.start.0) as usize] = Some((ChunkId(hash_of(entry)), text_of(entry)));
            }
        })?;
        let texts: BTreeSet<u32> = found.iter().flatten().map(|(_, text)| text.0).collect();
        let (Some(first), Some(last)) = (texts.first().copied(), texts.last().copied()) else {
            return Ok(vec![None; count]);
        };
        if u64::from(last) >= self.database().number(Column::Text.length_key())? {
            return Err(self.database().damaged(format!("text {last} is missing")));
        }
        let mut hashes = vec![None; (last - first) as usize + 1];
        Column::Text.each(self.database(), first, last + 1, |text, entry| {
            hashes[(text - first) as usize] = Some(hash_of(entry));
        })?;
        let numbered = |(chunk, text): (ChunkId, TextId)| {
            let hash = hashes[(text.0 - first) as usize];
            let text_hash = hash.ok_or_else(|| self.database().damaged(format!("text {} is missing", text.0)))?;
            Ok(NumberedChunk { chunk, text_hash, is_plain: plain.contains(&text) })
        };
        found.into_iter().map(|found| found.map(numbered).transpose()).collect()
    }
}

impl WriteGuard {
    /// Gives documents the numbers that they had in another store, and lists the segments that cover them, in one
    /// transaction. It is not synced: no branch has them until a publication, which is. A collected document (`None`)
    /// keeps its number and matches nothing. Returns the generation.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if this store has documents, a chunk comes twice, or the segments do not cover exactly
    /// these documents.
    pub fn adopt(&mut self, chunks: &[Option<NumberedChunk>], segments: &Segments) -> Result<Generation> {
        check_segments(self, segments)?;
        for (kind, files) in segments {
            let covered: u64 = files.iter().map(|file| u64::from(file.count)).sum();
            if covered != chunks.len() as u64 {
                let detail = format!("segments ({kind}) cover {covered} documents of {}", chunks.len());
                return Err(Error::InvalidArgument(detail));
            }
        }
        failpoint::reach("adopt.segments-synced")?;
        let adopted = self.number_and_list(chunks, segments)?;
        failpoint::reach("adopt.committed")?;
        Ok(adopted)
    }

    fn number_and_list(&mut self, chunks: &[Option<NumberedChunk>], segments: &Segments) -> Result<Generation> {
        let mut batch = self.begin()?;
        if batch.next_doc() != DocId(0) {
            return Err(Error::InvalidArgument("the store has documents already".to_owned()));
        }
        batch.reserve(chunks.len());
        for (doc, numbered) in (0u32..).zip(chunks) {
            let NumberedChunk { chunk, text_hash, is_plain } = numbered.unwrap_or_else(|| collected(doc));
            if !batch.intern_chunk(chunk, text_hash, is_plain)?.is_new {
                return Err(Error::InvalidArgument(format!("document {doc} is the same chunk as one before it")));
            }
        }
        failpoint::reach("adopt.numbered")?;
        batch.commit_with(|guard| {
            write_segments(guard.database(), segments)?;
            failpoint::reach("adopt.listed")?;
            guard.advance()
        })
    }

    /// Forgets the documents from `first` on whose texts the store does not have. Nothing can be derived from them
    /// again, so where segments do not cover them they must not count as known. Returns their number.
    pub fn forget_documents_without_text(&mut self, first: DocId) -> Result<u64> {
        self.state = None;
        let database = self.database();
        database.transaction(|| forget_docs_without_blob(database, first))
    }
}

/// The placeholder for a collected document: a chunk that no text has.
fn collected(doc: u32) -> NumberedChunk {
    let part = |what: &[u8]| ContentHash::of_parts(&[b"collected", what, &doc.to_le_bytes()]);
    NumberedChunk { chunk: ChunkId(part(b"chunk")), text_hash: part(b"text"), is_plain: true }
}
