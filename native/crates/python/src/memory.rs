//! Binds the memory as a Python class. Records cross as JSON: they are stored and exported in the same form.

use std::path::PathBuf;
use std::sync::Arc;

use codecairn_base::clock::Clock;
use codecairn_base::hash::ContentHash;
use codecairn_base::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::SystemClock;
use crate::enter::enter;
use crate::hooks::keep_crashes;
use crate::memory_context;

/// One project's view of the memory.
#[pyclass(frozen, module = "codecairn._native")]
pub(crate) struct Memory(codecairn_memory::Memory, PathBuf);

#[pymethods]
impl Memory {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, root: PathBuf, options: &str) -> PyResult<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        keep_crashes();
        enter(py, || {
            let options = codecairn_memory::MemoryOptions::from_json(path, &root, options)?;
            codecairn_memory::Memory::open(options, clock)
        })
        .map(|memory| Self(memory, root))
    }

    /// (seq, `is_kept`, `is_waiting`, facts): no document, as this is called more often than all others.
    fn record(&self, py: Python<'_>, event: &str) -> PyResult<(Option<i64>, bool, bool, Vec<String>)> {
        let recorded = enter(py, || self.0.record(read(event)?))?;
        Ok((recorded.seq, recorded.is_kept, recorded.is_waiting, recorded.facts))
    }

    fn add(&self, py: Python<'_>, fact: &str) -> PyResult<String> {
        answer(py, fact, |fact: codecairn_memory::NewFact| self.0.add(fact))
    }

    fn update(&self, py: Python<'_>, id: &str, change: &str) -> PyResult<String> {
        answer(py, change, |change: codecairn_memory::FactChange| self.0.update(id, &change))
    }

    fn forget(&self, py: Python<'_>, id: &str, reason: &str) -> PyResult<String> {
        enter(py, || json(&self.0.forget(id, reason)?))
    }

    fn withdraw(&self, py: Python<'_>, id: &str, reason: &str) -> PyResult<String> {
        enter(py, || json(&self.0.withdraw(id, reason)?))
    }

    fn restore(&self, py: Python<'_>, id: &str, reason: &str) -> PyResult<String> {
        enter(py, || json(&self.0.restore(id, reason)?))
    }

    fn purge(&self, py: Python<'_>, selection: &str) -> PyResult<String> {
        answer(py, selection, |selection: codecairn_memory::Selection| self.0.purge(&selection))
    }

    fn outbox(&self, py: Python<'_>, sink: &str, command: &str) -> PyResult<String> {
        answer(py, command, |command: codecairn_memory::OutboxCommand| self.0.outbox(sink, &command))
    }

    fn removals(&self, py: Python<'_>) -> PyResult<u64> {
        enter(py, || self.0.removals())
    }

    fn verify(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        enter(py, || self.0.verify())
    }

    fn rescue(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || json(&self.0.rescue()?))
    }

    fn supersede(&self, py: Python<'_>, by: &str, ids: &str, reason: &str) -> PyResult<String> {
        answer(py, ids, |ids: Vec<String>| self.0.supersede(by, &ids, reason))
    }

    fn replace_provisional(&self, py: Python<'_>, events: Vec<i64>, by: Vec<String>) -> PyResult<String> {
        enter(py, || json(&self.0.replace_provisional(&events, &by)?))
    }

    fn anchors(&self, py: Python<'_>, ids: &str) -> PyResult<String> {
        answer(py, ids, |ids: Vec<String>| self.0.anchors(&ids))
    }

    #[pyo3(signature = (id, anchors, *, place))]
    fn anchor(&self, py: Python<'_>, id: &str, anchors: &str, place: Option<usize>) -> PyResult<()> {
        answer(py, anchors, |anchors: Vec<codecairn_memory::Anchor>| self.0.anchor(id, &anchors, place)).map(drop)
    }

    fn definitions_in(&self, py: Python<'_>, path: &str) -> PyResult<String> {
        enter(py, || json(&codecairn_memory::definitions_in(&self.1, path)))
    }

    fn file_anchor(&self, py: Python<'_>, path: &str) -> PyResult<String> {
        enter(py, || json(&codecairn_memory::file_anchor(&self.1, path)))
    }

    fn line_anchor(&self, py: Python<'_>, path: &str, line: usize) -> PyResult<String> {
        enter(py, || json(&codecairn_memory::line_anchor(&self.1, path, line)))
    }

    fn look(&self, py: Python<'_>, anchor: &str, elsewhere: Vec<String>) -> PyResult<String> {
        answer(py, anchor, |anchor: codecairn_memory::Anchor| Ok(self.0.anchor_status(&self.1, &anchor, &elsewhere)))
    }

    fn shown(&self, py: Python<'_>, id: &str, limit: usize) -> PyResult<String> {
        enter(py, || json(&self.0.shown(id, limit)?))
    }

    fn recall(&self, py: Python<'_>, query: &str, options: &str) -> PyResult<String> {
        answer(py, options, |options: codecairn_memory::RecallOptions| self.0.recall(query, &options))
    }

    fn describe(&self, py: Python<'_>, text: &str, role: &str, before: &str) -> PyResult<String> {
        enter(py, || json(&self.0.describe(text, role.parse()?, before)))
    }

    fn answers(&self, py: Python<'_>, prompt: &str, options: &str) -> PyResult<String> {
        answer(py, options, |options: codecairn_memory::RecallOptions| self.0.answers(prompt, &options))
    }

    fn list(&self, py: Python<'_>, filter: &str, limit: usize) -> PyResult<String> {
        answer(py, filter, |filter: codecairn_memory::FactFilter| self.0.list(&filter, limit))
    }

    fn fact(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        enter(py, || json(&self.0.fact(id)?))
    }

    fn event(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        enter(py, || json(&self.0.event(id)?))
    }

    #[pyo3(signature = (*, session, before, with_private, limit))]
    fn events(
        &self,
        py: Python<'_>,
        session: Option<&str>,
        before: Option<i64>,
        with_private: bool,
        limit: usize,
    ) -> PyResult<String> {
        enter(py, || json(&self.0.events(session, before, with_private, limit)?))
    }

    #[pyo3(signature = (since, until, key, private, limit))]
    fn talk(
        &self,
        py: Python<'_>,
        since: i64,
        until: i64,
        key: Option<&str>,
        private: bool,
        limit: usize,
    ) -> PyResult<String> {
        enter(py, || json(&self.0.talk(since, until, key, private, limit)?))
    }

    #[pyo3(signature = (id, *, before, after, with_private))]
    fn timeline(&self, py: Python<'_>, id: &str, before: usize, after: usize, with_private: bool) -> PyResult<String> {
        enter(py, || json(&self.0.timeline(id, before, after, with_private)?))
    }

    #[pyo3(signature = (*, limit))]
    fn sessions(&self, py: Python<'_>, limit: usize) -> PyResult<String> {
        enter(py, || json(&self.0.sessions(limit)?))
    }

    fn session(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        enter(py, || json(&self.0.session(id)?))
    }

    fn note_injection(&self, py: Python<'_>, injection: &str) -> PyResult<bool> {
        enter(py, || self.0.note_injection(&read(injection)?))
    }

    fn injections(&self, py: Python<'_>, session: &str) -> PyResult<String> {
        enter(py, || json(&self.0.injections(session)?))
    }

    #[pyo3(signature = (session, prompt, *, before))]
    fn has_drifted(&self, py: Python<'_>, session: &str, prompt: &str, before: Option<i64>) -> PyResult<bool> {
        enter(py, || self.0.has_drifted(session, prompt, before))
    }

    #[pyo3(signature = (request, *, elsewhere, embed))]
    fn context(&self, py: Python<'_>, request: &str, elsewhere: Py<PyAny>, embed: Py<PyAny>) -> PyResult<String> {
        memory_context::context(py, &self.0, &self.1, request, elsewhere, embed)
    }

    fn project(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || json(&self.0.project_report()?))
    }

    fn projects(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || json(&self.0.projects()?))
    }

    fn adopt_project(&self, py: Python<'_>, number: i64) -> PyResult<String> {
        enter(py, || json(&self.0.adopt_project(number)?))
    }

    fn part_project(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || json(&self.0.part_project()?))
    }

    fn status(&self, py: Python<'_>) -> PyResult<String> {
        enter(py, || json(&self.0.status()?))
    }

    fn texts_without_vector<'py>(&self, py: Python<'py>, space: &str) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let hashes = enter(py, || self.0.texts_without_vector(space))?;
        Ok(hashes.iter().map(|hash| PyBytes::new(py, hash.as_bytes())).collect())
    }

    fn texts_to_embed<'py>(
        &self,
        py: Python<'py>,
        hashes: Vec<[u8; 16]>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, String)>> {
        let hashes: Vec<ContentHash> = hashes.into_iter().map(ContentHash::from_bytes).collect();
        let texts = enter(py, || self.0.texts_to_embed(&hashes))?;
        Ok(texts.into_iter().map(|(hash, text)| (PyBytes::new(py, hash.as_bytes()), text)).collect())
    }

    /// Vectors are float32, little-endian; `None` for a text that the provider refused.
    fn put_remote_vectors(
        &self,
        py: Python<'_>,
        space: &str,
        dimensions: usize,
        vectors: Vec<([u8; 16], Option<Bound<'_, PyBytes>>)>,
    ) -> PyResult<u64> {
        let numbers = |bytes: &Bound<'_, PyBytes>| {
            bytes.as_bytes().as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect::<Vec<f32>>()
        };
        let rows: Vec<(ContentHash, Option<Vec<f32>>)> = vectors
            .iter()
            .map(|(hash, vector)| (ContentHash::from_bytes(*hash), vector.as_ref().map(numbers)))
            .collect();
        enter(py, || self.0.put_remote_vectors(space, dimensions, &rows))
    }

    fn has_remote_vectors(&self, py: Python<'_>, space: &str) -> PyResult<bool> {
        enter(py, || self.0.has_remote_vectors(space))
    }

    fn remote_vector_counts(&self, py: Python<'_>, space: &str) -> PyResult<String> {
        enter(py, || json(&self.0.remote_vector_counts(space)?))
    }

    fn tidy(&self, py: Python<'_>) -> PyResult<bool> {
        enter(py, || self.0.tidy())
    }

    #[pyo3(signature = (*, with_private))]
    fn export_json(&self, py: Python<'_>, with_private: bool) -> PyResult<String> {
        enter(py, || self.0.export(with_private))
    }

    fn import_json(&self, py: Python<'_>, document: &str) -> PyResult<String> {
        enter(py, || json(&self.0.import(document)?))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || {
            self.0.close();
            Ok(())
        })
    }
}

/// Reads an argument, runs `work` without the GIL, and writes its result.
fn answer<A: DeserializeOwned + Send, T: Serialize>(
    py: Python<'_>,
    argument: &str,
    work: impl FnOnce(A) -> Result<T> + Send,
) -> PyResult<String> {
    enter(py, || json(&work(read(argument)?)?))
}

fn read<A: DeserializeOwned>(argument: &str) -> Result<A> {
    serde_json::from_str(argument).map_err(|error| Error::InvalidArgument(error.to_string()))
}

fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))
}
