//! Detects seed phrases of wallets (BIP-39): 12 to 24 words of one of its ten lists.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use bitcoin_hashes::{Hash as _, sha256};
use unicode_normalization::UnicodeNormalization;

use super::runs::run_end;
use super::secret::Secret;

/// The fewest words of a phrase.
const MIN_WORDS: usize = 12;
const COUNTS: [usize; 5] = [12, 15, 18, 21, 24];

/// The bits of a word: its number in its list.
const WORD_BITS: usize = 11;

/// The lists, each with its words by number.
static LISTS: LazyLock<Vec<HashMap<&'static str, u16>>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/seed_words.txt"));
    text.lines().map(|list| list.split(' ').zip(0..).collect()).collect()
});

/// Finds runs of words that are separated by blanks, commas, quotes and numbers only.
///
/// Of a run of twelve words of a list every twelfth is one, so that a run is looked up there first. Runs as prose has
/// them, with words of one or two letters or points between, are not looked up at all.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() || !byte.is_ascii() {
            let end = word_end(text, at);
            let is_word = is_shaped(&text[at..end]);
            if is_word {
                run.push(at..end);
            } else {
                close(text, &mut run, found);
            }
            at = end;
        } else {
            // A number with a point or a bracket counts the words.
            let is_numbering =
                byte.is_ascii_digit() || b".):".contains(&byte) && at > 0 && bytes[at - 1].is_ascii_digit();
            if !is_numbering && !b" \t\n\r,\"'[]|".contains(&byte) {
                close(text, &mut run, found);
            }
            at += 1;
        }
    }
    close(text, &mut run, found);
}

fn word_end(text: &str, at: usize) -> usize {
    run_end(text, at, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii() || byte == b'_' || byte == b'-')
}

/// Whether a word may be one of a list: three letters and more in Latin scripts, all small or all capitals.
fn is_shaped(word: &str) -> bool {
    if word.is_ascii() {
        let bytes = word.as_bytes();
        return (3..=12).contains(&bytes.len())
            && (bytes.iter().all(u8::is_ascii_lowercase)
                || bytes.iter().all(u8::is_ascii_uppercase)
                || bytes[0].is_ascii_uppercase() && bytes[1..].iter().all(u8::is_ascii_lowercase));
    }
    // Letters, and the marks that decomposed letters have.
    word.len() <= 48
        && word.chars().all(|char| char.is_alphabetic() || unicode_normalization::char::is_combining_mark(char))
}

fn close(text: &str, run: &mut Vec<Range<usize>>, found: &mut Vec<Secret>) {
    if run.len() >= MIN_WORDS {
        phrases(text, run, found);
    }
    run.clear();
}

/// The lists that have a word, as bits.
fn lists_of(word: &str) -> u16 {
    let lower = word.to_lowercase();
    let key = if lower.is_ascii() { lower } else { lower.nfkd().collect() };
    LISTS.iter().enumerate().fold(0, |bits, (at, list)| bits | u16::from(list.contains_key(key.as_str())) << at)
}

fn phrases(text: &str, run: &[Range<usize>], found: &mut Vec<Secret>) {
    let mut from = 0;
    let mut probe = MIN_WORDS - 1;
    while probe < run.len() {
        let mut lists = lists_of(&text[run[probe].clone()]);
        let (mut first, mut last) = (probe, probe);
        while first > from && lists != 0 {
            let both = lists & lists_of(&text[run[first - 1].clone()]);
            if both == 0 {
                break;
            }
            lists = both;
            first -= 1;
        }
        while last + 1 < run.len() && lists != 0 {
            let both = lists & lists_of(&text[run[last + 1].clone()]);
            if both == 0 {
                break;
            }
            lists = both;
            last += 1;
        }
        if lists != 0 && last - first + 1 >= MIN_WORDS {
            let words = &run[first..=last];
            if is_phrase(text, words, lists) {
                found.push(Secret::new(words[0].start..words[words.len() - 1].end, "seed-phrase"));
            }
            from = last + 1;
        }
        probe = probe.max(last) + MIN_WORDS;
    }
}

/// Whether the words are as many as phrases have and their checksum holds, or they are in no order of a list, as the list
/// itself is.
fn is_phrase(text: &str, words: &[Range<usize>], lists: u16) -> bool {
    let plain: Vec<String> = words.iter().map(|word| text[word.clone()].to_lowercase().nfkd().collect()).collect();
    let is_sorted = plain.windows(2).filter(|pair| pair[0] < pair[1]).count() * 10 >= plain.len() * 9;
    let is_made = |count: usize, at: usize, list: &HashMap<&str, u16>| {
        let words = &plain[at..at + count];
        is_drawn(words) && has_checksum(list, words)
    };
    for list in LISTS.iter().enumerate().filter(|(bit, _)| lists >> bit & 1 == 1).map(|found| found.1) {
        for count in COUNTS.into_iter().filter(|count| *count <= plain.len()) {
            if (0..=(plain.len() - count).min(MIN_WORDS)).any(|at| is_made(count, at, list)) {
                return true;
            }
        }
    }
    !is_sorted && COUNTS.contains(&plain.len()) && is_drawn(&plain)
}

/// Whether words are of a list and their last bits, one for each three words, are the first ones of the SHA-256 of the others
/// (BIP-39, "Generating the mnemonic").
fn has_checksum(list: &HashMap<&str, u16>, words: &[String]) -> bool {
    let numbers: Option<Vec<u16>> = words.iter().map(|word| list.get(word.as_str()).copied()).collect();
    let Some(numbers) = numbers else { return false };
    let bits = numbers.iter().flat_map(|number| (0..WORD_BITS).rev().map(move |bit| number >> bit & 1 == 1));
    let bits: Vec<bool> = bits.collect();
    let (entropy, checksum) = bits.split_at(bits.len() - words.len() / 3);
    let byte = |bits: &[bool]| bits.iter().fold(0_u8, |byte, bit| byte << 1 | u8::from(*bit));
    let entropy: Vec<u8> = entropy.chunks_exact(8).map(byte).collect();
    sha256::Hash::hash(&entropy).as_byte_array()[0] >> (8 - checksum.len()) == byte(checksum)
}

/// Whether five of six words differ from the others. Of twelve that are drawn from 2,048 words, three repeat another one in
/// about one of 100,000 phrases (the birthday problem); of a word that is written over and over, one of sixteen stretches
/// has a checksum that holds.
fn is_drawn(words: &[String]) -> bool {
    let distinct: BTreeSet<&String> = words.iter().collect();
    distinct.len() * 6 >= words.len() * 5
}

#[cfg(test)]
mod tests {
    use bip39::{Language, Mnemonic};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_checksum_holds_where_the_standard_s_library_holds_it(
            entropy in prop::collection::vec(any::<u8>(), 32),
            count in prop::sample::select(&COUNTS[..]),
            at in 0..Language::ALL.len(),
            changed in any::<Option<prop::sample::Index>>(),
        ) {
            let language = Language::ALL[at];
            let made = Mnemonic::from_entropy_in(language, &entropy[..count * 4 / 3]).unwrap();
            let mut words: Vec<String> = made.words().map(str::to_owned).collect();
            if let Some(changed) = changed {
                let at = changed.index(words.len());
                words[at] = language.word_list()[usize::from(entropy[0])].to_owned();
            }
            let is_valid = Mnemonic::parse_in_normalized(language, &words.join(" ")).is_ok();
            prop_assert_eq!(has_checksum(&LISTS[at], &words), is_valid);
        }
    }
}
