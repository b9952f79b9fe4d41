//! Assembles the feature vectors of a pool. Each score is divided by the highest in the pool, so that a weight means
//! the same for every query.

use codecairn_index::view::{File, FileIndex, PathScores, PrefixScores, View};
use codecairn_syntax::language::Class;

use crate::scores::FileWords;

use super::{FeatureVector, FileScores};

/// The divisor of differences in depth, which scales the feature to the size of the others.
const DEPTH_UNIT: f32 = 5.0;

/// The scores that features are computed from.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// Lexical scores, by position in the pool.
    pub words: &'a [FileWords],
    /// Scores of vectors and symbols, by file.
    pub files: &'a FileScores,
    /// Scores of names and folders.
    pub paths: &'a PathScores,
    /// Scores of words in paths that share a prefix with the query's.
    pub kin: &'a PrefixScores,
    /// Facts that do not depend on the query, by position in the pool.
    pub facts: &'a [FileFacts<'a>],
    /// The nearness of paths to the query, by position in the pool; see
    /// [`PathVectors`](crate::path_vectors::PathVectors).
    pub path_vectors: &'a [f32],
    /// The same with words weighted by their IDF.
    pub rare_path_vectors: &'a [f32],
}

/// The facts of a file that do not depend on the query.
#[derive(Debug)]
pub(crate) struct FileFacts<'a> {
    file: File<'a>,
    /// The number of folders above it.
    depth: f32,
    /// The logarithm of one plus its lines.
    lines: f32,
    /// The same of the files that mention it.
    mentions: f32,
}

impl<'a> FileFacts<'a> {
    /// The facts of a file; `mentions` is the logarithm of one plus its mentions.
    pub(crate) fn of(view: &'a View, index: FileIndex, mentions: f32) -> Self {
        let file = view.file(index);
        let depth = file.path.bytes().filter(|&byte| byte == b'/').count() as f32;
        Self { file, depth, lines: (1.0 + view.line_count(index) as f32).ln(), mentions }
    }
}

/// The features of the files in `pool` (with their fused scores), in its order.
pub(crate) fn features(pool: &[(FileIndex, f32)], evidence: &Evidence<'_>) -> Vec<FeatureVector> {
    let Evidence { facts, words, files, paths, kin, path_vectors, rare_path_vectors } = evidence;
    let of_words = |score: fn(&FileWords) -> f32| Column::of(words.iter().map(score));
    let of = |scores: &[f32]| Column::of(pool.iter().map(|entry| scores[entry.0.0 as usize]));
    let (body, exact) = (of_words(|words| words.best.body), of_words(|words| words.best.exact));
    let (names, comments) = (of_words(|words| words.best.names), of_words(|words| words.best.comments));
    let (file_body, file_names) = (of_words(|words| words.body), of_words(|words| words.names));
    let coverage = of_words(|words| words.best.coverage);
    let (file_coverage, names_coverage) = (of_words(|words| words.coverage), of_words(|words| words.names_coverage));
    let (vector, path, stem) = (of(&files.vector), of(&paths.path), of(&paths.stem));
    let (coherence, vector_coherence) = (of(&files.coherence), of(&files.vector_coherence));
    let best_path_vector = path_vectors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let best_rare_path_vector = rare_path_vectors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let best_fused = pool.iter().map(|entry| entry.1).fold(f32::MIN_POSITIVE, f32::max);
    let (body_ranks, vector_ranks) = (body.reciprocal_ranks(pool), vector.reciprocal_ranks(pool));
    let flag = |set: bool| f32::from(u8::from(set));
    let shallowest = facts.iter().map(|facts| facts.depth).fold(f32::MAX, f32::min);
    let most_lines = facts.iter().map(|facts| facts.lines).fold(1.0, f32::max);
    let most_mentions = facts.iter().map(|facts| facts.mentions).fold(f32::MIN_POSITIVE, f32::max);
    pool.iter()
        .enumerate()
        .map(|(position, &(index, fused))| {
            let at = index.0 as usize;
            let FileFacts { file, depth, lines, mentions } = &facts[position];
            [
                body.share(position),
                exact.share(position),
                names.share(position),
                words[position].best.name_coverage,
                comments.share(position),
                vector.share(position),
                coherence.share(position),
                vector_coherence.share(position),
                file_body.share(position),
                file_names.share(position),
                path.share(position),
                stem.share(position),
                paths.coverage[at],
                paths.stem_coverage[at],
                path_vectors[position].max(0.0) / best_path_vector,
                rare_path_vectors[position].max(0.0) / best_rare_path_vector,
                files.symbol[at],
                files.symbol[at] * paths.stem_coverage[at],
                flag(file.role.test),
                flag(file.role.example),
                flag(file.role.barrel),
                flag(file.role.declaration),
                flag(file.class == Class::Generated),
                flag(matches!(file.class, Class::Prose | Class::Config | Class::Data)),
                (1.0 + file.chunk_count as f32).ln() / 10.0,
                body_ranks[position],
                vector_ranks[position],
                body.share(position) * vector.share(position),
                fused / best_fused,
                coverage.share(position),
                file_coverage.share(position),
                names_coverage.share(position),
                kin.path[at],
                kin.stem[at],
                (depth - shallowest) / DEPTH_UNIT,
                lines / most_lines,
                mentions / most_mentions,
                flag(file.role.platform),
                flag(file.role.legacy),
                flag(file.role.copied),
            ]
        })
        .collect()
}

/// Scores of a pool with their best value.
struct Column {
    scores: Vec<f32>,
    best: f32,
}

impl Column {
    fn of(scores: impl Iterator<Item = f32>) -> Self {
        let scores: Vec<f32> = scores.collect();
        let best = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        Self { scores, best }
    }

    fn share(&self, position: usize) -> f32 {
        self.scores[position].max(0.0) / self.best
    }

    /// The reciprocal rank of each entry by these scores, ties by path; zero for entries without a score.
    fn reciprocal_ranks(&self, pool: &[(FileIndex, f32)]) -> Vec<f32> {
        let score = |position: usize| self.scores[position];
        let mut order: Vec<usize> = (0..pool.len()).filter(|&position| score(position) > 0.0).collect();
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(pool[a].0.cmp(&pool[b].0)));
        let mut ranks = vec![0.0; pool.len()];
        for (place, position) in order.into_iter().enumerate() {
            ranks[position] = 1.0 / (place as f32 + 1.0);
        }
        ranks
    }
}
