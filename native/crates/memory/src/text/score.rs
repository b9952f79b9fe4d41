//! Scores documents and whole sessions by BM25, in one pass over the postings of a query.

use codecairn_lexical::{Bm25, FrequencyList, average_length, idf};

use super::question::QueryTerm;
use super::space_index::{Member, SpaceIndex};

/// The BM25 scores of a query.
pub(super) struct Scores {
    /// For each space, BM25 of its documents.
    pub(super) own: Vec<Vec<f32>>,
    /// BM25 of each session, from [`Scores::first_session`] on.
    sessions: Vec<f32>,
    first_session: u32,
    /// How rare each term is, times its weight.
    pub(super) rarities: Vec<f32>,
    pub(super) best: f32,
    best_session: f32,
}

impl Scores {
    /// Scores all documents. Terms whose `weight` is 0 are passed over.
    pub(super) fn of(parts: &[SpaceIndex], terms: &[QueryTerm]) -> Self {
        let documents: usize = parts.iter().map(|part| part.head.docs.len()).sum();
        let average = average_length(parts.iter().map(|part| part.head.length).sum(), documents as u64);
        let rarities = terms.iter().enumerate().map(|(at, term)| {
            let holding: usize = parts.iter().map(|part| part.postings[at].len()).sum();
            term.weight * idf(documents, holding)
        });
        let rarities: Vec<f32> = rarities.collect();
        let own = parts.iter().map(|part| {
            let norm = |member: &Member| Bm25::REMARK.norm(member.length, average);
            let norms: Vec<f32> = part.head.docs.iter().map(norm).collect();
            let mut scores = vec![0.0_f32; norms.len()];
            for (rarity, list) in rarities.iter().zip(&part.postings).filter(|(rarity, _)| **rarity > 0.0) {
                Bm25::REMARK.accumulate_list(list, *rarity, &norms, &mut scores);
            }
            scores
        });
        let own: Vec<Vec<f32>> = own.collect();
        let best = own.iter().map(|scores| largest(scores)).fold(0.0, f32::max);
        let mut scores = Self { own, sessions: Vec::new(), first_session: 0, rarities, best, best_session: 0.0 };
        scores.add_sessions(parts, terms);
        scores
    }

    /// Scores sessions as documents that have the terms of all their events.
    fn add_sessions(&mut self, parts: &[SpaceIndex], terms: &[QueryTerm]) {
        let stretches =
            || parts.iter().flat_map(|part| part.head.stretches.iter()).filter(|stretch| stretch.session > 0);
        let Some(first) = stretches().map(|stretch| stretch.session).min() else { return };
        let last = stretches().map(|stretch| stretch.session).max().unwrap_or(first);
        let mut lengths = vec![0_u32; (last - first) as usize + 1];
        for stretch in stretches() {
            let length = &mut lengths[(stretch.session - first) as usize];
            *length = length.saturating_add(u32::try_from(stretch.length).unwrap_or(u32::MAX));
        }
        // Numbers of sessions without events are no documents.
        let sessions: Vec<usize> = (0..lengths.len()).filter(|at| lengths[*at] > 0).collect();
        let norms = Bm25::REMARK.norms(sessions.iter().map(|at| lengths[*at]));
        let mut scores = vec![0.0_f32; lengths.len()];
        let mut counts = vec![0_u32; lengths.len()];
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.weight > 0.0) {
            for part in parts.iter().filter(|part| !part.space.is_facts()) {
                count_in_sessions(part, at, first, &mut counts);
            }
            let holding = counts.iter().filter(|count| **count > 0).count();
            let rarity = term.weight * idf(sessions.len(), holding);
            for (session, norm) in sessions.iter().zip(&norms) {
                scores[*session] += Bm25::REMARK.weigh(rarity, counts[*session], *norm);
                counts[*session] = 0;
            }
        }
        self.best_session = largest(&scores);
        (self.sessions, self.first_session) = (scores, first);
    }

    /// A document's BM25 as a share of the best one's.
    pub(super) fn words(&self, part: usize, place: u32) -> f32 {
        self.own[part].get(place as usize).map_or(0.0, |score| share(*score, self.best))
    }

    /// The same for a session.
    pub(super) fn session(&self, session: u32) -> f32 {
        let score = session.checked_sub(self.first_session).and_then(|at| self.sessions.get(at as usize));
        share(score.copied().unwrap_or(0.0), self.best_session)
    }

    /// Which terms, by bit, a document holds.
    pub(super) fn term_mask(&self, part: &SpaceIndex, place: u32) -> u64 {
        let terms = self.rarities.iter().zip(&part.postings).enumerate();
        terms
            .filter(|(_, (rarity, places))| **rarity > 0.0 && places.contains(place))
            .fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// Whether a document holds any.
    pub(super) fn holds_any(&self, part: usize, place: u32) -> bool {
        self.own[part][place as usize] > 0.0
    }
}

/// Adds how often a space's sessions, from `first` on, hold a term.
fn count_in_sessions(part: &SpaceIndex, term: usize, first: u32, counts: &mut [u32]) {
    match &*part.postings[term] {
        FrequencyList::Sparse(list) => {
            for (place, occurrences) in list {
                let session = part.head.docs[*place as usize].session;
                if session > 0 {
                    counts[(session - first) as usize] += u32::from(*occurrences);
                }
            }
        }
        FrequencyList::Dense { column, .. } => {
            for stretch in part.head.stretches.iter().filter(|stretch| stretch.session > 0) {
                let held: u32 = column[stretch.start..stretch.end].iter().map(|count| u32::from(*count)).sum();
                counts[(stretch.session - first) as usize] += held;
            }
        }
    }
}

/// The largest of some numbers, none of which is less than zero.
pub(super) fn largest(numbers: &[f32]) -> f32 {
    const LANES: usize = 8;
    let larger = |left: f32, right: f32| if left > right { left } else { right };
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let lanes = chunks
        .iter()
        .fold([0.0; LANES], |lanes: [f32; LANES], chunk| std::array::from_fn(|at| larger(lanes[at], chunk[at])));
    lanes.iter().chain(rest).copied().fold(0.0, larger)
}

fn share(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}
