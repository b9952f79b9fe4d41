//! Full-text search: finds the best documents by their terms, those of their neighbours, and their sketches.
//!
//! The ranges of all spaces are visited with the highest upper bounds first, so that the threshold of the best rises
//! early and most ranges are skipped. The result equals that of a full scan.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_lexical::{FrequencyList, TopK};

use super::Space;
use super::question::{QueryTerm, Question};
use super::score::Scores;
use super::score_bounds::{Bounds, FACT_SURROUNDINGS, Tables};
use super::space_index::{Member, SegmentCache, SpaceHead, SpaceIndex};
use crate::signals::{Signals, WEIGHTS};
use crate::vector::agreements;

/// The minimum share of agreeing sketch bits, a little above chance.
const MIN_AGREEMENT: f32 = 0.6;
/// The number of ranges with the highest bounds that are visited first.
const FIRST: usize = 128;

/// A search request.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) question: &'a Question,
    /// The sketch of the question's vector; empty for none.
    pub(crate) sketch: &'a [u8],
    /// The number of documents to find.
    pub(crate) limit: usize,
    /// The filter of events.
    pub(crate) only: &'a EventFilter,
}

/// Conditions on events that the index can check.
#[derive(Debug, Default)]
pub(crate) struct EventFilter {
    /// Only events of this session.
    pub(crate) session: Option<i64>,
    /// Only these events.
    pub(crate) events: Option<BTreeSet<i64>>,
}

impl EventFilter {
    fn allows(&self, space: Space, member: &Member) -> bool {
        space.is_facts()
            || self.session.is_none_or(|session| session == i64::from(member.session))
                && self.events.as_ref().is_none_or(|events| events.contains(&member.doc))
    }
}

/// A document that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SearchHit {
    pub(crate) space: Space,
    pub(crate) doc: i64,
    /// The number of its session; 0 for a fact.
    pub(crate) session: u32,
    /// Its BM25.
    pub(crate) lexical: f32,
    /// The share of the query's terms, weighted by IDF, that it or its neighbours have.
    pub(crate) covered: f32,
    /// Its signals, with the cosine estimated from its sketch.
    pub(crate) signals: Signals,
}

impl SearchHit {
    /// Whether both are the same document.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.space, self.doc) == (other.space, other.doc)
    }
}

/// The candidate pool of a search.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// The documents, best first.
    pub(crate) found: Vec<SearchHit>,
    /// The share of the query's terms, weighted by IDF, that occur anywhere.
    pub(crate) known: f32,
    /// The share of the names among them that do; 1 if there are none.
    pub(crate) named: f32,
    /// Whether there may be more documents than the limit.
    pub(crate) is_full: bool,
}

/// Runs a search.
pub(crate) fn search(database: &Database, heads: &SegmentCache, spaces: &[Space], search: &Search<'_>) -> Result<Pool> {
    let read = |space: &Space| SpaceIndex::read(database, heads, *space, search.question);
    let parts = spaces.iter().map(read).collect::<Result<Vec<_>>>()?;
    if parts.iter().all(|part| part.head.docs.is_empty()) {
        return Ok(Pool::default());
    }
    let (terms, speaker) = without_names(&parts, &with_parts_of_unknown(&parts, search.question));
    let scores = Scores::of(&parts, &terms);
    let all: f32 = scores.rarities.iter().sum();
    let of_all = |bits: u64| {
        let held = scores.rarities.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|each| each.1);
        if all > 0.0 { held.sum::<f32>() / all } else { 0.0 }
    };
    let occurs = |at: usize| parts.iter().any(|part| !part.postings[at].is_empty());
    let known = (0..terms.len()).filter(|at| scores.rarities[*at] > 0.0 && occurs(*at));
    let anywhere = known.fold(0_u64, |bits, at| bits | 1 << at);
    let tables = Tables::of(search.sketch.len() * 8);
    let looking: Vec<PartScan<'_>> = (0..parts.len())
        .map(|at| {
            let marked = DocumentMarks::of(&parts[at], speaker);
            let agreements = parts[at].agreements(search.sketch);
            let bounds = Bounds::of(at, &parts[at], &scores, agreements, &tables, marked.most());
            PartScan { at, part: &parts[at], scores: &scores, marked, search, tables: &tables, bounds }
        })
        .collect();
    let mut best = TopK::new(search.limit);
    for MaxReach { most, part, stretch } in reaches(&looking) {
        if most >= best.threshold() {
            looking[part as usize].offer(stretch as usize, &mut best);
        }
    }
    let is_full = best.is_cut();
    let found = best.into_sorted().into_iter().map(|((_, Reverse((part, place))), _)| {
        let scan = &looking[part];
        let member = scan.part.head.docs[place as usize];
        let around = scan.part.head.around(place);
        SearchHit {
            space: scan.part.space,
            doc: member.doc,
            session: member.session,
            lexical: scores.own[part][place as usize],
            covered: of_all(around.fold(0, |bits, place| bits | scores.term_mask(scan.part, place))),
            signals: scan.signals(place),
        }
    });
    let names = || terms.iter().enumerate().filter(|(_, term)| term.is_name && term.weight > 0.0);
    let known_names = names().filter(|(at, _)| anywhere >> at & 1 == 1).count();
    let named = if names().count() == 0 { 1.0 } else { known_names as f32 / names().count() as f32 };
    Ok(Pool { found: found.collect(), known: of_all(anywhere), named, is_full })
}

/// The terms, with the parts of a compound in place of one that occurs nowhere, such as "test-related".
fn with_parts_of_unknown(parts: &[SpaceIndex], question: &Question) -> Vec<QueryTerm> {
    let mut terms = question.terms.clone();
    for compound in &question.compounds {
        if parts.iter().all(|part| part.postings[compound.whole].is_empty()) {
            terms[compound.whole].weight = 0.0;
            for at in &compound.parts {
                terms[*at].weight = 1.0;
            }
        }
    }
    terms
}

/// The terms without names of speakers, and the term of the only named speaker.
fn without_names(parts: &[SpaceIndex], terms: &[QueryTerm]) -> (Vec<QueryTerm>, Option<usize>) {
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

/// Which documents of a space carry which marks.
struct DocumentMarks<'a> {
    /// Only if the question names one speaker.
    speaker: Option<&'a FrequencyList>,
    asks: &'a FrequencyList,
    times: &'a FrequencyList,
}

impl<'a> DocumentMarks<'a> {
    /// Those of a space; `speaker` is the term that names one, if the question does.
    fn of(part: &'a SpaceIndex, speaker: Option<usize>) -> Self {
        Self { speaker: speaker.map(|term| &*part.speakers[term]), asks: &part.asks, times: &part.times }
    }

    /// The most that marks add to a score.
    fn most(&self) -> f32 {
        let weight_of = |places: &FrequencyList, weight: f32| if places.is_empty() { 0.0 } else { weight.max(0.0) };
        self.speaker.map_or(0.0, |places| weight_of(places, WEIGHTS.speaker))
            + weight_of(self.asks, WEIGHTS.asks)
            + weight_of(self.times, WEIGHTS.time)
    }
}

fn one_if(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// The upper bound of a range.
struct MaxReach {
    most: f32,
    part: u32,
    stretch: u32,
}

/// All ranges, those with the highest bounds first, so that the threshold rises early.
fn reaches(parts: &[PartScan<'_>]) -> Vec<MaxReach> {
    let mut reaches = Vec::with_capacity(parts.iter().map(|part| part.part.head.stretches.len()).sum());
    for (part, looking) in (0_u32..).zip(parts) {
        reaches.extend((0_u32..).zip(looking.bounds.stretches()).map(|(stretch, most)| MaxReach {
            most,
            part,
            stretch,
        }));
    }
    if reaches.len() > FIRST {
        reaches.select_nth_unstable_by(FIRST, |left, right| right.most.total_cmp(&left.most));
    }
    reaches
}

impl SpaceIndex {
    /// The number of agreeing bits of each document's sketch and the query's; empty if they can't be compared.
    fn agreements(&self, sketch: &[u8]) -> Vec<u16> {
        let has_sketches = !sketch.is_empty() && self.head.sketches.len() == self.head.docs.len() * sketch.len();
        if has_sketches { agreements(sketch, &self.head.sketches) } else { Vec::new() }
    }
}

/// The scan of a space.
struct PartScan<'a> {
    at: usize,
    part: &'a SpaceIndex,
    scores: &'a Scores,
    marked: DocumentMarks<'a>,
    search: &'a Search<'a>,
    tables: &'a Tables,
    bounds: Bounds<'a>,
}

/// The place of a document; ties of scores go to the newest document.
type Candidate = (Reverse<i64>, Reverse<(usize, u32)>);

impl PartScan<'_> {
    /// Offers the documents of a range that have a query term themselves or in their neighbours, or a similar sketch.
    fn offer(&self, stretch: usize, best: &mut TopK<Candidate>) {
        let Self { at, part, scores, search, bounds, .. } = self;
        let floor = (search.sketch.len() as f32 * 8.0 * MIN_AGREEMENT) as u16;
        let mut reaching = Vec::new();
        bounds.reaching(stretch, best.threshold(), &mut reaching);
        for place in reaching {
            let (spoken, member) = (place as u32, &part.head.docs[place]);
            let has_words = part.head.around(spoken).any(|near| scores.holds_any(*at, near));
            let is_alike = bounds.agreement(place).is_some_and(|agreeing| agreeing > floor);
            if (has_words || is_alike) && search.only.allows(part.space, member) {
                best.push((Reverse(member.doc), Reverse((*at, spoken))), self.signals(spoken).score());
            }
        }
    }

    /// All signals of a document, with the cosine that its sketch estimates.
    fn signals(&self, place: u32) -> Signals {
        let Self { part, marked, tables, bounds, .. } = self;
        let member = &part.head.docs[place as usize];
        Signals {
            meaning: bounds.agreement(place as usize).map_or(0.0, |agreeing| tables.cosine(agreeing)),
            speaker: one_if(marked.speaker.is_some_and(|marked| marked.contains(place))),
            length: tables.length(member.length),
            time: one_if(marked.times.contains(place)),
            asks: one_if(marked.asks.contains(place)),
            ..self.surroundings(member, place)
        }
    }

    /// The signals of a document's terms and those of its neighbours and session.
    fn surroundings(&self, member: &Member, spoken: u32) -> Signals {
        let words = |place| self.scores.words(self.at, place);
        if self.part.space.is_facts() {
            let (words, around) = (words(spoken), FACT_SURROUNDINGS * words(spoken));
            return Signals {
                words,
                session: words,
                before: around,
                after: around,
                long_before: around,
                long_after: around,
                fact: 1.0,
                ..Signals::default()
            };
        }
        let head = &*self.part.head;
        let (before, after) = (SpaceHead::step(spoken, &head.before), SpaceHead::step(spoken, &head.after));
        Signals {
            words: words(spoken),
            before: words(before),
            after: words(after),
            long_before: words(SpaceHead::step(before, &head.before)),
            long_after: words(SpaceHead::step(after, &head.after)),
            session: self.scores.session(member.session),
            ..Signals::default()
        }
    }
}
