//! What a document's score is at most, told by what is at hand, so that most documents need no closer look: their
//! neighbours, their marks and their place in their session are looked at only if they could be among the best.

use super::parts::{Part, Stretch};
use super::score::{Scores, largest};
use crate::memory::signals::WEIGHTS;

/// Terms beyond this many tell nothing more about a text's worth.
const MOST_LENGTH: u32 = 64;
/// What the surroundings of a fact, which has none, count for: as if they spoke half as much as itself.
pub(in crate::memory) const FACT_SURROUNDINGS: f32 = 0.5;
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
        let lengths = (0..=MOST_LENGTH).map(|length| (length as f32).ln_1p()).collect();
        Self { lengths, cosines: (0..=bits).map(cosine).collect() }
    }

    /// The signal of a text of so many terms.
    pub(super) fn length(&self, length: u32) -> f32 {
        self.lengths[length.min(MOST_LENGTH) as usize]
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
    agreements: &'a [u16],
    tables: &'a Tables,
    /// What a document's own BM25 is worth, its surroundings included where they follow from it.
    slope: f32,
    /// What the surroundings of any document of a session are worth together with the session, by the session's slot.
    sessions: Vec<f32>,
    /// What marks may add.
    marks: f32,
}

impl<'a> Bounds<'a> {
    /// Those of a part; `agreements` are empty where meanings are not compared. `marks` is the most that its marks add.
    pub(super) fn of(
        at: usize,
        part: &'a Part,
        scores: &'a Scores,
        agreements: &'a [u16],
        tables: &'a Tables,
        marks: f32,
    ) -> Self {
        let own = scores.own[at].as_slice();
        let scale = if scores.best > 0.0 { 1.0 / scores.best } else { 0.0 };
        let around = [WEIGHTS.before, WEIGHTS.after, WEIGHTS.long_before, WEIGHTS.long_after];
        let around: f32 = around.iter().map(|weight| weight.max(0.0)).sum();
        let (words, of_session) = (WEIGHTS.words.max(0.0), WEIGHTS.session.max(0.0));
        let mut sessions = vec![0.0_f32; part.head.slots];
        let (slope, fact) = if part.space.is_facts() {
            (words + around * FACT_SURROUNDINGS + of_session, WEIGHTS.fact.max(0.0))
        } else {
            for stretch in &part.head.stretches {
                let best = &mut sessions[stretch.slot];
                *best = best.max(largest(&own[stretch.start..stretch.end]));
            }
            for stretch in part.head.stretches.iter().filter(|stretch| stretch.is_first) {
                let session = &mut sessions[stretch.slot];
                *session = around * *session * scale + of_session * scores.session(stretch.session);
            }
            (words, 0.0)
        };
        Self { part, own, agreements, tables, slope: slope * scale, sessions, marks: marks + fact + SLACK }
    }

    /// The documents of a stretch that may reach `floor`.
    pub(super) fn reaching(&self, stretch: &Stretch, floor: f32, found: &mut Vec<usize>) {
        found.clear();
        let docs = &self.part.head.docs[stretch.start..stretch.end];
        let rest = self.sessions[stretch.slot] + self.marks;
        for (place, member) in docs.iter().enumerate().map(|(at, member)| (stretch.start + at, member)) {
            let meaning = self.agreements.get(place).map_or(0.0, |agreeing| self.tables.cosine(*agreeing));
            let length = self.tables.length(member.length);
            let most = rest + self.slope * self.own[place] + WEIGHTS.meaning * meaning + WEIGHTS.length * length;
            if most >= floor {
                found.push(place);
            }
        }
    }
}
