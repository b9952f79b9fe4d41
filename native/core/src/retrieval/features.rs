//! What the ranker knows of a file for a query.
//!
//! Scores are divided by their best value among the allowed files of the query, so that weights hold
//! across repositories and queries. The set follows what worked for the public retrieval benchmark
//! (file-level aggregation, names, paths, coherence).

use crate::bitmap::Bitmap;
use crate::language::Class;
use crate::view::{ChunkIndex, File, FileIndex, KinScores, View};

use super::best::best;
use super::query::Query;
use super::scores::LexicalScores;
use super::vectors::VectorScores;
use crate::view::PathScores;

/// Names of the features, in the order of a [`FeatureVector`].
pub const FEATURES: [&str; 39] = [
    "body",             // best chunk: BM25 of stemmed terms
    "exact",            // best chunk: BM25 of terms as written
    "names",            // best chunk: BM25 over the names it defines
    "name_coverage",    // best chunk: how nearly the query is the name it defines
    "comments",         // best chunk: BM25 over its comments
    "vector",           // best chunk: cosine to the query
    "coherence",        // sum over the query's 60 best chunks by body
    "vector_coherence", // sum over the query's 60 nearest chunks
    "file_body",        // whole file: BM25 of stemmed terms
    "file_names",       // whole file: BM25 over all names it defines
    "path",             // BM25 over the path
    "stem",             // BM25 over the file's stem
    "path_coverage",    // share of the query (by rarity) that the path has
    "stem_coverage",    // share of the stem that the query has
    "path_vector",      // cosine of the path's words to the query
    "symbol",           // defines a symbol of that very name, less the more files do
    "symbol_in_stem",   // the same, if the stem fits too
    "test",             // flags from the path
    "example",
    "barrel",
    "declaration",
    "generated",
    "prose",           // documentation and configuration languages
    "length",          // log of the number of chunks
    "body_rank",       // 1 / rank by body
    "vector_rank",     // 1 / rank by vector
    "body_and_vector", // body times vector
    "fusion",          // fused score of all retrievers
    "coverage",        // best chunk: share of the query (by rarity) that it has
    "file_coverage",   // whole file: the same
    "names_coverage",  // whole file: the same of all names it defines
    "path_kinship",    // share of the query (by rarity) that words of the path are akin to
    "stem_kinship",    // share of the stem that words of the query are akin to
    "depth",           // folders below the shallowest file of the pool
    "lines",           // log of the file's lines
    "mentions",        // log of how many files mention the stem
    "platform",        // more flags from the path
    "legacy",
    "vendored",
];

/// One value per feature.
pub type FeatureVector = [f32; FEATURES.len()];

/// How many chunks make up coherence.
const COHERENT: usize = 60;

/// What a difference in depth is divided by, so that the feature is of the others' size.
const DEPTH_UNIT: f32 = 5.0;

/// Scores of all files for one query, before any division.
#[derive(Debug)]
pub(super) struct FileScores {
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
    pub(super) fn gather(
        query: &Query,
        view: &View,
        allowed: Option<&Bitmap>,
        lexical: &LexicalScores,
        vectors: &VectorScores,
    ) -> Self {
        let passes = |chunk: ChunkIndex| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize));
        let files = view.files().len();
        let zeros = || vec![0.0f32; files];
        let [mut body, mut exact, mut names, mut name_coverage, mut comments, mut coverage] =
            std::array::from_fn(|_| zeros());
        for &chunk in lexical.touched.iter().filter(|chunk| passes(**chunk)) {
            let (at, file) = (chunk.0 as usize, view.chunk(chunk).file.0 as usize);
            for (by_file, scores) in [
                (&mut body, &lexical.body),
                (&mut exact, &lexical.exact),
                (&mut names, &lexical.names),
                (&mut name_coverage, &lexical.name_coverage),
                (&mut comments, &lexical.comments),
                (&mut coverage, &lexical.coverage),
            ] {
                by_file[file] = by_file[file].max(scores[at]);
            }
        }
        let mut vector = zeros();
        let mut vector_coherence = zeros();
        for (position, &(chunk, cosine)) in vectors.nearest.iter().enumerate() {
            let file = view.chunk(chunk).file.0 as usize;
            vector[file] = vector[file].max(cosine);
            if position < COHERENT {
                vector_coherence[file] += cosine.max(0.0);
            }
        }
        let mut coherence = zeros();
        let scored = lexical.touched.iter().map(|&chunk| (chunk, lexical.body[chunk.0 as usize]));
        for (chunk, score) in best(scored.filter(|entry| entry.1 > 0.0 && passes(entry.0)), COHERENT) {
            coherence[view.chunk(chunk).file.0 as usize] += score;
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
    let mut by_file = vec![0.0f32; view.files().len()];
    for identifier in &query.identifiers {
        let mut defining: Vec<FileIndex> = view
            .chunks_defining(identifier)
            .filter(|chunk| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize)))
            .map(|chunk| view.chunk(chunk).file)
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

/// Everything that features are made of.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
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
pub(super) fn features(pool: &[(FileIndex, f32)], evidence: &Evidence<'_>) -> Vec<FeatureVector> {
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
    let depth = |file: &File| file.path.bytes().filter(|&byte| byte == b'/').count() as f32;
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
                flag(file.role.vendored),
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
