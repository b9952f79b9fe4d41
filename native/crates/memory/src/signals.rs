//! What speaks for a document, and how much each of it weighs.

/// What speaks for a document. Words are measured against the best document's.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// The question's words in it.
    pub words: f32,
    /// Those in what was said before it, and after it, in the same session,
    pub before: f32,
    /// see `before`,
    pub after: f32,
    /// and one step further away.
    pub long_before: f32,
    /// See `long_before`.
    pub long_after: f32,
    /// The question's words in its whole session.
    pub session: f32,
    /// How alike the meanings are, from -1 to 1.
    pub meaning: f32,
    /// Whether it was said by the one whom the question names.
    pub speaker: f32,
    /// How much it says: the logarithm of its terms, up to some sixty.
    pub length: f32,
    /// Whether it names a time where the question asks for one.
    pub time: f32,
    /// Whether it is a question itself.
    pub asks: f32,
    /// How recent it is, from 0 to 1.
    pub recent: f32,
    /// Whether it is a fact, which somebody or something has found worth keeping.
    pub fact: f32,
}

impl Signals {
    /// All of them, in the order in which they are declared.
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

/// Fitted by `benches/memory/fit.py` on half of two public benchmarks; all but the last two, which have no part in them.
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
