//! One result as a frozen Python class.

use pyo3::prelude::*;

/// One result.
#[pyclass(frozen, get_all, module = "codecairn._native")]
#[derive(Debug)]
pub(crate) struct Hit {
    path: String,
    start_line: u32,
    end_line: u32,
    kind: &'static str,
    name: String,
    language: &'static str,
    score: f32,
    text: String,
    context_start_line: u32,
    breadcrumb: String,
    contributions: Vec<(&'static str, f32, f32)>,
}

impl From<codecairn_engine::Hit> for Hit {
    fn from(hit: codecairn_engine::Hit) -> Self {
        Self {
            path: hit.path,
            start_line: hit.start_line,
            end_line: hit.end_line,
            kind: hit.kind.name(),
            name: hit.name,
            language: hit.language,
            score: hit.score,
            text: hit.text,
            context_start_line: hit.context_start_line,
            breadcrumb: hit.breadcrumb,
            contributions: hit
                .contributions
                .into_iter()
                .map(|contribution| (contribution.feature, contribution.value, contribution.part))
                .collect(),
        }
    }
}

#[pymethods]
impl Hit {
    fn __repr__(&self) -> String {
        let Self { path, start_line, end_line, kind, name, score, .. } = self;
        format!("Hit({path}:{start_line}-{end_line}, {kind} {name:?}, score={score:.4})")
    }
}
