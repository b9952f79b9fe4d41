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

use super::chunk_postings::{InFile, Place, PlacesIn};
use super::scorer::{Scorer, Word};

/// What sums that are added up in different orders may differ by, in parts of them.
const ROUNDING: f32 = 1e-4;

/// How much of what is asked for the words that are looked up may add together: the more words, the more chunks must be
/// looked at for each.
const HELP: f32 = 0.5;

/// A word with its places in the files that are surveyed.
pub(super) type WordIn<'a> = (&'a Word, PlacesIn<'a>);

/// Room for the scores of one stretch of chunks after the other.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// By chunk: zeros while nobody uses it.
    sums: Vec<f32>,
    /// Chunks, counted from the first one, that may reach what is asked for, with what they have; in their order.
    near: Vec<(u32, f32)>,
}

impl Scorer<'_> {
    /// The texts of `chunks` that are worth at least `least`, in the order of chunks and counted from the first one, with
    /// what they are worth. Some that are worth less may be among them.
    pub(super) fn survey<'s>(
        &self,
        chunks: &Range<u32>,
        words: &[WordIn<'_>],
        least: f32,
        survey: &'s mut Survey,
    ) -> &'s [(u32, f32)] {
        let least = least * (1.0 - ROUNDING);
        let helping = helping(words, least * HELP);
        let Survey { sums, near } = survey;
        if sums.len() < chunks.len() {
            sums.resize(chunks.len(), 0.0);
        }
        let sums = &mut sums[..chunks.len()];
        for (at, (word, places)) in words.iter().enumerate() {
            if !helping.contains(&at) {
                for place in places.by_chunk {
                    sums[(place.chunk - chunks.start) as usize] += self.worth(word, place);
                }
            }
        }
        // What the words that are still to come can add.
        let mut rest: f32 = helping.iter().map(|at| bound(&words[*at])).sum();
        near.clear();
        take(sums, least - rest, near);
        sums.fill(0.0);
        for &at in &helping {
            rest -= bound(&words[at]);
            self.look_up(&words[at], chunks.start, near);
            near.retain(|(_, sum)| *sum >= least - rest);
        }
        if !helping.is_empty() {
            for (_, sum) in near.iter_mut() {
                *sum = 0.0;
            }
            for word in words {
                self.look_up(word, chunks.start, near);
            }
        }
        near
    }

    /// Adds what stems give to the names of chunks, counted from the one with the number `start`, which are zeros before.
    /// `named` takes the chunks in whose names one stands, each once.
    pub(super) fn survey_names(&self, start: u32, words: &[WordIn<'_>], names: &mut [f32], named: &mut Vec<u32>) {
        for (word, places) in words {
            for place in places.named() {
                let at = place.chunk - start;
                let score = &mut names[at as usize];
                if *score <= 0.0 {
                    named.push(at);
                }
                *score += self.in_names(&word.places, place.chunk, place.names);
            }
        }
    }

    /// Adds what stems give to whole files, from the one with the number `start` on.
    pub(super) fn survey_files(&self, start: u32, words: &[WordIn<'_>], bodies: &mut [f32]) {
        for (word, places) in words {
            for &InFile { file, body, .. } in places.by_file.iter().filter(|entry| entry.body > 0) {
                bodies[(file - start) as usize] += self.in_file(&word.places, file, body);
            }
        }
    }

    /// Adds what a word is worth in some chunks.
    fn look_up(&self, (word, places): &WordIn<'_>, start: u32, chunks: &mut [(u32, f32)]) {
        let mut rest = places.by_chunk;
        for (at, sum) in chunks {
            rest = &rest[gallop(rest, |place| place.chunk < start + *at)..];
            match rest.first() {
                Some(place) if place.chunk == start + *at => *sum += self.worth(word, place),
                Some(_) => {}
                None => break,
            }
        }
    }

    /// What a stem is worth in the text of a chunk.
    #[inline]
    fn worth(&self, word: &Word, place: &Place) -> f32 {
        word.weights.of(place.body, place.length, &self.norms.body)
    }
}

/// The most that a word is worth in any text.
fn bound((word, _): &WordIn<'_>) -> f32 {
    word.places.body * (Bm25::TEXT.k1 + 1.0)
}

/// The words, by number, that even together don't reach `least`, those that are worth most first.
fn helping(words: &[WordIn<'_>], least: f32) -> Vec<usize> {
    let mut by_bound: Vec<usize> = (0..words.len()).collect();
    by_bound.sort_by(|one, other| bound(&words[*one]).total_cmp(&bound(&words[*other])));
    let mut sum = 0.0;
    let too_little = |at: &&usize| {
        sum += bound(&words[**at]);
        sum < least
    };
    by_bound.truncate(by_bound.iter().take_while(too_little).count());
    by_bound.reverse();
    by_bound
}

/// Puts the sums that are at least `least`, and more than nothing, to `near`.
fn take(sums: &[f32], least: f32, near: &mut Vec<(u32, f32)>) {
    let least = least.max(f32::MIN_POSITIVE);
    for (group, sums) in (0u32..).zip(sums.chunks(16)) {
        // Few groups have any: one pass without branches finds them.
        if sums.iter().filter(|sum| **sum >= least).count() > 0 {
            let found = (group * 16..).zip(sums).filter(|(_, sum)| **sum >= least);
            near.extend(found.map(|(at, sum)| (at, *sum)));
        }
    }
}
