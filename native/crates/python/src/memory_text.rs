//! Binds what the memory makes of texts without a database.

use std::collections::BTreeMap;

use codecairn_base::Error;
use codecairn_memory::context::{Claim, Conflicts};
use pyo3::prelude::*;

use crate::enter::enter;

/// The names of (roles, origins, categories, types of facts, scopes).
#[pyfunction]
pub(crate) fn memory_words() -> Vec<Vec<&'static str>> {
    fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().map(|word| name(*word)).collect()
    }
    vec![
        names(codecairn_memory::Role::ALL, codecairn_memory::Role::name),
        names(codecairn_memory::Origin::ALL, codecairn_memory::Origin::name),
        names(codecairn_memory::Category::ALL, codecairn_memory::Category::name),
        names(codecairn_memory::FactType::ALL, codecairn_memory::FactType::name),
        names(codecairn_memory::Scope::ALL, codecairn_memory::Scope::name),
    ]
}

/// (text without what is private or secret, private stretches, secrets).
#[pyfunction]
pub(crate) fn redacted(text: &str) -> (String, usize, usize) {
    let (text, removed) = codecairn_memory::privacy::cleaned(text, codecairn_memory::privacy::Unclosed::Redact);
    (text, removed.private, removed.secrets)
}

/// What one statement has in the place of words of an older one, by feature.
#[pyfunction]
pub(crate) fn contradiction_features(
    py: Python<'_>,
    newer: String,
    older: String,
) -> PyResult<BTreeMap<&'static str, f32>> {
    enter(py, || codecairn_memory::contradiction_features(&newer, &older))
}

/// A text as one line that opens and ends nothing in Markdown; `at_start` where it begins a line or an item.
#[pyfunction]
#[pyo3(signature = (text, *, at_start))]
pub(crate) fn contained(text: &str, at_start: bool) -> String {
    if at_start { codecairn_memory::context::contained_line(text) } else { codecairn_memory::context::contained(text) }
}

/// The hosts that read a file of the repository by themselves.
#[pyfunction]
pub(crate) fn hosts_loading(file: &str) -> Vec<&'static str> {
    codecairn_memory::context::hosts_loading(file)
}

/// A host's name of a session or an event as it is kept.
#[pyfunction]
pub(crate) fn pseudonym(name: String) -> String {
    codecairn_memory::pseudonym(name)
}

/// How facts (a JSON array of claims) get along that would be shown together, as JSON.
#[pyfunction]
pub(crate) fn conflicts(py: Python<'_>, claims: &str) -> PyResult<String> {
    enter(py, || {
        let claims: Vec<Claim> =
            serde_json::from_str(claims).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        serde_json::to_string(&Conflicts::among(&claims)).map_err(|error| Error::Internal(error.to_string()))
    })
}
