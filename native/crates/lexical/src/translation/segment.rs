//! Splits a text into words: runs of letters in lower case. Chinese and Japanese put no spaces between words, so a run of
//! their characters is split where the words are likeliest together (a unigram model, by dynamic programming).

use super::format::Words;

/// The longest word of Chinese and Japanese that is tried, in characters.
const MAX_CHARS: usize = 12;
/// The rarity of a character that begins no known word.
const UNKNOWN: u32 = 300;

/// Chinese characters.
pub(super) fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '々')
}

/// Hiragana and katakana.
pub(super) fn is_kana(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}')
}

/// Letters of Chinese and Japanese, which put no spaces between words.
pub fn is_spaceless(letter: char) -> bool {
    is_han(letter) || is_kana(letter)
}

/// Syllables of Korean.
pub(super) fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7a3}')
}

/// The words of `text` in order; runs without spaces stay whole.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for run in text.split(|letter: char| !letter.is_alphabetic()).filter(|run| !run.is_empty()) {
        let mut start = 0;
        for (at, letter) in run.char_indices() {
            let before = run[..at].chars().next_back();
            if before.is_some_and(|before| is_spaceless(before) != is_spaceless(letter)) {
                found.push(run[start..at].to_lowercase());
                start = at;
            }
        }
        found.push(run[start..].to_lowercase());
    }
    found
}

/// The likeliest words of a run of Chinese or Japanese characters; each unknown character is a word of its own. A word
/// that several languages have is as rare as in the one that has it most.
///
/// From each character on, words are tried while a known one begins with the characters so far.
pub(super) fn split<'t>(known: &[&Words], run: &'t str) -> Vec<&'t str> {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    // By character: the rarity of the best words up to it, and where the last of them begins.
    let mut best: Vec<(u32, usize)> = vec![(u32::MAX, 0); starts.len()];
    best[0] = (0, 0);
    for start in 0..starts.len() - 1 {
        let before = best[start].0;
        let mut add = |end: usize, rarity: u32| best[end] = best[end].min((before + rarity, start));
        add(start + 1, UNKNOWN);
        for words in known {
            for end in start + 1..starts.len().min(start + 1 + MAX_CHARS) {
                let word = &run[starts[start]..starts[end]];
                match words.find(word) {
                    Ok(at) => add(end, words.rarity(at).into()),
                    Err(next) if next < words.len() && words.get(next).starts_with(word) => {}
                    Err(_) => break,
                }
            }
        }
    }
    let (mut found, mut end) = (Vec::new(), starts.len() - 1);
    while end > 0 {
        let start = best[end].1;
        found.push(&run[starts[start]..starts[end]]);
        end = start;
    }
    found.reverse();
    found
}
