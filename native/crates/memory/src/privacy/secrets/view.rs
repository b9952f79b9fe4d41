//! Makes a text readable for detectors: without colours, invisible characters, escapes, continuations and look-alike
//! letters.
//!
//! The detectors run over the view; [`View::original`] maps what they find back to bytes of the text. A view takes one
//! pass and time linear in the text; of plain ASCII without backslashes and ampersands it is the text itself.

use std::borrow::Cow;
use std::ops::Range;

use crate::privacy::look_alikes::{Shown, look_alike, symbol};

/// An operating system command (ECMA-48, `OSC`) longer than this is not taken for one.
const MAX_OSC_BYTES: usize = 2048;

/// Spellings of quotes and ampersands in HTML.
const ENTITIES: [(&str, char); 8] = [
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#x22;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&amp;", '&'),
    ("&nbsp;", ' '),
];

/// How the escape character itself is spelled in sources and in JSON.
const ESCAPES: [&str; 6] = ["\\x1b", "\\x1B", "\\033", "\\u001b", "\\u001B", "\\e"];

/// Where bytes of the view come from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    view: usize,
    original: Place,
    /// Whether the view has the same bytes as the text, one for one.
    is_copy: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
}

/// A text and its readable form.
pub(super) struct View<'a> {
    text: Cow<'a, str>,
    /// In order; empty if the view is the text itself.
    pieces: Vec<Piece>,
}

impl<'a> View<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if text.bytes().all(is_plain) {
            return Self { text: Cow::Borrowed(text), pieces: Vec::new() };
        }
        let mut made = Builder { source: text, view: String::with_capacity(text.len()), pieces: Vec::new() };
        made.build();
        Self { text: Cow::Owned(made.view), pieces: made.pieces }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the text that a span of the view shows.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        if self.pieces.is_empty() {
            return span.clone();
        }
        let first = self.piece_at(span.start);
        let last = self.piece_at(span.end.saturating_sub(1).max(span.start));
        let start = first.original.start + if first.is_copy { span.start - first.view } else { 0 };
        let end = if last.is_copy { last.original.start + (span.end - last.view) } else { last.original.end };
        start..end
    }

    fn piece_at(&self, at: usize) -> Piece {
        let after = self.pieces.partition_point(|piece| piece.view <= at);
        self.pieces[after.saturating_sub(1)]
    }
}

/// Bytes that the view copies as they are.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && !b"\x1b\\&`^".contains(&byte)
}

struct Builder<'a> {
    source: &'a str,
    view: String,
    pieces: Vec<Piece>,
}

impl Builder<'_> {
    fn build(&mut self) {
        let source = self.source;
        let bytes = source.as_bytes();
        // The word that was looked at last, and whether its letters are read as Latin ones.
        let mut word = (0, false);
        let (mut at, mut copied) = (0, 0);
        while at < bytes.len() {
            if is_plain(bytes[at]) {
                at += 1;
                continue;
            }
            let rest = &source[at..];
            let Some(char) = rest.chars().next() else { break };
            let shown = if char.is_ascii() {
                ascii_special(source, at)
            } else if let Some(shown) = symbol(char) {
                Some((char.len_utf8(), shown.char()))
            } else if let Some(latin) = look_alike(char) {
                if at >= word.0 {
                    word = (word_end(source, at), is_mixed(source, at));
                }
                word.1.then_some((char.len_utf8(), Some(latin)))
            } else {
                None
            };
            let Some((len, shown)) = shown else {
                at += char.len_utf8();
                continue;
            };
            self.copy(copied, at);
            if let Some(shown) = shown {
                let original = Place { start: at, end: at + len };
                self.pieces.push(Piece { view: self.view.len(), original, is_copy: false });
                self.view.push(shown);
            }
            at += len;
            copied = at;
        }
        self.copy(copied, bytes.len());
    }

    fn copy(&mut self, start: usize, end: usize) {
        if start < end {
            self.pieces.push(Piece { view: self.view.len(), original: Place { start, end }, is_copy: true });
            self.view.push_str(&self.source[start..end]);
        }
    }
}

/// What an escape, an entity or a continuation at `at` shows, and how long it is; `None` if it is none.
fn ascii_special(source: &str, at: usize) -> Option<(usize, Option<char>)> {
    let rest = &source[at..];
    match rest.as_bytes()[0] {
        b'\x1b' => Some((control_sequence(rest, 1), None)),
        b'&' => {
            ENTITIES.iter().find(|entity| rest.starts_with(entity.0)).map(|entity| (entity.0.len(), Some(entity.1)))
        }
        b'\\' => {
            if let Some(lead) =
                ESCAPES.iter().find(|lead| rest.starts_with(**lead) && rest[lead.len()..].starts_with('['))
            {
                return Some((control_sequence(rest, lead.len()), None));
            }
            line_break(&rest[1..]).map(|len| (1 + len, None)).or_else(|| escaped(rest))
        }
        // The continuations of PowerShell and of Windows' command interpreter.
        b'`' | b'^' if source[..at].ends_with(' ') => line_break(&rest[1..]).map(|len| (1 + len, None)),
        _ => None,
    }
}

fn line_break(rest: &str) -> Option<usize> {
    ["\n", "\r\n"].iter().find(|end| rest.starts_with(**end)).map(|end| end.len())
}

/// The length of a control sequence (ECMA-48) whose escape character has `lead` bytes.
fn control_sequence(rest: &str, lead: usize) -> usize {
    let bytes = &rest.as_bytes()[lead..];
    match bytes.first() {
        Some(b'[') => {
            let parameters = bytes[1..].iter().take(64).take_while(|byte| (0x20..0x40).contains(*byte)).count();
            let has_end = bytes.get(1 + parameters).is_some_and(|byte| (0x40..0x7f).contains(byte));
            lead + 1 + parameters + usize::from(has_end)
        }
        Some(b']') => {
            let window = &bytes[..bytes.len().min(MAX_OSC_BYTES)];
            let end = window.iter().position(|byte| *byte == 7 || *byte == 0x1b);
            // The terminator `ESC \` goes as a sequence of its own.
            end.map_or(lead + 1, |end| lead + end + usize::from(window[end] == 7))
        }
        Some(byte) if byte.is_ascii() && !byte.is_ascii_whitespace() => lead + 1,
        _ => lead,
    }
}

/// `\u0061`, `\x61`: a character by its number.
fn escaped(rest: &str) -> Option<(usize, Option<char>)> {
    let (lead, digits) = match rest.as_bytes().get(1)? {
        b'u' => (2, 4),
        b'x' => (2, 2),
        _ => return None,
    };
    let number = u32::from_str_radix(rest.get(lead..lead + digits)?, 16).ok()?;
    let char = char::from_u32(number).filter(|char| !char.is_control() || *char == '\n')?;
    let is_ascii = char.is_ascii();
    (is_ascii || digits == 4).then(|| match symbol(char) {
        Some(shown) => (lead + digits, shown.char()),
        None => (lead + digits, Some(char)),
    })
}

/// More of one word than this is not looked at.
const MAX_WORD_BYTES: usize = 256;

/// Short words of other scripts may have no other letters than look-alikes by chance.
const MIN_LOOK_ALIKES: usize = 5;

fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || symbol(char) == Some(Shown::Nothing)
}

fn word_end(source: &str, at: usize) -> usize {
    let window = &source[at..source.floor_char_boundary(at + MAX_WORD_BYTES)];
    window.find(|char| !is_word_char(char)).map_or(at + window.len(), |end| at + end)
}

/// Whether the word around `at` has Latin letters too, or no letter that is not a look-alike: a Russian or Greek word
/// has others.
fn is_mixed(source: &str, at: usize) -> bool {
    let before = &source[source.ceil_char_boundary(at.saturating_sub(MAX_WORD_BYTES))..at];
    let start = at - before.len()
        + before
            .rfind(|char| !is_word_char(char))
            .map_or(0, |end| end + before[end..].chars().next().map_or(1, char::len_utf8));
    let word = &source[start..word_end(source, at)];
    let mut letters = word.chars().filter(|char| char.is_alphabetic());
    word.chars().any(|char| char.is_ascii_alphabetic())
        || letters.clone().count() >= MIN_LOOK_ALIKES && letters.all(|char| look_alike(char).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        View::of(text).text().to_owned()
    }

    #[test]
    fn disguises_are_seen_through() {
        for (text, shown) in [
            ("\x1b[1;32mpass\x1b[0mword", "password"),
            (r"\033[1mpass\x1b[0mword\u001b[K", "password"),
            ("\x1b]8;;https://x\x07link\x1b]8;;\x1b\\", "link"),
            ("pa\u{200b}ss\u{ad}wo\u{2060}rd", "password"),
            ("ｐａｓｓ：１ 𝐩𝐚𝐬𝐬", "pass:1 pass"),
            ("pаsswоrd", "password"),
            ("a \\\n  b `\n c", "a   b  c"),
            (r"p\u0061ss\x22 &quot;x&quot;", "pass\" \"x\""),
            ("«a»\u{a0}“b”", "\"a\" \"b\""),
        ] {
            assert_eq!(seen(text), shown, "{text:?}");
        }
    }

    #[test]
    fn words_of_other_scripts_stay_words() {
        for text in ["пароль", "мой секрет", "ο κωδικός", "C:\\new", "a & b ^ c `d`", "密码"] {
            assert_eq!(seen(text), text);
        }
    }

    #[test]
    fn spans_lead_back_to_the_text() {
        let text = "\x1b[1mDB\u{200b}_P\x1b[0m=ｘyz\u{200b}!";
        let view = View::of(text);
        assert_eq!(view.text(), "DB_P=xyz!");
        assert_eq!(&text[view.original(&(5..8))], "ｘyz");
        assert_eq!(&text[view.original(&(0..4))], "DB\u{200b}_P");
        assert_eq!(&text[view.original(&(8..9))], "!");
    }

    proptest::proptest! {
        #[test]
        fn every_span_of_a_view_is_one_of_the_text(text in "([a-c \\\\`\n\x1b\\[;1mаопｐ\u{200b}é日]|\\\\u0061|&quot;){0,24}", from in 0usize..20, len in 1usize..9) {
            let view = View::of(&text);
            let (start, end) = (from.min(view.text().len()), (from + len).min(view.text().len()));
            if start < end && view.text().is_char_boundary(start) && view.text().is_char_boundary(end) {
                let span = view.original(&(start..end));
                proptest::prop_assert!(text.get(span).is_some());
            }
        }
    }
}
