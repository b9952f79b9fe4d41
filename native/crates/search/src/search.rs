//! Runs a query: ranks the files, chooses the best chunk of each, and applies the conditions of quoted texts. A file
//! gives at most one result.

use std::collections::BTreeSet;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_base::parallel::{map_each, on_all_threads};
use codecairn_base::span::ByteSpan;
use codecairn_index::view::{ChunkIndex, FileIndex};
use codecairn_syntax::Extent;

use super::chunk_evidence::ChunkEvidence;
use super::features::{FEATURES, FeatureVector};
use super::query::Query;
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, Request};
use super::searcher::Searcher;
use super::span_features::FileEvidence;

/// A source of the texts of blobs.
pub trait Texts {
    /// Parts of the texts of blobs.
    fn texts(&self, places: &[(BlobId, ByteSpan)]) -> Result<Vec<String>>;
    /// All of the text of a blob.
    fn whole_text(&self, blob: BlobId) -> Result<String>;
    /// The definitions of blobs by where they begin, outer ones first.
    fn definitions(&self, blobs: &[BlobId]) -> Result<Vec<Vec<Extent>>>;
}

/// The chunks whose files are considered for a token budget besides the best files: those that match best by themselves.
const BEST_CHUNKS: usize = 10;

/// Quoted texts with less than this share of the weight of a query's terms are words like others.
const MIN_QUOTED_SHARE: f32 = 0.5;

/// A ranked file of an answer: its place in the order of files, and its chunks.
pub(super) type Found = (usize, FileEvidence);

impl Searcher {
    /// The best files for a query, best first, each with its best chunk.
    ///
    /// With a token budget, each has the spans that are worth their tokens, too.
    pub fn search(&self, request: &Request<'_>, texts: &dyn Texts) -> Result<Vec<RankedChunk>> {
        let allowed = request.filters.apply(&self.view)?;
        let allowed = allowed.as_ref();
        // The whole query moves to the thread pool once: a switch costs more than many a step takes.
        let (order, found) = if self.is_large() {
            on_all_threads(|| self.found(request, allowed))
        } else {
            self.found(request, allowed)
        }?;
        let found = match quotes(request, &order) {
            [] => found,
            quotes => self.quoting(quotes, request, &order, allowed, texts)?,
        };
        self.answer(request, &order, &found, texts)
    }

    /// The ranked files, and as many with chunks that pass as the request's limit; with a token budget, the files of the
    /// chunks that match best as well. None if the query quotes texts, which must be searched for in the files first.
    fn found(&self, request: &Request<'_>, allowed: Option<&Bitmap>) -> Result<(RankedFiles<'_>, Vec<Found>)> {
        let order = self.order(request, allowed)?;
        if !quotes(request, &order).is_empty() {
            return Ok((order, Vec::new()));
        }
        let chunks = self.chunk_evidence(request, &order);
        let evidence =
            |(): &mut (), &(at, file): &(usize, FileIndex)| (at, chunks.evidence(file, |chunk| passes(allowed, chunk)));
        let files: Vec<(usize, FileIndex)> = order.files.iter().map(|file| file.0).enumerate().collect();
        let mut found: Vec<Found> = Vec::new();
        let mut rest = &files[..];
        while found.len() < request.limit && !rest.is_empty() {
            let (these, later) = rest.split_at((request.limit - found.len()).min(rest.len()));
            let of_these = map_each(these, self.is_large(), || (), evidence);
            found.extend(of_these.into_iter().filter(|(_, file)| !file.chunks.is_empty()));
            rest = later;
        }
        if request.token_budget.is_some() {
            let best: BTreeSet<FileIndex> =
                order.lexical.best.iter().take(BEST_CHUNKS).map(|&(chunk, _)| self.view.file_of(chunk)).collect();
            let others: Vec<_> = rest.iter().copied().filter(|(_, file)| best.contains(file)).collect();
            found.extend(map_each(&others, self.is_large(), || (), evidence));
        }
        Ok((order, found))
    }

    /// The scores that the chunks of a file are ranked by.
    fn chunk_evidence<'a>(&'a self, request: &Request<'a>, order: &'a RankedFiles<'a>) -> ChunkEvidence<'a> {
        let (index, _) = self.space(request.query_vector, &[]);
        ChunkEvidence::new(request.query, &self.view, &order.lexical, (index, &order.near))
    }

    /// The files that have all quoted texts, with the chunks that have the first of them, or all where none does.
    fn quoting(
        &self,
        quoted: &[String],
        request: &Request<'_>,
        order: &RankedFiles<'_>,
        allowed: Option<&Bitmap>,
        texts: &dyn Texts,
    ) -> Result<Vec<Found>> {
        let chunks = self.chunk_evidence(request, order);
        let mut found = Vec::new();
        for (at, &(file, ..)) in order.files.iter().enumerate() {
            if found.len() == request.limit {
                break;
            }
            let text = texts.whole_text(self.view.file(file).blob)?;
            let lower = text.to_lowercase();
            if !quoted.iter().all(|quoted| lower.contains(quoted.as_str())) {
                continue;
            }
            let has = |chunk: ChunkIndex| {
                let span = self.view.chunk(chunk).span.range();
                text.get(span).is_some_and(|text| text.to_lowercase().contains(quoted[0].as_str()))
            };
            let mut evidence = chunks.evidence(file, |chunk| passes(allowed, chunk) && has(chunk));
            if evidence.chunks.is_empty() {
                evidence = chunks.evidence(file, |chunk| passes(allowed, chunk));
            }
            if !evidence.chunks.is_empty() {
                found.push((at, evidence));
            }
        }
        Ok(found)
    }

    pub(super) fn contributions(&self, query: &Query, features: &FeatureVector) -> Vec<Contribution> {
        let weights = self.models.files.weights(query.kind);
        FEATURES
            .into_iter()
            .zip(features.iter().zip(weights))
            .map(|(feature, (&value, weight))| Contribution { feature, value, part: value * weight })
            .collect()
    }
}

/// The texts that hits must have: what the query quotes, unless that is little of it, as in a message with a quoted value.
fn quotes<'q>(request: &Request<'q>, order: &RankedFiles<'_>) -> &'q [String] {
    let share = request.query.quoted_share(&order.rarity_as_written);
    if share < MIN_QUOTED_SHARE { &[] } else { &request.query.quoted }
}

fn passes(allowed: Option<&Bitmap>, chunk: ChunkIndex) -> bool {
    allowed.is_none_or(|allowed| allowed.get(chunk.0 as usize))
}
