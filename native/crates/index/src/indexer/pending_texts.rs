//! Locates pending texts in blobs.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, DocId, TextId};
use codecairn_base::span::ByteSpan;
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::ChunkTable;

/// The blob and the span of each text.
pub type TextSpans = BTreeMap<TextId, (BlobId, ByteSpan)>;

/// Where `wanted` texts (in ascending order) stand in some blobs (in ascending order); one that none of them has is
/// left out.
pub fn places_of(snapshot: &Snapshot, blobs: &[BlobId], wanted: &[TextId]) -> Result<TextSpans> {
    let mut places = TextSpans::new();
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
            for (doc, chunk) in in_blob.iter().zip(ChunkTable::parse(&table.unpack()?)?.iter()) {
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
