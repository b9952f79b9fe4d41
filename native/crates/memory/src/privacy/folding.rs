//! Reads a text character by character as a reader sees it: escapes decoded, forms of compatibility as plain letters, and
//! without characters that show nothing.

use unicode_normalization::UnicodeNormalization;

use super::look_alikes::look_alike;

/// Characters that are not shown: Unicode's property `Default_Ignorable_Code_Point`.
pub(super) fn is_ignorable(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a character may begin a `<` of any spelling.
pub(super) fn may_open(char: char) -> bool {
    matches!(char, '<' | '&' | '\\' | '%' | '＜' | '﹤') || angle(char) == Some('<')
}

/// An angle bracket of another form, as that of ASCII.
fn angle(char: char) -> Option<char> {
    match char {
        '‹' | '˂' | 'ᐸ' | '⟨' | '\u{2329}' | '〈' | '❬' | '❮' => Some('<'),
        '›' | '˃' | 'ᐳ' | '⟩' | '\u{232a}' | '〉' | '❭' | '❯' => Some('>'),
        _ => None,
    }
}

/// Names of characters in HTML, in any letter case.
const NAMED: [(&str, char); 12] = [
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("sol", '/'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("zerowidthspace", '\u{200b}'),
    ("lang", '⟨'),
    ("rang", '⟩'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
];

/// Up to this length a name also counts without its semicolon.
const SHORT_NAME: usize = 3;

/// The characters of a text from a place on, as they are seen.
#[derive(Clone)]
pub(super) struct Folded<'a> {
    text: &'a str,
    /// Where the next character begins.
    pub(super) at: usize,
}

impl<'a> Folded<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// The next character, also if it is not shown.
    pub(super) fn step(&mut self) -> Option<char> {
        let (char, len) = unescaped(&self.text[self.at..])?;
        self.at += len;
        Some(folded(char))
    }
}

impl Iterator for Folded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            let char = self.step()?;
            if !is_ignorable(char) {
                return Some(char);
            }
        }
    }
}

/// A letter of another form, or one that looks like it, as that of ASCII; and so angle brackets.
fn folded(char: char) -> char {
    if char.is_ascii() {
        return char;
    }
    if let Some(bracket) = angle(char) {
        return bracket;
    }
    let mut forms = std::iter::once(char).nfkc();
    match (forms.next(), forms.next()) {
        (Some(form), None) => look_alike(form).unwrap_or(form),
        _ => char,
    }
}

/// The first character and its length, with escapes decoded, also those of escapes: `&amp;lt;`.
fn unescaped(rest: &str) -> Option<(char, usize)> {
    let mut char = rest.chars().next()?;
    let mut len = char.len_utf8();
    while let Some((meant, more)) = escape(char, &rest[len..]) {
        char = meant;
        len += more;
    }
    Some((char, len))
}

/// The character that an escape of JSON, of a programming language, of HTML or of an address spells, and its length behind the
/// character that begins it.
fn escape(begin: char, rest: &str) -> Option<(char, usize)> {
    match (begin, rest.as_bytes().first()?) {
        ('\\', b'x') => Some((hexadecimal(rest.get(1..3)?)?, 3)),
        ('\\', b'U') => Some((hexadecimal(rest.get(1..9)?)?, 9)),
        ('\\', b'u') if rest[1..].starts_with('{') => {
            let (char, len) = number(&rest[2..], 16)?;
            rest[2 + len..].starts_with('}').then_some((char, len + 3))
        }
        ('\\' | '%', b'u') => Some((hexadecimal(rest.get(1..5)?)?, 5)),
        ('%', _) => Some((hexadecimal(rest.get(..2)?).filter(char::is_ascii)?, 2)),
        ('&', b'#') => {
            let (radix, start) = if rest[1..].starts_with(['x', 'X']) { (16, 2) } else { (10, 1) };
            let (char, len) = number(&rest[start..], radix)?;
            let end = start + len;
            Some((char, end + usize::from(rest[end..].starts_with(';'))))
        }
        ('&', _) => NAMED.iter().find_map(|(name, char)| {
            let len = name.len();
            let is_named = rest.get(..len)?.eq_ignore_ascii_case(name);
            let is_ended = rest[len..].starts_with(';');
            (is_named && (is_ended || len <= SHORT_NAME)).then_some((*char, len + usize::from(is_ended)))
        }),
        _ => None,
    }
}

fn hexadecimal(digits: &str) -> Option<char> {
    number(digits, 16).filter(|found| found.1 == digits.len()).map(|found| found.0)
}

/// The character of the number that a text begins with, and how many digits that has.
fn number(text: &str, radix: u32) -> Option<(char, usize)> {
    let len = text.find(|char: char| !char.is_digit(radix)).unwrap_or(text.len());
    let digits = text[..len].trim_start_matches('0');
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).map(|char| (char, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_seen() {
        for (text, seen) in [
            ("<a/>", "<a/>"),
            ("＜ａ／＞﹤b﹥", "<a/><b>"),
            ("<\u{200b}a\u{ad}\u{2060}b\u{fe0f}>", "<ab>"),
            (r"\u003ca\uff1e \u200bx", "<a> x"),
            ("&lt;a&GT;&#60;&#x3e;&amp;", "<a><>&"),
            ("&amp;lt;a&amp;amp;GT;&#38;lt;", "<a><"),
            (r"\x3ca\x3e\u{3c}\U0000003e\u0026lt;\\x3c", r"<a><><\<"),
            ("%3Ca%3e%253c%u003c", "<a><<"),
            ("&#0000000060;&#x000000003E;&#60 &lt &ltb", "<>< < <b"),
            ("‹a›〈b〉⟨c⟩❮d❯&lang;e&rsaquo;", "<a><b><c><d><e>"),
            ("a&zwnj;b&shy;c&ZeroWidthSpace;d", "abcd"),
            (
                r"&#; &#xg; &é &langX \xg0 \x+3 \u{3c \u{} 5%é% &#99999999999; \",
                r"&#; &#xg; &é &langX \xg0 \x+3 \u{3c \u{} 5%é% &#99999999999; \",
            ),
            ("𝐩𝓇ⓘ", "pri"),
            ("\\n \\u12 & é 日", "\\n \\u12 & é 日"),
        ] {
            assert_eq!(Folded::new(text, 0).collect::<String>(), seen, "{text}");
        }
    }
}
