//! Re-embeds stored texts with a built-in model, for documents that no segment covers.

use std::ops::Range;

use rayon::prelude::*;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, DocId};
use codecairn_base::parallel::on_all_threads;
use codecairn_base::span::ByteSpan;
use codecairn_model::embed::{Embedder, Scratch};
use codecairn_model::vector::{QuantisedVector, quantise};
use codecairn_store::Snapshot;
use codecairn_syntax::chunk::ChunkTable;

use super::text_locations::{Gaps, text_locations};

/// Runs of documents whose texts are held at once.
const RUNS: usize = 256;

/// Consecutive documents of one blob: its text and their spans; `None` for a document without a vector.
struct Run {
    text: String,
    spans: Vec<Option<ByteSpan>>,
}

/// Calls `visit` with the vector of each document in order; `None` for those that only have words, and for collected
/// ones unless their gaps are closed.
pub(super) fn each_vector(
    snapshot: &Snapshot,
    docs: Range<DocId>,
    gaps: Gaps,
    model: &dyn Embedder,
    cancel: &CancelToken,
    mut visit: impl FnMut(Option<&QuantisedVector>) -> Result<()>,
) -> Result<()> {
    let places = text_locations(snapshot, docs, gaps)?;
    let same_blob = |left: &Option<(BlobId, u32)>, right: &Option<(BlobId, u32)>| {
        left.map(|(blob, _)| blob) == right.map(|(blob, _)| blob)
    };
    let runs: Vec<_> = places.chunk_by(same_blob).collect();
    for some in runs.chunks(RUNS) {
        cancel.check()?;
        let read = some.iter().map(|run| read(snapshot, run)).collect::<Result<Vec<Run>>>()?;
        let embed = |scratch: &mut Scratch, run: &Run| -> Vec<Option<QuantisedVector>> {
            let embed_one = |span: &Option<ByteSpan>| {
                // A built-in model gives finite numbers; a vector that can't be quantised counts as none.
                quantise(&model.embed_document(run.text.get((*span)?.range())?, scratch)).ok()
            };
            run.spans.iter().map(embed_one).collect()
        };
        let vectors: Vec<_> = on_all_threads(|| read.par_iter().map_init(Scratch::default, embed).collect());
        vectors.iter().flatten().try_for_each(|vector| visit(vector.as_ref()))?;
    }
    Ok(())
}

fn read(snapshot: &Snapshot, run: &[Option<(BlobId, u32)>]) -> Result<Run> {
    let Some(&Some((blob, _))) = run.first() else {
        return Ok(Run { text: String::new(), spans: vec![None; run.len()] });
    };
    let (_, table) = snapshot.blob_chunks(blob)?;
    let table = ChunkTable::parse(&table)?;
    let chunks = table
        .iter()
        .map(|chunk| chunk.map(|chunk| Some(chunk.span).filter(|_| !chunk.lexical_only)))
        .collect::<Result<Vec<_>>>()?;
    let span_of = |place: &Option<(BlobId, u32)>| chunks.get(place.as_ref()?.1 as usize).copied().flatten();
    Ok(Run { text: snapshot.blob_text(blob)?, spans: run.iter().map(span_of).collect() })
}
