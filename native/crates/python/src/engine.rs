//! Binds the engine as a Python class.

use std::path::PathBuf;
use std::sync::Arc;

use codecairn_base::Error;
use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::hash::ContentHash;
use codecairn_engine::{Delivery, OpenOptions, RemoteSpace, SearchOptions};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::clock::SystemClock;
use crate::enter::{enter, enter_long, enter_with_progress, to_python};
use crate::hit::Hit;
use crate::hooks::keep_crashes;
use crate::report::{
    Freshness, GarbageReport, IndexPreview, IndexReport, OutsideState, Problem, Skip, SpendingRow, Status,
    file_state_name, spending_rows, spent,
};
use crate::requests::{DefineRequest, SearchRequest, SimilarRequest};

/// One opened store of one workspace.
#[pyclass(frozen, module = "codecairn._native")]
pub(crate) struct Engine(pub(crate) codecairn_engine::Engine);

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (root, store, *, embedder, include, exclude, read_only, writer, user_ignore = None, outside = None, scip = "", vector_method = "auto"))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        py: Python<'_>,
        root: PathBuf,
        store: PathBuf,
        embedder: String,
        include: Vec<String>,
        exclude: Vec<String>,
        read_only: bool,
        writer: String,
        user_ignore: Option<PathBuf>,
        outside: Option<(String, u32)>,
        scip: &str,
        vector_method: &str,
    ) -> PyResult<Self> {
        let outside = outside.map(|(name, dimensions)| RemoteSpace { name, dimensions });
        let scip = scip.to_owned();
        let vector_method = vector_method.parse().map_err(|message| to_python(Error::InvalidArgument(message)))?;
        let options = OpenOptions {
            root,
            store,
            embedder,
            remote: outside,
            include,
            exclude,
            read_only,
            writer,
            user_ignore,
            scip,
            vector_method,
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        keep_crashes();
        enter(py, || codecairn_engine::Engine::open(options, clock)).map(Self)
    }

    #[pyo3(signature = (*, force, progress, paths = None))]
    fn index(
        &self,
        py: Python<'_>,
        force: bool,
        progress: Option<Py<PyAny>>,
        paths: Option<Vec<String>>,
    ) -> PyResult<IndexReport> {
        let run = |progress: &codecairn_engine::Progress<'_>, token: &CancelToken| {
            self.0.index(force, paths.as_deref(), progress, token)
        };
        enter_with_progress(py, progress, run).map(IndexReport::from)
    }

    fn index_tree(
        &self,
        py: Python<'_>,
        branch: String,
        head: String,
        base: String,
        files: Vec<(String, PyBackedBytes)>,
        removed: Vec<String>,
    ) -> PyResult<IndexReport> {
        let token = CancelToken::default();
        let files = files.into_iter().map(|(path, bytes)| (path, bytes.to_vec())).collect();
        let change = codecairn_engine::TreeChange { branch, head, base, files, removed };
        enter_long(py, &token, || self.0.index_tree(change, &token)).map(IndexReport::from)
    }

    fn indexed_head(&self, py: Python<'_>, branch: &str) -> PyResult<Option<String>> {
        enter(py, || self.0.indexed_head(branch))
    }

    fn is_indexed(&self, py: Python<'_>) -> PyResult<bool> {
        enter(py, || self.0.is_indexed())
    }

    fn writer(&self, py: Python<'_>) -> PyResult<Option<String>> {
        enter(py, || Ok(self.0.writer()))
    }

    fn folders(&self, py: Python<'_>, folder: &str) -> PyResult<Vec<String>> {
        enter(py, || Ok(self.0.folders(folder)))
    }

    #[pyo3(signature = (path, *, is_dir))]
    fn is_walked(&self, py: Python<'_>, path: &str, is_dir: bool) -> PyResult<bool> {
        enter(py, || Ok(self.0.is_walked(path, is_dir)))
    }

    fn preview(&self, py: Python<'_>) -> PyResult<IndexPreview> {
        let token = CancelToken::default();
        enter_long(py, &token, || self.0.preview(&token)).map(IndexPreview::from)
    }

    #[pyo3(signature = (*, budget_ms))]
    fn refresh(&self, py: Python<'_>, budget_ms: Option<u64>) -> PyResult<Freshness> {
        let token = CancelToken::default();
        enter(py, || self.0.refresh(budget_ms, &token)).map(Freshness::from)
    }

    #[pyo3(signature = (request, *, ranking, fusion, text, vector = None))]
    fn search(
        &self,
        py: Python<'_>,
        request: SearchRequest,
        ranking: &str,
        fusion: &str,
        text: bool,
        vector: Option<Bound<'_, PyBytes>>,
    ) -> PyResult<Vec<Hit>> {
        let bad = |message| to_python(Error::InvalidArgument(message));
        let options = SearchOptions {
            limit: request.limit,
            filters: request.filters.into(),
            context_lines: request.context_lines,
            explain: request.explain,
            token_budget: request.token_budget,
            ranking: ranking.parse().map_err(bad)?,
            fusion: fusion.parse().map_err(bad)?,
            text,
        };
        let vector = vector.map(|vector| vector.as_bytes().to_vec());
        let hits = enter(py, || self.0.search(&request.query, vector.as_deref(), &options))?;
        Ok(hits.into_iter().map(Hit::from).collect())
    }

    #[pyo3(signature = (request, *, own_place, vector = None))]
    fn similar(
        &self,
        py: Python<'_>,
        request: SimilarRequest,
        own_place: Option<(String, u32, u32)>,
        vector: Option<Bound<'_, PyBytes>>,
    ) -> PyResult<Vec<Hit>> {
        let SimilarRequest { text, limit, filters } = request;
        let filters = filters.into();
        let vector = vector.map(|vector| vector.as_bytes().to_vec());
        let hits = enter(py, || self.0.similar(&text, vector.as_deref(), &filters, limit, own_place.as_ref()))?;
        Ok(hits.into_iter().map(Hit::from).collect())
    }

    fn text_at(&self, py: Python<'_>, path: &str, line: u32) -> PyResult<(String, u32, u32)> {
        enter(py, || self.0.text_at(path, line))
    }

    fn define(&self, py: Python<'_>, request: DefineRequest) -> PyResult<Vec<Hit>> {
        let DefineRequest { name, limit, filters } = request;
        let filters = filters.into();
        Ok(enter(py, || self.0.define(&name, &filters, limit))?.into_iter().map(Hit::from).collect())
    }

    fn check(&self, py: Python<'_>, paths: Vec<String>) -> PyResult<Vec<&'static str>> {
        Ok(enter(py, || self.0.check(&paths))?.into_iter().map(file_state_name).collect())
    }

    fn status(&self, py: Python<'_>) -> PyResult<Status> {
        enter(py, || self.0.status()).map(Status::from)
    }

    fn skips(&self, py: Python<'_>) -> PyResult<Vec<Skip>> {
        Ok(enter(py, || self.0.skips())?.into_iter().map(Skip::from).collect())
    }

    fn paths(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        enter(py, || self.0.paths())
    }

    fn stem_counts(&self, py: Python<'_>) -> PyResult<Vec<(String, u32)>> {
        enter(py, || self.0.stem_counts())
    }

    fn verify(&self, py: Python<'_>) -> PyResult<Vec<Problem>> {
        let token = CancelToken::default();
        Ok(enter_long(py, &token, || self.0.verify(&token))?.into_iter().map(Problem::from).collect())
    }

    fn repair(&self, py: Python<'_>) -> PyResult<Vec<Problem>> {
        let token = CancelToken::default();
        Ok(enter_long(py, &token, || self.0.repair(&token))?.into_iter().map(Problem::from).collect())
    }

    #[pyo3(signature = (*, dry_run))]
    fn collect_garbage(&self, py: Python<'_>, dry_run: bool) -> PyResult<GarbageReport> {
        let token = CancelToken::default();
        enter_long(py, &token, || self.0.collect_garbage(dry_run, &token)).map(GarbageReport::from)
    }

    fn unreached(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        enter(py, || self.0.unreached())
    }

    fn waiting_hashes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let hashes = enter(py, || self.0.pending_hashes())?;
        Ok(hashes.iter().map(|hash| PyBytes::new(py, hash.as_bytes())).collect())
    }

    fn waiting_texts<'py>(
        &self,
        py: Python<'py>,
        hashes: Vec<[u8; 16]>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, String)>> {
        let hashes: Vec<ContentHash> = hashes.into_iter().map(ContentHash::from_bytes).collect();
        let texts = enter(py, || self.0.pending_texts(&hashes))?;
        Ok(texts.into_iter().map(|found| (PyBytes::new(py, found.hash.as_bytes()), found.text)).collect())
    }

    fn deliver(
        &self,
        py: Python<'_>,
        vectors: Vec<([u8; 16], Bound<'_, PyBytes>)>,
        failures: Vec<([u8; 16], String)>,
        spending: (u64, u64, u64, u64),
    ) -> PyResult<u64> {
        let hash = ContentHash::from_bytes;
        let delivery = Delivery {
            vectors: vectors.into_iter().map(|(text, vector)| (hash(text), vector.as_bytes().to_vec())).collect(),
            failures: failures.into_iter().map(|(text, reason)| (hash(text), reason)).collect(),
            spending: spent(spending),
        };
        enter(py, || self.0.deliver(&delivery))
    }

    fn add_spending(&self, py: Python<'_>, name: &str, spending: (u64, u64, u64, u64)) -> PyResult<()> {
        enter(py, || self.0.add_spending(name, spent(spending)))
    }

    fn spending(&self, py: Python<'_>) -> PyResult<Vec<SpendingRow>> {
        enter(py, || self.0.spending()).map(spending_rows)
    }

    fn publish_vectors(&self, py: Python<'_>) -> PyResult<()> {
        let token = CancelToken::default();
        enter_long(py, &token, || self.0.publish_vectors(&token))
    }

    fn start_draining(&self, py: Python<'_>) -> PyResult<bool> {
        enter(py, || self.0.start_draining())
    }

    fn stop_draining(&self) {
        self.0.stop_draining();
    }

    fn uses_outside(&self, py: Python<'_>) -> PyResult<bool> {
        enter(py, || self.0.uses_remote())
    }

    fn outside_state(&self, py: Python<'_>) -> PyResult<OutsideState> {
        enter(py, || self.0.remote_progress()).map(OutsideState::from)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.0.close())
    }
}
