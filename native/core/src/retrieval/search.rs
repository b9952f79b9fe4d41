//! One query through the whole pipeline.

use std::sync::Arc;

use crate::bitmap::Bitmap;
use crate::embed::Embedder;
use crate::error::Result;
use crate::id::BlobId;
use crate::lexical::LexicalIndex;
use crate::parallel::{map_each, on_all_threads};
use crate::vector::{Method, Query as VectorQuery, VectorIndex};
use crate::view::{ChunkIndex, FileIndex, View};

use super::features::{COHERENT, Evidence, FEATURES, FeatureVector, FileFacts, FileScores, features};
use super::filter::Filters;
use super::fusion::Fusion;
use super::known_places::KnownPlaces;
use super::lexical::LexicalScores;
use super::mentions::Mentions;
use super::norms::LengthNorms;
use super::path_vectors::PathVectors;
use super::query::Query;
use super::query_vectors::QueryVectors;
use super::ranking::{Ranker, Ranking};
use super::scores::Scorer;
use super::spans::Spans;
use super::vectors::VectorScores;

/// Where the text of a blob comes from.
pub trait Texts {
    /// The whole text of a blob.
    fn text(&self, blob: BlobId) -> Result<Arc<str>>;
}

/// Everything that answers queries on one branch at one generation. It is never changed.
pub struct Searcher {
    /// The branch.
    pub view: View,
    /// Words to chunks.
    pub lexical: LexicalIndex,
    /// Vectors of the built-in model to chunks.
    pub vectors: VectorIndex,
    /// Vectors made outside to chunks, where there are enough of them.
    pub outside: Option<VectorIndex>,
    /// The built-in model.
    pub embedder: Arc<dyn Embedder>,
    /// The weights of the rerank.
    pub ranker: Ranker,
    norms: LengthNorms,
    known_places: KnownPlaces,
    mentions: Mentions,
    pub(super) path_vectors: PathVectors,
    pub(super) rare_path_vectors: PathVectors,
}

/// What is asked for.
#[derive(Debug)]
pub struct Request<'a> {
    /// The query.
    pub query: &'a Query,
    /// Its vector in the outside space, if there is one; else the built-in model's vectors are searched.
    pub query_vector: Option<&'a [f32]>,
    /// Conditions on hits.
    pub filters: &'a Filters,
    /// At most this many results.
    pub limit: usize,
    /// What decides the order.
    pub ranking: Ranking,
    /// How the pool is made.
    pub fusion: Fusion,
    /// Whether to say why.
    pub explain: bool,
}

/// One feature's part in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: &'static str,
    /// Its value.
    pub value: f32,
    /// Its value times its weight.
    pub part: f32,
}

/// A place, ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The score that decides the order, higher is better.
    pub score: f32,
    /// Why, if asked for.
    pub contributions: Vec<Contribution>,
}

/// The files of a pool in order, and what tells the chunks of each apart.
struct Order<'a> {
    /// With their scores and what these are made of, best first.
    files: Vec<(FileIndex, f32, FeatureVector)>,
    lexical: LexicalScores<'a>,
    near: VectorQuery,
}

/// Chunks from which on it pays to wake threads for words and vectors side by side.
pub(super) const SIDE_BY_SIDE: usize = 16_384;

impl Searcher {
    /// A searcher over one branch's view and segments.
    pub fn new(
        view: View,
        lexical: LexicalIndex,
        vectors: VectorIndex,
        outside: Option<VectorIndex>,
        embedder: Arc<dyn Embedder>,
        ranker: Ranker,
    ) -> Self {
        let norms = LengthNorms::of(&view);
        let mentions = Mentions::new(view.file_count());
        let path_vectors = PathVectors::new(view.file_count());
        let rare_path_vectors = PathVectors::new(view.file_count());
        let known_places = KnownPlaces::default();
        Self {
            view,
            lexical,
            vectors,
            outside,
            embedder,
            ranker,
            norms,
            known_places,
            mentions,
            path_vectors,
            rare_path_vectors,
        }
    }

    /// The best places for a query, best first, at most one a file.
    pub fn search(&self, request: &Request<'_>, texts: &dyn Texts) -> Result<Vec<Ranked>> {
        let query = request.query;
        let allowed = request.filters.apply(&self.view)?;
        let allowed = allowed.as_ref();
        // Once to the threads and back: each way costs more than many a step takes.
        let Order { files, lexical, near } = if self.is_large() {
            on_all_threads(|| self.order(request, allowed))
        } else {
            self.order(request, allowed)
        }?;
        let (index, _) = self.space(request.query_vector, &[]);
        let spans = Spans::new(query, &self.view, &lexical, Some((index, &near)));
        let mut results = Vec::with_capacity(request.limit.min(files.len()));
        for (file, score, features) in files {
            if results.len() == request.limit {
                break;
            }
            let passes = |chunk: ChunkIndex| allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize));
            let best = if query.quoted.is_empty() {
                spans.best(file, passes)
            } else {
                self.quoting(query, file, passes, &spans, texts)?
            };
            if let Some(chunk) = best {
                let contributions = if request.explain { self.contributions(query, &features) } else { Vec::new() };
                results.push(Ranked { chunk, score, contributions });
            }
        }
        Ok(results)
    }

    /// The files that answer a query, best first.
    fn order(&self, request: &Request<'_>, allowed: Option<&Bitmap>) -> Result<Order<'_>> {
        let query = request.query;
        let scorer = self.scorer(query)?;
        let own = QueryVectors::of(query, &scorer.rarity_as_written(), self.embedder.as_ref());
        let (index, vector) = self.space(request.query_vector, &own.text);
        let near = VectorQuery::new(vector)?;
        let find_words = || LexicalScores::compute(scorer, &self.view, allowed, COHERENT);
        let find_near = || VectorScores::compute(&near, &self.view, allowed, index, Method::Auto);
        let (mut lexical, vectors) = self.side_by_side(find_words, find_near);
        let vectors = vectors?;
        let files = FileScores::gather(query, &self.view, allowed, &lexical, &vectors);
        let mut stems: Vec<&str> = query.terms.iter().map(|term| term.stem.as_str()).collect();
        stems.sort_unstable();
        stems.dedup();
        let paths = self.view.paths().score(&stems);
        let pool = self.pool(request.fusion, allowed, &lexical, &files, &paths.path);
        let of_paths = || -> Result<_> {
            Ok((self.nearness_of_paths(&pool, &own.plain)?, self.nearness_of_rare_words(&pool, &own.rare)?))
        };
        let ((), near_paths) = self.side_by_side(|| lexical.describe(&pool, allowed), of_paths);
        let (path_vectors, rare_path_vectors) = near_paths?;
        let words: Vec<(&str, f32)> = query
            .terms
            .iter()
            .zip(&lexical.rarity)
            .filter(|(term, _)| !term.is_whole_identifier)
            .map(|(term, &rarity)| (term.term.as_str(), rarity))
            .collect();
        let fact = |(): &mut (), &(file, _): &(FileIndex, f32)| {
            let mentions = self.mentions.of(file, &self.view, &self.lexical)?;
            Ok(FileFacts::of(&self.view, file, mentions))
        };
        let facts = map_each(&pool, self.is_large(), || (), fact).into_iter().collect::<Result<Vec<_>>>()?;
        let evidence = Evidence {
            facts: &facts,
            words: &lexical.files,
            files: &files,
            paths: &paths,
            kin: &self.view.kin().score(&words),
            path_vectors: &path_vectors,
            rare_path_vectors: &rare_path_vectors,
        };
        let mut ranked: Vec<(FileIndex, f32, FeatureVector)> = pool
            .iter()
            .zip(features(&pool, &evidence))
            .map(|(&(file, fused), features)| {
                let score = match request.ranking {
                    Ranking::Model => self.ranker.score(query.kind, &features),
                    Ranking::Fusion => fused,
                };
                (file, score, features)
            })
            .collect();
        // The one total order: by score, then by path.
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(Order { files: ranked, lexical, near })
    }

    /// Both, at once where that pays.
    fn side_by_side<A: Send, B: Send>(
        &self,
        one: impl FnOnce() -> A + Send,
        other: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.is_large() { rayon::join(one, other) } else { (one(), other()) }
    }

    /// A query's words in the branch.
    pub(super) fn scorer(&self, query: &Query) -> Result<Scorer<'_>> {
        Scorer::new(query, &self.view, &self.lexical, &self.norms, &self.known_places)
    }

    /// The vectors that are searched, and the query's among them: those made outside if the query has one, else the
    /// built-in model's.
    pub(super) fn space<'a>(&'a self, outside: Option<&'a [f32]>, own: &'a [f32]) -> (&'a VectorIndex, &'a [f32]) {
        match (&self.outside, outside) {
            (Some(index), Some(vector)) => (index, vector),
            _ => (&self.vectors, own),
        }
    }

    /// Whether it pays to wake threads for what is done for each file of a pool.
    pub(super) fn is_large(&self) -> bool {
        self.view.chunk_count() >= SIDE_BY_SIDE
    }

    /// The best chunk of `file` if the file has all quoted texts: one that has the first of them.
    fn quoting(
        &self,
        query: &Query,
        file: FileIndex,
        passes: impl Fn(ChunkIndex) -> bool,
        spans: &Spans<'_>,
        texts: &dyn Texts,
    ) -> Result<Option<ChunkIndex>> {
        let text = texts.text(self.view.file(file).blob)?;
        let lower = text.to_lowercase();
        if !query.quoted.iter().all(|quoted| lower.contains(quoted.as_str())) {
            return Ok(None);
        }
        let has = |chunk: ChunkIndex| {
            let span = self.view.chunk(chunk).span.range();
            text.get(span).is_some_and(|text| text.to_lowercase().contains(query.quoted[0].as_str()))
        };
        Ok(spans.best(file, |chunk| passes(chunk) && has(chunk)).or_else(|| spans.best(file, passes)))
    }

    fn contributions(&self, query: &Query, features: &FeatureVector) -> Vec<Contribution> {
        let weights = self.ranker.weights(query.kind);
        FEATURES
            .into_iter()
            .zip(features.iter().zip(weights))
            .map(|(feature, (&value, weight))| Contribution { feature, value, part: value * weight })
            .collect()
    }
}
