//! Ranks the files of a query: retrievers, the candidate pool, features, and the model's score.

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::parallel::map_each;
use codecairn_index::view::{FileIndex, PrefixScores};
use codecairn_model::vector::Query as VectorQuery;

use super::features::{COHERENT, Evidence, FeatureVector, FileFacts, FileScores, features};
use super::lexical::LexicalScores;
use super::query::Query;
use super::query_vectors::QueryVectors;
use super::ranker::Ranking;
use super::request::Request;
use super::searcher::Searcher;
use super::vectors::VectorScores;

/// The ranked files of a pool, and the scores that the best chunk of each is chosen by.
pub(super) struct RankedFiles<'a> {
    /// The files with their scores and features, best first.
    pub files: Vec<(FileIndex, f32, FeatureVector)>,
    pub lexical: LexicalScores<'a>,
    pub near: VectorQuery,
    /// By term of the query: the IDF of the exact term among chunks.
    pub rarity_as_written: Vec<f32>,
    /// The same, but 0 for terms that no text has.
    pub weights_as_written: Vec<f32>,
}

/// The evidence of the paths of a pool.
struct Paths<'a> {
    /// By position in the pool.
    facts: Vec<FileFacts<'a>>,
    vectors: Vec<f32>,
    rare_vectors: Vec<f32>,
    /// By file.
    kin: PrefixScores,
}

impl Searcher {
    /// The files that match a query, best first; ties by path.
    pub(super) fn order(&self, request: &Request<'_>, allowed: Option<&Bitmap>) -> Result<RankedFiles<'_>> {
        let query = request.query;
        let scorer = self.scorer(query)?;
        let rarity_as_written = scorer.rarity_as_written();
        let weights_as_written = scorer.weights_as_written();
        let own = QueryVectors::of(query, &rarity_as_written, self.embedder.as_ref());
        let (index, vector) = self.space(request.query_vector, &own.text);
        let near = VectorQuery::new(vector)?;
        let rarity = scorer.rarity();
        let find_words = || LexicalScores::compute(scorer, &self.view, allowed, COHERENT);
        let find_near = || VectorScores::compute(&near, &self.view, allowed, index, self.vector_method);
        let (mut lexical, vectors) = self.side_by_side(find_words, find_near);
        let files = FileScores::gather(query, &self.view, allowed, &lexical, &vectors?);
        let mut stems: Vec<&str> = query.terms.iter().map(|term| term.stem.as_str()).collect();
        stems.sort_unstable();
        stems.dedup();
        let paths = self.view.paths().score(&stems);
        let pool = self.pool(request.fusion, allowed, &lexical, &files, &paths.path);
        let describe = || lexical.describe(&pool, allowed);
        let ((), of_paths) = self.side_by_side(describe, || self.of_paths(query, &rarity, &own, &pool));
        let of_paths = of_paths?;
        let evidence = Evidence {
            facts: &of_paths.facts,
            words: &lexical.files,
            files: &files,
            paths: &paths,
            kin: &of_paths.kin,
            path_vectors: &of_paths.vectors,
            rare_path_vectors: &of_paths.rare_vectors,
        };
        let mut ranked: Vec<(FileIndex, f32, FeatureVector)> = pool
            .iter()
            .zip(features(&pool, &evidence))
            .map(|(&(file, fused), features)| {
                let score = match request.ranking {
                    Ranking::Model => self.models.files.score(query.kind, &features),
                    Ranking::Fusion => fused,
                };
                (file, score, features)
            })
            .collect();
        // The one total order: by score, then by path.
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(RankedFiles { files: ranked, lexical, near, rarity_as_written, weights_as_written })
    }

    /// The evidence of the paths of a pool; `rarity` is the IDF of the query's terms among files.
    fn of_paths(
        &self,
        query: &Query,
        rarity: &[f32],
        own: &QueryVectors,
        pool: &[(FileIndex, f32)],
    ) -> Result<Paths<'_>> {
        let fact = |(): &mut (), &(file, _): &(FileIndex, f32)| {
            let mentions = self.mentions.of(file, &self.view, &self.lexical)?;
            Ok(FileFacts::of(&self.view, file, mentions))
        };
        let words: Vec<(&str, f32)> = query
            .terms
            .iter()
            .zip(rarity)
            .filter(|(term, _)| !term.is_whole_identifier)
            .map(|(term, &rarity)| (term.term.as_str(), rarity))
            .collect();
        Ok(Paths {
            facts: map_each(pool, self.is_large(), || (), fact).into_iter().collect::<Result<_>>()?,
            vectors: self.nearness_of_paths(pool, &own.plain)?,
            rare_vectors: self.nearness_of_rare_words(pool, &own.rare)?,
            kin: self.view.kin().score(&words),
        })
    }

    /// Runs both, in parallel on large branches.
    fn side_by_side<A: Send, B: Send>(
        &self,
        one: impl FnOnce() -> A + Send,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.is_large() { rayon::join(one, other) } else { (one(), other()) }
    }
}
