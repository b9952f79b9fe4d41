//! What must never be written: taken out of every text before anything is stored, spool files included.
//!
//! The order: what users mark as private, then secrets, then what was injected by us. Afterwards long tool output is
//! made short ([`compact`]). Nothing here keeps what it removes.

mod compact;
mod injected;
mod private;
mod secrets;
mod tags;

pub(crate) use compact::compact;
pub(crate) use private::REDACTED;
pub(crate) use tags::{Verdict, verdict};

/// More of one text than this is not looked at: its middle is dropped before anything else happens.
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
    for text in texts.iter_mut() {
        shorten(text);
    }
    let mut removed = Removed { private: private::hide(texts, unclosed), secrets: 0 };
    for text in texts.iter_mut() {
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

/// Drops the middle of what is too long, at ends of lines, so that no secret is cut in two.
fn shorten(text: &mut String) {
    if text.len() <= MAX_TEXT_BYTES {
        return;
    }
    let half = MAX_TEXT_BYTES / 2;
    let head = text[..text.floor_char_boundary(half)].rfind('\n').unwrap_or_else(|| text.floor_char_boundary(half));
    let from = text.ceil_char_boundary(text.len() - half);
    let tail = text[from..].find('\n').map_or(from, |at| from + at);
    text.replace_range(head..tail, "\n[… shortened …]");
}
