//! Re-analyses stored texts, for documents that no lexical segment covers.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_lexical::{AnalyzedBatch, Document};
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::Extraction;

use super::prepare::analyze;
use super::term_segments::TermSegments;
use super::text_locations::{Gaps, text_locations};

/// Builds the lexical documents from the first uncovered one to the last of the store.
pub(super) fn terms(terms: &mut TermSegments, snapshot: &Snapshot, gaps: Gaps, cancel: &CancelToken) -> Result<()> {
    let (first, last) = (terms.next_doc(), snapshot.next_doc()?);
    if first >= last {
        return Ok(());
    }
    let places = text_locations(snapshot, first..last, gaps)?;
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
