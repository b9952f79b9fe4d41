//! Binds one search result as a frozen Python class.

use codecairn_base::span::LineSpan;
use codecairn_search::Contribution;
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
    confidence: Option<f32>,
    text: String,
    context_start_line: u32,
    breadcrumb: String,
    contributions: Vec<(&'static str, f32, f32)>,
    spans: Vec<HitSpan>,
}

/// A place in the file of a result.
#[pyclass(frozen, get_all, module = "codecairn._native")]
#[derive(Debug, Clone)]
pub(crate) struct HitSpan {
    start_line: u32,
    end_line: u32,
    kind: &'static str,
    name: String,
    probability: f32,
    shown: Vec<(u32, u32)>,
    ways: Vec<Vec<(u32, u32)>>,
    text: String,
    contributions: Vec<(&'static str, f32, f32)>,
}

impl From<codecairn_engine::HitSpan> for HitSpan {
    fn from(span: codecairn_engine::HitSpan) -> Self {
        Self {
            start_line: span.start_line,
            end_line: span.end_line,
            kind: span.kind.name(),
            name: span.name,
            probability: span.probability,
            shown: bounds(&span.shown),
            ways: span.ways.iter().map(|way| bounds(way)).collect(),
            text: span.text,
            contributions: rows(span.contributions),
        }
    }
}

/// The first and last lines of some spans.
fn bounds(lines: &[LineSpan]) -> Vec<(u32, u32)> {
    lines.iter().map(|lines| (lines.start, lines.end)).collect()
}

fn rows(contributions: Vec<Contribution>) -> Vec<(&'static str, f32, f32)> {
    contributions.into_iter().map(|each| (each.feature, each.value, each.part)).collect()
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
            confidence: hit.confidence,
            text: hit.text,
            context_start_line: hit.context_start_line,
            breadcrumb: hit.breadcrumb,
            contributions: rows(hit.contributions),
            spans: hit.spans.into_iter().map(HitSpan::from).collect(),
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
