//! Text to lower-cased words: identifiers fall apart at case changes, digits and punctuation.
//!
//! `getHTTPServer2_name` gives `get http server 2 name`. One pass over the text; words are handed
//! out of one reused buffer, so nothing is allocated per word. Numbers are words; letters of scripts
//! without spaces between words (Han, Kana, Hangul) are a word each. A word of more than
//! [`MAX_WORD_CHARS`] characters carries no meaning that a vector could hold (hashes, base64, runs
//! of padding) and is left out, as is one of more than [`MAX_WORD_BYTES`] bytes.
//!
//! Invariant: the words depend on the text alone, and splitting a text at white space and
//! tokenizing the parts gives the same words.

/// Longest word handed out, in characters.
pub const MAX_WORD_CHARS: usize = 24;
/// Longest word handed out, in bytes of UTF-8.
pub const MAX_WORD_BYTES: usize = 64;

/// What a byte of ASCII is to a word; every byte of a longer character is [`Class::Wide`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Lower,
    Upper,
    Digit,
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0x80.. => Class::Wide,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// The word being put together, lower-cased.
struct Word {
    bytes: [u8; MAX_WORD_BYTES],
    len: usize,
    chars: usize,
}

impl Word {
    fn push(&mut self, byte: u8) {
        if self.len < MAX_WORD_BYTES {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
        self.chars += 1;
    }

    fn push_char(&mut self, letter: char) {
        for lower in letter.to_lowercase() {
            let end = self.len + lower.len_utf8();
            if end <= MAX_WORD_BYTES {
                lower.encode_utf8(&mut self.bytes[self.len..end]);
            }
            self.len = end;
            self.chars += 1;
        }
    }

    fn end(&mut self, take: &mut impl FnMut(&str) -> bool) -> bool {
        let fits = self.len <= MAX_WORD_BYTES && self.chars <= MAX_WORD_CHARS;
        let (len, _) = (std::mem::take(&mut self.len), std::mem::take(&mut self.chars));
        if len == 0 || !fits {
            return true;
        }
        take(std::str::from_utf8(&self.bytes[..len]).expect("invariant: whole characters only are pushed"))
    }
}

/// Calls `take` with each word of `text` in order until it returns `false`.
pub fn for_each_word(text: &str, mut take: impl FnMut(&str) -> bool) {
    let bytes = text.as_bytes();
    let mut word = Word { bytes: [0; MAX_WORD_BYTES], len: 0, chars: 0 };
    let mut previous = Class::Other;
    let mut index = 0;
    while index < bytes.len() {
        let byte = bytes[index];
        let mut class = CLASSES[byte as usize];
        let mut letter = '\0';
        let mut width = 1;
        let mut alone = false;
        if class == Class::Wide {
            letter = char_at(text, index);
            width = letter.len_utf8();
            alone = is_alone(letter);
            class = class_of(letter);
        }
        let cut = match (previous, class) {
            (_, Class::Other)
            | (Class::Lower | Class::Digit, Class::Upper)
            | (Class::Lower | Class::Upper, Class::Digit)
            | (Class::Digit, Class::Lower) => true,
            // The last capital of a run belongs to the word that follows: `HTTPServer` is `http server`.
            (Class::Upper, Class::Upper) => next_is_lower(text, index + width),
            _ => alone,
        };
        if cut && word.len > 0 && !word.end(&mut take) {
            return;
        }
        match (class, width) {
            (Class::Other, _) => {}
            (_, 1) => word.push(byte.to_ascii_lowercase()),
            _ => word.push_char(letter),
        }
        previous = class;
        if alone {
            if !word.end(&mut take) {
                return;
            }
            previous = Class::Other;
        }
        index += width;
    }
    word.end(&mut take);
}

fn char_at(text: &str, index: usize) -> char {
    text[index..].chars().next().expect("invariant: a wide byte starts a character wherever a step ends")
}

fn next_is_lower(text: &str, index: usize) -> bool {
    match text.as_bytes().get(index).map(|&byte| CLASSES[byte as usize]) {
        Some(Class::Wide) => class_of(char_at(text, index)) == Class::Lower,
        class => class == Some(Class::Lower),
    }
}

/// The class of a character beyond ASCII; letters without case count as lower.
fn class_of(letter: char) -> Class {
    if letter.is_uppercase() {
        Class::Upper
    } else if letter.is_numeric() {
        Class::Digit
    } else if letter.is_alphabetic() {
        Class::Lower
    } else {
        Class::Other
    }
}

/// Whether a letter of this script is a word of its own (Hangul, Kana, Han).
fn is_alone(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
        && letter.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| {
            words.push(word.to_owned());
            true
        });
        words
    }

    #[test]
    fn identifiers_fall_apart_at_case_digits_and_punctuation() {
        let check = |text: &str, expected: &str| assert_eq!(words(text).join(" "), expected, "{text}");
        check("getUserById2", "get user by id 2");
        check("HTTPServer", "http server");
        check("parseHTML5Doc", "parse html 5 doc");
        check("snake_case::kebab-case", "snake case kebab case");
        check("MAX_SIZE = 0xFF;", "max size 0 x ff");
        check("XMLHttpRequest2", "xml http request 2");
        check("sha256sum iOS", "sha 256 sum i os");
        check("fn f(a: A) {}", "fn f a a");
        check("", "");
    }

    #[test]
    fn letters_beyond_ascii_join_words() {
        assert_eq!(
            words("Größe straßeÄnderung ПриветМир naïve"),
            ["größe", "straße", "änderung", "привет", "мир", "naïve"]
        );
        assert_eq!(words("日本語text"), ["日", "本", "語", "text"]);
        assert_eq!(words("a→b …"), ["a", "b"]);
    }

    #[test]
    fn overlong_words_are_left_out() {
        assert_eq!(words(&format!("before {} after", "x".repeat(25))), ["before", "after"]);
        assert_eq!(words(&"x".repeat(24)).len(), 1);
        assert_eq!(words(&format!("before {} after", "𝔘".repeat(17))), ["before", "after"]);
    }

    #[test]
    fn taking_stops_when_asked() {
        let mut seen = 0;
        for_each_word("a b c d", |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }

    proptest! {
        #[test]
        fn any_text_gives_short_words_that_a_space_never_changes(left in "\\PC{0,40}", right in "\\PC{0,40}") {
            let mut parts = words(&left);
            parts.extend(words(&right));
            prop_assert!(parts.iter().all(|word| !word.is_empty() && word.len() <= MAX_WORD_BYTES));
            prop_assert_eq!(words(&format!("{left} {right}")), parts);
        }
    }
}
