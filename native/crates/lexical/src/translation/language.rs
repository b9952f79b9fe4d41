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
    let english = rarity(&dictionary.english, words).saturating_sub(MARGIN);
    let others = dictionary.languages.iter().map(|language| (rarity(&language.words, words), language));
    let (least, language) = others.min_by_key(|other| other.0)?;
    (least < english).then_some(language)
}

/// The rarities of all words together.
fn rarity(known: &Words, words: &[String]) -> u32 {
    words.iter().map(|word| known.find(word).map_or(UNKNOWN, |at| u32::from(known.rarity(at)))).sum()
}
