//! Analyses a query: its terms with weights, and the properties of its expected answer.

use std::collections::BTreeSet;

use codecairn_lexical::analyzer::{for_each_prose_term, query_words, stem};

use super::document::{Term, hash};
use super::marks;

/// The weight of a joined identifier; its parts share the rest, so that a long name counts as one word.
const WHOLE: f32 = 0.5;
/// The weight of a single character among the words and pairs of a Chinese, Japanese or Korean run.
const SINGLE: f32 = 0.25;
/// Terms that count; a question has fewer, and a pasted page is not one.
const MAX_TERMS: usize = 64;
/// Chinese stop words.
const CHINESE_STOP_WORDS: [&str; 21] = [
    "为什么",
    "什么时候",
    "什么",
    "怎么样",
    "怎么",
    "怎样",
    "如何",
    "哪个",
    "哪些",
    "哪里",
    "请问",
    "我们",
    "你们",
    "他们",
    "吗",
    "呢",
    "的",
    "了",
    "是",
    "在",
    "我",
];

/// A term that documents are found by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueryTerm {
    pub(super) hash: Term,
    pub(super) weight: f32,
    /// Whether it is written as a name.
    pub(super) is_name: bool,
    /// The mark of a speaker with this name.
    pub(super) speaker: Term,
}

/// A hyphenated compound, such as "test-related": the indexes of its parts among the query's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compound {
    pub(super) whole: usize,
    pub(super) parts: Vec<usize>,
}

/// An analysed query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Question {
    pub(super) terms: Vec<QueryTerm>,
    pub(super) compounds: Vec<Compound>,
    pub(super) asks_when: bool,
}

impl Question {
    /// Reads a question in any script.
    pub(crate) fn of(text: &str) -> Self {
        let mut terms: Vec<QueryTerm> = Vec::new();
        let mut compounds = Vec::new();
        let (names, hyphenated) = (names(text), hyphenated(text));
        for word in query_words(&without_stop_words(text)) {
            let is_compound = word.first().is_some_and(|term| term.is_whole_identifier);
            let is_run = !is_compound && word.len() > 1;
            let mut places = Vec::with_capacity(word.len());
            for (at, term) in word.iter().enumerate() {
                let weight = match at {
                    0 if is_compound => WHOLE,
                    _ if is_compound => (1.0 - WHOLE) / (word.len() - 1) as f32,
                    _ if is_run && term.term.chars().count() == 1 => SINGLE,
                    _ => 1.0,
                };
                let hash = hash(&term.stem);
                if let Some(at) = terms.iter().position(|known| known.hash == hash) {
                    terms[at].weight = terms[at].weight.max(weight);
                    places.push(at);
                } else {
                    places.push(terms.len());
                    let is_name = names.contains(&hash);
                    terms.push(QueryTerm { hash, weight, is_name, speaker: marks::by(&term.stem) });
                }
            }
            if is_compound && places.iter().all(|at| *at < MAX_TERMS) && hyphenated.contains(&terms[places[0]].hash) {
                compounds.push(Compound { whole: places[0], parts: places.split_off(1) });
            }
        }
        terms.truncate(MAX_TERMS);
        Self { terms, compounds, asks_when: marks::asks_when(text) }
    }

    /// Whether it has no terms.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The terms of the words, but for the first, that have a capital or a digit.
fn names(text: &str) -> BTreeSet<Term> {
    let mut names = BTreeSet::new();
    let words = text.split(|char: char| !(char.is_alphanumeric() || "_-/.+".contains(char)));
    for word in words.filter(|word| !word.is_empty()).skip(1) {
        if word.chars().any(|char| char.is_uppercase() || char.is_ascii_digit()) {
            for_each_prose_term(word, |term| {
                names.insert(hash(&stem(term)));
            });
        }
    }
    names
}

/// The wholes of the words that hyphens join and that are no names: "end-to-end", but not "GraphQL".
fn hyphenated(text: &str) -> BTreeSet<Term> {
    let words = text.split(|char: char| !(char.is_alphanumeric() || "_-/.".contains(char)));
    let words = words.map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()));
    let is_plain = |word: &&str| word.contains('-') && word.chars().all(|char| char.is_lowercase() || char == '-');
    words.filter(is_plain).map(|word| hash(&stem(&word.replace('-', "")))).collect()
}

/// The query without Chinese stop words, unless there is nothing else.
fn without_stop_words(text: &str) -> String {
    let mut rest = text.to_owned();
    for word in CHINESE_STOP_WORDS {
        if rest.contains(word) {
            rest = rest.replace(word, " ");
        }
    }
    if rest.trim_matches(|char: char| !char.is_alphanumeric()).is_empty() { text.to_owned() } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(text: &str) -> Vec<f32> {
        Question::of(text).terms.into_iter().map(|term| term.weight).collect()
    }

    #[test]
    fn a_name_of_several_parts_weighs_as_much_as_a_word() {
        assert_eq!(weights("shop-api port"), [0.5, 0.25, 0.25, 1.0]);
        assert_eq!(weights("api of shop-api"), [1.0, 0.5, 0.25]);
    }

    #[test]
    fn words_that_hyphens_join_are_told_from_names() {
        let compounds = |text| Question::of(text).compounds;
        assert_eq!(compounds("which test-related choices"), [Compound { whole: 0, parts: vec![1, 2] }]);
        assert_eq!(compounds("GraphQL in get_user, X-Request"), []);
    }

    #[test]
    fn names_are_told_by_how_they_are_written() {
        let names = |text| Question::of(text).terms.iter().filter(|term| term.is_name).count();
        assert_eq!(names("Does the API expose GraphQL"), 4);
        assert_eq!(names("Where is the cache"), 0);
    }

    #[test]
    fn chinese_questions_keep_what_they_ask_about() {
        assert_eq!(Question::of("我们用什么数据库"), Question::of("用 数据库"));
        assert_eq!(weights("缓存在"), [1.0]);
        assert_eq!(weights("钉钉"), [0.25, 1.0]);
        assert!(!Question::of("什么").is_empty());
        assert!(Question::of("?!").is_empty());
    }
}
