//! Scores documents and whole sessions by BM25, in one pass over the postings of a query.

use super::document_frequencies::DocumentFrequencies;
use super::index_parts::Part;
use super::question::Term;

/// BM25's letters.
const K1: f32 = 1.6;
const B: f32 = 0.75;

/// The BM25 scores of a query.
pub(super) struct Scores {
    /// For each part, BM25 of its documents.
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
    pub(super) fn of(parts: &[Part], terms: &[Term]) -> Self {
        let docs: usize = parts.iter().map(|part| part.head.docs.len()).sum();
        let length: u64 = parts.iter().map(|part| part.length).sum();
        let average = (length as f32 / docs.max(1) as f32).max(1.0);
        let rarities = terms.iter().enumerate().map(|(at, term)| {
            let holding: usize = parts.iter().map(|part| part.postings[at].docs()).sum();
            term.weight * rarity(docs as f32, holding as f32)
        });
        let rarities: Vec<f32> = rarities.collect();
        let own: Vec<Vec<f32>> = parts.iter().map(|part| own_scores(part, &rarities, average)).collect();
        let best = own.iter().map(|scores| largest(scores)).fold(0.0, f32::max);
        let mut scores = Self { own, sessions: Vec::new(), first_session: 0, rarities, best, best_session: 0.0 };
        scores.add_sessions(parts, terms);
        scores
    }

    fn add_sessions(&mut self, parts: &[Part], terms: &[Term]) {
        let stretches =
            || parts.iter().flat_map(|part| part.head.stretches.iter()).filter(|stretch| stretch.session > 0);
        let Some(first) = stretches().map(|stretch| stretch.session).min() else { return };
        let last = stretches().map(|stretch| stretch.session).max().unwrap_or(first);
        let mut lengths = vec![0.0_f32; (last - first) as usize + 1];
        for stretch in stretches() {
            lengths[(stretch.session - first) as usize] += stretch.length as f32;
        }
        let count = lengths.iter().filter(|length| **length > 0.0).count() as f32;
        let average = (lengths.iter().sum::<f32>() / count).max(1.0);
        let norms: Vec<f32> = lengths.iter().map(|length| norm(length / average)).collect();
        let mut scores = vec![0.0_f32; lengths.len()];
        let mut counts = vec![0.0_f32; lengths.len()];
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.weight > 0.0) {
            for part in parts.iter().filter(|part| !part.space.is_facts()) {
                count_in_sessions(part, at, first, &mut counts);
            }
            let holding = counts.iter().filter(|count| **count > 0.0).count() as f32;
            let rarity = term.weight * rarity(count, holding);
            for ((score, count), norm) in scores.iter_mut().zip(&mut counts).zip(&norms) {
                *score += rarity * saturated(*count, *norm);
                *count = 0.0;
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
    pub(super) fn term_mask(&self, part: &Part, place: u32) -> u64 {
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

/// BM25 of a part's documents.
fn own_scores(part: &Part, rarities: &[f32], average: f32) -> Vec<f32> {
    let norms: Vec<f32> = part.head.docs.iter().map(|member| norm(member.length as f32 / average)).collect();
    let mut scores = vec![0.0_f32; norms.len()];
    for (rarity, places) in rarities.iter().zip(&part.postings).filter(|(rarity, _)| **rarity > 0.0) {
        add(places, *rarity, &norms, &mut scores);
    }
    scores
}

/// Adds the contribution of a term to each document.
fn add(places: &DocumentFrequencies, rarity: f32, norms: &[f32], scores: &mut [f32]) {
    match places {
        DocumentFrequencies::Listed(places) => {
            for (place, count) in places {
                let place = *place as usize;
                scores[place] += rarity * saturated(f32::from(*count), norms[place]);
            }
        }
        DocumentFrequencies::Counted { counts, .. } => {
            // Adding nothing where a document does not hold the term is faster than asking whether it does.
            for ((score, count), norm) in scores.iter_mut().zip(counts).zip(norms) {
                *score += rarity * saturated(f32::from(*count), *norm);
            }
        }
    }
}

/// Adds how often a part's sessions, from `first` on, hold a term.
fn count_in_sessions(part: &Part, term: usize, first: u32, counts: &mut [f32]) {
    match &*part.postings[term] {
        DocumentFrequencies::Listed(places) => {
            for (place, occurrences) in places {
                let session = part.head.docs[*place as usize].session;
                if session > 0 {
                    counts[(session - first) as usize] += f32::from(*occurrences);
                }
            }
        }
        DocumentFrequencies::Counted { counts: occurrences, .. } => {
            for stretch in part.head.stretches.iter().filter(|stretch| stretch.session > 0) {
                let held: u32 = occurrences[stretch.start..stretch.end].iter().map(|count| u32::from(*count)).sum();
                counts[(stretch.session - first) as usize] += held as f32;
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

fn rarity(docs: f32, holding: f32) -> f32 {
    (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln()
}

/// The length norm of a text.
fn norm(relative_length: f32) -> f32 {
    K1 * (1.0 - B + B * relative_length)
}

fn saturated(count: f32, norm: f32) -> f32 {
    count * (K1 + 1.0) / (count + norm)
}
