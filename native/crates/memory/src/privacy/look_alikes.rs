//! Maps a character to what a reader sees: look-alike letters to Latin ones, and invisible characters to nothing.

use super::folding::is_ignorable;

/// Letters of other scripts that look like Latin ones, from Unicode's confusables (UTS #39), with their Latin twins.
const LOOK_ALIKES: &[(char, char)] = &[
    // Cyrillic
    ('а', 'a'),
    ('А', 'A'),
    ('В', 'B'),
    ('с', 'c'),
    ('С', 'C'),
    ('е', 'e'),
    ('Е', 'E'),
    ('һ', 'h'),
    ('Н', 'H'),
    ('і', 'i'),
    ('І', 'I'),
    ('ј', 'j'),
    ('Ј', 'J'),
    ('к', 'k'),
    ('К', 'K'),
    ('М', 'M'),
    ('о', 'o'),
    ('О', 'O'),
    ('р', 'p'),
    ('Р', 'P'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('Х', 'X'),
    ('у', 'y'),
    ('У', 'Y'),
    ('ѵ', 'v'),
    ('ԁ', 'd'),
    // Greek
    ('α', 'a'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('ϲ', 'c'),
    ('Ϲ', 'C'),
    ('Ε', 'E'),
    ('Η', 'H'),
    ('ι', 'i'),
    ('Ι', 'I'),
    ('ϳ', 'j'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('ν', 'v'),
    ('Ν', 'N'),
    ('ο', 'o'),
    ('Ο', 'O'),
    ('ρ', 'p'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('υ', 'u'),
    ('Υ', 'Y'),
    ('χ', 'x'),
    ('Χ', 'X'),
    ('Ζ', 'Z'),
    // Armenian, and Latin letters that are not those of ASCII
    ('օ', 'o'),
    ('ս', 'u'),
    ('հ', 'h'),
    ('ց', 'g'),
    ('ı', 'i'),
    ('ɑ', 'a'),
    ('ɡ', 'g'),
    ('ɩ', 'i'),
    ('ᴀ', 'a'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ᴋ', 'k'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ᴛ', 't'),
    ('ᴡ', 'w'),
];

/// What a reader sees of a character that is not seen as itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    As(char),
}

impl Shown {
    pub(super) fn char(self) -> Option<char> {
        match self {
            Self::Nothing => None,
            Self::As(char) => Some(char),
        }
    }
}

/// How a character is seen: invisible ones not at all, blanks, quotes and full-width forms as those of ASCII.
pub(super) fn symbol(char: char) -> Option<Shown> {
    let number = char as u32;
    let shown = match char {
        _ if is_ignorable(char) => return Some(Shown::Nothing),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '『' | '』' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' => '\'',
        '。' | '।' => '.',
        '、' => ',',
        // Full-width forms lie in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(number - 0xfee0)?,
        // Mathematical letters: alphabets of 26 capitals and 26 small letters; then digits.
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = ((number - 0x1d400) % 52) as u8;
            char::from(if letter < 26 { b'A' + letter } else { b'a' + letter - 26 })
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from(b'0' + ((number - 0x1d7ce) % 10) as u8),
        _ => return None,
    };
    Some(Shown::As(shown))
}

/// The Latin letter that a letter of another script looks like.
pub(super) fn look_alike(char: char) -> Option<char> {
    // The blocks of all of them: most letters of other scripts are none.
    if !matches!(char, '\u{251}'..='\u{29f}' | '\u{370}'..='\u{58f}' | '\u{1d00}'..='\u{1d2f}') {
        return None;
    }
    LOOK_ALIKES.iter().find(|pair| pair.0 == char).map(|pair| pair.1)
}
