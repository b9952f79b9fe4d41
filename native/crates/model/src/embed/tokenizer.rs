//! Splits text into lower-cased words: identifiers fall apart at case changes, digits and punctuation.
//!
//! `getHTTPServer2_name` gives `get http server 2 name`. One pass over the text; words are handed
//! out as slices of it, or of a buffer on the stack, so nothing is allocated per word. Numbers are
//! words; letters of scripts without spaces (Han, Kana, Hangul) are a word each. A word of more than
//! [`MAX_WORD_CHARS`] characters carries no meaning that a vector could hold (hashes, base64, runs
//! of padding) and is left out, as is one of more than [`MAX_WORD_BYTES`] bytes.
//!
//! Invariant: the words depend on the text alone, and splitting a text at white space and
//! tokenizing the parts gives the same words.

/// Longest word handed out, in characters.
pub const MAX_WORD_CHARS: usize = 24;
/// Longest word handed out, in bytes of UTF-8.
pub const MAX_WORD_BYTES: usize = 64;

/// The class of an ASCII byte; every byte of a longer character is [`Class::Wide`].
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

/// Calls `take` with each word of `text` in order until it returns `false`.
pub fn for_each_word(text: &str, mut take: impl FnMut(&str) -> bool) {
    let bytes = text.as_bytes();
    let class_at = |index: usize| bytes.get(index).map_or(Class::Other, |&byte| CLASSES[byte as usize]);
    let mut index = 0;
    while index < bytes.len() {
        if class_at(index) == Class::Other {
            index += 1;
            continue;
        }
        let start = index;
        let mut is_wide = false;
        while class_at(index) != Class::Other {
            is_wide |= class_at(index) == Class::Wide;
            index += 1;
        }
        let run = &text[start..index];
        if !(if is_wide { split_wide(run, &mut take) } else { split_ascii(run, &mut take) }) {
            return;
        }
    }
}

/// Splits a run of letters and digits of ASCII, where a word is a slice of the text unless it has
/// capitals. Returns whether more is wanted.
fn split_ascii(run: &str, take: &mut impl FnMut(&str) -> bool) -> bool {
    let bytes = run.as_bytes();
    let class_at = |index: usize| bytes.get(index).map_or(Class::Other, |&byte| CLASSES[byte as usize]);
    let mut start = 0;
    while start < bytes.len() {
        let class = class_at(start);
        let mut end = start + 1;
        while class_at(end) == class {
            end += 1;
        }
        let capitals = if class == Class::Upper { end - start } else { 0 };
        if class == Class::Upper && class_at(end) == Class::Lower {
            if capitals == 1 {
                while class_at(end) == Class::Lower {
                    end += 1;
                }
            } else {
                // The last capital of a run belongs to the word that follows: `HTTPServer` is `http server`.
                end -= 1;
            }
        }
        let word = &run[start..end];
        start = end;
        if word.len() > MAX_WORD_CHARS {
            continue;
        }
        let goes_on = if capitals == 0 {
            take(word)
        } else {
            let mut lower = [0; MAX_WORD_CHARS];
            for (lower, byte) in lower.iter_mut().zip(word.bytes()) {
                *lower = byte.to_ascii_lowercase();
            }
            take(std::str::from_utf8(&lower[..word.len()]).expect("invariant: letters of ASCII"))
        };
        if !goes_on {
            return false;
        }
    }
    true
}

/// The word being put together, lower-cased.
struct Word {
    bytes: [u8; MAX_WORD_BYTES],
    len: usize,
    chars: usize,
}

impl Word {
    fn push(&mut self, letter: char) {
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
        let len = std::mem::take(&mut self.len);
        self.chars = 0;
        if len == 0 || !fits {
            return true;
        }
        take(std::str::from_utf8(&self.bytes[..len]).expect("invariant: whole characters only are pushed"))
    }
}

/// Splits any text, character by character. Returns whether more is wanted.
fn split_wide(text: &str, take: &mut impl FnMut(&str) -> bool) -> bool {
    let mut word = Word { bytes: [0; MAX_WORD_BYTES], len: 0, chars: 0 };
    let mut previous = Class::Other;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let class = class_of(letter);
        let alone = is_alone(letter);
        let cut = match (previous, class) {
            (_, Class::Other)
            | (Class::Lower | Class::Digit, Class::Upper)
            | (Class::Lower | Class::Upper, Class::Digit)
            | (Class::Digit, Class::Lower) => true,
            (Class::Upper, Class::Upper) => letters.peek().is_some_and(|&next| class_of(next) == Class::Lower),
            _ => alone,
        };
        if cut && !word.end(take) {
            return false;
        }
        if class != Class::Other {
            word.push(letter);
        }
        previous = class;
        if alone {
            if !word.end(take) {
                return false;
            }
            previous = Class::Other;
        }
    }
    word.end(take)
}

/// The class of any character; letters without case count as lower.
fn class_of(letter: char) -> Class {
    if letter.is_ascii() {
        CLASSES[letter as usize]
    } else if letter.is_uppercase() {
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
        fn both_ways_of_splitting_agree_on_ascii(text in "[a-dA-D0-2_ ]{0,60}") {
            let mut general = Vec::new();
            split_wide(&text, &mut |word: &str| {
                general.push(word.to_owned());
                true
            });
            prop_assert_eq!(words(&text), general);
        }

        #[test]
        fn any_text_gives_short_words_that_a_space_never_changes(left in "\\PC{0,40}", right in "\\PC{0,40}") {
            let mut parts = words(&left);
            parts.extend(words(&right));
            prop_assert!(parts.iter().all(|word| !word.is_empty() && word.len() <= MAX_WORD_BYTES));
            prop_assert_eq!(words(&format!("{left} {right}")), parts);
        }
    }
}
