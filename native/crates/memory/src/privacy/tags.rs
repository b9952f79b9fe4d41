//! Interprets privacy tags, which a caller sets on an event as a whole.

/// Tags that keep an event from being stored at all.
const BLOCK: [&str; 4] = ["no_mem", "block", "skip", "secret_block"];
/// Tags that store it, but show it only to those who ask for private records.
const PRIVATE: [&str; 3] = ["private", "sensitive", "secret"];
/// Tags that lower the bar for what counts as a secret.
const REDACT: [&str; 4] = ["redact", "mask", "sensitive", "secret"];

/// What the tags of one event amount to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) is_blocked: bool,
    pub(crate) is_private: bool,
    pub(crate) is_strict: bool,
}

/// Reads privacy tags; `-` and `_` and letter case make no difference, unknown ones say nothing.
pub(crate) fn verdict(tags: &[String]) -> Verdict {
    let mut verdict = Verdict::default();
    for tag in tags {
        let tag = tag.trim().to_ascii_lowercase().replace('-', "_");
        let tag = tag.as_str();
        verdict.is_blocked |= BLOCK.contains(&tag);
        verdict.is_private |= PRIVATE.contains(&tag);
        verdict.is_strict |= REDACT.contains(&tag);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_add_up() {
        let of = |tags: &[&str]| verdict(&tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&[]), Verdict::default());
        assert!(of(&["No-Mem"]).is_blocked);
        assert_eq!(of(&["private"]), Verdict { is_private: true, ..Verdict::default() });
        assert_eq!(of(&["secret"]), Verdict { is_private: true, is_strict: true, ..Verdict::default() });
        assert_eq!(of(&["unknown"]), Verdict::default());
    }
}
