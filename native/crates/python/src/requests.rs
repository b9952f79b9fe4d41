//! Reads requests by the names of their fields from the dataclasses of `codecairn.core.requests`.
//!
//! Fields that the engine does not use, such as those about commits, are not read.

use codecairn_base::Error;
use codecairn_syntax::kind::Kind;
use pyo3::prelude::*;

use crate::enter::to_python;

/// `SearchRequest`, with its limit and its lines of context resolved.
#[derive(FromPyObject)]
pub(crate) struct SearchRequest {
    pub(crate) query: String,
    pub(crate) limit: usize,
    pub(crate) filters: Filters,
    pub(crate) context_lines: u32,
    pub(crate) explain: bool,
    pub(crate) token_budget: Option<usize>,
}

/// `SimilarRequest`, with its text and its limit resolved.
#[derive(FromPyObject)]
pub(crate) struct SimilarRequest {
    pub(crate) text: String,
    pub(crate) limit: usize,
    pub(crate) filters: Filters,
}

/// `DefineRequest`, with its limit resolved.
#[derive(FromPyObject)]
pub(crate) struct DefineRequest {
    pub(crate) name: String,
    pub(crate) limit: usize,
    pub(crate) filters: Filters,
}

/// `SearchFilters`, with kinds and language ids checked and folders relative to the root.
#[derive(FromPyObject)]
pub(crate) struct Filters {
    #[pyo3(from_py_with = kinds)]
    kinds: Vec<Kind>,
    languages: Vec<String>,
    directories: Vec<String>,
    globs: Vec<String>,
    exclude: Vec<String>,
    paths: Option<Vec<String>>,
}

impl From<Filters> for codecairn_search::Filters {
    fn from(filters: Filters) -> Self {
        Self {
            kinds: filters.kinds,
            languages: filters.languages,
            directories: filters.directories,
            globs: filters.globs,
            exclude: filters.exclude,
            paths: filters.paths.map(|paths| paths.into_iter().collect()),
        }
    }
}

fn kinds(names: &Bound<'_, PyAny>) -> PyResult<Vec<Kind>> {
    let names: Vec<String> = names.extract()?;
    names.iter().map(|name| name.parse().map_err(|message| to_python(Error::InvalidArgument(message)))).collect()
}
