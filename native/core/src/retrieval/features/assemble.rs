//! Evidence to features: each score divided by the best of the pool, so that a weight means the same for every query.

use crate::language::Class;
use crate::retrieval::scores::LexicalScores;
use crate::view::{File, FileIndex, KinScores, PathScores, View};

use super::{FeatureVector, FileScores};

/// What a difference in depth is divided by, so that the feature is of the others' size.
const DEPTH_UNIT: f32 = 5.0;

/// Everything that features are made of.
#[derive(Debug)]
pub(in crate::retrieval) struct Evidence<'a> {
    /// The branch.
    pub view: &'a View,
    /// By chunk.
    pub lexical: &'a LexicalScores,
    /// By file.
    pub files: &'a FileScores,
    /// Of names and folders.
    pub paths: &'a PathScores,
    /// Of words in them that are alike.
    pub kin: &'a KinScores,
    /// How many files mention each of the pool's, by position in it.
    pub mentions: &'a [f32],
    /// Cosine of the path's words to the query, by position in the pool.
    pub path_vectors: &'a [f32],
}

/// The features of the files in `pool` (with their fused scores), in its order.
pub(in crate::retrieval) fn features(pool: &[(FileIndex, f32)], evidence: &Evidence<'_>) -> Vec<FeatureVector> {
    let Evidence { view, lexical, files, paths, kin, mentions, path_vectors } = evidence;
    let [
        body,
        exact,
        names,
        comments,
        vector,
        coherence,
        vector_coherence,
        file_body,
        file_names,
        path,
        stem,
        coverage,
        file_coverage,
        names_coverage,
    ] = [
        &files.body,
        &files.exact,
        &files.names,
        &files.comments,
        &files.vector,
        &files.coherence,
        &files.vector_coherence,
        &lexical.file_body,
        &lexical.file_names,
        &paths.path,
        &paths.stem,
        &files.coverage,
        &lexical.file_coverage,
        &lexical.file_names_coverage,
    ]
    .map(|scores| Column::of(scores, pool));
    let best_path_vector = path_vectors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let best_fused = pool.iter().map(|entry| entry.1).fold(f32::MIN_POSITIVE, f32::max);
    let (body_ranks, vector_ranks) = (reciprocal_ranks(&files.body, pool), reciprocal_ranks(&files.vector, pool));
    let flag = |set: bool| f32::from(u8::from(set));
    let depth = |file: File<'_>| file.path.bytes().filter(|&byte| byte == b'/').count() as f32;
    let shallowest = pool.iter().map(|entry| depth(view.file(entry.0))).fold(f32::MAX, f32::min);
    let lines: Vec<f32> = pool.iter().map(|entry| (1.0 + view.line_count(entry.0) as f32).ln()).collect();
    let most_lines = lines.iter().copied().fold(1.0, f32::max);
    let most_mentions = mentions.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    pool.iter()
        .enumerate()
        .map(|(position, &(index, fused))| {
            let at = index.0 as usize;
            let file = view.file(index);
            [
                body.share(at),
                exact.share(at),
                names.share(at),
                files.name_coverage[at],
                comments.share(at),
                vector.share(at),
                coherence.share(at),
                vector_coherence.share(at),
                file_body.share(at),
                file_names.share(at),
                path.share(at),
                stem.share(at),
                paths.coverage[at],
                paths.stem_coverage[at],
                path_vectors[position].max(0.0) / best_path_vector,
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
                body.share(at) * vector.share(at),
                fused / best_fused,
                coverage.share(at),
                file_coverage.share(at),
                names_coverage.share(at),
                kin.path[at],
                kin.stem[at],
                (depth(file) - shallowest) / DEPTH_UNIT,
                lines[position] / most_lines,
                mentions[position] / most_mentions,
                flag(file.role.platform),
                flag(file.role.legacy),
                flag(file.role.copied),
            ]
        })
        .collect()
}

/// Scores with their best value among the pool.
struct Column<'a> {
    scores: &'a [f32],
    best: f32,
}

impl<'a> Column<'a> {
    fn of(scores: &'a [f32], pool: &[(FileIndex, f32)]) -> Self {
        let best = pool.iter().map(|entry| scores[entry.0.0 as usize]).fold(f32::MIN_POSITIVE, f32::max);
        Self { scores, best }
    }

    fn share(&self, file: usize) -> f32 {
        self.scores[file].max(0.0) / self.best
    }
}

/// One over the place of each pool entry when the pool is ordered by `scores`; zero where it has none.
fn reciprocal_ranks(scores: &[f32], pool: &[(FileIndex, f32)]) -> Vec<f32> {
    let score = |position: usize| scores[pool[position].0.0 as usize];
    let mut order: Vec<usize> = (0..pool.len()).filter(|&position| score(position) > 0.0).collect();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(pool[a].0.cmp(&pool[b].0)));
    let mut ranks = vec![0.0; pool.len()];
    for (place, position) in order.into_iter().enumerate() {
        ranks[position] = 1.0 / (place as f32 + 1.0);
    }
    ranks
}
