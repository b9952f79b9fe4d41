//! Splits a text into words, each with how rare it is in its language and the English words that it stands for.

use super::super::analyzer::{for_each_part, is_stop_word};
use super::format::{Dictionary, Language, Words};
use super::{DICTIONARY, MAX_BYTES, language, lookup, segment};

/// Twelve times minus the natural logarithm of the share of a word that a language does not have.
const UNKNOWN: u8 = 255;
/// The unit of rarities in the file of the dictionary.
const PER_NAT: f32 = 12.0;

/// A word of a text in a language.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownWord {
    /// The word in lower case; of an identifier a part.
    pub text: String,
    /// Minus the natural logarithm of its share of the language's words, at most 21.25: "the" has some 3.
    pub rarity: f32,
    /// The English words that it stands for; none if it is English, or in no language that is known.
    pub english: Vec<&'static str>,
    /// Whether it only joins or asks: a stop word, in whichever language.
    pub is_stop_word: bool,
}

/// The words of `text` in order, with numbers and the parts of identifiers.
///
/// ```
/// use codecairn_lexical::translation::known_words;
///
/// let words = known_words("el puerto de retry_limit es 8080");
/// let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
/// assert_eq!(texts, ["el", "puerto", "de", "retry", "limit", "es", "8080"]);
/// assert_eq!(words[1].english[0], "port");
/// assert!(words[0].is_stop_word && words[0].rarity < words[1].rarity);
/// ```
pub fn known_words(text: &str) -> Vec<KnownWord> {
    let dictionary: &Dictionary = &DICTIONARY;
    let beginning = &text[..text.floor_char_boundary(MAX_BYTES)];
    let language = language::language_of(dictionary, beginning, &segment::words(beginning));
    let mut found = Vec::new();
    let mut add = |word: &str| found.push(known_word(dictionary, language, word));
    for (run, is_spaceless) in runs(text) {
        if is_spaceless {
            let words = language.map_or(&dictionary.english, |language| &language.words);
            segment::split(&[words], run).into_iter().for_each(&mut add);
        } else {
            for_each_part(run, &mut add);
        }
    }
    found
}

fn known_word(dictionary: &Dictionary, language: Option<&Language>, word: &str) -> KnownWord {
    let rarity_in = |words: &Words| words.find(word).map_or(UNKNOWN, |at| words.rarity(at));
    let own = language.map_or(UNKNOWN, |language| rarity_in(&language.words));
    // Talk about code in any language has English words in it.
    let rarity = f32::from(own.min(rarity_in(&dictionary.english))) / PER_NAT;
    let english = match language {
        Some(language) if word.chars().all(char::is_alphabetic) => lookup::meanings(dictionary, language, word),
        _ => Vec::new(),
    };
    let is_stop_word = is_stop_word(english.first().copied().unwrap_or(word));
    KnownWord { text: word.to_owned(), rarity, english, is_stop_word }
}

/// The runs of a text that put no spaces between words, and the others.
fn runs(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|before| segment::is_spaceless(before) != segment::is_spaceless(letter)) {
            found.push(&text[start..at]);
            start = at;
        }
    }
    found.push(&text[start..]);
    let is_spaceless = |run: &str| run.starts_with(segment::is_spaceless);
    found.into_iter().map(|run| (run, is_spaceless(run))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        known_words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_of_each_script_are_told_apart() {
        assert_eq!(texts("默认缓存大小是512"), ["默认", "缓存", "大小", "是", "512"]);
        assert_eq!(texts("Redisの設定を変更"), ["redis", "の", "設定", "を", "変更"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("?! …"), [""; 0]);
    }

    #[test]
    fn common_words_are_less_rare_than_names() {
        let words = known_words("where does the kestrelix service keep the file");
        let rarity = |text: &str| words.iter().find(|word| word.text == text).unwrap().rarity;
        assert!(rarity("the") < rarity("file") && rarity("file") < rarity("kestrelix"));
        let is_stop_word = |text: &str| words.iter().find(|word| word.text == text).unwrap().is_stop_word;
        assert!(is_stop_word("where") && !is_stop_word("file"));
    }
}
