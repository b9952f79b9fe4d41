//! Gathers the scores of chunks by file.

use codecairn_base::bitmap::Bitmap;
use codecairn_index::view::{FileIndex, View};

use crate::lexical::LexicalScores;
use crate::query::Query;
use crate::vectors::VectorScores;

/// The number of best chunks that coherence is summed over.
pub(crate) const COHERENT: usize = 60;

/// Unnormalised scores of vectors and symbols, by file.
#[derive(Debug)]
pub(crate) struct FileScores {
    /// The highest cosine of its chunks.
    pub vector: Vec<f32>,
    /// The sum of text scores over the best chunks.
    pub coherence: Vec<f32>,
    /// The sum of cosines over the nearest chunks.
    pub vector_coherence: Vec<f32>,
    /// The score of definitions whose names the query has.
    pub symbol: Vec<f32>,
}

impl FileScores {
    /// Gathers chunk scores by file.
    pub(crate) fn gather(
        query: &Query,
        view: &View,
        allowed: Option<&Bitmap>,
        lexical: &LexicalScores<'_>,
        vectors: &VectorScores,
    ) -> Self {
        let zeros = || vec![0.0f32; view.file_count()];
        let (mut vector, mut vector_coherence, mut coherence) = (zeros(), zeros(), zeros());
        for (position, &(chunk, cosine)) in vectors.nearest.iter().enumerate() {
            let file = view.file_of(chunk).0 as usize;
            vector[file] = vector[file].max(cosine);
            if position < COHERENT {
                vector_coherence[file] += cosine.max(0.0);
            }
        }
        for &(chunk, score) in lexical.best.iter().take(COHERENT) {
            coherence[view.file_of(chunk).0 as usize] += score;
        }
        Self { vector, coherence, vector_coherence, symbol: symbol_hits(query, view, allowed) }
    }
}

/// By file: for each of the query's identifiers that the file defines, one over the root of how many
/// files define it; the best of them.
fn symbol_hits(query: &Query, view: &View, allowed: Option<&Bitmap>) -> Vec<f32> {
    let mut by_file = vec![0.0f32; view.file_count()];
    for identifier in &query.identifiers {
        let mut defining: Vec<FileIndex> = view
            .chunks_defining(identifier)
            .filter(|chunk| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize)))
            .map(|chunk| view.file_of(chunk))
            .collect();
        defining.sort_unstable();
        defining.dedup();
        let share = 1.0 / (defining.len().max(1) as f32).sqrt();
        for FileIndex(file) in defining {
            let slot = &mut by_file[file as usize];
            *slot = slot.max(share);
        }
    }
    by_file
}
