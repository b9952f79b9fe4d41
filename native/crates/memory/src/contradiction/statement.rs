//! A statement as a sequence of tokens, each marked if it looks like a name, a number or a negation.

use codecairn_lexical::translation::{KnownWord, is_spaceless, known_words};
use codecairn_model::embed::{Embedder, Scratch};

use super::super::lexicon::Lexicon;
use super::super::similarity;

/// The first letter after those of the Latin alphabet: names of software stand out among such letters.
const AFTER_LATIN: char = '\u{370}';

/// A word of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// Its number in the lexicon.
    pub(super) word: usize,
    /// Whether it is written as names are: `PostgreSQL`, or Latin letters among others.
    pub(super) is_written_as_name: bool,
    /// Whether it begins with a digit.
    pub(super) is_number: bool,
    pub(super) is_negation: bool,
}

/// The words of a statement in order; an identifier is one word, and so is a time of day.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) tokens: Vec<Token>,
    pub(super) is_negated: bool,
}

impl Statement {
    pub(super) fn of(text: &str, lexicon: &mut Lexicon, model: &dyn Embedder, scratch: &mut Scratch) -> Self {
        let found = Found::all(text);
        let has_other_letters = text.chars().any(|letter| letter >= AFTER_LATIN && letter.is_alphabetic());
        let mut tokens = Vec::new();
        for found in found {
            let original = &found.original;
            let has_inner = original.chars().skip(1).any(char::is_uppercase);
            let is_capital = original.starts_with(char::is_uppercase) && found.start > 0;
            let is_foreign = has_other_letters && found.known.text.bytes().all(|byte| byte.is_ascii_alphabetic());
            tokens.push(Token {
                is_written_as_name: has_inner || is_capital || is_foreign,
                is_number: found.known.text.starts_with(|letter: char| letter.is_ascii_digit()),
                is_negation: found.is_negation,
                word: lexicon.number(found.known, model, scratch),
            });
        }
        let is_negated = similarity::Statement::of(text).is_negated() || tokens.iter().any(|token| token.is_negation);
        Self { tokens, is_negated }
    }
}

/// A word with its place in the text in bytes.
struct Found {
    known: KnownWord,
    original: String,
    is_negation: bool,
    start: usize,
    end: usize,
}

impl Found {
    /// The words of a text; parts that nothing separates are one.
    fn all(text: &str) -> Vec<Self> {
        let lower = text.to_lowercase();
        let original = |start: usize, end: usize| {
            let is_aligned = lower.len() == text.len();
            text.get(start..end).filter(|_| is_aligned).unwrap_or_default().to_owned()
        };
        let (mut all, mut from): (Vec<Self>, usize) = (Vec::new(), 0);
        for known in known_words(text) {
            let end_before = all.last().map_or(0, |before: &Self| before.end);
            let Some(start) = lower[from..].find(&known.text).map(|at| from + at) else { continue };
            let end = start + known.text.len();
            // The parts of Korean words overlap.
            from = if known.text.starts_with(is_hangul) { start } else { end };
            let is_negation = similarity::is_negation(known.english.first().copied().unwrap_or(&known.text));
            let gap = lower.get(end_before..start).unwrap_or_default();
            match all.last_mut() {
                Some(before) if before.goes_on_with(&known, gap) => {
                    before.end = before.end.max(end);
                    lower[before.start..before.end].clone_into(&mut before.known.text);
                    before.known.rarity = before.known.rarity.max(known.rarity);
                    if before.known.english.is_empty() {
                        before.known.english = known.english;
                    }
                    before.known.is_stop_word &= known.is_stop_word;
                    before.is_negation |= is_negation;
                    before.original = original(before.start, before.end);
                }
                _ => all.push(Self { known, original: original(start, end), is_negation, start, end }),
            }
        }
        all
    }

    fn goes_on_with(&self, next: &KnownWord, gap: &str) -> bool {
        let (last, first) = (self.known.text.chars().next_back(), next.text.chars().next());
        let (Some(last), Some(first)) = (last, first) else { return false };
        let is_time = last.is_ascii_digit() && first.is_ascii_digit() && matches!(gap, "." | ":" | ",");
        !is_spaceless(last)
            && !is_spaceless(first)
            && (is_time || gap.is_empty() && is_hangul(last) == is_hangul(first))
    }
}

pub(super) fn is_hangul(letter: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&letter)
}
