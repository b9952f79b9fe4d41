//! Binds the code graph and its answers as Python classes.

use codecairn_base::Error;
use codecairn_base::cancel::CancelToken;
use codecairn_engine::{Change, ChangedFile, EvidenceReport, Place, ReachOptions};
use codecairn_graph::Direction;
use pyo3::prelude::*;

use crate::engine::Engine;
use crate::enter::{enter, enter_long, to_python};

/// A definition at its place.
#[pyclass(frozen, get_all, module = "codecairn._native")]
#[derive(Debug)]
pub(crate) struct Definition {
    path: String,
    line: u32,
    column: u32,
    start_line: u32,
    end_line: u32,
    name: String,
    qualified_name: String,
    kind: &'static str,
}

impl From<codecairn_engine::Definition> for Definition {
    fn from(found: codecairn_engine::Definition) -> Self {
        let codecairn_engine::Definition { path, line, column, start_line, end_line, name, qualified_name, kind } =
            found;
        Self { path, line, column, start_line, end_line, name, qualified_name, kind: kind.name() }
    }
}

/// A use of a definition at its place.
#[pyclass(frozen, get_all, module = "codecairn._native")]
#[derive(Debug)]
pub(crate) struct Use {
    path: String,
    line: u32,
    column: u32,
    name: String,
    kind: &'static str,
    how: &'static str,
    is_resolved: bool,
    confidence: f32,
    source: Option<Py<Definition>>,
    targets: Vec<Py<Definition>>,
    declared: Option<(u32, u32)>,
}

impl Use {
    fn new(py: Python<'_>, found: codecairn_engine::Use) -> PyResult<Self> {
        let definition = |found: codecairn_engine::Definition| Py::new(py, Definition::from(found));
        Ok(Self {
            path: found.path,
            line: found.line,
            column: found.column,
            name: found.name,
            kind: found.kind.name(),
            how: found.how.name(),
            is_resolved: found.how.is_resolved(),
            confidence: found.confidence,
            source: found.source.map(definition).transpose()?,
            targets: found.targets.into_iter().map(definition).collect::<PyResult<_>>()?,
            declared: found.declared,
        })
    }
}

/// An occurrence of a name.
#[pyclass(frozen, get_all, module = "codecairn._native")]
#[derive(Debug)]
pub(crate) struct Mention {
    path: String,
    line: u32,
    column: u32,
    role: &'static str,
    how: Option<&'static str>,
    targets: Vec<Py<Definition>>,
}

/// Nodes as (definition, importance, community), links as (from, to, kinds, uses), cycles, and labels of communities.
type Survey = (Vec<(Definition, f64, u32)>, Vec<(u32, u32, u8, u32)>, Vec<Vec<u32>>, Vec<(u32, String)>);

fn definitions(found: Vec<codecairn_engine::Definition>) -> Vec<Definition> {
    found.into_iter().map(Definition::from).collect()
}

fn uses(py: Python<'_>, found: Vec<codecairn_engine::Use>) -> PyResult<Vec<Use>> {
    found.into_iter().map(|found| Use::new(py, found)).collect()
}

/// Touched symbols, files that are missing, dependents with distances, uses, unresolved uses with their count, hubs as
/// (place, users, used, importance), and communities as (label, symbols).
type Reach = (
    Vec<Definition>,
    Vec<String>,
    Vec<(Definition, u32)>,
    Vec<Use>,
    (Vec<Use>, usize),
    Vec<(u32, u32, u32, f64)>,
    Vec<(String, u32)>,
);

/// A SCIP index: its file, the indexer, files as (that it decides, that changed, that are not indexed), and what is wrong.
type Evidence = (String, String, (u32, u32, u32), String);

/// So many places of names mean that many or more.
pub(crate) const MAX_PLACES: usize = codecairn_graph::MAX_PLACES;

/// The code graph of an engine's branch. Definitions are named by (path, line, column of the name).
#[pyclass(frozen, module = "codecairn._native")]
pub(crate) struct Graph(Py<Engine>);

#[pymethods]
impl Graph {
    #[new]
    fn new(engine: Py<Engine>) -> Self {
        Self(engine)
    }

    fn uses_in(&self, py: Python<'_>, path: &str) -> PyResult<Vec<Use>> {
        uses(py, enter(py, || self.engine().uses_in(path))?)
    }

    fn symbols(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Definition>> {
        enter(py, || self.engine().symbols(name)).map(definitions)
    }

    fn symbols_in(&self, py: Python<'_>, path: &str, lines: Vec<(u32, u32)>) -> PyResult<Vec<Definition>> {
        enter(py, || self.engine().symbols_in(path, &lines)).map(definitions)
    }

    fn uses_of(&self, py: Python<'_>, places: Vec<Place>) -> PyResult<Vec<Use>> {
        uses(py, enter(py, || self.engine().uses_of(&places))?)
    }

    fn unresolved_uses(&self, py: Python<'_>, places: Vec<Place>, limit: usize) -> PyResult<(Vec<Use>, usize)> {
        let (found, count) = enter(py, || self.engine().unresolved_uses(&places, limit))?;
        Ok((uses(py, found)?, count))
    }

    fn uses_by(&self, py: Python<'_>, places: Vec<Place>) -> PyResult<Vec<Use>> {
        uses(py, enter(py, || self.engine().uses_by(&places))?)
    }

    fn occurrences(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Mention>> {
        let found = enter(py, || self.engine().occurrences(name))?;
        let mention = |found: codecairn_engine::Mention| {
            let codecairn_engine::Mention { path, line, column, role, how, targets } = found;
            let targets = targets.into_iter().map(|found| Py::new(py, Definition::from(found)));
            let (role, how) = (role.name(), how.map(codecairn_graph::ResolutionMethod::name));
            Ok(Mention { path, line, column, role, how, targets: targets.collect::<PyResult<_>>()? })
        };
        found.into_iter().map(mention).collect()
    }

    fn rarest_word_lines(
        &self,
        py: Python<'_>,
        words: Vec<String>,
        max_bytes: usize,
    ) -> PyResult<Option<(String, usize)>> {
        enter(py, || self.engine().rarest_word_lines(&words, max_bytes))
    }

    fn way(&self, py: Python<'_>, source: Vec<Place>, target: Vec<Place>, depth: u32) -> PyResult<Vec<Definition>> {
        enter(py, || self.engine().way(&source, &target, depth)).map(definitions)
    }

    fn reached(
        &self,
        py: Python<'_>,
        places: Vec<Place>,
        direction: &str,
        depth: u32,
    ) -> PyResult<Vec<(Definition, u32)>> {
        let direction = match direction {
            "callers" => Direction::Callers,
            "callees" => Direction::Callees,
            "both" => Direction::Both,
            other => return Err(to_python(Error::InvalidArgument(format!("unknown direction `{other}`")))),
        };
        let found = enter(py, || self.engine().reached(&places, direction, depth))?;
        Ok(found.into_iter().map(|(definition, distance)| (definition.into(), distance)).collect())
    }

    #[pyo3(signature = (files, symbols, *, branch, depth, hub_threshold, most_looked_up))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn reach(
        &self,
        py: Python<'_>,
        files: Vec<ChangedFile>,
        symbols: Vec<Place>,
        branch: Option<&str>,
        depth: u32,
        hub_threshold: u32,
        most_looked_up: usize,
    ) -> PyResult<Reach> {
        let change = if symbols.is_empty() { Change::Lines(files) } else { Change::Symbols(symbols) };
        let options = ReachOptions { depth, hub_threshold, most_looked_up };
        let token = CancelToken::default();
        let found = enter_long(py, &token, || self.engine().reach(branch, &change, options))?;
        Ok((
            definitions(found.touched),
            found.missing,
            found.dependents.into_iter().map(|(definition, distance)| (definition.into(), distance)).collect(),
            uses(py, found.uses)?,
            (uses(py, found.unresolved)?, found.unresolved_count),
            found.hubs.into_iter().map(|hub| (hub.touched, hub.users, hub.used, hub.importance)).collect(),
            found.communities,
        ))
    }

    fn state(&self, py: Python<'_>) -> PyResult<(String, u64, i64)> {
        enter(py, || self.engine().state())
    }

    fn evidence(&self, py: Python<'_>) -> PyResult<Evidence> {
        let token = CancelToken::default();
        let found = enter_long(py, &token, || self.engine().evidence())?;
        let EvidenceReport { path, tool, files, changed, missing, problem } = found;
        Ok((path, tool, (files, changed, missing), problem))
    }

    fn survey(&self, py: Python<'_>) -> PyResult<Survey> {
        let token = CancelToken::default();
        let found = enter_long(py, &token, || self.engine().full_graph_report())?;
        let node = |node: codecairn_engine::FullGraphNode| (node.definition.into(), node.importance, node.community);
        Ok((found.nodes.into_iter().map(node).collect(), found.links, found.cycles, found.labels))
    }
}

impl Graph {
    fn engine(&self) -> &codecairn_engine::Engine {
        &self.0.get().0
    }
}
