//! Vectors that are made outside: which texts wait for one, and taking them in.

use std::collections::BTreeMap;

use super::Engine;
use crate::chunk::ChunkTable;
use crate::error::{Error, Result};
use crate::id::{BlobId, DocId, EmbedderId, TextId};
use crate::indexer::derive_vectors;
use crate::store::Snapshot;
use crate::vector::quantise;

impl Engine {
    /// Texts that wait for a vector of the workspace's embedder.
    pub fn pending_texts(&self, limit: usize) -> Result<Vec<(u32, String)>> {
        let snapshot = self.store.reader()?;
        let Some(embedder) = self.embedder_row(&snapshot)? else { return Ok(Vec::new()) };
        let texts: Vec<TextId> = snapshot.pending(embedder)?.into_iter().take(limit).collect();
        texts_of(&snapshot, &texts)
    }

    /// Stores vectors (float32, little-endian) of texts, and derives what search reads.
    pub fn put_vectors(&self, rows: &[(u32, Vec<u8>)]) -> Result<u64> {
        let dimensions = self.dimensions as usize;
        let mut vectors = Vec::with_capacity(rows.len());
        for (text, bytes) in rows {
            let floats: Vec<f32> =
                bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
            if bytes.len() != dimensions * 4 {
                return Err(Error::InvalidArgument(format!(
                    "a vector for text {text} has {} bytes, {} dimensions need {}",
                    bytes.len(),
                    dimensions,
                    dimensions * 4
                )));
            }
            vectors.push((TextId(*text), quantise(&floats)?.to_bytes()));
        }
        let mut guard = self.store.lock(&self.writer)?;
        let embedder = guard.embedder(&self.model, self.dimensions, self.dimensions)?;
        let mut batch = guard.begin()?;
        batch.put_vectors(embedder, vectors.iter().map(|(text, bytes)| (*text, bytes.as_slice())))?;
        batch.commit()?;
        derive_vectors(&self.store, &mut guard, (embedder, &self.model, self.dimensions))?;
        Ok(vectors.len() as u64)
    }

    fn embedder_row(&self, snapshot: &Snapshot) -> Result<Option<EmbedderId>> {
        Ok(snapshot.embedders()?.into_iter().find(|embedder| embedder.name == self.model).map(|embedder| embedder.id))
    }
}

/// The texts of some numbers, in ascending order; one that no blob has any more is left out.
fn texts_of(snapshot: &Snapshot, wanted: &[TextId]) -> Result<Vec<(u32, String)>> {
    let docs: BTreeMap<DocId, TextId> = snapshot
        .chunks(DocId(0)..snapshot.next_doc()?)?
        .into_iter()
        .filter(|(_, _, text)| wanted.binary_search(text).is_ok())
        .map(|(doc, _, text)| (doc, text))
        .collect();
    let blobs: Vec<BlobId> = snapshot.blobs()?.into_iter().map(|blob| blob.id).collect();
    let mut places: BTreeMap<TextId, (BlobId, crate::span::ByteSpan)> = BTreeMap::new();
    snapshot.each_chunks(&blobs, |blob, in_blob, table| {
        if in_blob.iter().any(|doc| docs.contains_key(doc)) {
            for (doc, chunk) in in_blob.iter().zip(ChunkTable::parse(table)?.iter()) {
                if let Some(text) = docs.get(doc) {
                    places.entry(*text).or_insert((blob, chunk?.span));
                }
            }
        }
        Ok(())
    })?;
    places.into_iter().map(|(text, (blob, span))| Ok((text.0, snapshot.blob_text_range(blob, span)?))).collect()
}
