//! Estimates the probability that a candidate answers the query: a logistic model, independent of the other documents.
//!
//! A score compares the candidates of one query, and the best of bad candidates has a high one, too. The model's inputs
//! are the share of the query's terms that occur anywhere, the share that the candidate covers, and the cosine.

use super::signals::Signals;

/// The weights of the logistic model, fitted by `benches/memory/fit.py`.
const KNOWN: f32 = 1.49;
const NAMED: f32 = 0.68;
const COVERED: f32 = 1.3;
const MEANING: f32 = 0.55;
const SCORE: f32 = 0.41;
const BIAS: f32 = -7.24;
/// The weight of a likeness by a provider's vectors above the one below: an answer may share no word with the query.
const REMOTE_MEANING: f32 = 10.0;
/// See [`REMOTE_MEANING`].
const MIN_REMOTE_MEANING: f32 = 0.2;

/// The share of a query that occurs in the memory at all.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueryCoverage {
    /// The share of its words, weighted by rarity.
    pub(super) words: f32,
    /// The share of its names.
    pub(super) names: f32,
}

/// How likely a candidate answers, from 0 to 1; `is_remote` if its meaning was compared by a provider's vectors.
pub(super) fn evidence(known: QueryCoverage, covered: f32, signals: &Signals, is_remote: bool) -> f32 {
    // A recent document, or a fact, is no likelier to be the answer.
    let score = Signals { recent: 0.0, fact: 0.0, ..*signals }.score();
    let remote = if is_remote { (signals.meaning - MIN_REMOTE_MEANING).max(0.0) } else { 0.0 };
    let sum = BIAS
        + REMOTE_MEANING * remote
        + KNOWN * known.words
        + NAMED * known.names
        + COVERED * covered
        + MEANING * signals.meaning
        + SCORE * score;
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_evidence_is_never_less_likely() {
        let signals = Signals { words: 0.5, session: 0.5, length: 3.0, ..Signals::default() };
        let little = QueryCoverage { words: 0.3, names: 0.5 };
        let weak = evidence(little, 0.2, &signals, false);
        assert!(weak < evidence(QueryCoverage { words: 0.9, ..little }, 0.2, &signals, false));
        assert!(weak < evidence(QueryCoverage { names: 1.0, ..little }, 0.2, &signals, false));
        assert!(weak < evidence(little, 0.6, &signals, false));
        assert!(weak < evidence(little, 0.2, &Signals { words: 1.0, ..signals }, false));
        assert!((0.0..=1.0).contains(&weak));
    }
}
