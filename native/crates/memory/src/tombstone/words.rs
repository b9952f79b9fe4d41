//! Reads a text as normalised words, so that a statement is known again whatever its case, punctuation, line breaks and
//! form of Unicode.
//!
//! A word is a run of letters and digits after NFKC and case folding. Scripts without blanks have a word for each
//! character. Signs that tell values apart are words too (`=`, `%`, a minus before a digit), or a part of one (`C++`).

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A word with its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its normalised form.
    pub(super) form: String,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte after it.
    pub(super) end: usize,
    /// Whether a sentence, a line or a quotation begins before it.
    pub(super) begins: bool,
}

impl Word {
    /// About how much it says, in letters: a character of a script without blanks counts as three.
    pub(super) fn letters(&self) -> usize {
        self.form.chars().map(|letter| if is_unspaced(letter) { 3 } else { 1 }).sum()
    }
}

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    /// A letter of a script without blanks.
    Unspaced,
    /// A mark or an invisible sign, which belongs to what is before it.
    Joined,
    /// A sign that belongs to the word before it.
    Suffix,
    /// A sign that is a word.
    Sign,
    Gap {
        is_end: bool,
    },
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut begins = true;
    let mut open: Option<usize> = None;
    let mut before = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let next = letters.peek().map_or(' ', |next| next.1);
        let class = class(letter, before, next, open.is_some());
        if !matches!(class, Class::Letter | Class::Joined | Class::Suffix)
            && let Some(start) = open.take()
        {
            push(&mut found, text, start, at, &mut begins);
        }
        match class {
            Class::Letter => {
                open.get_or_insert(at);
            }
            Class::Unspaced | Class::Sign => push(&mut found, text, at, end, &mut begins),
            Class::Joined | Class::Suffix => {}
            Class::Gap { is_end } => begins |= is_end,
        }
        before = letter;
    }
    if let Some(start) = open {
        push(&mut found, text, start, text.len(), &mut begins);
    }
    found
}

/// Whether a text ends with its last word cut off, and so with an ellipsis.
pub(super) fn is_cut(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('…') || rest.starts_with("...")
}

fn push(found: &mut Vec<Word>, text: &str, start: usize, end: usize, begins: &mut bool) {
    let form: String = text[start..end]
        .nfkc()
        .filter(|letter| !is_invisible(*letter))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    if !form.is_empty() {
        found.push(Word { form, start, end, begins: std::mem::take(begins) });
    }
}

fn class(letter: char, before: char, next: char, is_open: bool) -> Class {
    if letter.is_ascii_alphanumeric() {
        return Class::Letter;
    }
    if is_invisible(letter) {
        return Class::Joined;
    }
    if is_unspaced(letter) {
        return Class::Unspaced;
    }
    if letter.is_alphanumeric() {
        return Class::Letter;
    }
    if is_combining_mark(letter) {
        return Class::Joined;
    }
    let plain = [letter].into_iter().nfkc().next().unwrap_or(letter);
    match plain {
        '+' | '#' if is_open => Class::Suffix,
        '=' | '<' | '>' | '≠' | '≤' | '≥' | '%' | '€' | '$' | '£' | '¥' | '°' => Class::Sign,
        '!' if next == '=' => Class::Sign,
        '-' | '−' if next.is_numeric() && (before.is_whitespace() || before == '(') => Class::Sign,
        _ => Class::Gap { is_end: is_end(letter, before, next) },
    }
}

/// Whether a sentence, a line or a quotation ends or begins with a character.
fn is_end(letter: char, before: char, next: char) -> bool {
    match letter {
        // An apostrophe stands within a word, and so does the stop of a number or a name.
        '\'' | '’' => !(before.is_alphanumeric() && next.is_alphanumeric()),
        '.' | ':' | '?' | '!' => !next.is_alphanumeric(),
        _ => "\n\r…。！？；;：\"“”„«»‹›‘`>|[]{}()*_~•".contains(letter),
    }
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{180e}' | '\u{34f}' | '\u{61c}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a script is written without blanks between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> String {
        words(text).into_iter().map(|word| word.form).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ways_to_write_a_statement_have_the_same_words() {
        let plain = forms("The MatrixOne port is 6001, that's a rule.");
        for other in [
            "the matrixone PORT is 6001 — that’s a rule!",
            "**The MatrixOne port**\n  is `6001`; that's a rule",
            "Ｔｈｅ ＭａｔｒｉｘＯｎｅ port is ６００１, that's a rule。",
            "The Ma\u{200b}trixOne port\u{a0}is 6001, that's a ru\u{ad}le",
        ] {
            assert_eq!(forms(other), plain, "{other}");
        }
        assert_eq!(forms("Straße Über"), forms("STRASSE U\u{308}BER"));
        assert_eq!(forms("端口是6001。"), "端 口 是 6001");
        assert_eq!(forms("कि ताब"), forms("कि, ताब"));
    }

    #[test]
    fn values_that_differ_in_a_sign_differ() {
        for (left, right) in [
            ("use C++", "use C"),
            ("use C#", "use C"),
            ("x = y", "x != y"),
            ("x < y", "x > y"),
            ("at 5 %", "at 5 €"),
            ("is -5", "is 5"),
            ("don't use it", "do use it"),
        ] {
            assert_ne!(forms(left), forms(right), "{left}");
        }
    }

    #[test]
    fn sentences_lines_and_quotations_begin() {
        let found = words("One two. Three: \"four five\" v1.2, it's\n- six");
        let begins: Vec<&str> = found.iter().filter(|word| word.begins).map(|word| word.form.as_str()).collect();
        assert_eq!(begins, ["one", "three", "four", "v1", "six"]);
        assert!(is_cut("… more") && is_cut("...") && !is_cut(". More"));
    }

    #[test]
    fn anything_has_words_within_it() {
        for text in ["", "…", "\u{301}", "\u{200b}", "a\u{301}\u{200b}", "👍 ok", "+", "İ ŉ ß"] {
            for word in words(text) {
                assert!(text.get(word.start..word.end).is_some(), "{text:?}");
            }
        }
    }
}
