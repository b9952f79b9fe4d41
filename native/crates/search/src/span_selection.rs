//! Makes an answer of ranked files: the best chunk of each, and the spans that a token budget has room for.
//!
//! Spans are taken by their probability for each token until none fits any more: the greedy solution of the knapsack
//! (Dantzig 1957), off the best by less than one span. Spans of one file come by probability; ties go to the first.

use codecairn_index::view::ChunkIndex;

use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, RankedSpan, Request};
use super::search::Found;
use super::searcher::Searcher;
use super::span_features::{FileEvidence, SPAN_FEATURES, SpanVector, span_features};
use super::spans::best_chunk;

/// Bytes for each token, as answers estimate them.
const BYTES_PER_TOKEN: usize = 4;
/// Tokens of the line that names a span and of the marks around its code.
const HEADER_TOKENS: usize = 20;
/// A span that is less probable than this is not worth any tokens.
const MIN_PROBABILITY: f32 = 1e-4;

impl Searcher {
    /// The results of some ranked files.
    pub(super) fn answer(&self, request: &Request<'_>, order: &RankedFiles<'_>, found: &[Found]) -> Vec<RankedChunk> {
        let result = |(at, evidence): &Found| {
            let (_, score, features) = &order.files[*at];
            let contributions = if request.explain { self.contributions(request.query, features) } else { Vec::new() };
            RankedChunk { chunk: best_chunk(&self.view, evidence), score: *score, contributions, spans: Vec::new() }
        };
        let mut results: Vec<RankedChunk> = found.iter().map(result).collect();
        if let Some(budget) = request.token_budget {
            let ranked = self.ranked_spans(request, order, found);
            for (result, spans) in results.iter_mut().zip(self.worth(ranked, budget, request.explain)) {
                result.spans = spans;
            }
        }
        results
    }

    /// All spans of some ranked files, by file, the most probable first.
    fn ranked_spans(&self, request: &Request<'_>, order: &RankedFiles<'_>, found: &[Found]) -> Vec<Vec<RankedSpan>> {
        let files: Vec<(f32, &FileEvidence)> =
            found.iter().map(|(at, evidence)| (order.files[*at].1, evidence)).collect();
        let features = span_features(&self.view, &files);
        let all: Vec<&SpanVector> = features.iter().flatten().collect();
        let mut probabilities = self.span_ranker.probabilities(request.query.kind, &all).into_iter();
        let of_file = |((_, evidence), features): (&(f32, &FileEvidence), &Vec<SpanVector>)| {
            let span = |((&chunk, features), probability): ((&ChunkIndex, &SpanVector), f32)| {
                let contributions =
                    if request.explain { self.span_contributions(request, features) } else { Vec::new() };
                RankedSpan { chunk, probability, contributions }
            };
            let mut spans: Vec<RankedSpan> =
                evidence.chunks.iter().zip(features).zip(probabilities.by_ref()).map(span).collect();
            spans.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            spans
        };
        files.iter().zip(&features).map(of_file).collect()
    }

    /// The spans of each file that are worth their tokens; improbable ones only if the answer is to be explained.
    fn worth(&self, mut files: Vec<Vec<RankedSpan>>, budget: usize, explain: bool) -> Vec<Vec<RankedSpan>> {
        let tokens = |span: &RankedSpan| self.view.chunk(span.chunk).span.len() / BYTES_PER_TOKEN + HEADER_TOKENS;
        let mut order: Vec<(f32, usize, usize)> = Vec::new();
        for (file, spans) in files.iter().enumerate() {
            let worth = spans.iter().enumerate().filter(|(_, span)| explain || span.probability >= MIN_PROBABILITY);
            order.extend(worth.map(|(at, span)| (span.probability / tokens(span) as f32, file, at)));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut taken: Vec<Vec<bool>> = files.iter().map(|spans| vec![false; spans.len()]).collect();
        let mut left = budget;
        for (_, file, at) in order {
            if let Some(rest) = left.checked_sub(tokens(&files[file][at])) {
                (left, taken[file][at]) = (rest, true);
            }
        }
        for (spans, taken) in files.iter_mut().zip(taken) {
            let mut taken = taken.into_iter();
            spans.retain(|_| taken.next().unwrap_or(false));
        }
        files
    }

    fn span_contributions(&self, request: &Request<'_>, features: &SpanVector) -> Vec<Contribution> {
        SPAN_FEATURES
            .into_iter()
            .zip(features.iter().zip(self.span_ranker.weights(request.query.kind)))
            .map(|(feature, (&value, weight))| Contribution { feature, value, part: value * weight })
            .collect()
    }
}
