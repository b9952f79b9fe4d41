//! Bounds the scores of ranges of documents from above, as in Block-Max WAND: neighbours, marks and sessions are looked
//! up only for documents whose bound reaches the threshold of the best so far.

use super::score::{Scores, largest};
use super::space_index::{SessionRange, SpaceIndex};
use crate::signals::WEIGHTS;

/// The length signal saturates at this number of terms.
const MAX_LENGTH: u32 = 64;
/// The share of a fact's own score that replaces the score of its neighbours, as a fact has none.
pub(crate) const FACT_SURROUNDINGS: f32 = 0.5;
/// An upper bound of the rounding error of a score.
const SLACK: f32 = 1e-3;

/// Tables of the length signal and of cosines, computed once per query.
pub(super) struct Tables {
    lengths: Vec<f32>,
    cosines: Vec<f32>,
}

impl Tables {
    /// For sketches of `bits`.
    pub(super) fn of(bits: usize) -> Self {
        let cosine = |agreeing| (std::f32::consts::PI * (1.0 - agreeing as f32 / bits.max(1) as f32)).cos();
        let lengths = (0..=MAX_LENGTH).map(|length| (length as f32).ln_1p()).collect();
        Self { lengths, cosines: (0..=bits).map(cosine).collect() }
    }

    /// The length signal of a text with `length` terms.
    pub(super) fn length(&self, length: u32) -> f32 {
        self.lengths[length.min(MAX_LENGTH) as usize]
    }

    /// The cosine that a number of agreeing sketch bits estimates.
    pub(super) fn cosine(&self, agreeing: u16) -> f32 {
        self.cosines[usize::from(agreeing)]
    }
}

/// The upper bounds of the scores in a space.
pub(super) struct Bounds<'a> {
    part: &'a SpaceIndex,
    own: &'a [f32],
    /// The number of bits in which each document's sketch agrees with the query's; empty without sketches.
    agreements: Vec<u16>,
    tables: &'a Tables,
    /// The weight of a document's own BM25, with that of its neighbours for facts.
    slope: f32,
    /// The highest BM25 of each range.
    best: Vec<f32>,
    /// The upper bound of everything else in each range: neighbours, sessions and marks.
    rests: Vec<f32>,
}

impl<'a> Bounds<'a> {
    /// The bounds of a space. `marks` is the highest weight of its marks.
    pub(super) fn of(
        at: usize,
        part: &'a SpaceIndex,
        scores: &'a Scores,
        agreements: Vec<u16>,
        tables: &'a Tables,
        marks: f32,
    ) -> Self {
        let own = scores.own[at].as_slice();
        let scale = if scores.best > 0.0 { 1.0 / scores.best } else { 0.0 };
        let around = [WEIGHTS.before, WEIGHTS.after, WEIGHTS.long_before, WEIGHTS.long_after];
        let around: f32 = around.iter().map(|weight| weight.max(0.0)).sum();
        let (words, of_session) = (WEIGHTS.words.max(0.0), WEIGHTS.session.max(0.0));
        let stretches = &part.head.stretches;
        let best: Vec<f32> = stretches.iter().map(|stretch| largest(&own[stretch.start..stretch.end])).collect();
        let (slope, fact) = if part.space.is_facts() {
            (words + around * FACT_SURROUNDINGS + of_session, WEIGHTS.fact.max(0.0))
        } else {
            (words, 0.0)
        };
        let rest = |(stretch, best): (&SessionRange, &f32)| {
            if part.space.is_facts() {
                return 0.0;
            }
            let near = part.head.neighbours(stretch).map(|place| own[place as usize]).fold(*best, f32::max);
            around * near * scale + of_session * scores.session(stretch.session)
        };
        let rests = stretches.iter().zip(&best).map(|each| rest(each) + (marks + fact + SLACK)).collect();
        Self { part, own, agreements, tables, slope: slope * scale, best, rests }
    }

    /// The upper bound of each range.
    pub(super) fn stretches(&self) -> impl Iterator<Item = f32> + '_ {
        self.part.head.stretches.iter().zip(&self.best).zip(&self.rests).map(|((stretch, best), rest)| {
            let agreements = self.agreements.get(stretch.start..stretch.end);
            let most_alike = agreements.map(|all| all.iter().fold(0, |most, agreeing| (*agreeing).max(most)));
            rest + self.of_document(*best, most_alike, stretch.longest)
        })
    }

    /// The documents of a stretch, by its number, that may reach `threshold`.
    pub(super) fn reaching(&self, stretch: usize, floor: f32, found: &mut Vec<usize>) {
        found.clear();
        let (rest, stretch) = (self.rests[stretch], &self.part.head.stretches[stretch]);
        for place in stretch.start..stretch.end {
            let length = self.part.head.docs[place].length;
            if rest + self.of_document(self.own[place], self.agreement(place), length) >= floor {
                found.push(place);
            }
        }
    }

    /// The number of bits in which a document's sketch agrees with the query's.
    pub(super) fn agreement(&self, place: usize) -> Option<u16> {
        self.agreements.get(place).copied()
    }

    /// The part of the score that depends on the document alone. It is monotone in each argument, rounding included, so
    /// the maxima of a range give an upper bound for all of its documents.
    fn of_document(&self, own: f32, agreeing: Option<u16>, length: u32) -> f32 {
        let meaning = agreeing.map_or(0.0, |agreeing| self.tables.cosine(agreeing));
        self.slope * own + WEIGHTS.meaning * meaning + WEIGHTS.length * self.tables.length(length)
    }
}
