//! Retrieves the [`DEPTH`] documents nearest to the query's vector, and their chunks; ties with the last are cut too,
//! so that the set does not depend on document numbers.

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_index::view::{ChunkIndex, View};
use codecairn_model::vector::{Method, Query as VectorQuery, VectorIndex};

/// The number of documents that the vector retriever returns. Beyond the few hundred best, the cosines of a small model
/// do not help to rank.
const DEPTH: usize = 400;

/// The nearest chunks, nearest first.
#[derive(Debug, Default)]
pub(super) struct VectorScores {
    /// Chunks with their cosine, best first, ties by number.
    pub nearest: Vec<(ChunkIndex, f32)>,
}

impl VectorScores {
    /// The nearest chunks to `query` among those allowed.
    pub(super) fn compute(
        query: &VectorQuery,
        view: &View,
        allowed: Option<&Bitmap>,
        index: &VectorIndex,
        method: Method,
    ) -> Result<Self> {
        let restricted = allowed.map(|allowed| documents_of(view, allowed));
        let live = restricted.as_ref().unwrap_or_else(|| view.embedded());
        let mut found = index.search(query, live, DEPTH, method)?;
        if found.len() == DEPTH {
            // The cut must not depend on document numbers: documents that tie with the last are cut too.
            let last = found[DEPTH - 1].1;
            found.retain(|entry| entry.1 > last);
        }
        let mut nearest: Vec<(ChunkIndex, f32)> = found
            .into_iter()
            .flat_map(|(doc, cosine)| view.occurrences(doc).map(move |chunk| (chunk, cosine)))
            .filter(|(chunk, _)| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize)))
            .collect();
        nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(Self { nearest })
    }
}

fn documents_of(view: &View, allowed: &Bitmap) -> Bitmap {
    let mut documents = Bitmap::new(view.live().len());
    for chunk in allowed.iter().map(|chunk| view.chunk(ChunkIndex(chunk as u32))).filter(|chunk| !chunk.lexical_only) {
        documents.set(chunk.doc.index());
    }
    documents
}
