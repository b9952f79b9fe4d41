//! The distinct words of texts that are compared, and how much any two of them mean the same.

use std::collections::HashMap;

use codecairn_lexical::analyzer::stem;
use codecairn_lexical::translation::{KnownWord, known_words};
use codecairn_model::embed::{Embedder, Scratch};

/// A word of a language weighs by how much rarer it is than this, in nats: "the" has 3, "file" 6.
const USUAL: f32 = 4.0;
/// Two words that begin alike are forms of one if they share so many letters, and this share of the longer one.
const MIN_SHARED: (usize, f32) = (4, 0.7);
/// What two forms of a word have in common.
const FORM: f32 = 0.9;
/// The rarity of a word that no language has.
const MAX_RARITY: f32 = 21.25;
/// Words of a sentence that count.
const MAX_WORDS: usize = 64;

/// A distinct word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// The word in lower case.
    pub(super) text: String,
    /// Its stem: equal stems are one word.
    key: String,
    /// How rare it is in its language; 0 for one that only joins or asks.
    pub(super) weight: f32,
    /// Whether it has a digit.
    pub(super) has_digit: bool,
    /// Whether no language that is known has it: a name.
    pub(super) is_name: bool,
    /// Its direction in the space of the built-in model; empty if the model does not know it.
    vector: Vec<f32>,
}

/// Distinct words, each by its number.
#[derive(Default)]
pub(super) struct Lexicon {
    pub(super) words: Vec<Word>,
    numbers: HashMap<String, usize>,
}

impl Lexicon {
    /// The distinct words of a sentence that weigh something, in order.
    pub(super) fn add(&mut self, sentence: &str, model: &dyn Embedder, scratch: &mut Scratch) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for known in known_words(sentence).into_iter().take(MAX_WORDS) {
            let number = self.number(known, model, scratch);
            if self.words[number].weight > 0.0 && !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }

    /// The number of a word, which is added if it is new.
    pub(super) fn number(&mut self, known: KnownWord, model: &dyn Embedder, scratch: &mut Scratch) -> usize {
        if let Some(number) = self.numbers.get(&known.text) {
            return *number;
        }
        let number = self.words.len();
        self.numbers.insert(known.text.clone(), number);
        self.words.push(word(known, model, scratch));
        number
    }

    /// How much two words mean the same, from 0 to 1.
    pub(super) fn likeness(&self, one: usize, other: usize) -> f32 {
        let (one, other) = (&self.words[one], &self.words[other]);
        if one.key == other.key {
            return 1.0;
        }
        // Numbers that look alike are different values.
        if one.has_digit || other.has_digit {
            return 0.0;
        }
        if is_form(&one.text, &other.text) {
            return FORM;
        }
        let cosine: f32 = one.vector.iter().zip(&other.vector).map(|(left, right)| left * right).sum();
        cosine.clamp(0.0, 1.0)
    }

    /// Whether two words are one: equal, or forms of it.
    pub(super) fn is_same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.words[one], &self.words[other]);
        one.key == other.key || !one.has_digit && !other.has_digit && is_form(&one.text, &other.text)
    }

    /// The cosine of the weighted sums of two sentences' words.
    pub(super) fn cosine(&self, one: &[usize], other: &[usize]) -> f32 {
        let (one, other) = (self.sum(one), self.sum(other));
        let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(left, right)| left * right).sum::<f32>();
        let norms = (dot(&one, &one) * dot(&other, &other)).sqrt();
        if norms > 0.0 { dot(&one, &other) / norms } else { 0.0 }
    }

    fn sum(&self, words: &[usize]) -> Vec<f32> {
        let mut sum = Vec::new();
        for word in words.iter().map(|word| &self.words[*word]) {
            sum.resize(sum.len().max(word.vector.len()), 0.0);
            for (total, value) in sum.iter_mut().zip(&word.vector) {
                *total += word.weight * value;
            }
        }
        sum
    }
}

fn word(known: KnownWord, model: &dyn Embedder, scratch: &mut Scratch) -> Word {
    let mut vector = Vec::new();
    let own = [known.text.as_str()];
    for text in if known.english.is_empty() { &own[..] } else { &known.english[..] } {
        let of_text = model.embed_query(text, scratch);
        vector.resize(of_text.len(), 0.0);
        vector.iter_mut().zip(of_text).for_each(|(sum, value)| *sum += value);
    }
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if norm == 0.0 {
        vector.clear();
    }
    for value in &mut vector {
        *value /= norm;
    }
    let is_known = known.rarity < MAX_RARITY || !known.english.is_empty();
    let weight = if known.is_stop_word { 0.0 } else { (known.rarity - USUAL).max(0.0) };
    Word {
        key: stem(&known.text).into_owned(),
        weight,
        has_digit: known.text.chars().any(|letter| letter.is_ascii_digit()),
        is_name: !is_known,
        vector,
        text: known.text,
    }
}

fn is_form(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    let longer = || one.chars().count().max(other.chars().count());
    shared >= MIN_SHARED.0 && shared as f32 >= MIN_SHARED.1 * longer() as f32
}

#[cfg(test)]
mod tests {
    use codecairn_model::embed::{STATIC, builtin};

    use super::*;

    fn likeness(one: &str, other: &str) -> f32 {
        let model = builtin(STATIC).unwrap();
        let mut lexicon = Lexicon::default();
        let mut scratch = Scratch::default();
        let one = lexicon.add(one, &*model, &mut scratch);
        let other = lexicon.add(other, &*model, &mut scratch);
        lexicon.likeness(one[0], other[0])
    }

    #[test]
    fn words_are_alike_by_stem_form_and_meaning() {
        let is = |found: f32, wanted: f32| (found - wanted).abs() < f32::EPSILON;
        assert!(is(likeness("deploys", "deploy"), 1.0));
        assert!(is(likeness("Konfiguration", "Konfigurationen"), FORM));
        assert!(likeness("delete", "remove") > likeness("delete", "tax"));
        assert!(is(likeness("8080", "8081"), 0.0));
    }

    #[test]
    fn stop_words_have_no_weight_in_any_language() {
        let model = builtin(STATIC).unwrap();
        let mut lexicon = Lexicon::default();
        let mut words = |text: &str| lexicon.add(text, &*model, &mut Scratch::default()).len();
        assert_eq!(words("which is it"), 0);
        assert_eq!(words("¿cuál es el puerto?"), 1);
    }
}
