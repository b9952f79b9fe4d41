//! Texts that wait for a vector: where they stand, what they say, and embedding them with the compiled-in model.

use std::collections::{BTreeMap, BTreeSet};

use super::spaces::Spaces;
use crate::cancel::CancelToken;
use crate::chunk::ChunkTable;
use crate::embed::Embedder;
use crate::error::Result;
use crate::id::{BlobId, DocId, TextId};
use crate::span::ByteSpan;
use crate::store::{SegmentKind, Segments, Snapshot, WriteGuard};
use crate::vector::quantise;

/// Texts embedded between two commits.
const TEXTS: usize = 8192;

/// Where texts stand: a blob and a part of it.
pub type TextPlaces = BTreeMap<TextId, (BlobId, ByteSpan)>;

/// Where `wanted` texts (in ascending order) stand in some blobs (in ascending order); one that none of them has is left
/// out.
pub fn places_of(snapshot: &Snapshot, blobs: &[BlobId], wanted: &[TextId]) -> Result<TextPlaces> {
    let mut places = TextPlaces::new();
    if wanted.is_empty() {
        return Ok(places);
    }
    let docs: BTreeMap<DocId, TextId> = snapshot
        .chunks(DocId(0)..snapshot.next_doc()?)?
        .into_iter()
        .filter(|(_, _, text)| wanted.binary_search(text).is_ok())
        .map(|(doc, _, text)| (doc, text))
        .collect();
    snapshot.each_chunks(blobs, |blob, in_blob, table| {
        if in_blob.iter().any(|doc| docs.contains_key(doc)) {
            for (doc, chunk) in in_blob.iter().zip(ChunkTable::parse(table)?.iter()) {
                if let Some(text) = docs.get(doc) {
                    places.entry(*text).or_insert((blob, chunk?.span));
                }
            }
        }
        Ok(())
    })?;
    Ok(places)
}

/// The blobs of a branch in ascending order; none if it is not indexed.
pub fn blobs_of(snapshot: &Snapshot, branch: &str) -> Result<Vec<BlobId>> {
    let catalog = snapshot.catalog(branch)?.unwrap_or_default();
    Ok(catalog.into_values().collect::<BTreeSet<_>>().into_iter().collect())
}

/// Embeds the texts that are pending in the run's own space, as after a change of the compiled-in model. Returns how many.
pub(super) fn embed_pending(
    guard: &mut WriteGuard,
    spaces: &Spaces,
    embedder: &dyn Embedder,
    cancel: &CancelToken,
) -> Result<u64> {
    let snapshot = guard.store().reader()?;
    let pending = snapshot.pending(spaces.own)?;
    if pending.is_empty() {
        return Ok(0);
    }
    let kind = SegmentKind::Vector(spaces.own);
    if !snapshot.segments(kind)?.is_empty() {
        // They lack these vectors for documents that they cover: they are made again from all that are stored.
        guard.publish_segments(&Segments::from([(kind, Vec::new())]))?;
    }
    let blobs: Vec<BlobId> = snapshot.blobs()?.into_iter().map(|blob| blob.id).collect();
    let places: Vec<_> = places_of(&snapshot, &blobs, &pending)?.into_iter().collect();
    let mut embedded = 0;
    for some in places.chunks(TEXTS) {
        cancel.check()?;
        let texts = some.iter().map(|(_, (blob, span))| snapshot.blob_text_range(*blob, *span));
        let texts = texts.collect::<Result<Vec<_>>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed_documents(&texts);
        let vectors: Vec<(TextId, Vec<u8>)> = some
            .iter()
            .zip(vectors)
            // A built-in model gives finite numbers; a vector that can't be kept is one the text does not have.
            .filter_map(|((text, _), vector)| Some((*text, quantise(&vector).ok()?.to_bytes())))
            .collect();
        let mut batch = guard.begin()?;
        batch.put_vectors(spaces.own, vectors.iter().map(|(text, bytes)| (*text, bytes.as_slice())))?;
        batch.commit()?;
        embedded += vectors.len() as u64;
    }
    Ok(embedded)
}
