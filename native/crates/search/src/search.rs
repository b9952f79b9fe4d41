//! Runs a query through the whole pipeline.

use std::sync::Arc;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::{map_each, on_all_threads};
use codecairn_index::view::{ChunkIndex, FileIndex};

use super::features::{FEATURES, FeatureVector};
use super::query::Query;
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, Request};
use super::searcher::Searcher;
use super::spans::Spans;

/// A source of the texts of blobs.
pub trait Texts {
    /// The whole text of a blob.
    fn text(&self, blob: BlobId) -> Result<Arc<str>>;
}

impl Searcher {
    /// The best chunks for a query, best first, at most one per file.
    pub fn search(&self, request: &Request<'_>, texts: &dyn Texts) -> Result<Vec<RankedChunk>> {
        let query = request.query;
        let allowed = request.filters.apply(&self.view)?;
        let allowed = allowed.as_ref();
        // The whole query moves to the thread pool once: a switch costs more than many a step takes.
        let (order, chunks) = if self.is_large() {
            on_all_threads(|| self.best_chunks(request, allowed))
        } else {
            self.best_chunks(request, allowed)
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

    /// The ranked files, and the best chunk of as many as the request's limit; no chunks if the query quotes texts,
    /// which must be searched for in the files first.
    fn best_chunks(
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

    /// The scores that the best chunk of a file is chosen by.
    fn spans<'a>(&'a self, request: &Request<'a>, order: &'a RankedFiles<'a>) -> Spans<'a> {
        let (index, _) = self.space(request.query_vector, &[]);
        Spans::new(request.query, &self.view, &order.lexical, Some((index, &order.near)))
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
