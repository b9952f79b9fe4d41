//! Terms are lower-case words of bounded length, and text that a document has is found by a query.

#![no_main]

use codecairn_lexical::analyzer::{MAX_TERM_BYTES, for_each_term, query_terms, stem};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut terms = Vec::new();
    for_each_term(&text, |term| {
        assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES, "{term:?}");
        assert!(!term.contains(char::is_whitespace), "{term:?}");
        assert!(!stem(term).is_empty(), "{term:?}");
        terms.push(term.to_owned());
    });
    let mut again = Vec::new();
    for_each_term(&text, |term| again.push(term.to_owned()));
    assert_eq!(terms, again);
    for term in query_terms(&text) {
        assert!(terms.contains(&term.term), "{term:?} is not in the text");
    }
});
