//! Lexical documents made again from the store: for those that no segment covers.

use std::ops::Range;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, DocId};
use codecairn_lexical::{AnalyzedBatch, Document};
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::Extraction;

use super::prepare::analyze;
use super::term_segments::TermSegments;
use super::vector_segments::Gaps;

/// Where a document's text is to be found.
pub(super) type TextLocation = Option<(BlobId, u32)>;

/// Builds the lexical documents from the first uncovered one to the last of the store.
pub(super) fn terms(terms: &mut TermSegments, snapshot: &Snapshot, gaps: Gaps, cancel: &CancelToken) -> Result<()> {
    let (first, last) = (terms.next_doc(), snapshot.next_doc()?);
    if first >= last {
        return Ok(());
    }
    let places = places(snapshot, first..last, gaps)?;
    let mut rest = &places[..];
    while let Some(place) = rest.first() {
        cancel.check()?;
        let Some((blob, _)) = *place else {
            // A collected document keeps its number and matches nothing.
            terms.push(&AnalyzedBatch::analyze([Document::default()]), &[true])?;
            rest = &rest[1..];
            continue;
        };
        // Documents of one blob most often follow each other: they are analysed together.
        let run = rest.iter().take_while(|place| place.is_some_and(|(other, _)| other == blob)).count();
        let text = snapshot.blob_text(blob)?;
        let (_, chunks) = snapshot.blob_chunks(blob)?;
        let extraction = Extraction::unpack(&chunks, &snapshot.blob_syntax(blob)?, &text)?;
        let mut keep = vec![false; extraction.chunks.len()];
        let ordinals: Vec<usize> = rest[..run].iter().flatten().map(|&(_, chunk)| chunk as usize).collect();
        for &chunk in &ordinals {
            keep[chunk] = true;
        }
        let analyzed = analyze(&text, &extraction, |chunk| keep[chunk]);
        if ordinals.is_sorted() {
            terms.push(&analyzed, &keep)?;
        } else {
            keep.fill(false);
            for chunk in ordinals {
                keep[chunk] = true;
                terms.push(&analyzed, &keep)?;
                keep[chunk] = false;
            }
        }
        rest = &rest[run..];
    }
    Ok(())
}

/// The first occurrence of each document of the range, by document; with closed gaps, of those that were not collected.
pub(super) fn places(snapshot: &Snapshot, docs: Range<DocId>, gaps: Gaps) -> Result<Vec<TextLocation>> {
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
