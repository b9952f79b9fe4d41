//! Texts in the way that hosts' payloads need: blanks, lines and lengths in characters.

/// Whether a character separates words: white space of Unicode, and the four separators of ASCII.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// The text without blanks at its ends.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// The words of a text, as blanks separate them.
pub(crate) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(is_blank).filter(|word| !word.is_empty())
}

/// The lines of a text, without their ends: every line and page separator of Unicode ends one.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some((end, mark)) = rest.char_indices().find(|(_, character)| ends_line(*character)) else {
            return Some(std::mem::take(&mut rest));
        };
        let line = &rest[..end];
        let next = end + if rest[end..].starts_with("\r\n") { 2 } else { mark.len_utf8() };
        rest = &rest[next..];
        Some(line)
    })
}

/// The first `count` characters of a text.
pub(crate) fn head(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// The last `count` characters of a text.
pub(crate) fn tail(text: &str, count: usize) -> &str {
    let Some(last) = count.checked_sub(1) else { return "" };
    text.char_indices().nth_back(last).map_or(text, |(start, _)| &text[start..])
}

/// How many characters a text has.
pub(crate) fn count(text: &str) -> usize {
    text.chars().count()
}

fn ends_line(character: char) -> bool {
    matches!(character, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_separator_ends_a_line_and_the_last_one_opens_none() {
        let found: Vec<&str> = lines("a\r\nb\rc\u{b}d\u{2028}e\u{85}\nf\n").collect();
        assert_eq!(found, ["a", "b", "c", "d", "e", "", "f"]);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("\n").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn lengths_are_in_characters() {
        assert_eq!((head("äöü", 2), tail("äöü", 2), count("äöü")), ("äö", "öü", 3));
        assert_eq!((head("ä", 5), tail("ä", 5), tail("ä", 0)), ("ä", "ä", ""));
    }

    #[test]
    fn words_are_between_blanks() {
        assert_eq!(words(" a\u{1c}b\u{a0}c ").collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(trimmed("\u{1f} a b\u{3000}"), "a b");
    }
}
