//! Makes an answer of ranked files: the best chunk of each, and the places that are worth their tokens.
//!
//! Each [place](super::answer_places) can be shown in several [ways](super::excerpts), of which the budget takes at most one, by how
//! probably the file need not be opened after it: a multiple-choice [`knapsack`](super::knapsack). What costs more than it
//! saves is left out, whatever is left of the budget.

use codecairn_base::error::Result;
use codecairn_base::span::LineSpan;
use codecairn_index::view::ChunkIndex;

use super::answer_places::Place;
use super::excerpts::{Excerpt, FORMS};
use super::knapsack::{Item, Limits, Way, fill};
use super::query::QueryKind;
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, RankedSpan, Request};
use super::result_confidence::BestSpan;
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{BEST_LINES, OF_CHUNK, span_feature_names};
use super::span_ranking::{PlaceLines, RankedSpans};

/// Places that take fewer tokens on average don't happen, so no more than a budget of these are considered.
const MIN_TOKENS: usize = 16;
/// Tokens of the line that names a file and of the marks around its code.
const FILE_TOKENS: u32 = 18;
/// One place of a file is shown for so many tokens of the budget, and a few in any case.
const TOKENS_OF_A_PLACE: usize = 200;
const FEW_PLACES: usize = 3;
/// Tokens that an agent spends when an answer does not have what it needs: a place is shown if the tokens that it saves on
/// average are more than its own. The scripted agent of `benches/agents` spends 23,500 with grep alone.
const TOKENS_OF_A_MISS: f32 = 20_000.0;
/// A budget from which on all places are taken, as weights are fitted on them.
const EVERYTHING: usize = 1_000_000_000;
/// The worth of seeing a needed line without all of its definition, where seeing all of it is 1;
/// chosen on the *choose* repositories of `benches/quality/lines`.
const WORTH_OF_A_LINE: f32 = 0.6;

/// A place that may be shown.
struct Candidate {
    /// The most probable of its chunks.
    chunk: ChunkIndex,
    chunks: (ChunkIndex, ChunkIndex),
    probability: f32,
    /// The share of the query that its best lines have.
    matched: f32,
    lines: PlaceLines,
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

    /// The places of a file that may be shown, in order.
    fn candidates(&self, request: &Request<'_>, file: &RankedSpans<'_>, min_probability: f32) -> Vec<Candidate> {
        let candidate = |place: &Place| {
            let probability = file.probabilities[place.chunks.clone()].iter().sum();
            if probability < min_probability {
                return None;
            }
            let at = file.most_probable(place);
            let lines = file.lines_of(place, &self.view);
            Some(Candidate {
                chunk: file.chunks[at],
                chunks: (file.chunks[place.chunks.start], file.chunks[place.chunks.end - 1]),
                probability,
                matched: file.features[at][BEST_LINES],
                excerpts: lines.lines.excerpts(&lines.sizes, lines.head.map(|(_, span)| span.len() as u32)),
                lines,
                contributions: if request.explain { self.parts(request, file, at) } else { Vec::new() },
            })
        };
        file.all_places().iter().filter_map(candidate).collect()
    }

    /// The places of each file that are worth their tokens, in order.
    fn worth(&self, files: Vec<Vec<Candidate>>, budget: usize, explain: bool) -> Vec<Vec<RankedSpan>> {
        let items: Vec<Item> = files
            .iter()
            .enumerate()
            .flat_map(|(file, candidates)| candidates.iter().map(move |candidate| (file, candidate)))
            .map(|(file, candidate)| Item { group: file, ways: self.ways(candidate) })
            .collect();
        let probabilities: Vec<f32> = files.iter().flatten().map(|candidate| candidate.probability).collect();
        let most_probable = (0..probabilities.len())
            .filter(|&at| probabilities[at] > 0.0)
            .max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]).then(b.cmp(&a)));
        let limits = Limits {
            first: most_probable,
            budget: u32::try_from(budget).unwrap_or(u32::MAX),
            group_cost: FILE_TOKENS,
            group_items: (budget / TOKENS_OF_A_PLACE).max(FEW_PLACES),
            min_rate: if budget < EVERYTHING { 1.0 / TOKENS_OF_A_MISS } else { 0.0 },
        };
        let mut taken = fill(&items, &limits).into_iter();
        let span = |(candidate, taken): (Candidate, Option<usize>)| {
            let Candidate { chunk, chunks, probability, excerpts, lines, contributions, .. } = candidate;
            let shown = |excerpt: &Excerpt| {
                let head = lines.head.map(|(line, _)| LineSpan { start: line, end: line });
                head.into_iter().chain(excerpt.lines_from(lines.first)).collect()
            };
            let mut ways = if explain { vec![Vec::new(); FORMS] } else { Vec::new() };
            for excerpt in &excerpts {
                if let Some(way) = ways.get_mut(excerpt.form) {
                    *way = shown(excerpt);
                }
            }
            let shown = shown(&excerpts[taken?]);
            Some(RankedSpan { chunk, chunks, head: lines.head, probability, shown, ways, contributions })
        };
        files.into_iter().map(|file| file.into_iter().zip(taken.by_ref()).filter_map(span).collect()).collect()
    }

    /// The ways to show a candidate, in the order of its excerpts.
    fn ways(&self, Candidate { probability, matched, excerpts, lines, .. }: &Candidate) -> Vec<Way> {
        let spans = &self.models.spans;
        let count = lines.sizes.len();
        let worth =
            |form: usize| spans.complete(form, count, *matched) + WORTH_OF_A_LINE * spans.shown(form, count, *matched);
        let way = |excerpt: &Excerpt| Way { cost: excerpt.tokens, value: probability * worth(excerpt.form) };
        excerpts.iter().map(way).collect()
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
