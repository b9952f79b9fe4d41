//! What the core reads in the text of a query.

use pyo3::prelude::*;

/// (word, stem) of each word of a query.
#[pyfunction]
pub(crate) fn stemmed_words(query: &str) -> Vec<(String, String)> {
    codecairn_search::stemmed_words(query)
}

/// (language, English words) of a question in words that is not English.
#[pyfunction]
pub(crate) fn translation(text: &str) -> Option<(&'static str, Vec<&'static str>)> {
    codecairn_search::translated(text).map(|found| (found.language, found.words))
}
