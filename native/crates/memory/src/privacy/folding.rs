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

/// Characters that may begin a `<` of any spelling.
pub(super) const OPENERS: [char; 5] = ['<', '&', '\\', '＜', '﹤'];

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
}

impl Iterator for Folded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.chars().next()?;
            let (char, len) = escaped(rest, plain).unwrap_or((plain, plain.len_utf8()));
            self.at += len;
            if !is_ignorable(char) {
                return Some(folded(char));
            }
        }
    }
}

/// A letter of another form, or one that looks like it, as that of ASCII.
fn folded(char: char) -> char {
    if char.is_ascii() {
        return char;
    }
    let mut forms = std::iter::once(char).nfkc();
    match (forms.next(), forms.next()) {
        (Some(form), None) => look_alike(form).unwrap_or(form),
        _ => char,
    }
}

/// The character that an escape of JSON or HTML spells, and its length.
fn escaped(rest: &str, first: char) -> Option<(char, usize)> {
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match first {
        '\\' => Some((number(rest.strip_prefix("\\u")?.get(..4)?, 16)?, 6)),
        '&' => {
            let window = &rest.as_bytes()[..rest.len().min(12)];
            let len = window.iter().position(|byte| *byte == b';')?;
            let name = rest[1..len].to_ascii_lowercase();
            let char = match name.as_str() {
                "lt" => '<',
                "gt" => '>',
                name => match name.strip_prefix("#x") {
                    Some(digits) => number(digits, 16)?,
                    None => number(name.strip_prefix('#')?, 10)?,
                },
            };
            Some((char, len + 1))
        }
        _ => None,
    }
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
            ("&lt;a&GT;&#60;&#x3e;&amp;", "<a><>&amp;"),
            ("𝐩𝓇ⓘ", "pri"),
            ("\\n \\u12 & é 日", "\\n \\u12 & é 日"),
        ] {
            assert_eq!(Folded::new(text, 0).collect::<String>(), seen, "{text}");
        }
    }
}
