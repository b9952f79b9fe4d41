//! Computes the features of a chunk for a query, by which the spans of an answer are ranked; linear in the chunks.
//!
//! A score is given twice: as a share of the best in its file, and as a share of the best in all ranked files. The
//! first tells chunks of one file apart, the second files in which nothing matches well. What its lines have of the
//! query is given by itself, and as a share of the best in all ranked files. Last come the features of its file.

use std::sync::LazyLock;

use codecairn_index::view::{ChunkIndex, ChunkRow, View};
use codecairn_syntax::kind::Kind;

use super::excerpts::ChunkLines;
use super::features::{FEATURES, FeatureVector};
use super::query_words::{LineMatch, QueryWords};
use super::scores::ChunkScores;

/// The number of scores that a chunk has by itself.
const SCORES: usize = 7;
/// The number of values that tell what its lines have of the query.
const LINES: usize = 7;
/// The number of features of a chunk without those of its file.
pub(super) const OF_CHUNK: usize = 28 + 2 * LINES;

/// The names of the features of a chunk, in the order of a [`SpanVector`].
const CHUNK_FEATURES: [&str; OF_CHUNK] = [
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
    "best_line",
    "best_three_lines",
    "best_eight_lines",
    "signature",
    "run",
    "run_in_signature",
    "run_words",
    "best_line_of_best",
    "best_three_lines_of_best",
    "best_eight_lines_of_best",
    "signature_of_best",
    "run_of_best",
    "run_in_signature_of_best",
    "run_words_of_best",
];

/// The number of features of a span, with those of its file.
pub(super) const SPAN_FEATURES: usize = OF_CHUNK + FEATURES.len();

/// The score that tells how much of the query a chunk has.
pub(super) const COVERAGE: usize = 0;

/// The feature that tells how much of the query eight lines of a chunk have.
pub(super) const BEST_LINES: usize = 30;

/// The names of all features; those of the file begin with `file.`.
pub(super) fn span_feature_names() -> &'static [&'static str; SPAN_FEATURES] {
    static NAMES: LazyLock<[&str; SPAN_FEATURES]> = LazyLock::new(|| {
        let of_file = FEATURES.map(|name| &*format!("file.{name}").leak());
        std::array::from_fn(|at| CHUNK_FEATURES.get(at).copied().unwrap_or_else(|| of_file[at - OF_CHUNK]))
    });
    &NAMES
}

/// One value for each feature of a chunk without those of its file, most of them from 0 to 1.
pub(super) type SpanVector = [f32; OF_CHUNK];

/// Code between definitions of fewer bytes tells little.
const TELLING_BYTES: f32 = 160.0;
/// The number of lines whose logarithm is 1.
const MAX_LINES: f32 = 256.0;
/// The number of words of a run that is as long as it need be.
const MAX_RUN_WORDS: f32 = 12.0;
/// The lines from the one with a definition's name on that are taken for its signature.
const SIGNATURE_LINES: usize = 3;
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

/// A ranked file, for the features of its chunks.
pub(super) struct RankedFile<'a> {
    /// Its place among all ranked files, from 0 on.
    pub(super) rank: usize,
    /// What it was ranked by.
    pub(super) score: f32,
    pub(super) features: &'a FeatureVector,
    pub(super) evidence: &'a FileEvidence,
    /// By chunk; without matches where its text was not read.
    pub(super) lines: Vec<ChunkLines>,
}

/// The features of all chunks of some files, which are in their order.
pub(super) fn span_features(view: &View, words: &QueryWords, files: &[RankedFile<'_>]) -> Vec<Vec<SpanVector>> {
    let best_of_all = best(files.iter().flat_map(|file| &file.evidence.scores));
    let of_lines: Vec<Vec<[f32; LINES]>> =
        files.iter().map(|file| file.lines.iter().map(|lines| line_values(words, lines)).collect()).collect();
    let best_lines = best(of_lines.iter().flatten());
    let top = files.first().map_or(0.0, |file| file.score);
    files
        .iter()
        .zip(of_lines)
        .map(|(RankedFile { rank, score, evidence: file, .. }, of_lines)| {
            let best_of_file = best(&file.scores);
            let gap = ((top - score) / MAX_GAP).clamp(0.0, 1.0);
            let share_at = |at: usize, score: usize, best: &[f32; SCORES]| {
                file.scores.get(at).map_or(0.0, |scores| share(scores[score], best[score]))
            };
            let of_chunk = |at: usize| {
                let row = view.chunk(file.chunks[at]);
                let mut features: SpanVector = [0.0; OF_CHUNK];
                for score in 0..SCORES {
                    features[score] = share_at(at, score, &best_of_file);
                    features[SCORES + score] = share_at(at, score, &best_of_all);
                }
                let before = at.checked_sub(1).map_or(0.0, |at| share_at(at, 0, &best_of_all));
                let after = share_at(at + 1, 0, &best_of_all);
                let rest = [
                    features[SCORES] * features[2 * SCORES - 1],
                    before.max(after),
                    f32::from(file.defines[at].min(2)) / 2.0,
                    1.0 / (1.0 + *rank as f32),
                    gap,
                ];
                let kind = kind_of(&row);
                let lines = (row.lines.end - row.lines.start + 1) as f32;
                let last = [
                    f32::from(u8::from(row.is_test)),
                    1.0 - (row.span.len() as f32 / TELLING_BYTES).min(1.0),
                    (lines.ln() / MAX_LINES.ln()).min(1.0),
                ];
                let lines = of_lines[at];
                let lines_of_best: [f32; LINES] = std::array::from_fn(|value| share(lines[value], best_lines[value]));
                let values = rest.into_iter().chain(kind).chain(last).chain(lines).chain(lines_of_best);
                features[2 * SCORES..].iter_mut().zip(values).for_each(|(feature, value)| *feature = value);
                features
            };
            (0..file.chunks.len()).map(of_chunk).collect()
        })
        .collect()
}

/// What the lines of a chunk have of the query, as shares of its weight.
fn line_values(words: &QueryWords, ChunkLines { matches, signature }: &ChunkLines) -> [f32; LINES] {
    let most = |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, f32::max);
    let of_lines = |lines: &[LineMatch]| words.weight(lines.iter().fold(0, |words, line| words | line.words));
    // The matches of the lines from `first` on.
    let within = |matches: &[LineMatch], first: usize, size: usize| {
        matches.iter().take_while(|of_line| of_line.line < first + size).count()
    };
    let window = |size: usize| {
        let starts = (0..matches.len()).map(|at| &matches[at..]);
        most(&mut starts.map(|rest| of_lines(&rest[..within(rest, rest[0].line, size)])))
    };
    let after = &matches[matches.partition_point(|of_line| of_line.line < *signature)..];
    let of_signature = &after[..within(after, *signature, SIGNATURE_LINES)];
    [
        most(&mut matches.iter().map(|line| line.weight)),
        window(3),
        window(8),
        of_lines(of_signature),
        most(&mut matches.iter().map(|line| line.run)),
        most(&mut of_signature.iter().map(|line| line.run)),
        most(&mut matches.iter().map(|line| (f32::from(line.run_words) / MAX_RUN_WORDS).min(1.0))),
    ]
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
fn best<'a, const N: usize>(scores: impl IntoIterator<Item = &'a [f32; N]>) -> [f32; N] {
    let mut best = [0.0f32; N];
    for scores in scores {
        best.iter_mut().zip(scores).for_each(|(best, score)| *best = best.max(*score));
    }
    best
}
