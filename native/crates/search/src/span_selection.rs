//! Makes an answer of ranked files: the best chunk of each, and the excerpts that a token budget has room for.
//!
//! Each chunk can be shown in several [ways](super::excerpts), of which the budget takes at most one, by how
//! probably it shows what is needed: a multiple-choice [`knapsack`](super::knapsack).

use codecairn_base::error::Result;
use codecairn_index::view::ChunkIndex;

use super::excerpts::{Excerpt, FORMS};
use super::knapsack::{Way, fill};
use super::query::QueryKind;
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, RankedSpan, Request};
use super::result_confidence::BestSpan;
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{BEST_LINES, OF_CHUNK, span_feature_names};
use super::span_ranking::RankedSpans;

/// Spans that take fewer tokens on average don't happen, so no more than a budget of these are considered.
const MIN_TOKENS: usize = 16;
/// Tokens of the line that names a file and of the marks around its code.
const FILE_TOKENS: usize = 18;
/// One over the share of a budget that these take at most.
const MAX_FILE_SHARE: usize = 4;

/// A chunk that may be shown.
struct Candidate {
    chunk: ChunkIndex,
    probability: f32,
    /// The share of the query that its best lines have.
    matched: f32,
    excerpts: Vec<Excerpt>,
    contributions: Vec<Contribution>,
}

impl Searcher {
    /// The results of some ranked files, in their order. With a token budget those with spans to show come first, by the
    /// probability of all spans of the file, ties in the order of files; then the others by their scores.
    pub(super) fn answer(
        &self,
        request: &Request<'_>,
        order: &RankedFiles<'_>,
        found: &[Found],
        texts: &dyn Texts,
    ) -> Result<Vec<RankedChunk>> {
        let ranked = self.rank_spans(request, order, found, texts)?;
        let confidence = self.confidence(request, &ranked);
        let result = |((at, _), spans): (&Found, &RankedSpans<'_>)| {
            let (_, score, features) = &order.files[*at];
            let contributions = if request.explain { self.contributions(request.query, features) } else { Vec::new() };
            let confidence = confidence.map(|of_answer| of_answer * spans.probability());
            RankedChunk { chunk: spans.best(), score: *score, confidence, contributions, spans: Vec::new() }
        };
        let results = found.iter().zip(&ranked).map(result);
        let Some(budget) = request.token_budget else { return Ok(results.collect()) };
        let mut files: Vec<(RankedChunk, &RankedSpans<'_>)> = results.zip(&ranked).collect();
        files.sort_by(|(_, a), (_, b)| b.probability().total_cmp(&a.probability()));
        let budget = budget - (FILE_TOKENS * request.limit.min(files.len())).min(budget / MAX_FILE_SHARE);
        let min_probability = nth_probability(&ranked, budget / MIN_TOKENS);
        let candidates = files.iter().map(|(_, file)| self.candidates(request, file, min_probability)).collect();
        let spans = self.worth(candidates, budget, request.explain);
        let results = files.into_iter().zip(spans).map(|((result, _), spans)| RankedChunk { spans, ..result });
        let (mut shown, mut others): (Vec<_>, Vec<_>) = results.partition(|result| !result.spans.is_empty());
        others.sort_by(|a, b| b.score.total_cmp(&a.score));
        shown.append(&mut others);
        shown.truncate(request.limit);
        Ok(shown)
    }

    /// How probably some of the files has what is needed. A symbol or a path is found or not, which needs no estimate.
    fn confidence(&self, request: &Request<'_>, files: &[RankedSpans<'_>]) -> Option<f32> {
        if request.query.kind != QueryKind::Natural {
            return None;
        }
        let best = files.iter().max_by(|a, b| a.probability().total_cmp(&b.probability()))?;
        let at = best.best_at();
        let span = BestSpan {
            of_file: best.of_file,
            of_chunk: &best.features[at],
            score: self.models.spans.score(request.query.kind, best.of_file, &best.features[at]),
            probability: best.probabilities[at],
        };
        Some(self.models.confidence.of(&span, request.query.text.split_whitespace().count()))
    }

    /// The chunks of a file that may be shown, the most probable first.
    fn candidates(&self, request: &Request<'_>, file: &RankedSpans<'_>, min_probability: f32) -> Vec<Candidate> {
        let candidate = |at: usize| Candidate {
            chunk: file.chunks[at],
            probability: file.probabilities[at],
            matched: file.features[at][BEST_LINES],
            excerpts: file.lines[at].excerpts(&file.line_sizes(self.view.chunk(file.chunks[at]).span)),
            contributions: if request.explain { self.parts(request, file, at) } else { Vec::new() },
        };
        let probable = (0..file.chunks.len()).filter(|&at| file.probabilities[at] >= min_probability);
        let mut candidates: Vec<Candidate> = probable.map(candidate).collect();
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        candidates
    }

    /// The spans of each file that the budget takes, the most probable first.
    fn worth(&self, files: Vec<Vec<Candidate>>, budget: usize, explain: bool) -> Vec<Vec<RankedSpan>> {
        let ways: Vec<Vec<Way>> = files.iter().flatten().map(|candidate| self.ways(candidate)).collect();
        let mut taken = fill(&ways, u32::try_from(budget).unwrap_or(u32::MAX)).into_iter();
        let span = |(candidate, taken): (Candidate, Option<usize>)| {
            let Candidate { chunk, probability, excerpts, contributions, .. } = candidate;
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
    fn ways(&self, Candidate { probability, matched, excerpts, .. }: &Candidate) -> Vec<Way> {
        let lines = excerpts.last().and_then(|whole| whole.lines.last()).map_or(0, |&(_, last)| last + 1);
        let value = |excerpt: &Excerpt| probability * self.models.spans.shown(excerpt.form, lines, *matched);
        excerpts.iter().map(|excerpt| Way { cost: excerpt.tokens, value: value(excerpt) }).collect()
    }

    /// What each feature adds to the score of a span: the score less the one without it.
    fn parts(&self, request: &Request<'_>, file: &RankedSpans<'_>, span: usize) -> Vec<Contribution> {
        let score = |of_file: &_, of_chunk: &_| self.models.spans.score(request.query.kind, of_file, of_chunk);
        let whole = score(file.of_file, &file.features[span]);
        let part = |(at, &feature): (usize, &&'static str)| {
            let (mut of_chunk, mut of_file) = (file.features[span], *file.of_file);
            let value = std::mem::take(match at.checked_sub(OF_CHUNK) {
                Some(at) => &mut of_file[at],
                None => &mut of_chunk[at],
            });
            Contribution { feature, value, part: whole - score(&of_file, &of_chunk) }
        };
        span_feature_names().iter().enumerate().map(part).collect()
    }
}

/// The probability of the `count`th most probable span; 0 if there are fewer.
fn nth_probability(files: &[RankedSpans<'_>], count: usize) -> f32 {
    let mut probabilities: Vec<f32> = files.iter().flat_map(|file| &file.probabilities).copied().collect();
    if probabilities.len() <= count {
        return 0.0;
    }
    *probabilities.select_nth_unstable_by(count, |a, b| b.total_cmp(a)).1
}
