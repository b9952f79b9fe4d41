//! Makes an answer of ranked files: the best chunk of each, and the excerpts that a token budget has room for.
//!
//! Each chunk can be shown in several [ways](super::excerpts), of which the budget takes at most one, by how
//! probably it shows what is needed: a multiple-choice [`knapsack`](super::knapsack).

use std::sync::Arc;

use codecairn_base::error::Result;
use codecairn_base::parallel::map_each;
use codecairn_index::view::{ChunkIndex, ChunkRow};

use super::excerpts::{ChunkLines, Excerpt, FORMS};
use super::knapsack::{Way, fill};
use super::query_words::QueryWords;
use super::ranked_files::RankedFiles;
use super::request::{Contribution, RankedChunk, RankedSpan, Request};
use super::search::{Found, Texts};
use super::searcher::Searcher;
use super::span_features::{FileEvidence, RankedFile, SpanVector, span_feature_names, span_features};
use super::spans::best_chunk;

/// A span that is less probable than this is not worth any tokens.
const MIN_PROBABILITY: f32 = 1e-4;
/// Bytes of a file that are searched for lines with the query's words, by the coverage of its chunks.
const MAX_READ_BYTES: usize = 24 << 10;
/// Tokens of the line that names a file and of the marks around its code.
const FILE_TOKENS: usize = 18;
/// One over the share of a budget that these take at most.
const MAX_FILE_SHARE: usize = 4;

/// Bytes of text from which on it is searched in parallel.
const MIN_PARALLEL_BYTES: usize = 1 << 15;

/// The text of a file, and where the names of its definitions begin.
#[derive(Default)]
struct FileText {
    text: Arc<str>,
    definitions: Vec<u32>,
}

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
        let result = |(at, evidence): &Found| {
            let (_, score, features) = &order.files[*at];
            let contributions = if request.explain { self.contributions(request.query, features) } else { Vec::new() };
            RankedChunk { chunk: best_chunk(&self.view, evidence), score: *score, contributions, spans: Vec::new() }
        };
        let mut results: Vec<RankedChunk> = found.iter().map(result).collect();
        if let Some(budget) = request.token_budget {
            let candidates = self.candidates(request, order, found, texts)?;
            let budget = budget - (FILE_TOKENS * results.len()).min(budget / MAX_FILE_SHARE);
            let sum = |file: &Vec<Candidate>| file.iter().map(|candidate| candidate.probability).sum();
            let probabilities: Vec<f32> = candidates.iter().map(sum).collect();
            for (result, spans) in results.iter_mut().zip(self.worth(candidates, budget, request.explain)) {
                result.spans = spans;
            }
            let mut order: Vec<(f32, RankedChunk)> = probabilities.into_iter().zip(results).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            results = order.into_iter().map(|(_, result)| result).collect();
        }
        Ok(results)
    }

    /// The chunks of some ranked files that may be shown, by file, the most probable first; if the answer is to be
    /// explained, improbable ones as well.
    fn candidates<'a>(
        &self,
        request: &Request<'_>,
        order: &'a RankedFiles<'_>,
        found: &'a [Found],
        texts: &dyn Texts,
    ) -> Result<Vec<Vec<Candidate>>> {
        let words = QueryWords::new(request.query, &order.rarity_as_written);
        let mut read = Vec::with_capacity(found.len());
        for (_, evidence) in found {
            read.push((evidence, self.read(evidence, texts)?));
        }
        let is_much = read.iter().map(|(_, file)| file.text.len()).sum::<usize>() >= MIN_PARALLEL_BYTES;
        let lines = map_each(&read, is_much, || (), |(), (evidence, file)| self.lines(evidence, file, &words));
        let file = |((at, evidence), lines): (&'a Found, Vec<ChunkLines>)| {
            let (_, score, features) = &order.files[*at];
            RankedFile { score: *score, features, evidence, lines }
        };
        let files: Vec<RankedFile<'_>> = found.iter().zip(lines).map(file).collect();
        let features = span_features(&self.view, &words, &files);
        let all: Vec<&SpanVector> = features.iter().flatten().collect();
        let mut probabilities = self.span_ranker.probabilities(request.query.kind, &all).into_iter();
        let of_file = |(file, features): (&RankedFile<'_>, &Vec<SpanVector>)| {
            let mut candidates: Vec<Candidate> = Vec::new();
            for (at, (features, probability)) in features.iter().zip(probabilities.by_ref()).enumerate() {
                if request.explain || probability >= MIN_PROBABILITY {
                    candidates.push(Candidate {
                        chunk: file.evidence.chunks[at],
                        probability,
                        excerpts: file.lines[at].excerpts(),
                        contributions: if request.explain { self.parts(request, features) } else { Vec::new() },
                    });
                }
            }
            candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            candidates
        };
        Ok(files.iter().zip(&features).map(of_file).collect())
    }

    /// The text of the file of some chunks.
    fn read(&self, evidence: &FileEvidence, texts: &dyn Texts) -> Result<FileText> {
        let first = evidence.chunks.first().map(|&chunk| self.view.file(self.view.chunk(chunk).file).blob);
        let read = |blob| Ok(FileText { text: texts.text(blob)?, definitions: texts.definitions(blob)? });
        first.map(read).transpose().map(Option::unwrap_or_default)
    }

    /// The lines of the chunks of a file, and what they have of the query.
    fn lines(&self, evidence: &FileEvidence, file: &FileText, words: &QueryWords) -> Vec<ChunkLines> {
        let mut by_coverage: Vec<usize> = (0..evidence.chunks.len()).collect();
        by_coverage.sort_by(|&a, &b| evidence.scores[b][0].total_cmp(&evidence.scores[a][0]));
        let mut left = MAX_READ_BYTES;
        let mut is_read = vec![false; evidence.chunks.len()];
        for at in by_coverage {
            let size = self.view.chunk(evidence.chunks[at]).span.len();
            if evidence.scores[at][0] <= 0.0 {
                break;
            }
            if let Some(rest) = left.checked_sub(size) {
                (left, is_read[at]) = (rest, true);
            }
        }
        let lines = |(&chunk, is_read): (&ChunkIndex, bool)| {
            let ChunkRow { span, lines, .. } = self.view.chunk(chunk);
            let Some(text) = file.text.get(span.range()).filter(|_| is_read) else {
                return ChunkLines::unread(span.end - span.start, (lines.end - lines.start + 1) as usize);
            };
            let matches = words.matches(text);
            let first = file.definitions.partition_point(|&name| name < span.start);
            let names = file.definitions[first..].iter().take_while(|&&name| name < span.end);
            let mut definitions: Vec<usize> = Vec::new();
            let (mut line, mut from) = (0, 0);
            for name in names {
                let to = (name - span.start) as usize;
                line += text.get(from..to).map_or(0, |text| text.matches('\n').count());
                from = to;
                definitions.push(line);
            }
            ChunkLines::new(text, matches, &definitions)
        };
        evidence.chunks.iter().zip(is_read).map(lines).collect()
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
