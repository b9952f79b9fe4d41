//! One query through the whole pipeline.

use std::path::Path;
use std::sync::Arc;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::{map_each, on_all_threads};
use codecairn_index::view::{ChunkIndex, FileIndex, View};
use codecairn_lexical::LexicalIndex;
use codecairn_model::embed::Embedder;
use codecairn_model::vector::VectorIndex;

use super::features::{FEATURES, FeatureVector};
use super::filter::Filters;
use super::fusion::Fusion;
use super::mentions::Mentions;
use super::norms::LengthNorms;
use super::path_vectors::PathVectors;
use super::posting_cache::PostingCache;
use super::query::Query;
use super::ranked_files::RankedFiles;
use super::ranker::{Ranker, Ranking};
use super::scorer::Scorer;
use super::spans::Spans;

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
    pub remote: Option<VectorIndex>,
    /// The built-in model.
    pub embedder: Arc<dyn Embedder>,
    /// The weights of the rerank.
    pub ranker: Ranker,
    norms: LengthNorms,
    known_places: PostingCache,
    pub(super) mentions: Mentions,
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
pub struct RankedChunk {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The score that decides the order, higher is better.
    pub score: f32,
    /// Why, if asked for.
    pub contributions: Vec<Contribution>,
}

/// Chunks from which on it pays to wake threads for words and vectors side by side.
pub(super) const MIN_PARALLEL_CHUNKS: usize = 16_384;

impl Searcher {
    /// A searcher over one branch's view and segments.
    pub fn new(
        view: View,
        lexical: LexicalIndex,
        vectors: VectorIndex,
        remote: Option<VectorIndex>,
        embedder: Arc<dyn Embedder>,
        ranker: Ranker,
    ) -> Self {
        let norms = LengthNorms::of(&view);
        let mentions = Mentions::new(view.file_count());
        let path_vectors = PathVectors::new(view.file_count());
        let rare_path_vectors = PathVectors::new(view.file_count());
        let known_places = PostingCache::default();
        Self {
            view,
            lexical,
            vectors,
            remote,
            embedder,
            ranker,
            norms,
            known_places,
            mentions,
            path_vectors,
            rare_path_vectors,
        }
    }

    /// Checks the checksum of each segment that `is_wanted`, by its file.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::Error::StoreDamaged) for the first that does not match.
    pub fn verify_checksums(&self, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
        self.lexical.verify_checksums(&is_wanted)?;
        self.vectors.verify_checksums(&is_wanted)?;
        self.remote.iter().try_for_each(|vectors| vectors.verify_checksums(&is_wanted))
    }

    /// Fails with [`StoreDamaged`](codecairn_base::Error::StoreDamaged) if a file was cut since it was opened, as far as reading has
    /// met it: then what was read may be zeros.
    pub fn check_whole(&self) -> Result<()> {
        self.view.check_whole()?;
        self.lexical.check_whole()?;
        self.vectors.check_whole()?;
        self.remote.iter().try_for_each(VectorIndex::check_whole)
    }

    /// The files of all segments.
    pub fn segment_paths(&self) -> impl Iterator<Item = &Path> {
        let remote = self.remote.iter().flat_map(VectorIndex::paths);
        self.lexical.paths().chain(self.vectors.paths()).chain(remote)
    }

    /// The best places for a query, best first, at most one a file.
    pub fn search(&self, request: &Request<'_>, texts: &dyn Texts) -> Result<Vec<RankedChunk>> {
        let query = request.query;
        let allowed = request.filters.apply(&self.view)?;
        let allowed = allowed.as_ref();
        // Once to the threads and back: each way costs more than many a step takes.
        let (order, chunks) = if self.is_large() {
            on_all_threads(|| self.places(request, allowed))
        } else {
            self.places(request, allowed)
        }?;
        let ranked = |chunk: ChunkIndex, &(_, score, ref features): &(FileIndex, f32, FeatureVector)| {
            let contributions = if request.explain { self.contributions(query, features) } else { Vec::new() };
            RankedChunk { chunk, score, contributions }
        };
        if query.quoted.is_empty() {
            let found = chunks.into_iter().zip(&order.files).filter_map(|(chunk, file)| Some(ranked(chunk?, file)));
            return Ok(found.take(request.limit).collect());
        }
        let spans = self.spans(request, &order);
        let mut results = Vec::with_capacity(request.limit.min(order.files.len()));
        for file in &order.files {
            if results.len() == request.limit {
                break;
            }
            let passes = |chunk: ChunkIndex| passes(allowed, chunk);
            results.extend(self.quoting(query, file.0, passes, &spans, texts)?.map(|chunk| ranked(chunk, file)));
        }
        Ok(results)
    }

    /// The files that answer a query, best first, and the best chunks of as many as are asked for; none where what is
    /// quoted must be looked for in their texts.
    fn places(
        &self,
        request: &Request<'_>,
        allowed: Option<&Bitmap>,
    ) -> Result<(RankedFiles<'_>, Vec<Option<ChunkIndex>>)> {
        let order = self.order(request, allowed)?;
        if !request.query.quoted.is_empty() {
            return Ok((order, Vec::new()));
        }
        let spans = self.spans(request, &order);
        let best = |(): &mut (), &(file, ..): &(FileIndex, f32, FeatureVector)| {
            spans.best(file, |chunk| passes(allowed, chunk))
        };
        let mut chunks: Vec<Option<ChunkIndex>> = Vec::new();
        let (mut rest, mut wanted) = (&order.files[..], request.limit);
        while wanted > 0 && !rest.is_empty() {
            let (these, later) = rest.split_at(wanted.min(rest.len()));
            let found = map_each(these, self.is_large(), || (), best);
            wanted -= found.iter().flatten().count();
            chunks.extend(found);
            rest = later;
        }
        Ok((order, chunks))
    }

    /// What tells the chunks of these files apart.
    fn spans<'a>(&'a self, request: &Request<'a>, order: &'a RankedFiles<'a>) -> Spans<'a> {
        let (index, _) = self.space(request.query_vector, &[]);
        Spans::new(request.query, &self.view, &order.lexical, Some((index, &order.near)))
    }

    /// A query's words in the branch.
    pub(super) fn scorer(&self, query: &Query) -> Result<Scorer<'_>> {
        Scorer::new(query, &self.view, &self.lexical, &self.norms, &self.known_places)
    }

    /// The vectors that are searched, and the query's among them: those made outside if the query has one, else the
    /// built-in model's.
    pub(super) fn space<'a>(&'a self, remote: Option<&'a [f32]>, own: &'a [f32]) -> (&'a VectorIndex, &'a [f32]) {
        match (&self.remote, remote) {
            (Some(index), Some(vector)) => (index, vector),
            _ => (&self.vectors, own),
        }
    }

    /// Whether it pays to wake threads for what is done for each file of a pool.
    pub(super) fn is_large(&self) -> bool {
        self.view.chunk_count() >= MIN_PARALLEL_CHUNKS
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

fn passes(allowed: Option<&Bitmap>, chunk: ChunkIndex) -> bool {
    allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize))
}
