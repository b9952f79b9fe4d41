//! What decides which files are ranked, for some that follow each other: their texts, names and chunks.
//!
//! Only the files with the best texts are ranked, so only chunks that are good enough to matter are scored. Once
//! [as many files](super::floor) are known to reach a score, the words that even together can't reach it bring no chunk in:
//! they stand in most chunks, and are looked up in those only that other words bring in (`MaxScore`: Turtle and Flood,
//! "Query evaluation: strategies and optimizations", 1995).
//! A score is always added up in the order of the words, so it is the same to the bit whatever was left out.

use std::ops::Range;

use codecairn_base::gallop::gallop;
use codecairn_lexical::Bm25;

use super::chunk_postings::{ChunkPosting, FilePosting, FileRangePostings};
use super::scorer::{Scorer, Term};

/// What sums that are added up in different orders may differ by, in parts of them.
const ROUNDING: f32 = 1e-4;

/// How much of what is asked for the words that are looked up may add together: the more words, the more chunks must be
/// looked at for each.
const NON_ESSENTIAL_SHARE: f32 = 0.5;

/// A word with its places in the files that are surveyed.
pub(super) type TermPostings<'a> = (&'a Term, FileRangePostings<'a>);

/// Room for the scores of one stretch of chunks after the other.
#[derive(Debug, Default)]
pub(super) struct MaxScoreBuffers {
    /// By chunk: zeros while nobody uses it.
    sums: Vec<f32>,
    /// Chunks, counted from the first one, that may reach what is asked for, with what they have; in their order.
    candidates: Vec<(u32, f32)>,
}

impl Scorer<'_> {
    /// The texts of `chunks` that are worth at least `least`, in the order of chunks and counted from the first one, with
    /// what they are worth. Some that are worth less may be among them.
    pub(super) fn max_scores<'s>(
        &self,
        chunks: &Range<u32>,
        terms: &[TermPostings<'_>],
        threshold: f32,
        buffers: &'s mut MaxScoreBuffers,
    ) -> &'s [(u32, f32)] {
        let threshold = threshold * (1.0 - ROUNDING);
        let non_essential = non_essential_terms(terms, threshold * NON_ESSENTIAL_SHARE);
        let MaxScoreBuffers { sums, candidates } = buffers;
        if sums.len() < chunks.len() {
            sums.resize(chunks.len(), 0.0);
        }
        let sums = &mut sums[..chunks.len()];
        for (at, (term, postings)) in terms.iter().enumerate() {
            if !non_essential.contains(&at) {
                for posting in postings.by_chunk {
                    sums[(posting.chunk - chunks.start) as usize] += self.term_score(term, posting);
                }
            }
        }
        // What the words that are still to come can add.
        let mut rest: f32 = non_essential.iter().map(|at| upper_bound(&terms[*at])).sum();
        candidates.clear();
        collect_candidates(sums, threshold - rest, candidates);
        sums.fill(0.0);
        for &at in &non_essential {
            rest -= upper_bound(&terms[at]);
            self.probe(&terms[at], chunks.start, candidates);
            candidates.retain(|(_, sum)| *sum >= threshold - rest);
        }
        if !non_essential.is_empty() {
            for (_, sum) in candidates.iter_mut() {
                *sum = 0.0;
            }
            for term in terms {
                self.probe(term, chunks.start, candidates);
            }
        }
        candidates
    }

    /// Adds what stems give to the names of chunks, counted from the one with the number `start`, which are zeros before.
    /// `named` takes the chunks in whose names one stands, each once.
    pub(super) fn score_names(&self, start: u32, terms: &[TermPostings<'_>], names: &mut [f32], named: &mut Vec<u32>) {
        for (term, postings) in terms {
            for posting in postings.named() {
                let at = posting.chunk - start;
                let score = &mut names[at as usize];
                if *score <= 0.0 {
                    named.push(at);
                }
                *score += self.in_names(&term.postings, posting.chunk, posting.names);
            }
        }
    }

    /// Adds what stems give to whole files, from the one with the number `start` on.
    pub(super) fn score_files(&self, start: u32, terms: &[TermPostings<'_>], bodies: &mut [f32]) {
        for (term, postings) in terms {
            for &FilePosting { file, body, .. } in postings.by_file.iter().filter(|entry| entry.body > 0) {
                bodies[(file - start) as usize] += self.in_file(&term.postings, file, body);
            }
        }
    }

    /// Adds what a word is worth in some chunks.
    fn probe(&self, (term, postings): &TermPostings<'_>, start: u32, chunks: &mut [(u32, f32)]) {
        let mut rest = postings.by_chunk;
        for (at, sum) in chunks {
            rest = &rest[gallop(rest, |posting| posting.chunk < start + *at)..];
            match rest.first() {
                Some(posting) if posting.chunk == start + *at => *sum += self.term_score(term, posting),
                Some(_) => {}
                None => break,
            }
        }
    }

    /// What a stem is worth in the text of a chunk.
    #[inline]
    fn term_score(&self, term: &Term, posting: &ChunkPosting) -> f32 {
        term.weights.of(posting.body, posting.length, &self.norms.body)
    }
}

/// The most that a word is worth in any text.
fn upper_bound((term, _): &TermPostings<'_>) -> f32 {
    term.postings.body * (Bm25::TEXT.k1 + 1.0)
}

/// The words, by number, that even together don't reach `least`, those that are worth most first.
fn non_essential_terms(terms: &[TermPostings<'_>], threshold: f32) -> Vec<usize> {
    let mut by_bound: Vec<usize> = (0..terms.len()).collect();
    by_bound.sort_by(|one, other| upper_bound(&terms[*one]).total_cmp(&upper_bound(&terms[*other])));
    let mut sum = 0.0;
    let too_little = |at: &&usize| {
        sum += upper_bound(&terms[**at]);
        sum < threshold
    };
    by_bound.truncate(by_bound.iter().take_while(too_little).count());
    by_bound.reverse();
    by_bound
}

/// Puts the sums that are at least `least`, and more than nothing, to `near`.
fn collect_candidates(sums: &[f32], threshold: f32, candidates: &mut Vec<(u32, f32)>) {
    let threshold = threshold.max(f32::MIN_POSITIVE);
    for (group, sums) in (0u32..).zip(sums.chunks(16)) {
        // Few groups have any: one pass without branches finds them.
        if sums.iter().filter(|sum| **sum >= threshold).count() > 0 {
            let found = (group * 16..).zip(sums).filter(|(_, sum)| **sum >= threshold);
            candidates.extend(found.map(|(at, sum)| (at, *sum)));
        }
    }
}
