//! The documents that may answer a question, by their words, those around them, and the sketches of their meaning.

use std::collections::BTreeSet;

use super::Space;
use super::parts::{Head, Heads, Part, Posting, parts};
use super::question::{Question, Term};
use super::score::Scores;
use super::segment::Member;
use crate::database::Database;
use crate::error::Result;
use crate::memory::signals::Signals;
use crate::memory::vector::agreement;

/// Terms beyond this many tell nothing more about a text's worth.
const MOST_LENGTH: f32 = 64.0;
/// Of the signs of two sketches, the share that agrees by chance, and a bit more.
const LEAST_AGREEMENT: f32 = 0.6;
/// What the surroundings of a fact, which has none, count for: as if they spoke half as much as itself.
const FACT_SURROUNDINGS: f32 = 0.5;

/// What is looked for.
#[derive(Clone, Copy)]
pub(in crate::memory) struct Search<'a> {
    pub(in crate::memory) question: &'a Question,
    /// The sketch of the question's vector; empty for none.
    pub(in crate::memory) sketch: &'a [u8],
    /// How many are wanted.
    pub(in crate::memory) limit: usize,
    /// Which events may answer.
    pub(in crate::memory) only: &'a Only,
}

/// Conditions on events that are known before they are read.
#[derive(Debug, Default)]
pub(in crate::memory) struct Only {
    /// The session they are of.
    pub(in crate::memory) session: Option<i64>,
    /// One of these.
    pub(in crate::memory) events: Option<BTreeSet<i64>>,
}

impl Only {
    fn allows(&self, space: Space, member: &Member) -> bool {
        space.is_facts()
            || self.session.is_none_or(|session| session == i64::from(member.session))
                && self.events.as_ref().is_none_or(|events| events.contains(&member.doc))
    }
}

/// A document that may answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::memory) struct Found {
    pub(in crate::memory) space: Space,
    pub(in crate::memory) doc: i64,
    /// The number of its session; 0 for a fact.
    pub(in crate::memory) session: u32,
    /// Its BM25.
    pub(in crate::memory) lexical: f32,
    /// The share of the question's words, weighted by rarity, that it or what stands around it holds.
    pub(in crate::memory) covered: f32,
    /// What speaks for it; its meaning as its sketch tells it.
    pub(in crate::memory) signals: Signals,
}

impl Found {
    /// Whether both are the same document.
    pub(in crate::memory) fn is_same(&self, other: &Self) -> bool {
        (self.space, self.doc) == (other.space, other.doc)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(in crate::memory) struct Pool {
    /// The best first.
    pub(in crate::memory) found: Vec<Found>,
    /// The share of the question's words, weighted by rarity, that occur anywhere.
    pub(in crate::memory) known: f32,
    /// The share of the names among them that do; 1 if there are none.
    pub(in crate::memory) named: f32,
    /// Whether there may be more than were wanted.
    pub(in crate::memory) is_full: bool,
}

/// Finds what may answer.
pub(in crate::memory) fn search(
    database: &Database,
    heads: &Heads,
    spaces: &[Space],
    search: &Search<'_>,
) -> Result<Pool> {
    let mut all_parts = Vec::new();
    for space in spaces {
        all_parts.extend(parts(database, heads, *space, search.question)?);
    }
    let parts = all_parts;
    if parts.iter().all(|part| part.head.docs.is_empty()) {
        return Ok(Pool::default());
    }
    let (terms, speaker) = without_names(&parts, &search.question.terms);
    let scores = Scores::of(&parts, &terms);
    let all: f32 = scores.rarities.iter().sum();
    let of_all = |bits: u64| {
        let held = scores.rarities.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|each| each.1);
        if all > 0.0 { held.sum::<f32>() / all } else { 0.0 }
    };
    let anywhere = scores.held.iter().flatten().fold(0, |all, bits| all | bits);
    let cosines = cosine_table(search.sketch.len() * 8);
    let mut best = Best::new(search.limit);
    for (at, part) in parts.iter().enumerate() {
        let of = |posting: &Posting| places_of(posting, part.head.docs.len());
        let marked = Marked {
            speaker: speaker.map(|term| of(&part.speakers[term])),
            asks: of(&part.asks),
            times: of(&part.times),
        };
        part.offer(at, &scores, &marked, search, &cosines, &mut best);
    }
    let (kept, is_full) = best.into_sorted();
    let found = kept.into_iter().map(|candidate| {
        let Candidate { part, place, signals, .. } = candidate;
        let member = parts[part].head.docs[place as usize];
        Found {
            space: parts[part].space,
            doc: member.doc,
            session: member.session,
            lexical: scores.own[part][place as usize],
            covered: of_all(
                parts[part].head.around(place).fold(0, |bits, place| bits | scores.held[part][place as usize]),
            ),
            signals,
        }
    });
    let names = || terms.iter().enumerate().filter(|(_, term)| term.is_name && term.weight > 0.0);
    let known_names = names().filter(|(at, _)| anywhere >> at & 1 == 1).count();
    let named = if names().count() == 0 { 1.0 } else { known_names as f32 / names().count() as f32 };
    Ok(Pool { found: found.collect(), known: of_all(anywhere), named, is_full })
}

/// The terms less the names of those who speak, and the term that names the only one who is asked for.
fn without_names(parts: &[Part], terms: &[Term]) -> (Vec<Term>, Option<usize>) {
    let names: Vec<usize> =
        (0..terms.len()).filter(|at| parts.iter().any(|part| !part.speakers[*at].is_empty())).collect();
    let mut rest = terms.to_vec();
    if names.len() < terms.len() {
        for at in &names {
            rest[*at].weight = 0.0;
        }
    }
    (rest, if let [only] = names.as_slice() { Some(*only) } else { None })
}

/// Which documents of a part carry which marks.
struct Marked {
    /// Only if the question names one speaker.
    speaker: Option<Vec<bool>>,
    asks: Vec<bool>,
    times: Vec<bool>,
}

fn places_of(posting: &Posting, docs: usize) -> Vec<bool> {
    let mut marked = vec![false; docs];
    for (place, _) in posting {
        marked[*place as usize] = true;
    }
    marked
}

fn one_if(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// The cosine that so many agreeing signs of `bits` tell of.
fn cosine_table(bits: usize) -> Vec<f32> {
    (0..=bits).map(|agreeing| (std::f32::consts::PI * (1.0 - agreeing as f32 / bits.max(1) as f32)).cos()).collect()
}

impl Part {
    /// Offers what has a word of the question in or around it, or a like meaning.
    fn offer(
        &self,
        at: usize,
        scores: &Scores,
        marked: &Marked,
        search: &Search<'_>,
        cosines: &[f32],
        best: &mut Best,
    ) {
        let (head, width) = (&*self.head, search.sketch.len());
        let has_sketches = width > 0 && head.sketches.len() == head.docs.len() * width;
        let floor = (width as f32 * 8.0 * LEAST_AGREEMENT) as u32;
        for (place, member) in head.docs.iter().enumerate() {
            let spoken = place as u32;
            let agreeing = if has_sketches {
                agreement(search.sketch, &head.sketches[place * width..(place + 1) * width])
            } else {
                0
            };
            let has_words = head.around(spoken).any(|near| scores.held[at][near as usize] != 0);
            if !(has_words || agreeing > floor) || !search.only.allows(self.space, member) {
                continue;
            }
            let mut signals = Signals {
                words: scores.words(at, spoken),
                meaning: if has_sketches { cosines[agreeing as usize] } else { 0.0 },
                speaker: one_if(marked.speaker.as_ref().is_some_and(|marked| marked[place])),
                length: (member.length as f32).min(MOST_LENGTH).ln_1p(),
                time: one_if(marked.times[place]),
                asks: one_if(marked.asks[place]),
                ..Signals::default()
            };
            if self.space.is_facts() {
                signals.session = signals.words;
                signals.before = FACT_SURROUNDINGS * signals.words;
                (signals.after, signals.long_before, signals.long_after) =
                    (signals.before, signals.before, signals.before);
                signals.fact = 1.0;
            } else {
                let (before, after) = (Head::step(spoken, &head.before), Head::step(spoken, &head.after));
                signals.before = scores.words(at, before);
                signals.after = scores.words(at, after);
                signals.long_before = scores.words(at, Head::step(before, &head.before));
                signals.long_after = scores.words(at, Head::step(after, &head.after));
                signals.session = scores.session(member.session);
            }
            best.offer(Candidate { score: signals.score(), doc: member.doc, part: at, place: spoken, signals });
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: f32,
    doc: i64,
    part: usize,
    place: u32,
    signals: Signals,
}

/// The highest scores seen so far.
struct Best {
    limit: usize,
    floor: f32,
    is_full: bool,
    kept: Vec<Candidate>,
}

impl Best {
    fn new(limit: usize) -> Self {
        Self { limit, floor: f32::MIN, is_full: false, kept: Vec::with_capacity(limit * 4) }
    }

    fn offer(&mut self, candidate: Candidate) {
        // Equal scores are kept until they are cut, where the newest wins.
        if candidate.score < self.floor {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= self.limit * 4 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.kept.len() > self.limit && self.limit > 0 {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, Self::order);
            self.floor = last.score;
            self.kept.truncate(self.limit);
            self.is_full = true;
        }
    }

    fn into_sorted(mut self) -> (Vec<Candidate>, bool) {
        self.cut();
        self.kept.sort_by(Self::order);
        (self.kept, self.is_full)
    }

    fn order(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
        right.score.total_cmp(&left.score).then(right.doc.cmp(&left.doc)).then(right.part.cmp(&left.part))
    }
}
