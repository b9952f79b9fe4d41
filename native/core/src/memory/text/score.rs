//! BM25 of documents and of whole sessions, in one pass over the postings of a question.

use super::parts::Part;
use super::question::Term;

/// BM25's letters.
const K1: f32 = 1.6;
const B: f32 = 0.75;

/// What the question's words say.
pub(super) struct Scores {
    /// For each part, BM25 of its documents.
    pub(super) own: Vec<Vec<f32>>,
    /// For each part, which terms (by bit) its documents hold.
    pub(super) held: Vec<Vec<u64>>,
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
            let holding: usize = parts.iter().map(|part| part.postings[at].len()).sum();
            term.weight * rarity(docs as f32, holding as f32)
        });
        let rarities: Vec<f32> = rarities.collect();
        let mut own: Vec<Vec<f32>> = Vec::with_capacity(parts.len());
        let mut held: Vec<Vec<u64>> = Vec::with_capacity(parts.len());
        let mut best = 0.0_f32;
        for part in parts {
            let members = &part.head.docs;
            let (mut scores, mut bits) = (vec![0.0_f32; members.len()], vec![0_u64; members.len()]);
            for (at, (rarity, posting)) in rarities.iter().zip(&part.postings).enumerate() {
                if *rarity > 0.0 {
                    for (place, count) in posting {
                        let (count, place) = (f32::from(*count), *place as usize);
                        scores[place] += rarity * saturated(count, members[place].length as f32 / average);
                        bits[place] |= 1 << at;
                    }
                }
            }
            best = scores.iter().copied().fold(best, f32::max);
            own.push(scores);
            held.push(bits);
        }
        let mut scores = Self { own, held, sessions: Vec::new(), first_session: 0, rarities, best, best_session: 0.0 };
        scores.add_sessions(parts, terms);
        scores
    }

    fn add_sessions(&mut self, parts: &[Part], terms: &[Term]) {
        let sessions = || parts.iter().flat_map(|part| part.head.docs.iter()).filter(|member| member.session > 0);
        let Some(first) = sessions().map(|member| member.session).min() else { return };
        let last = sessions().map(|member| member.session).max().unwrap_or(first);
        let mut lengths = vec![0.0_f32; (last - first) as usize + 1];
        for member in sessions() {
            lengths[(member.session - first) as usize] += member.length as f32;
        }
        let count = lengths.iter().filter(|length| **length > 0.0).count() as f32;
        let average = (lengths.iter().sum::<f32>() / count).max(1.0);
        let mut scores = vec![0.0_f32; lengths.len()];
        let mut counts = vec![0.0_f32; lengths.len()];
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.weight > 0.0) {
            for part in parts {
                for (place, occurrences) in &part.postings[at] {
                    let session = part.head.docs[*place as usize].session;
                    if session > 0 {
                        counts[(session - first) as usize] += f32::from(*occurrences);
                    }
                }
            }
            let holding = counts.iter().filter(|count| **count > 0.0).count() as f32;
            let rarity = term.weight * rarity(count, holding);
            for ((score, count), length) in scores.iter_mut().zip(&mut counts).zip(&lengths) {
                if *count > 0.0 {
                    *score += rarity * saturated(*count, length / average);
                    *count = 0.0;
                }
            }
        }
        self.best_session = scores.iter().copied().fold(0.0, f32::max);
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
}

fn share(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}

fn rarity(docs: f32, holding: f32) -> f32 {
    (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln()
}

fn saturated(count: f32, relative_length: f32) -> f32 {
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative_length))
}
