//! Defines the signals that documents are ranked by, and their weights.

/// The signals of a document. BM25 scores are divided by the highest of all documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// Its BM25.
    pub words: f32,
    /// The BM25 of the event before it in the session.
    pub before: f32,
    /// The BM25 of the event after it in the session.
    pub after: f32,
    /// The BM25 of the event two before it.
    pub long_before: f32,
    /// The BM25 of the event two after it.
    pub long_after: f32,
    /// The BM25 of its whole session.
    pub session: f32,
    /// The cosine to the query, from -1 to 1.
    pub meaning: f32,
    /// Whether its speaker is named by the query.
    pub speaker: f32,
    /// The logarithm of its number of terms, up to some sixty.
    pub length: f32,
    /// Whether it names a time and the query asks for one.
    pub time: f32,
    /// Whether it is a question itself.
    pub asks: f32,
    /// How recent it is, from 0 to 1.
    pub recent: f32,
    /// Whether it is a fact.
    pub fact: f32,
}

impl Signals {
    /// All signals, in the order of their declaration.
    pub fn values(&self) -> [f32; 13] {
        [
            self.words,
            self.before,
            self.after,
            self.long_before,
            self.long_after,
            self.session,
            self.meaning,
            self.speaker,
            self.length,
            self.time,
            self.asks,
            self.recent,
            self.fact,
        ]
    }

    /// The weighted sum.
    pub fn score(&self) -> f32 {
        self.values().iter().zip(WEIGHTS.values()).map(|(value, weight)| value * weight).sum()
    }
}

/// Fitted by `benches/memory/fit.py` on half of two public benchmarks; all but the last two, which have no part in
/// them.
pub(super) const WEIGHTS: Signals = Signals {
    words: 3.19,
    before: 1.63,
    after: 0.49,
    long_before: 1.09,
    long_after: 0.21,
    session: 2.36,
    meaning: 3.67,
    speaker: 2.69,
    length: 0.92,
    time: 2.04,
    asks: -0.71,
    recent: 0.4,
    fact: 0.5,
};
