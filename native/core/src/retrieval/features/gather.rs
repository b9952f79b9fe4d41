//! Chunk scores gathered by file.

use crate::bitmap::Bitmap;
use crate::view::{ChunkIndex, FileIndex, View};

use crate::retrieval::best::best;
use crate::retrieval::query::Query;
use crate::retrieval::scores::LexicalScores;
use crate::retrieval::vectors::VectorScores;

/// How many chunks make up coherence.
const COHERENT: usize = 60;

/// Scores of all files for one query, before any division.
#[derive(Debug)]
pub(in crate::retrieval) struct FileScores {
    /// Best chunk by field.
    pub body: Vec<f32>,
    /// See [`LexicalScores::exact`].
    pub exact: Vec<f32>,
    /// See [`LexicalScores::names`].
    pub names: Vec<f32>,
    /// See [`LexicalScores::name_coverage`].
    pub name_coverage: Vec<f32>,
    /// See [`LexicalScores::comments`].
    pub comments: Vec<f32>,
    /// See [`LexicalScores::coverage`].
    pub coverage: Vec<f32>,
    /// Best cosine.
    pub vector: Vec<f32>,
    /// Sum over the best chunks by body.
    pub coherence: Vec<f32>,
    /// Sum over the nearest chunks.
    pub vector_coherence: Vec<f32>,
    /// Definitions of the query's very names.
    pub symbol: Vec<f32>,
}

impl FileScores {
    /// Gathers chunk scores by file.
    pub(in crate::retrieval) fn gather(
        query: &Query,
        view: &View,
        allowed: Option<&Bitmap>,
        lexical: &LexicalScores,
        vectors: &VectorScores,
    ) -> Self {
        let passes = |chunk: ChunkIndex| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize));
        let files = view.file_count();
        let zeros = || vec![0.0f32; files];
        let postings = view.postings();
        let mut best_of: Vec<[f32; 6]> = vec![[0.0; 6]; files];
        for &chunk in lexical.touched.iter().filter(|chunk| passes(**chunk)) {
            let scores = lexical.of(chunk);
            let of_chunk =
                [scores.body, scores.exact, scores.names, scores.name_coverage, scores.comments, scores.coverage];
            for (best, score) in best_of[postings.file_of(chunk).0 as usize].iter_mut().zip(of_chunk) {
                *best = best.max(score);
            }
        }
        let [body, exact, names, name_coverage, comments, coverage] =
            std::array::from_fn(|field| best_of.iter().map(|best| best[field]).collect());
        let mut vector = zeros();
        let mut vector_coherence = zeros();
        for (position, &(chunk, cosine)) in vectors.nearest.iter().enumerate() {
            let file = view.file_of(chunk).0 as usize;
            vector[file] = vector[file].max(cosine);
            if position < COHERENT {
                vector_coherence[file] += cosine.max(0.0);
            }
        }
        let mut coherence = zeros();
        let scored = lexical.touched.iter().map(|&chunk| (chunk, lexical.of(chunk).body));
        for (chunk, score) in best(scored.filter(|entry| entry.1 > 0.0 && passes(entry.0)), COHERENT) {
            coherence[view.file_of(chunk).0 as usize] += score;
        }
        Self {
            body,
            exact,
            names,
            name_coverage,
            comments,
            coverage,
            vector,
            coherence,
            vector_coherence,
            symbol: symbol_hits(query, view, allowed),
        }
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
