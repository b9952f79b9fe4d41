//! Finds runs of bytes of one class, and occurrences of a literal.

/// Whether the byte belongs to what tokens are made of.
pub(super) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

/// The end of the run of bytes from `start` that `belongs` accepts.
pub(super) fn run_end(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[start..].iter().position(|byte| !belongs(*byte)).map_or(text.len(), |end| start + end)
}

/// Where each occurrence of `needle` begins.
pub(super) fn occurrences<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(needle).map(|found| found.0)
}
