//! Holds the read-only state that answers the queries of one branch.

use std::path::Path;
use std::sync::Arc;

use codecairn_base::error::Result;
use codecairn_index::view::View;
use codecairn_lexical::LexicalIndex;
use codecairn_model::embed::Embedder;
use codecairn_model::vector::{Method, VectorIndex};

use super::mentions::Mentions;
use super::models::Models;
use super::norms::LengthNorms;
use super::path_vectors::PathVectors;
use super::posting_cache::PostingCache;
use super::query::Query;
use super::scorer::Scorer;
use super::scores::MIN_PARALLEL_CHUNKS;

/// The indexes and caches of one branch at one generation. It is immutable but for its caches.
pub struct Searcher {
    /// The branch.
    pub view: View,
    /// The inverted index.
    pub lexical: LexicalIndex,
    /// The vectors of the built-in model.
    pub vectors: VectorIndex,
    /// The vectors of a provider, if there are enough of them.
    pub remote: Option<VectorIndex>,
    /// The built-in model.
    pub embedder: Arc<dyn Embedder>,
    /// How the nearest vectors are found.
    pub(super) vector_method: Method,
    pub(super) models: Arc<Models>,
    norms: LengthNorms,
    posting_cache: PostingCache,
    pub(super) mentions: Mentions,
    pub(super) path_vectors: PathVectors,
    pub(super) rare_path_vectors: PathVectors,
}

impl Searcher {
    /// A searcher over one branch's view and segments.
    pub fn new(
        view: View,
        lexical: LexicalIndex,
        vectors: VectorIndex,
        remote: Option<VectorIndex>,
        embedder: Arc<dyn Embedder>,
        vector_method: Method,
        models: Arc<Models>,
    ) -> Self {
        let norms = LengthNorms::of(&view);
        let mentions = Mentions::new(view.file_count());
        let path_vectors = PathVectors::new(view.file_count());
        let rare_path_vectors = PathVectors::new(view.file_count());
        let posting_cache = PostingCache::default();
        Self {
            view,
            lexical,
            vectors,
            remote,
            embedder,
            vector_method,
            models,
            norms,
            posting_cache,
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

    /// Fails with [`StoreDamaged`](codecairn_base::Error::StoreDamaged) if a file was cut since it was opened, as far
    /// as reading has met it: then what was read may be zeros.
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

    /// The terms of a query with their postings in the branch.
    pub(super) fn scorer(&self, query: &Query) -> Result<Scorer<'_>> {
        Scorer::new(query, &self.view, &self.lexical, &self.norms, &self.posting_cache)
    }

    /// The vector index to search and the query's vector in it: the provider's if the query has such a vector, else the
    /// built-in model's.
    pub(super) fn space<'a>(&'a self, remote: Option<&'a [f32]>, own: &'a [f32]) -> (&'a VectorIndex, &'a [f32]) {
        match (&self.remote, remote) {
            (Some(index), Some(vector)) => (index, vector),
            _ => (&self.vectors, own),
        }
    }

    /// Whether the branch is large enough for parallel work on the files of a pool.
    pub(super) fn is_large(&self) -> bool {
        self.view.chunk_count() >= MIN_PARALLEL_CHUNKS
    }
}
