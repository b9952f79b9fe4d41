//! Makes an answer of ranked files: the best chunk of each, and the excerpts that a token budget has room for.
//!
//! Each chunk can be shown in several [ways](super::excerpts), of which the budget takes at most one, by how
//! probably it shows what is needed: a multiple-choice [`knapsack`](super::knapsack).

use codecairn_base::error::Result;
use codecairn_index::view::ChunkIndex;

use super::excerpts::{Excerpt, FORMS};
use super::knapsack::{Way, fill};
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, RankedSpan, Request};
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{SpanVector, span_feature_names};
use super::span_ranking::RankedSpans;

/// A span that is less probable than this is not worth any tokens.
const MIN_PROBABILITY: f32 = 1e-4;
/// Tokens of the line that names a file and of the marks around its code.
const FILE_TOKENS: usize = 18;
/// One over the share of a budget that these take at most.
const MAX_FILE_SHARE: usize = 4;

/// A chunk that may be shown.
struct Candidate {
    chunk: ChunkIndex,
    probability: f32,
    excerpts: Vec<Excerpt>,
    contributions: Vec<Contribution>,
}

impl Searcher {
    /// The results of some ranked files, in their order; with a token budget, by the probability of their spans together,
    /// ties in the order of files.
    pub(super) fn answer(
        &self,
        request: &Request<'_>,
        order: &RankedFiles<'_>,
        found: &[Found],
        texts: &dyn Texts,
    ) -> Result<Vec<RankedChunk>> {
        let ranked = self.rank_spans(request, order, found, texts)?;
        let result = |((at, _), spans): (&Found, &RankedSpans<'_>)| {
            let (_, score, features) = &order.files[*at];
            let contributions = if request.explain { self.contributions(request.query, features) } else { Vec::new() };
            RankedChunk { chunk: spans.best(), score: *score, contributions, spans: Vec::new() }
        };
        let mut results: Vec<RankedChunk> = found.iter().zip(&ranked).map(result).collect();
        if let Some(budget) = request.token_budget {
            let budget = budget - (FILE_TOKENS * results.len()).min(budget / MAX_FILE_SHARE);
            let candidates = ranked.iter().map(|file| self.candidates(request, file)).collect();
            for (result, spans) in results.iter_mut().zip(self.worth(candidates, budget, request.explain)) {
                result.spans = spans;
            }
            let probabilities = ranked.iter().map(RankedSpans::probability);
            let mut order: Vec<(f32, RankedChunk)> = probabilities.zip(results).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            results = order.into_iter().map(|(_, result)| result).collect();
        }
        Ok(results)
    }

    /// The chunks of a file that may be shown, the most probable first; if the answer is to be explained, improbable ones
    /// as well.
    fn candidates(&self, request: &Request<'_>, file: &RankedSpans<'_>) -> Vec<Candidate> {
        let is_probable = |at: &usize| request.explain || file.probabilities[*at] >= MIN_PROBABILITY;
        let candidate = |at: usize| Candidate {
            chunk: file.chunks[at],
            probability: file.probabilities[at],
            excerpts: file.lines[at].excerpts(),
            contributions: if request.explain { self.parts(request, &file.features[at]) } else { Vec::new() },
        };
        let mut candidates: Vec<Candidate> = (0..file.chunks.len()).filter(is_probable).map(candidate).collect();
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        candidates
    }

    /// The spans of each file that the budget takes, the most probable first.
    fn worth(&self, files: Vec<Vec<Candidate>>, budget: usize, explain: bool) -> Vec<Vec<RankedSpan>> {
        let ways: Vec<Vec<Way>> = files.iter().flatten().map(|candidate| self.ways(candidate)).collect();
        let mut taken = fill(&ways, u32::try_from(budget).unwrap_or(u32::MAX)).into_iter();
        let span = |(candidate, taken): (Candidate, Option<usize>)| {
            let Candidate { chunk, probability, excerpts, contributions } = candidate;
            let start = self.view.chunk(chunk).lines.start;
            let shown = excerpts[taken?].lines_from(start);
            let mut ways = if explain { vec![Vec::new(); FORMS] } else { Vec::new() };
            for excerpt in &excerpts {
                if let Some(way) = ways.get_mut(excerpt.form) {
                    *way = excerpt.lines_from(start);
                }
            }
            Some(RankedSpan { chunk, probability, shown, ways, contributions })
        };
        files.into_iter().map(|file| file.into_iter().zip(taken.by_ref()).filter_map(span).collect()).collect()
    }

    /// The ways to show a candidate, in the order of its excerpts.
    fn ways(&self, Candidate { probability, excerpts, .. }: &Candidate) -> Vec<Way> {
        let lines = excerpts.last().and_then(|whole| whole.lines.last()).map_or(0, |&(_, last)| last + 1);
        let value = |excerpt: &Excerpt| probability * self.span_ranker.shown(excerpt.form, lines);
        excerpts.iter().map(|excerpt| Way { cost: excerpt.tokens, value: value(excerpt) }).collect()
    }

    /// What each feature adds to the score of a span: the score less the one without it.
    fn parts(&self, request: &Request<'_>, features: &SpanVector) -> Vec<Contribution> {
        let score = |features: &SpanVector| self.span_ranker.score(request.query.kind, features);
        let whole = score(features);
        let part = |(at, &feature): (usize, &&'static str)| {
            let mut without = *features;
            without[at] = 0.0;
            Contribution { feature, value: features[at], part: whole - score(&without) }
        };
        span_feature_names().iter().enumerate().map(part).collect()
    }
}
