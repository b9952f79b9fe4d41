//! How probably a newer statement ends an older one; only people know for sure.
//!
//! | file | content |
//! |---|---|
//! | `statement` | text → words in order |
//! | `features` | what one statement has in the place of words of the other → features |
//!
//! Two statements that differ by a negation, and in nothing else, contradict each other; one that only says more does not. What is
//! left has words in the place of others: a logistic model (`weights/contradictions.json`, fitted by
//! `benches/memory/contradictions`) tells another value of the same thing from the same value of another thing. Nothing here
//! knows a language but for the negations of English: how rare a word is, and what it means in English, is learnt
//! ([`codecairn_lexical::translation`]).

mod features;
mod statement;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codecairn_base::error::{Error, Result};
use codecairn_model::embed::{Embedder, STATIC, Scratch, builtin};

use self::features::{Comparison, FEATURES};
use self::statement::Statement;
use super::lexicon::Lexicon;
use super::logistic::Logistic;
use super::vector;

static MODEL: LazyLock<Logistic<{ FEATURES.len() }>> = LazyLock::new(|| {
    Logistic::read(include_str!("../../weights/contradictions.json"), FEATURES)
        .expect("invariant: a test reads the file")
});

/// From so much on a person is asked.
pub(super) const MIN_LIKELIHOOD: f32 = 0.58;
/// Statements that are less alike speak of different things.
pub(super) const MIN_COSINE: f32 = 0.4;
/// The share of their words that two statements have in common at least; more if a negation is all that differs.
const MIN_SHARED: f32 = 0.3;
const MIN_SHARED_NEGATION: f32 = 0.6;

/// Compares a statement with older ones.
pub(super) struct Comparer<'a> {
    model: &'a dyn Embedder,
    lexicon: Lexicon,
    scratch: Scratch,
    newer: Statement,
}

impl<'a> Comparer<'a> {
    pub(super) fn of(newer: &str, model: &'a dyn Embedder) -> Self {
        let (mut lexicon, mut scratch) = (Lexicon::default(), Scratch::default());
        let newer = Statement::of(newer, &mut lexicon, model, &mut scratch);
        Self { model, lexicon, scratch, newer }
    }

    /// The probability that the statement ends an older one; `cosine` is that of their vectors.
    pub(super) fn likelihood(&mut self, older: &str, cosine: f32) -> f32 {
        let older = Statement::of(older, &mut self.lexicon, self.model, &mut self.scratch);
        let comparison = Comparison::of(&self.lexicon, &self.newer, &older);
        let shared = comparison.shared_share();
        if comparison.is_swap() && shared >= MIN_SHARED && !comparison.is_of_another_number() {
            return MODEL.likelihood(&comparison.features(cosine));
        }
        let is_negation = self.newer.is_negated != older.is_negated && !comparison.is_swap();
        if is_negation && shared >= MIN_SHARED_NEGATION { 1.0 } else { 0.0 }
    }

    /// The features that the probability is computed from, by name; none unless words are swapped.
    pub(super) fn features(&mut self, older: &str, cosine: f32) -> BTreeMap<&'static str, f32> {
        let older = Statement::of(older, &mut self.lexicon, self.model, &mut self.scratch);
        let comparison = Comparison::of(&self.lexicon, &self.newer, &older);
        let values = comparison.is_swap().then(|| comparison.features(cosine));
        values.into_iter().flat_map(|values| FEATURES.into_iter().zip(values)).collect()
    }
}

/// The features of two statements by the built-in model, by name, to fit weights on.
pub fn contradiction_features(newer: &str, older: &str) -> Result<BTreeMap<&'static str, f32>> {
    let model = builtin(STATIC).ok_or_else(|| Error::InvalidArgument(format!("no model `{STATIC}`")))?;
    let cosine = vector::of_document(&*model, newer)?.cosine(&vector::of_document(&*model, older)?);
    Ok(Comparer::of(newer, &*model).features(older, cosine))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likelihood(newer: &str, older: &str) -> f32 {
        let model = builtin(STATIC).unwrap();
        let vector = |text: &str| vector::of_document(&*model, text).unwrap();
        let cosine = vector(newer).cosine(&vector(older));
        if cosine < MIN_COSINE { 0.0 } else { Comparer::of(newer, &*model).likelihood(older, cosine) }
    }

    #[test]
    fn another_value_and_a_negation_may_contradict() {
        for (newer, older) in [
            ("We use Redis for the queue", "We use Kafka for the queue"),
            ("Do not use tabs in Python files", "Use tabs in Python files"),
            ("The retry limit is five.", "the retry limit is three"),
            ("The database is PostgreSQL.", "The database is MySQL."),
            ("Indent with spaces.", "Indent with tabs."),
            ("The nightly job starts at 04:30 UTC.", "The nightly job starts at 02:00 UTC."),
            ("Generierte Dateien werden nicht eingecheckt.", "Generierte Dateien werden eingecheckt."),
            ("El límite de reintentos es cinco.", "El límite de reintentos es tres."),
            ("重试上限是五次。", "重试上限是三次。"),
        ] {
            let found = likelihood(newer, older);
            assert!(found >= MIN_LIKELIHOOD, "{newer}: {found}");
        }
    }

    #[test]
    fn the_same_of_another_thing_and_what_says_more_do_not_contradict() {
        for (newer, older) in [
            ("We deploy on Fridays", "The parser keeps comments"),
            ("Staging runs on Debian", "Production runs on Debian"),
            ("Worker 1 handles invoices", "Worker 2 handles invoices"),
            ("We use Redis for caching", "We use Redis for rate limiting"),
            ("The queue is Redis, on the second host in Frankfurt", "The queue is Redis"),
            ("The queue: we use Redis!", "We use Redis for the queue"),
            ("Redis 用于限流。", "Redis 用于缓存。"),
            ("", "The queue is Redis"),
        ] {
            let found = likelihood(newer, older);
            assert!(found < MIN_LIKELIHOOD, "{newer}: {found}");
        }
    }
}
