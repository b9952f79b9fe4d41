//! What a document's score is at most, told by what is at hand, so that most documents need no closer look: their
//! neighbours, their marks and their place in their session are looked at only if they could be among the best.

use super::index_parts::{Part, SessionRange};
use super::score::{Scores, largest};
use crate::signals::WEIGHTS;

/// Terms beyond this many tell nothing more about a text's worth.
const MAX_LENGTH: u32 = 64;
/// What the surroundings of a fact, which has none, count for: as if they spoke half as much as itself.
pub(crate) const FACT_SURROUNDINGS: f32 = 0.5;
/// More than what rounding can add to a sum of this size.
const SLACK: f32 = 1e-3;

/// What lengths and likenesses say, worked out once for a question.
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

    /// The signal of a text of so many terms.
    pub(super) fn length(&self, length: u32) -> f32 {
        self.lengths[length.min(MAX_LENGTH) as usize]
    }

    /// The cosine that so many agreeing signs tell of.
    pub(super) fn cosine(&self, agreeing: u16) -> f32 {
        self.cosines[usize::from(agreeing)]
    }
}

/// What the scores of a part's documents are at most.
pub(super) struct Bounds<'a> {
    part: &'a Part,
    own: &'a [f32],
    /// In how many signs each document's sketch agrees with the question's; empty where meanings are not compared.
    agreements: Vec<u16>,
    tables: &'a Tables,
    /// What a document's own BM25 is worth, its surroundings included where they follow from it.
    slope: f32,
    /// The best BM25 of each stretch,
    best: Vec<f32>,
    /// and what is added to its documents at most: by what surrounds them, by their session, and by marks.
    rests: Vec<f32>,
}

impl<'a> Bounds<'a> {
    /// Those of a part. `marks` is the most that its marks add.
    pub(super) fn of(
        at: usize,
        part: &'a Part,
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

    /// What the documents of each stretch reach at most.
    pub(super) fn stretches(&self) -> impl Iterator<Item = f32> + '_ {
        self.part.head.stretches.iter().zip(&self.best).zip(&self.rests).map(|((stretch, best), rest)| {
            let agreements = self.agreements.get(stretch.start..stretch.end);
            let most_alike = agreements.map(|all| all.iter().fold(0, |most, agreeing| (*agreeing).max(most)));
            rest + self.of_document(*best, most_alike, stretch.longest)
        })
    }

    /// The documents of a stretch, by its number, that may reach `floor`.
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

    /// In how many signs a document's sketch agrees with the question's.
    pub(super) fn agreement(&self, place: usize) -> Option<u16> {
        self.agreements.get(place).copied()
    }

    /// What a document has of itself. It grows with each of what it is told, whatever is rounded: of the most that any
    /// document of a stretch has, it is the most that any of them reaches.
    fn of_document(&self, own: f32, agreeing: Option<u16>, length: u32) -> f32 {
        let meaning = agreeing.map_or(0.0, |agreeing| self.tables.cosine(agreeing));
        self.slope * own + WEIGHTS.meaning * meaning + WEIGHTS.length * self.tables.length(length)
    }
}
