//! Splits text into words, runs of letters, digits and underscores, in one pass with a table of byte classes.

use super::{MAX_TERM_BYTES, cut};

/// A word longer than this is data (a key, an image in base64), not a name: it is cut at once.
const MAX_WORD_BYTES: usize = 160;

const SEPARATOR: u8 = 0;
const LETTER: u8 = 1;
const JOINER: u8 = 2;
const NOT_ASCII: u8 = 3;

/// The class of each byte in a word: letters, joiners (digits, underscore), separators.
const CLASS: [u8; 256] = {
    let mut classes = [SEPARATOR; 256];
    let mut byte = 0usize;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' | b'_' => JOINER,
            0x80.. => NOT_ASCII,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    classes
};

/// Calls `emit` with each word of `text` in order. A word is either free of Chinese, Japanese and
/// Korean characters or made of nothing else.
pub(crate) fn for_each_word<'a>(text: &'a str, mut emit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(SEPARATOR, |&byte| CLASS[byte as usize]);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        loop {
            match class(at) {
                LETTER | JOINER => at += 1,
                NOT_ASCII => match next_char(text, at) {
                    Some(char) if is_word(char) && !is_cjk(char) => at += char.len_utf8(),
                    _ => break,
                },
                _ => {
                    let joins = at > start
                        && bytes.get(at) == Some(&b'-')
                        && class(at - 1) == LETTER
                        && class(at + 1) == LETTER;
                    if !joins {
                        break;
                    }
                    at += 1;
                }
            }
        }
        if at > start {
            let word = &text[start..at];
            emit(if word.len() > MAX_WORD_BYTES { cut(word, MAX_TERM_BYTES) } else { word });
            continue;
        }
        let Some(char) = next_char(text, at) else { break };
        if is_cjk(char) {
            let end =
                text[at..].char_indices().find(|(_, char)| !is_cjk(*char)).map_or(text.len(), |found| at + found.0);
            emit(&text[at..end]);
            at = end;
        } else {
            at += char.len_utf8();
        }
    }
}

fn next_char(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

/// Letters and digits of any script; combining accents belong to their letter.
fn is_word(char: char) -> bool {
    char.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&char)
}

/// Scripts that are written without spaces between words and get pairs of characters instead
/// (Unicode blocks of Han, kana and Hangul, with their half-width forms).
pub(super) fn is_cjk(char: char) -> bool {
    matches!(char,
        '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// The letters of Japanese endings and particles.
pub(super) fn is_hiragana(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        words
    }

    #[test]
    fn punctuation_separates_and_underscores_join() {
        assert_eq!(words("self._parse(a+b, 0xFF)->x;"), ["self", "_parse", "a", "b", "0xFF", "x"]);
        assert_eq!(words(""), Vec::<&str>::new());
        assert_eq!(words(" \n\t--- "), Vec::<&str>::new());
    }

    #[test]
    fn a_hyphen_joins_letters_only() {
        assert_eq!(words("--dry-run x-1 2-y end- -x a--b"), ["dry-run", "x", "1", "2", "y", "end", "x", "a", "b"]);
    }

    #[test]
    fn other_scripts_are_words_and_cjk_stands_alone() {
        assert_eq!(words("naïve Größe, привет"), ["naïve", "Größe", "привет"]);
        assert_eq!(words("日本語text検索 → x"), ["日本語", "text", "検索", "x"]);
        assert_eq!(words("日本語"), ["日本語"]);
    }

    #[test]
    fn data_is_cut() {
        let blob = "é".repeat(500);
        assert_eq!(words(&blob), ["é".repeat(32)]);
    }
}
