//! Analyses a query to terms like documents, without stop words.

use super::scan::for_each_word;
use super::split::{Role, Spaceless, Splitter};
use super::stem;

/// Stop words, sorted. All of them are words of code too, so they are dropped only if other words remain.
const STOP_WORDS: [&str; 82] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "between", "but",
    "by", "can", "could", "did", "do", "does", "doing", "during", "each", "for", "from", "had", "has", "have",
    "having", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "not", "of", "on", "or", "our", "should",
    "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "use", "used", "uses", "using", "via", "was", "we", "were", "what", "when", "where", "which", "who", "whose",
    "why", "will", "with", "would", "you", "your",
];

/// Whether a query drops a word in lower case.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// One term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term as the dictionary has it.
    pub term: String,
    /// The stem of its group.
    pub stem: String,
    /// Whether it is all parts of an identifier joined; its parts follow.
    pub is_whole_identifier: bool,
}

/// The distinct terms of a query in order of appearance. Stop words are left out, unless there is nothing else.
pub fn query_terms(text: &str) -> Vec<QueryTerm> {
    let mut all: Vec<(QueryTerm, bool)> = Vec::new();
    let mut splitter = Splitter::default();
    for_each_word(text, |word| {
        splitter.split(word, |term, role| {
            let is_stop_word = role == Role::Only && self::is_stop_word(term);
            match all.iter_mut().find(|(known, _)| known.term == term) {
                Some((_, is_stopped)) => *is_stopped &= is_stop_word,
                None => all.push((query_term(term, role == Role::Whole), is_stop_word)),
            }
        });
    });
    let only_stop_words = all.iter().all(|entry| entry.1);
    all.into_iter().filter(|entry| only_stop_words || !entry.1).map(|entry| entry.0).collect()
}

/// The terms of a query of prose ([`super::for_each_prose_term`]) by the words they come from: an identifier and its parts are one group, so that a ranker can
/// count it once. Stop words, and particles of Japanese, are left out, unless there is nothing else.
pub fn query_words(text: &str) -> Vec<Vec<QueryTerm>> {
    let mut all: Vec<Vec<(QueryTerm, bool)>> = Vec::new();
    let mut splitter = Splitter::new(Spaceless::Words);
    for_each_word(text, |word| {
        let mut terms = Vec::new();
        splitter.split(word, |term, role| {
            let is_stop_word = role == Role::Particle || role == Role::Only && self::is_stop_word(term);
            terms.push((query_term(term, role == Role::Whole), is_stop_word));
        });
        all.push(terms);
    });
    let only_stop_words = all.iter().flatten().all(|term| term.1);
    let of_word = |word: Vec<(QueryTerm, bool)>| {
        word.into_iter().filter(|term| only_stop_words || !term.1).map(|term| term.0).collect::<Vec<_>>()
    };
    all.into_iter().map(of_word).filter(|word| !word.is_empty()).collect()
}

fn query_term(term: &str, is_whole_identifier: bool) -> QueryTerm {
    QueryTerm { term: term.to_owned(), stem: stem(term).into_owned(), is_whole_identifier }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        query_terms(text).into_iter().map(|term| term.term).collect()
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn stop_words_go_only_if_others_stay() {
        assert_eq!(terms("where are tokens verified"), ["tokens", "verified"]);
        assert_eq!(terms("what is this"), ["what", "is", "this"]);
        assert_eq!(terms("?!"), [""; 0]);
    }

    #[test]
    fn identifiers_yield_the_whole_and_the_parts_each_once() {
        let found = query_terms("how does get_user use getUser");
        let list: Vec<_> = found.iter().map(|term| (term.term.as_str(), term.is_whole_identifier)).collect();
        assert_eq!(list, [("getuser", true), ("get", false), ("user", false)]);
    }

    #[test]
    fn an_identifier_is_one_word_with_its_parts() {
        let found = query_words("how is the shop-api built");
        let terms: Vec<Vec<&str>> = found.iter().map(|word| word.iter().map(|term| &*term.term).collect()).collect();
        assert_eq!(terms, [vec!["shopapi", "shop", "api"], vec!["built"]]);
        assert_eq!(query_words("what is this").len(), 3);
    }

    #[test]
    fn particles_of_japanese_go_only_if_others_stay() {
        let words = |text| query_words(text).into_iter().flatten().map(|term| term.term).collect::<Vec<_>>();
        assert_eq!(words("設定を変更"), ["設定", "変更"]);
        assert_eq!(words("を"), ["を"]);
    }

    #[test]
    fn parts_of_identifiers_are_no_stop_words() {
        assert_eq!(terms("is valid isValid"), ["is", "valid", "isvalid"]);
    }
}
