//! Reads the JSON of hosts leniently, and writes JSON in ASCII.
//!
//! Hosts cut texts in the middle of a surrogate pair, and some put control characters into strings as they are. `serde_json`
//! refuses both, so a document that it refuses is repaired and read once more. Its limit of 128 nested values stays.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// What a lone half of a surrogate pair becomes.
const REPLACEMENT: char = '\u{fffd}';

/// Values that Python's `json` writes for numbers without a form in JSON.
const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The document in the input of a hook; a byte order mark before it is ignored, and what is no UTF-8 is replaced.
///
/// # Errors
/// If it is no JSON, also after a repair.
pub fn parse(raw: &[u8]) -> serde_json::Result<Value> {
    let text = String::from_utf8_lossy(raw);
    let text = text.trim_matches([' ', '\t', '\r', '\n', '\u{feff}']);
    serde_json::from_str(text).or_else(|error| match repaired(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

/// The text with lone surrogates replaced, control characters in strings escaped, and `null` for numbers that are none.
/// Borrowed if nothing had to change. One pass, O(N).
pub(crate) fn repaired(text: &str) -> Cow<'_, str> {
    let mut output = String::new();
    let (mut copied, mut at, mut is_string) = (0, 0, false);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let (length, replacement) = match byte {
            b'"' => {
                is_string = !is_string;
                (1, None)
            }
            b'\\' if is_string => escape(text, at),
            ..0x20 if is_string => (1, Some(Replacement::Escaped(byte))),
            b'N' | b'I' | b'-' if !is_string => no_number(&text[at..]),
            _ => (1, None),
        };
        if let Some(replacement) = replacement {
            output.push_str(&text[copied..at]);
            replacement.append_to(&mut output);
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    output.push_str(&text[copied..]);
    Cow::Owned(output)
}

/// The document as text in ASCII: programs that read it need not agree on an encoding.
pub fn ascii(value: &Value) -> String {
    let text = value.to_string();
    if text.is_ascii() {
        return text;
    }
    let mut output = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        if character.is_ascii() {
            output.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string can't fail.
            let _ = write!(output, "\\u{unit:04x}");
        }
    }
    output
}

/// What takes the place of something that `serde_json` refuses.
#[derive(Clone, Copy)]
enum Replacement {
    Escaped(u8),
    Character,
    Null,
}

impl Replacement {
    fn append_to(self, output: &mut String) {
        match self {
            Self::Escaped(byte) => {
                // Writing to a string can't fail.
                let _ = write!(output, "\\u{byte:04x}");
            }
            Self::Character => output.push(REPLACEMENT),
            Self::Null => output.push_str("null"),
        }
    }
}

/// The length of the escape at a backslash, and its replacement if it is a lone surrogate.
fn escape(text: &str, at: usize) -> (usize, Option<Replacement>) {
    let Some(first) = unit(text, at) else {
        // A backslash and what it escapes, which may be the quotation mark; at the end there is nothing.
        return (if text.is_char_boundary(at + 2) { 2 } else { 1 }, None);
    };
    match first {
        0xd800..=0xdbff if unit(text, at + 6).is_some_and(|next| (0xdc00..=0xdfff).contains(&next)) => (12, None),
        0xd800..=0xdfff => (6, Some(Replacement::Character)),
        _ => (6, None),
    }
}

/// The code unit of an escape `\uXXXX` at a place.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

fn no_number(text: &str) -> (usize, Option<Replacement>) {
    let found = NO_NUMBERS.iter().find(|name| text.starts_with(**name));
    found.map_or((1, None), |name| (name.len(), Some(Replacement::Null)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_that_a_host_damaged_are_read() {
        let read = |text: &str| parse(text.as_bytes()).unwrap();
        assert_eq!(read("\u{feff} {\"a\": 1}\r\n"), json!({"a": 1}));
        assert_eq!(
            read(r#"["a \ud800 b", "\udc00", "\ud83d\ude00", "\ud83dA"]"#),
            json!(["a \u{fffd} b", "\u{fffd}", "😀", "\u{fffd}A"])
        );
        assert_eq!(read("[\"a\tb\nc\u{0}\"]"), json!(["a\tb\nc\u{0}"]));
        assert_eq!(read(r#"["\\ud800", "\"\ud800"]"#), json!(["\\ud800", "\"\u{fffd}"]));
        assert_eq!(read(r#"[NaN, -Infinity, Infinity, -1, "NaN"]"#), json!([null, null, null, -1, "NaN"]));
        assert_eq!(parse(b"[\"\xff\"]").unwrap(), json!(["\u{fffd}"]));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let nested = "[".repeat(100_000);
        for text in ["", "{", "[1,]", "{} {}", "\"abc", "\"\\", "\"\\u12", "\"\\ud800", "Infinit", "\"\\é\"", &nested]
        {
            assert!(parse(text.as_bytes()).is_err(), "{text:.20}");
        }
    }

    #[test]
    fn ascii_is_the_same_document() {
        let value = json!({"text": "é 😀 \u{0} \"", "n": [1, null]});
        let text = ascii(&value);
        assert!(text.is_ascii());
        assert_eq!(parse(text.as_bytes()).unwrap(), value);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&raw);
        }

        #[test]
        fn what_is_json_is_not_changed(text in "[ -~é😀]{0,20}") {
            let document = Value::from(text).to_string();
            prop_assert!(matches!(repaired(&document), Cow::Borrowed(_)));
        }

        #[test]
        fn escapes_of_any_kind_can_be_read(parts in proptest::collection::vec(r"\\u[dD][89abcdefAB0-7][0-9a-f]{2}|[a-z\t\n]", 0..12)) {
            let document = format!("\"{}\"", parts.concat());
            prop_assert!(parse(document.as_bytes()).is_ok(), "{}", document);
        }
    }
}
