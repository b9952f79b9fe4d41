//! Finds, for each document of a range, the first blob and chunk with its text.

use std::ops::Range;

use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, DocId};
use codecairn_store::Snapshot;

/// The blob and the chunk with a document's text; `None` for a collected document.
pub(super) type TextLocation = Option<(BlobId, u32)>;

/// What becomes of the numbers of collected documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// They stay, and match nothing.
    Kept,
    /// They are skipped, as the documents are being renumbered.
    Closed,
}

/// The first occurrence of each document of the range, by document; with closed gaps, of those that were not collected.
pub(super) fn text_locations(snapshot: &Snapshot, docs: Range<DocId>, gaps: Gaps) -> Result<Vec<TextLocation>> {
    let first = docs.start;
    let mut places: Vec<TextLocation> = vec![None; (docs.end.0 - first.0) as usize];
    let blobs: Vec<BlobId> = snapshot.blobs()?.into_iter().map(|blob| blob.id).collect();
    snapshot.each_chunks(&blobs, |blob, docs, _| {
        for (chunk, doc) in docs.iter().enumerate() {
            if let Some(place) = doc.0.checked_sub(first.0).and_then(|at| places.get_mut(at as usize)) {
                place.get_or_insert((blob, chunk as u32));
            }
        }
        Ok(())
    })?;
    if gaps == Gaps::Closed {
        let kept = snapshot.chunks(docs)?;
        places = kept.iter().map(|(doc, _, _)| places[(doc.0 - first.0) as usize]).collect();
    }
    Ok(places)
}
