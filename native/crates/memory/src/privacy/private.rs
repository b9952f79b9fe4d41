//! Hides `<private>…</private>`: what a user wrote for the moment and not for the record.
//!
//! In doubt something is private: an opening without an end hides the rest of its text, an end without an opening
//! hides what comes before it, and what a nested end leaves open stays hidden. Tags count in any letter case, with
//! attributes, inside code blocks, as the escapes that JSON, HTML and addresses make of their characters, in full-width and
//! other forms of its letters and brackets, and with characters in it that show nothing. The one exception is a mention: a tag alone
//! between backticks names the tag.

use std::ops::Range;

use super::Unclosed;
use super::folding::{Folded, may_open};

/// The text in place of what was hidden.
pub(crate) const REDACTED: &str = "[REDACTED]";

/// The word of the tag.
const WORD: &str = "private";

/// How far behind the word a tag may end: what is longer is no tag but prose with a bracket in it.
const MAX_ATTRIBUTES: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Open,
    Close,
    /// `<private/>`: holds nothing.
    Empty,
}

/// Hides what is private in texts that belong together, in their order: an opening in one may end in a later one.
///
/// Returns how many stretches were hidden.
pub(crate) fn hide(texts: &mut [&mut String], unclosed: Unclosed) -> usize {
    let tags: Vec<Vec<(Range<usize>, Tag)>> = texts.iter().map(|text| tags_of(text)).collect();
    let mut hidden = 0;
    let mut carried = false;
    for at in 0..texts.len() {
        let ends_later = || tags[at + 1..].iter().flatten().map(|tag| tag.1).find(|tag| *tag != Tag::Empty);
        let plan = plan(&tags[at], texts[at].len(), carried, unclosed);
        // A later text may begin outside or inside; a first closing tag there tells.
        carried = plan.is_open && ends_later() == Some(Tag::Close);
        if plan.is_open && !carried && unclosed == Unclosed::Keep {
            let kept = plan.ranges.len() - 1;
            hidden += replace(texts[at], &plan.ranges[..kept]);
        } else {
            hidden += replace(texts[at], &plan.ranges);
        }
    }
    hidden
}

/// What to hide in one text, and whether it ends inside something private.
struct Plan {
    ranges: Vec<Range<usize>>,
    is_open: bool,
}

fn plan(tags: &[(Range<usize>, Tag)], len: usize, begins_inside: bool, unclosed: Unclosed) -> Plan {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let (mut depth, mut start) = (usize::from(begins_inside), 0);
    for (place, tag) in tags {
        match tag {
            Tag::Empty if depth == 0 => ranges.push(place.clone()),
            Tag::Open => {
                if depth == 0 {
                    start = place.start;
                }
                depth += 1;
            }
            Tag::Close if depth > 1 => depth -= 1,
            Tag::Close if depth == 1 => {
                depth = 0;
                ranges.push(start..place.end);
            }
            // It was opened before this text begins.
            Tag::Close if unclosed == Unclosed::Redact => {
                ranges.clear();
                ranges.push(0..place.end);
            }
            Tag::Empty | Tag::Close => {}
        }
    }
    if depth > 0 {
        ranges.push(start..len);
    }
    Plan { ranges, is_open: depth > 0 }
}

fn replace(text: &mut String, ranges: &[Range<usize>]) -> usize {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        kept.push_str(&text[at..range.start]);
        kept.push_str(REDACTED);
        at = range.end;
    }
    kept.push_str(&text[at..]);
    *text = kept;
    ranges.len()
}

/// Every tag of a text with its place, less those that are only spoken of.
fn tags_of(text: &str) -> Vec<(Range<usize>, Tag)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(may_open).map(|next| at + next) {
        match tag_at(text, next) {
            Some((end, tag)) => {
                let is_mention = text[..next].ends_with('`') && text[end..].starts_with('`');
                if !is_mention {
                    found.push((next..end, tag));
                }
                at = end;
            }
            None => at = text.ceil_char_boundary(next + 1),
        }
    }
    found
}

/// The tag that begins at `start`, and where it ends.
fn tag_at(text: &str, start: usize) -> Option<(usize, Tag)> {
    let mut chars = Folded::new(text, start);
    // Not `next`: each of many characters that show nothing would look at all that follow.
    if chars.step()? != '<' {
        return None;
    }
    let mut next = chars.find(|char| !char.is_whitespace())?;
    if next == '\\' {
        next = chars.next().filter(|char| *char == '/')?;
    }
    let is_close = next == '/';
    if is_close {
        next = chars.find(|char| !char.is_whitespace())?;
    }
    for (at, letter) in WORD.chars().enumerate() {
        if at > 0 {
            next = chars.next()?;
        }
        if !next.eq_ignore_ascii_case(&letter) {
            return None;
        }
    }
    let limit = chars.at + MAX_ATTRIBUTES;
    let (mut last, mut is_first) = (' ', true);
    while let Some(char) = chars.next().filter(|_| chars.at <= limit) {
        if char == '>' {
            let tag = match (is_close, last) {
                (true, _) => Tag::Close,
                (false, '/') => Tag::Empty,
                (false, _) => Tag::Open,
            };
            return Some((chars.at, tag));
        }
        if is_first && !char.is_whitespace() && !['/', '\\'].contains(&char) {
            return None;
        }
        is_first = false;
        if !char.is_whitespace() {
            last = char;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut text = text.to_owned();
        hide(&mut [&mut text], Unclosed::Redact);
        text
    }

    #[test]
    fn what_stands_between_the_tags_goes() {
        assert_eq!(hidden("a <private>b</private> c"), "a [REDACTED] c");
        assert_eq!(hidden("<private>a</private><private>b</private>"), "[REDACTED][REDACTED]");
        assert_eq!(hidden("plain < text > private"), "plain < text > private");
        assert_eq!(hidden("a <private/> b"), "a [REDACTED] b");
    }

    #[test]
    fn case_attributes_and_blanks_make_no_difference() {
        for tag in ["<PRIVATE>", "<Private reason=\"a\">", "< private >", "<private\n>", "<private a='x>y'>"] {
            assert_eq!(hidden(&format!("a {tag}b</pRivate > c")), "a [REDACTED] c", "{tag}");
        }
        assert_eq!(hidden("<privateer>b</privateer>"), "<privateer>b</privateer>");
    }

    #[test]
    fn escaped_brackets_count() {
        assert_eq!(hidden(r"a \u003cprivate\u003eb\u003c/private\u003e c"), "a [REDACTED] c");
        assert_eq!(hidden("a &lt;private&gt;b&lt;/private&gt; c"), "a [REDACTED] c");
        assert_eq!(hidden(r"a <private>b<\/private> c"), "a [REDACTED] c");
    }

    #[test]
    fn other_forms_of_letters_and_invisible_characters_make_no_difference() {
        for (open, close) in [
            ("＜private＞", "＜/private＞"),
            ("＜ｐｒｉｖａｔｅ＞", "＜／ｐｒｉｖａｔｅ＞"),
            ("<pri\u{200b}vate>", "</pri\u{200b}vate>"),
            ("\u{feff}<\u{2060}private\u{200d}>", "<\u{ad}/private>"),
            ("<p\u{fe0f}rivate>", "<\u{200c}/\u{200c}private\u{200c}>"),
            ("﹤𝐩𝐫𝐢𝐯𝐚𝐭𝐞﹥", "﹤/𝐩𝐫𝐢𝐯𝐚𝐭𝐞﹥"),
            (r"\uff1cprivate\uff1e", r"\uff1c\uff0fprivate\uff1e"),
            (r"<pri\u200bvate>", r"<\/pri\u200bvate>"),
            ("&#xff1c;private&#xff1e;", "&#65308;/private&#65310;"),
            ("<pr\u{456}vate>", "</priv\u{430}te>"),
            ("&amp;lt;private&amp;gt;", "&amp;lt;/private&amp;gt;"),
            (r"\x3cprivate\x3e", r"\x3c/private\x3e"),
            (r"\u{3c}private\u{3e}", r"\u0026lt;/private\u0026gt;"),
            ("%3Cprivate%3E", "%3C%2Fprivate%3E"),
            ("&#0000000060;private&#0000000062;", "&#x0000003c;/private&#x0000003e;"),
            ("&ltprivate&gt", "&#60/private&#62"),
            ("〈private〉", "〈/private〉"),
            ("⟨private⟩", "⟨/private⟩"),
            ("‹private›", "‹/private›"),
            ("❮private❯", "&lsaquo;&sol;private&rsaquo;"),
        ] {
            let (text, end) = (hidden(&format!("a {open}b{close} c")), " c");
            assert!(text.starts_with("a ") && text.ends_with(&format!("[REDACTED]{end}")), "{open}: {text}");
            assert!(!text.contains('b'), "{open}: {text}");
            assert!(!hidden(&format!("a {open}b")).contains('b'), "{open}");
            assert!(!hidden(&format!("b{close} c")).contains('b'), "{open}");
        }
        assert_eq!(hidden("＜privateer＞b＜/privateer＞"), "＜privateer＞b＜/privateer＞");
        assert_eq!(hidden("`＜private＞` is a tag"), "`＜private＞` is a tag");
    }

    #[test]
    fn characters_that_show_nothing_take_linear_time() {
        // Quadratic time would not end before anyone who waits.
        for part in ["&#x200b;", "\u{200b}", "&shy;", "%25", "&amp;", "<&#x200b;", "<private \u{200b}", "&#0"] {
            let text = format!("{}<private>b", part.repeat(400_000 / part.len()));
            assert!(!hidden(&text).ends_with('b'), "{part}");
        }
    }

    #[test]
    fn nesting_hides_to_the_outermost_end() {
        assert_eq!(hidden("a<private>b<private>c</private>d</private>e"), "a[REDACTED]e");
        assert_eq!(hidden("a<private>b<private>c</private>d"), "a[REDACTED]");
    }

    #[test]
    fn half_a_pair_hides_in_doubt() {
        assert_eq!(hidden("a <private>b"), "a [REDACTED]");
        assert_eq!(hidden("a</private> b"), "[REDACTED] b");
        assert_eq!(hidden("a<private>b</private>c</private>d"), "[REDACTED]d");
        let mut text = "a <private>b</private> <private>c".to_owned();
        hide(&mut [&mut text], Unclosed::Keep);
        assert_eq!(text, "a [REDACTED] <private>c");
    }

    #[test]
    fn what_is_hidden_is_counted() {
        let mut first = "a <private>b</private> c <private>d</private>".to_owned();
        let mut second = "<private/> e".to_owned();
        assert_eq!(hide(&mut [&mut first, &mut second], Unclosed::Redact), 3);
        assert_eq!((first.as_str(), second.as_str()), ("a [REDACTED] c [REDACTED]", "[REDACTED] e"));
        assert_eq!(hidden("a <private>b <private/> c</private> d"), "a [REDACTED] d");
    }

    #[test]
    fn unclosed_tags_may_be_kept() {
        for (text, kept, count) in [
            ("a <private>b</private> c", "a [REDACTED] c", 1),
            ("a</private> b", "a</private> b", 0),
            ("a <private>b", "a <private>b", 0),
            ("<private>a</private> <private>b</private> <private>c", "[REDACTED] [REDACTED] <private>c", 2),
        ] {
            let mut left = text.to_owned();
            assert_eq!(hide(&mut [&mut left], Unclosed::Keep), count, "{text}");
            assert_eq!(left, kept);
        }
    }

    #[test]
    fn a_tag_of_many_attributes_ends_within_four_hundred_bytes() {
        let tagged = |bytes: usize| format!("x <private {}>b</private> c", "a".repeat(bytes));
        assert_eq!(hidden(&tagged(398)), "x [REDACTED] c");
        // An end without an opening hides what comes before it.
        assert_eq!(hidden(&tagged(399)), "[REDACTED] c");
    }

    #[test]
    fn code_blocks_are_no_shelter_and_mentions_no_tags() {
        assert_eq!(hidden("```\n<private>b</private>\n```"), "```\n[REDACTED]\n```");
        assert_eq!(hidden("`<private>b</private>`"), "`[REDACTED]`");
        assert_eq!(hidden("wrap it in `<private>` and `</private>`"), "wrap it in `<private>` and `</private>`");
    }

    #[test]
    fn an_opening_reaches_into_later_fields() {
        let (mut first, mut second, mut third) =
            ("a <private>b".to_owned(), "c".to_owned(), "d</private> e".to_owned());
        hide(&mut [&mut first, &mut second, &mut third], Unclosed::Redact);
        assert_eq!((first.as_str(), second.as_str(), third.as_str()), ("a [REDACTED]", "[REDACTED]", "[REDACTED] e"));
        let (mut first, mut second) = ("a <private>b".to_owned(), "c <private>d</private>".to_owned());
        hide(&mut [&mut first, &mut second], Unclosed::Redact);
        assert_eq!((first.as_str(), second.as_str()), ("a [REDACTED]", "c [REDACTED]"));
    }

    proptest::proptest! {
        #[test]
        fn nothing_between_tags_is_left(before in "[a-z< >`]{0,12}", inside in "[A-Z0-9 \n]{1,20}", after in "[a-z ]{0,9}") {
            let text = hidden(&format!("{before} <private>#{inside}#</private>{after}"));
            let marked = format!("#{inside}#");
            proptest::prop_assert!(!text.contains(&marked), "{}", text);
            proptest::prop_assert!(text.ends_with(&after));
        }

        #[test]
        fn hiding_twice_is_hiding_once(text in "(<private>|</private>|<PRIVATE a>|[a-z`&<>/\\\\ é日]){0,14}") {
            let once = hidden(&text);
            proptest::prop_assert_eq!(hidden(&once), once);
        }
    }
}
