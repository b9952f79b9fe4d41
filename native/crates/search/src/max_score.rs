//! `MaxScore` (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995) over a range of chunks.
//!
//! The [threshold](super::top_k_threshold) is a score that the wanted number of files is known to reach. The terms
//! whose upper bounds even together stay below it are *non-essential*: a chunk that has only such terms can't be among
//! the best, so their postings are probed for the candidates that essential terms have found, and never scanned. The
//! cost is that of the postings of the essential terms, plus a galloping search per candidate and non-essential term.
//!
//! The candidates' scores are summed once more in the order of the terms, so that they are equal to the bit whatever
//! the threshold was.

use std::ops::Range;

use codecairn_base::gallop::gallop;
use codecairn_lexical::Bm25;

use super::chunk_postings::{ChunkPosting, FilePosting, FileRangePostings};
use super::scorer::{Scorer, Term};

/// The relative rounding error of sums that are added up in different orders.
const ROUNDING: f32 = 1e-4;

/// The share of the threshold that the bounds of non-essential terms may reach together. With more of them, more chunks
/// become candidates, and each is probed for every such term.
const NON_ESSENTIAL_SHARE: f32 = 0.5;

/// A term with its postings in the range of files that is scored.
pub(super) type TermPostings<'a> = (&'a Term, FileRangePostings<'a>);

/// Buffers that are reused for one range of chunks after the other.
#[derive(Debug, Default)]
pub(super) struct MaxScoreBuffers {
    /// Partial scores by chunk; all zeros between two uses.
    sums: Vec<f32>,
    /// Chunks that may reach the threshold, as offsets from the first chunk in rising order, with their scores.
    candidates: Vec<(u32, f32)>,
}

impl Scorer<'_> {
    /// The chunks whose BM25 over the text is at least `threshold`, as offsets from the first chunk in rising order,
    /// with their scores. Chunks below the threshold may be among them.
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
        // The upper bound of the terms that are not added yet.
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

    /// Adds the BM25 of stems over the names of chunks to `names`, which holds zeros and is indexed from the chunk
    /// `start`. The offsets of the chunks that have any are appended to `named`, each once.
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

    /// Adds the BM25 of stems over whole files to `bodies`, which is indexed from the file `start`.
    pub(super) fn score_files(&self, start: u32, terms: &[TermPostings<'_>], bodies: &mut [f32]) {
        for (term, postings) in terms {
            for &FilePosting { file, body, .. } in postings.by_file.iter().filter(|entry| entry.body > 0) {
                bodies[(file - start) as usize] += self.in_file(&term.postings, file, body);
            }
        }
    }

    /// Adds the score of a term to candidate chunks, found by galloping through its postings.
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

    /// The BM25 of a stem in the text of a chunk.
    #[inline]
    fn term_score(&self, term: &Term, posting: &ChunkPosting) -> f32 {
        term.weights.of(posting.body, posting.length, &self.norms.body)
    }
}

/// The limit of a term's BM25 for rising frequencies.
fn upper_bound((term, _): &TermPostings<'_>) -> f32 {
    term.postings.body * (Bm25::TEXT.k1 + 1.0)
}

/// The longest list of terms, by rising bound, whose bounds together stay below `threshold`: their indexes, largest
/// bound first.
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

/// Appends the chunks whose sum is positive and at least `threshold` to `candidates`.
fn collect_candidates(sums: &[f32], threshold: f32, candidates: &mut Vec<(u32, f32)>) {
    let threshold = threshold.max(f32::MIN_POSITIVE);
    for (group, sums) in (0u32..).zip(sums.chunks(16)) {
        // Few groups have a candidate: a pass without branches skips the others.
        if sums.iter().filter(|sum| **sum >= threshold).count() > 0 {
            let found = (group * 16..).zip(sums).filter(|(_, sum)| **sum >= threshold);
            candidates.extend(found.map(|(at, sum)| (at, *sum)));
        }
    }
}
