//! Conditions on hits, as Python gives them.

use codecairn_base::Error;
use pyo3::prelude::*;

use crate::enter::to_python;

/// All lists that are given must agree; within one list any entry will do.
#[pyclass(frozen, module = "codecairn._native")]
#[derive(Debug, Default)]
pub(crate) struct Filters(pub(crate) codecairn_search::Filters);

#[pymethods]
impl Filters {
    #[new]
    #[pyo3(signature = (*, kinds = Vec::new(), languages = Vec::new(), directories = Vec::new(), globs = Vec::new(), paths = None))]
    fn new(
        kinds: Vec<String>,
        languages: Vec<String>,
        directories: Vec<String>,
        globs: Vec<String>,
        paths: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let kinds = kinds
            .iter()
            .map(|kind| kind.parse().map_err(|message| to_python(Error::InvalidArgument(message))))
            .collect::<PyResult<_>>()?;
        let paths = paths.map(|paths| paths.into_iter().collect());
        Ok(Self(codecairn_search::Filters { kinds, languages, directories, globs, paths }))
    }
}
