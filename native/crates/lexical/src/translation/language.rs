//! Tells the language of a text: by its script, and among languages of one script by how usual its words are.

use super::format::{Dictionary, Language, Words};
use super::segment::{is_han, is_hangul, is_kana};

/// Twelve times minus the logarithm of the share of a word that a language does not have.
const UNKNOWN: u32 = 255;
/// How much likelier than English a language must be: 36 is 20 to 1.
const MARGIN: u32 = 36;

/// The language of `text`, whose words are `words`; `None` for English, and for what is not known.
pub(super) fn language_of<'d>(dictionary: &'d Dictionary, text: &str, words: &[String]) -> Option<&'d Language> {
    let by_code = |code: &str| dictionary.languages.iter().find(|language| language.words.code == code);
    let has = |is_of: fn(char) -> bool| text.chars().any(is_of);
    // Japanese mixes kana with Chinese characters, so its own letters decide.
    if has(is_kana) {
        return by_code("ja");
    }
    if has(is_hangul) {
        return by_code("ko");
    }
    if has(is_han) {
        return by_code("zh");
    }
    let english = rarity(&dictionary.english, words, u32::MAX)?.saturating_sub(MARGIN);
    let (mut least, mut likeliest) = (english, None);
    for language in &dictionary.languages {
        if let Some(rarity) = rarity(&language.words, words, least) {
            (least, likeliest) = (rarity, Some(language));
        }
    }
    likeliest
}

/// The rarities of all words together; `None` as soon as they reach `limit`.
fn rarity(known: &Words, words: &[String], limit: u32) -> Option<u32> {
    let rarity_of = |word: &String| known.find(word).map_or(UNKNOWN, |at| u32::from(known.rarity(at)));
    let is_low = |sum: &u32| *sum < limit;
    words.iter().try_fold(0, |sum, word| Some(sum + rarity_of(word)).filter(is_low)).filter(is_low)
}
