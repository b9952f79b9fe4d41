//! Computes the features of a chunk for a query, by which the spans of an answer are ranked; linear in the chunks.
//!
//! A score is given twice: as a share of the best in its file, and as a share of the best in all ranked files. The
//! first tells chunks of one file apart, the second files in which nothing matches well.

use codecairn_index::view::{ChunkIndex, ChunkRow, View};
use codecairn_syntax::kind::Kind;

use super::scores::ChunkScores;

/// The number of scores that a chunk has by itself.
const SCORES: usize = 7;

/// The names of the features, in the order of a [`SpanVector`].
pub const SPAN_FEATURES: [&str; 29] = [
    "coverage",
    "name_coverage",
    "body",
    "exact",
    "names",
    "comments",
    "vector",
    "coverage_of_best",
    "name_coverage_of_best",
    "body_of_best",
    "exact_of_best",
    "names_of_best",
    "comments_of_best",
    "vector_of_best",
    "coverage_and_vector",
    "coverage_of_neighbours",
    "defines",
    "file_rank",
    "file_gap",
    "is_callable",
    "is_type",
    "is_constant",
    "is_module",
    "is_section",
    "is_block",
    "is_test",
    "shortness",
    "lines",
    "position",
];

/// One value for each of [`SPAN_FEATURES`], most of them from 0 to 1.
pub type SpanVector = [f32; SPAN_FEATURES.len()];

/// Code between definitions of fewer bytes tells little.
pub(super) const TELLING_BYTES: f32 = 160.0;
/// The number of lines whose logarithm is 1.
const MAX_LINES: f32 = 256.0;
/// The difference of the scores of two files that counts in full.
const MAX_GAP: f32 = 8.0;

/// The chunks of a file that pass, with their scores.
#[derive(Debug)]
pub(super) struct FileEvidence {
    pub(super) chunks: Vec<ChunkIndex>,
    /// By chunk, in the order of [`SPAN_FEATURES`].
    pub(super) scores: Vec<[f32; SCORES]>,
    /// By chunk: the number of the query's identifiers that it defines.
    pub(super) defines: Vec<u8>,
}

/// The scores of a chunk in the order of the features.
pub(super) fn scores_of(scores: &ChunkScores, cosine: f32) -> [f32; SCORES] {
    [scores.coverage, scores.name_coverage, scores.body, scores.exact, scores.names, scores.comments, cosine.max(0.0)]
}

/// The features of all chunks of some files, which are in their order with the scores that they were ranked by.
pub(super) fn span_features(view: &View, files: &[(f32, &FileEvidence)]) -> Vec<Vec<SpanVector>> {
    let best_of_all = best(files.iter().flat_map(|(_, file)| &file.scores));
    let top = files.first().map_or(0.0, |(score, _)| *score);
    files
        .iter()
        .enumerate()
        .map(|(rank, (score, file))| {
            let best_of_file = best(&file.scores);
            let gap = ((top - score) / MAX_GAP).clamp(0.0, 1.0);
            let share = |at: usize, score: usize, best: &[f32; SCORES]| {
                file.scores.get(at).map_or(0.0, |scores| share(scores[score], best[score]))
            };
            let of_chunk = |at: usize| {
                let row = view.chunk(file.chunks[at]);
                let mut features: SpanVector = [0.0; SPAN_FEATURES.len()];
                for score in 0..SCORES {
                    features[score] = share(at, score, &best_of_file);
                    features[SCORES + score] = share(at, score, &best_of_all);
                }
                let before = at.checked_sub(1).map_or(0.0, |at| share(at, 0, &best_of_all));
                let after = share(at + 1, 0, &best_of_all);
                let rest = [
                    features[SCORES] * features[2 * SCORES - 1],
                    before.max(after),
                    f32::from(file.defines[at].min(2)) / 2.0,
                    1.0 / (1.0 + rank as f32),
                    gap,
                ];
                let kind = kind_of(&row);
                let lines = (row.lines.end - row.lines.start + 1) as f32;
                let last = [
                    f32::from(u8::from(row.is_test)),
                    1.0 - (row.span.len() as f32 / TELLING_BYTES).min(1.0),
                    (lines.ln() / MAX_LINES.ln()).min(1.0),
                    at as f32 / file.chunks.len() as f32,
                ];
                for (feature, value) in features[2 * SCORES..].iter_mut().zip(rest.into_iter().chain(kind).chain(last))
                {
                    *feature = value;
                }
                features
            };
            (0..file.chunks.len()).map(of_chunk).collect()
        })
        .collect()
}

/// One flag for each group of kinds.
fn kind_of(row: &ChunkRow) -> [f32; 6] {
    let at = match row.kind {
        Kind::Function | Kind::Method => 0,
        Kind::Class | Kind::Interface | Kind::Struct | Kind::Enum | Kind::Trait | Kind::Type => 1,
        Kind::Constant => 2,
        Kind::Module => 3,
        Kind::Section => 4,
        Kind::Block => 5,
    };
    let mut flags = [0.0; 6];
    flags[at] = 1.0;
    flags
}

fn share(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}

/// The highest of each score.
fn best<'a>(scores: impl IntoIterator<Item = &'a [f32; SCORES]>) -> [f32; SCORES] {
    let mut best = [0.0f32; SCORES];
    for scores in scores {
        best.iter_mut().zip(scores).for_each(|(best, score)| *best = best.max(*score));
    }
    best
}
