//! Defines what is shown: items in sections, in lines of bounded length, within a budget of tokens.

use std::collections::BTreeSet;

use codecairn_base::clock::civil_date;

use super::code_changes::CodeChange;
use super::origins::mark_of;
use crate::answers::sentences;
use crate::event::Event;
use crate::fact::Fact;
use crate::injection::ShownVersion;
use crate::words::{Role, Scope};

/// The version of a notice that code has changed: versions of facts begin with 1.
pub(super) const NOTICE: u32 = 0;

/// A token is about so many bytes.
const BYTES_PER_TOKEN: usize = 4;
/// The tokens of an item in addition to its text: its date and id.
const LINE_TOKENS: usize = 8;
/// The tokens of a section's title.
pub(super) const SECTION_TOKENS: usize = 6;
/// A fact in which others were condensed may be so many times as long as one of them.
const CONDENSED: usize = 4;
/// The marks of the text that is left out before and after a passage.
const ELLIPSIS: &str = "… ";

/// A version of a fact, or an event, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its id.
    pub(super) id: String,
    /// Which version of it; an event has one.
    pub(super) version: u32,
    /// What is shown of it, in one line.
    pub(super) text: String,
    /// When it was, in milliseconds since the epoch.
    pub(super) at_ms: i64,
    /// The day it is of, in the zone that the block names.
    pub(super) date: String,
    /// Its mark, often empty: "quoted from outside", a branch.
    pub(super) mark: String,
    /// How likely it answers, in percent; 0 where nothing was asked.
    pub(super) likelihood: u32,
    /// The first changed lines of its code, marked `-` and `+`.
    pub(super) changes: Vec<String>,
    /// Whether its mark announces that its code changed, so that no notice has to.
    pub(super) is_announced: bool,
}

impl Item {
    /// A fact in at most `max_tokens`, with what it differs from and what became of its code.
    pub(super) fn of_fact(fact: &Fact, max_tokens: usize, differs: &str, change: Option<&CodeChange>) -> Self {
        let factor = if fact.tags.iter().any(|tag| tag == "condensed") { CONDENSED } else { 1 };
        let origin = mark_of(fact.origin, &fact.maker, &fact.meta);
        let branch =
            (fact.scope == Scope::Branch && !fact.branch.is_empty()).then(|| format!("branch {}", fact.branch));
        let became = change.map_or("", |change| change.mark.as_str());
        let marks = [origin.as_str(), differs, became, branch.as_deref().unwrap_or_default()];
        let marks: Vec<&str> = marks.into_iter().filter(|mark| !mark.is_empty()).collect();
        Self {
            id: fact.id.clone(),
            version: fact.version,
            text: shortened(&one_line(&fact.text), max_tokens * factor),
            at_ms: fact.valid_from_ms,
            date: day(fact.valid_from_ms),
            mark: marks.join(", "),
            likelihood: 0,
            changes: change.map(|change| change.lines.clone()).unwrap_or_default(),
            is_announced: change.is_some_and(|change| change.is_certain),
        }
    }

    /// An event with `text` of it in at most `max_tokens`.
    pub(super) fn of_event(event: &Event, text: &str, max_tokens: usize) -> Self {
        Self {
            id: event.id(),
            version: 1,
            text: shortened(&one_line(text), max_tokens),
            at_ms: event.ts_ms,
            date: day(event.ts_ms),
            mark: mark_of(event.origin, "", &event.meta),
            likelihood: 0,
            changes: Vec::new(),
            is_announced: false,
        }
    }

    /// What was said, with its speaker, from the sentence on that answers if all of it is too long.
    pub(super) fn of_answer(event: &Event, sentence: &str, max_tokens: usize) -> Self {
        let text = if event.body.is_empty() { &event.title } else { &event.body };
        let speaker = match event.role {
            Role::User => "user: ",
            Role::Assistant => "agent: ",
            Role::Tool | Role::System => "",
        };
        Self::of_event(event, &format!("{speaker}{}", passage(text, sentence, max_tokens)), max_tokens)
    }

    /// About how many tokens it costs.
    pub(super) fn tokens(&self) -> usize {
        let changes: usize = self.changes.iter().map(|line| line.len() + 1).sum();
        tokens(&self.text) + changes / BYTES_PER_TOKEN + tokens(&self.mark) + LINE_TOKENS
    }

    /// The versions that it shows: its own, and the notice that its mark replaces.
    pub(super) fn versions(&self) -> impl Iterator<Item = ShownVersion> + '_ {
        let own = ShownVersion { id: self.id.clone(), version: self.version };
        let notice = self.is_announced.then(|| ShownVersion { id: self.id.clone(), version: NOTICE });
        std::iter::once(own).chain(notice)
    }

    fn cut(&self, max_tokens: usize) -> Self {
        Self { text: shortened(&self.text, max_tokens), changes: Vec::new(), ..self.clone() }
    }
}

/// Items of one sort, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// Its name in XML and JSON.
    pub(super) name: &'static str,
    /// Its title.
    pub(super) title: String,
    /// Its items.
    pub(super) items: Vec<Item>,
}

impl Section {
    pub(super) fn new(name: &'static str, title: &str, items: Vec<Item>) -> Self {
        Self { name, title: title.to_owned(), items }
    }
}

/// About how many tokens sections cost.
pub(super) fn tokens_of(sections: &[Section]) -> usize {
    sections.iter().map(|section| SECTION_TOKENS + section.items.iter().map(Item::tokens).sum::<usize>()).sum()
}

/// The first items that fit, the last of them shortened if that leaves enough of it.
pub(super) fn within(items: &[Item], budget: usize) -> Vec<Item> {
    let mut taken: Vec<Item> = Vec::new();
    let mut left = budget.saturating_sub(SECTION_TOKENS);
    for item in items {
        let cost = item.tokens();
        if cost <= left {
            taken.push(item.clone());
            left -= cost;
            continue;
        }
        let rest = left.saturating_sub(LINE_TOKENS);
        if rest >= SECTION_TOKENS * (if taken.is_empty() { 2 } else { 4 }) {
            taken.push(item.cut(rest));
            break;
        }
    }
    taken
}

/// The items whose text was not met before; texts that differ in case and punctuation only are the same.
pub(super) fn distinct(items: Vec<Item>, met: &mut BTreeSet<String>) -> Vec<Item> {
    items.into_iter().filter(|item| is_new(&item.text, met)).collect()
}

/// Whether a text has a letter or digit and was not met before.
pub(super) fn is_new(text: &str, met: &mut BTreeSet<String>) -> bool {
    let key: String = text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    !key.is_empty() && met.insert(key)
}

/// About how many tokens a text has; at least one.
pub(super) fn tokens(text: &str) -> usize {
    (text.len() / BYTES_PER_TOKEN).max(1)
}

/// The text without line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text's beginning in at most so many tokens, cut between words.
pub(super) fn shortened(text: &str, max_tokens: usize) -> String {
    let room = max_tokens.max(1) * BYTES_PER_TOKEN;
    if text.len() <= room {
        return text.to_owned();
    }
    let cut = &text[..text.floor_char_boundary(room - '…'.len_utf8())];
    let word_end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..word_end].trim_end())
}

/// The day of a moment, in the zone by whose offset it was moved, else in UTC.
pub(super) fn day(ms: i64) -> String {
    let (year, month, day) = civil_date(ms.div_euclid(86_400_000));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A text in one line: if all of it is too long, from a sentence of it on, or from an earlier one if the rest is short.
fn passage(text: &str, sentence: &str, max_tokens: usize) -> String {
    let text = text.trim();
    if tokens(text) <= max_tokens {
        return one_line(text);
    }
    let start_of = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let wanted = text.find(sentence).unwrap_or(0);
    let fits = |at: &usize| text.len() - at <= max_tokens * BYTES_PER_TOKEN;
    let at = sentences(text).into_iter().map(start_of).find(|at| *at >= wanted || fits(at)).unwrap_or(wanted);
    format!("{}{}", if at > 0 { ELLIPSIS } else { "" }, one_line(&text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_are_a_token() {
        for (text, count) in [("", 1), ("abc", 1), ("abcdefg", 1), ("abcdefgh", 2), ("日本", 1), ("日本日", 2)] {
            assert_eq!(tokens(text), count, "{text}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_words() {
        for (text, max_tokens, left) in [
            ("abcdefgh", 2, "abcdefgh"),
            ("abcdefghi", 2, "abcde…"),
            ("abc efghi", 2, "abc…"),
            // A word's end in the first half of what fits is too early to cut at.
            ("ab defghi", 2, "ab de…"),
            ("abcdefghi", 0, "a…"),
            ("日本日本", 2, "日…"),
            ("abcd  efghijklm", 3, "abcd…"),
        ] {
            assert_eq!(shortened(text, max_tokens), left);
        }
    }

    #[test]
    fn a_long_text_is_shown_from_the_sentence_that_answers() {
        let text = format!("{}The port is 5433. More.", "Other words. ".repeat(40));
        assert_eq!(passage(&text, "The port is 5433.", 8), "… The port is 5433. More.");
        assert_eq!(passage(&text, "The port is 5433.", 12), "… Other words. The port is 5433. More.");
        assert_eq!(passage("The port is 5433.", "5433.", 20), "The port is 5433.");
    }

    #[test]
    fn days_are_in_utc() {
        assert_eq!([day(0), day(86_399_999), day(86_400_000)], ["1970-01-01", "1970-01-01", "1970-01-02"]);
        assert_eq!(day(951_827_696_000), "2000-02-29");
    }

    #[test]
    fn the_same_words_are_met_once_in_any_script() {
        let mut met = BTreeSet::new();
        assert!(is_new("不要用 SQLite", &mut met) && is_new("请用 SQLite", &mut met));
        assert!(!is_new("不要用SQLite。", &mut met) && !is_new("…", &mut met));
    }
}
