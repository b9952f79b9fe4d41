//! Binds the export and import of indexes as a Python class.

use codecairn_base::cancel::CancelToken;
use codecairn_engine::{Export, NumberingPart, SegmentPart};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::engine::Engine;
use crate::enter::{enter, enter_long, enter_with_progress};
use crate::report::IndexReport;

/// The kind of a segment, its first document, how many it covers, and its bytes.
type SegmentRow<'py> = (String, u32, u32, Bound<'py, PyBytes>);

/// One export of an engine's index, or the import of one.
#[pyclass(frozen, module = "codecairn._native")]
pub(crate) struct IndexTransfer {
    engine: Py<Engine>,
    export: Export,
}

#[pymethods]
impl IndexTransfer {
    #[new]
    fn new(engine: Py<Engine>) -> Self {
        Self { engine, export: Export::default() }
    }

    fn format(&self) -> String {
        self.engine().transfer_format()
    }

    fn contents<'py>(
        &self,
        py: Python<'py>,
        branch: Option<String>,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>, String)>> {
        let found = enter(py, || self.engine().export_contents(&self.export, branch.as_deref()))?;
        let row = |content: codecairn_engine::IndexedContent| {
            (content.path, PyBytes::new(py, &content.digest), content.language)
        };
        Ok(found.into_iter().map(row).collect())
    }

    fn records<'py>(&self, py: Python<'py>, wanted: Vec<([u8; 32], String)>) -> PyResult<Bound<'py, PyBytes>> {
        let pack = enter(py, || self.engine().export_records(&self.export, &wanted))?;
        Ok(PyBytes::new(py, &pack))
    }

    fn numbering<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u32, u32, Bound<'py, PyBytes>)>> {
        let parts = enter(py, || self.engine().export_numbering(&self.export))?;
        Ok(parts.iter().map(|part| (part.first, part.count, PyBytes::new(py, &part.data))).collect())
    }

    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Vec<SegmentRow<'py>>> {
        let parts = enter(py, || self.engine().export_segments(&self.export))?;
        let row = |part: SegmentPart| (part.kind, part.first, part.count, PyBytes::new(py, &part.data));
        Ok(parts.into_iter().map(row).collect())
    }

    fn adopt(
        &self,
        py: Python<'_>,
        numbering: Vec<(u32, u32, PyBackedBytes)>,
        segments: Vec<(String, u32, u32, PyBackedBytes)>,
    ) -> PyResult<u32> {
        let numbering = numbering.into_iter().map(|(first, count, data)| NumberingPart { first, count, data });
        let numbering: Vec<NumberingPart<PyBackedBytes>> = numbering.collect();
        let segments = segments.into_iter().map(|(kind, first, count, data)| SegmentPart { kind, first, count, data });
        let segments: Vec<SegmentPart<PyBackedBytes>> = segments.collect();
        let token = CancelToken::default();
        enter_long(py, &token, || self.engine().adopt(&numbering, &segments, &token))
    }

    fn index(&self, py: Python<'_>, packs: Vec<PyBackedBytes>, progress: Option<Py<PyAny>>) -> PyResult<IndexReport> {
        let packs: Vec<Vec<u8>> = packs.into_iter().map(|pack| pack.to_vec()).collect();
        let run = |progress: &codecairn_engine::Progress<'_>, token: &CancelToken| {
            self.engine().index_with_records(packs, progress, token)
        };
        enter_with_progress(py, progress, run).map(IndexReport::from)
    }
}

impl IndexTransfer {
    fn engine(&self) -> &codecairn_engine::Engine {
        &self.engine.get().0
    }
}
