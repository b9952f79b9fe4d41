//! Removes what must never be written from every text before anything is stored, spool files included.
//!
//! The order: what users mark as private, the middle of texts over 4 MiB, secrets, and what codecairn injected itself.
//! Afterwards long tool output is shortened ([`compact`]). Nothing here keeps what it removes.

mod compact;
mod folding;
mod injected;
mod look_alikes;
mod private;
mod secrets;
mod tags;

pub(crate) use compact::compact;
pub(crate) use private::REDACTED;
pub(crate) use tags::{Verdict, verdict};

/// Of a longer text the middle is dropped before secrets are searched for.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// What happens to a `<private>` that is never closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclosed {
    /// The rest of the text is private.
    Redact,
    /// It is text.
    Keep,
}

impl std::str::FromStr for Unclosed {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "redact" => Ok(Self::Redact),
            "keep" => Ok(Self::Keep),
            _ => Err(format!("unknown way with unclosed tags `{name}`: `redact` or `keep`")),
        }
    }
}

/// What was taken out of some texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Stretches that users marked as private.
    pub private: usize,
    /// Secrets.
    pub secrets: usize,
}

/// Cleans texts that belong together, in their order.
pub(crate) fn clean(texts: &mut [&mut String], unclosed: Unclosed, is_strict: bool) -> Removed {
    let mut removed = Removed { private: private::hide(texts, unclosed), secrets: 0 };
    for text in texts.iter_mut() {
        shorten(text);
        removed.secrets += secrets::redact(text, is_strict);
        if let Some(kept) = injected::strip(text) {
            **text = kept;
        }
    }
    removed
}

/// Cleans one text; for what a caller wants to see, and for short fields.
///
/// ```
/// use codecairn_memory::privacy::{Unclosed, cleaned};
///
/// assert_eq!(cleaned("a <private>b</private> c", Unclosed::Redact).0, "a [REDACTED] c");
/// ```
pub fn cleaned(text: &str, unclosed: Unclosed) -> (String, Removed) {
    let mut text = text.to_owned();
    let removed = clean(&mut [&mut text], unclosed, false);
    (text, removed)
}

/// Whether nothing but marks of what was taken out is left.
pub(crate) fn is_nothing(text: &str) -> bool {
    text.replace(REDACTED, "").trim().is_empty()
}

/// Drops the middle of a text that is too long, at ends of lines where there are any, else between words. A key block
/// that begins in what is dropped is dropped to its end, since the rest of it would no longer be recognised.
fn shorten(text: &mut String) {
    if text.len() <= MAX_TEXT_BYTES {
        return;
    }
    let half = MAX_TEXT_BYTES / 2;
    let head_end = text.floor_char_boundary(half);
    let head = text[..head_end].rfind('\n').or_else(|| text[..head_end].rfind(is_gap)).unwrap_or(head_end);
    let from = text.ceil_char_boundary(text.len() - half);
    let mut tail = text[from..].find('\n').or_else(|| text[from..].find(is_gap)).map_or(from, |at| from + at);
    if let Some(end) = text[tail..].find(KEY_END).filter(|end| !text[tail..tail + end].contains(KEY_START)) {
        let end = tail + end + KEY_END.len();
        tail = text[end..].find('\n').map_or(text.len(), |at| end + at);
    }
    text.replace_range(head..tail, "\n[… shortened …]");
}

/// The first characters of the lines around a key block (RFC 7468).
const KEY_START: &str = "-----BEGIN ";
const KEY_END: &str = "-----END ";

fn is_gap(char: char) -> bool {
    char.is_whitespace() || "\"',;".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_over_the_limit_keep_their_first_and_last_halves() {
        let mut whole = "x".repeat(MAX_TEXT_BYTES);
        shorten(&mut whole);
        assert_eq!(whole.len(), MAX_TEXT_BYTES);
        let mut longer = "x".repeat(MAX_TEXT_BYTES + 1);
        shorten(&mut longer);
        let half = "x".repeat(MAX_TEXT_BYTES / 2);
        assert!(longer == format!("{half}\n[… shortened …]{half}"), "{}", longer.len());
    }

    #[test]
    fn a_shortened_text_is_cut_at_line_breaks() {
        // Lines of ten bytes: the first half ends within line 209,715, the second begins within line 314,572.
        let mut text = (0..524_288).map(|line| format!("{line:09}\n")).collect::<Vec<_>>().concat();
        shorten(&mut text);
        let kept: Vec<&str> = text.lines().collect();
        assert_eq!(kept[209_714..209_717], ["000209714", "[… shortened …]", "000314573"]);
        assert_eq!((kept[0], kept.last().copied()), ("000000000", Some("000524287")));
        assert_eq!(kept.len(), 209_715 + 1 + 209_715);
    }

    #[test]
    fn a_shortened_line_is_cut_between_words() {
        let word = "0123456789abcdef,";
        let mut text = word.repeat(MAX_TEXT_BYTES / word.len() + 100);
        shorten(&mut text);
        let kept: Vec<&str> = text.split("\n[… shortened …]").collect();
        assert!(kept[0].ends_with(",0123456789abcdef"), "{}", &kept[0][kept[0].len() - 40..]);
        assert!(kept[1].starts_with(",0123456789abcdef,"), "{}", &kept[1][..40]);
    }

    #[test]
    fn what_begins_in_the_dropped_middle_does_not_survive_it() {
        let line = "x".repeat(63) + "\n";
        let filler = line.repeat(MAX_TEXT_BYTES / 2 / 64);
        let inside = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(16);
        for (start, end) in
            [("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n"), ("<private>", "</private>\n")]
        {
            // What is dropped ends in the middle of `inside`.
            let rest = &filler[..filler.len() - 64 * 8];
            let whole = format!("{filler}{start}{inside}{end}{rest}");
            let (kept, _) = cleaned(&whole, Unclosed::Redact);
            assert!(!kept.contains("MIIEvQIB"), "{start}");
            assert!(kept.ends_with(&line) && kept.starts_with(&line), "{start}");
            let (kept, _) = cleaned(&format!("{filler}{filler}{start}{inside}{end}{line}"), Unclosed::Redact);
            assert!(!kept.contains("MIIEvQIB") && kept.contains("REDACTED"), "{start}");
        }
    }

    #[test]
    fn a_text_of_marks_and_blanks_is_nothing() {
        for (text, expected) in [("", true), (" [REDACTED]\n[REDACTED] ", true), ("[REDACTED] x", false)] {
            assert_eq!(is_nothing(text), expected, "{text:?}");
        }
    }

    #[test]
    fn each_kind_of_removal_is_counted() {
        let text = "<private>a</private> password=hunter2x <private>b</private>\n<memory>\nold\n</memory> end";
        let (kept, removed) = cleaned(text, Unclosed::Redact);
        assert_eq!(kept, "[REDACTED] password=[REDACTED:password] [REDACTED]\n end");
        assert_eq!(removed, Removed { private: 2, secrets: 1 });
    }

    #[test]
    fn unclosed_tags_are_redacted_or_kept_by_name() {
        assert_eq!("redact".parse(), Ok(Unclosed::Redact));
        assert_eq!("keep".parse(), Ok(Unclosed::Keep));
        let error = "other".parse::<Unclosed>().unwrap_err();
        assert_eq!(error, "unknown way with unclosed tags `other`: `redact` or `keep`");
    }
}
