//! Derives the marks of a text: its speaker, whether it names a time, whether it is a question. A mark is indexed as a
//! term that no text can contain.

use codecairn_lexical::analyzer::{for_each_term, stem};

use super::document::{Term, hash};

/// Stems of words that name a time, sorted; and pairs of Chinese characters that do.
const TIMES: [&str; 56] = [
    "ago",
    "april",
    "august",
    "day",
    "decemb",
    "even",
    "fal",
    "februari",
    "friday",
    "januari",
    "juli",
    "jun",
    "last",
    "march",
    "may",
    "monday",
    "month",
    "morn",
    "next",
    "novemb",
    "octob",
    "recent",
    "saturday",
    "septemb",
    "sinc",
    "soon",
    "spring",
    "sum",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
    "week",
    "weekend",
    "wint",
    "year",
    "yesterday",
    "上个",
    "上午",
    "上周",
    "上月",
    "下个",
    "下午",
    "下周",
    "今天",
    "今年",
    "刚才",
    "去年",
    "周末",
    "明天",
    "星期",
    "昨天",
    "最近",
];

/// Beginnings and parts of questions that ask for a time.
const ASKING_WHEN: [&str; 13] = [
    "when ",
    "what date",
    "what day",
    "what time",
    "what year",
    "what month",
    "how long ago",
    "which day",
    "which date",
    "什么时候",
    "何时",
    "哪天",
    "几号",
];

/// The mark of texts that end with a question.
pub(super) fn asks() -> Term {
    hash("\u{1}asks")
}

/// The mark of texts that name a time.
pub(super) fn times() -> Term {
    hash("\u{1}times")
}

/// The mark of texts by a speaker of this name, or of one with this word in it.
pub(super) fn by(word: &str) -> Term {
    hash(&format!("\u{1}by:{word}"))
}

/// The mark of texts whose speaker is known by name.
pub(super) fn by_somebody() -> Term {
    hash("\u{1}by")
}

/// The marks of a text.
pub(super) fn of(text: &str, speaker: &str) -> Vec<Term> {
    let mut marks = Vec::new();
    if !speaker.is_empty() {
        marks.push(by_somebody());
        for_each_term(speaker, |term| marks.push(by(&stem(term))));
    }
    if text.trim_end().ends_with(['?', '？']) {
        marks.push(asks());
    }
    let mut names_time = false;
    for_each_term(text, |term| names_time = names_time || is_time(&stem(term)));
    if names_time {
        marks.push(times());
    }
    marks
}

/// Whether a question asks for a time.
pub(super) fn asks_when(question: &str) -> bool {
    let plain = question.trim_start().to_lowercase();
    ASKING_WHEN
        .iter()
        .any(|phrase| if phrase.ends_with(' ') { plain.starts_with(phrase) } else { plain.contains(phrase) })
}

fn is_time(stem: &str) -> bool {
    TIMES.binary_search(&stem).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_holds_stems() {
        assert!(TIMES.is_sorted());
        assert!(TIMES.iter().all(|word| stem(word) == *word));
    }

    #[test]
    fn texts_are_marked_in_english_and_chinese() {
        assert_eq!(of("We shipped it yesterday.", ""), [times()]);
        assert_eq!(of("昨天发布了吗？", ""), [asks(), times()]);
        assert_eq!(of("It is done.", "Ann"), [by_somebody(), by("ann")]);
        assert!(asks_when("When was it shipped") && asks_when("我们什么时候发布") && !asks_when("Whenever"));
    }
}
