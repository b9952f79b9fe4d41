//! Finds the meanings of a word: by itself, by a known word that begins alike, or by two words that it is made of.

use std::cmp::Reverse;

use super::format::{Dictionary, Language, Words};
use super::segment::is_hangul;

/// A form that is not known has the meanings of one that begins with so many of its letters and this share of them, with
/// few after. Endings of Korean are long, and its words short.
const MIN_SHARED: (usize, f32) = (4, 0.6);
const MIN_SHARED_HANGUL: (usize, f32) = (2, 0.4);
const MAX_ENDING: usize = 3;
/// The parts of a word that is made of two, in letters, and the letters that may join them.
const MIN_PART: usize = 4;
const MAX_JOINT: usize = 2;

/// The English words that `word` stands for.
pub(super) fn meanings(dictionary: &Dictionary, language: &Language, word: &str) -> Vec<&'static str> {
    let texts = |word: usize| language.meanings(word).map(|meaning| dictionary.english.get(meaning));
    let next = match language.words.find(word) {
        Ok(word) => return texts(word).collect(),
        Err(next) => next,
    };
    // What is English already needs no translation.
    if dictionary.english.find(word).is_ok() {
        return Vec::new();
    }
    match form(&language.words, word, next) {
        Some(form) => texts(form).collect(),
        None => parts(&language.words, word).into_iter().flatten().filter_map(|part| texts(part).next()).collect(),
    }
}

/// The known word that has most of a word's beginning; `next` is where the word would be.
fn form(known: &Words, word: &str, next: usize) -> Option<usize> {
    let (min_shared, min_share) = if word.starts_with(is_hangul) { MIN_SHARED_HANGUL } else { MIN_SHARED };
    let letters = word.chars().count();
    let ends = word.char_indices().rev().take(letters.saturating_sub(min_shared));
    let beginning = ends.map(|(end, _)| end).find_map(|end| known.find(&word[..end]).ok());
    let neighbours = [beginning, next.checked_sub(1), (next < known.len()).then_some(next)];
    neighbours
        .into_iter()
        .flatten()
        .filter_map(|at| {
            let shared = shared(known.get(at), word);
            let ending = known.get(at).chars().count() - shared;
            let is_form = shared >= min_shared && shared as f32 >= min_share * letters as f32 && ending <= MAX_ENDING;
            is_form.then_some((shared, Reverse(ending), at))
        })
        .max()
        .map(|(.., at)| at)
}

/// The letters that two words begin with.
fn shared(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// The two known words that a word is made of, the first as long as possible.
fn parts(known: &Words, word: &str) -> Option<[usize; 2]> {
    let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let last = starts.len().checked_sub(MIN_PART)?;
    (MIN_PART..=last).rev().find_map(|end| {
        let first = known.find(&word[..starts[end]]).ok()?;
        let rest = (end..=(end + MAX_JOINT).min(last)).find_map(|at| known.find(&word[starts[at]..]).ok());
        Some([first, rest?])
    })
}
