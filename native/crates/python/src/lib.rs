//! Binds the engine to Python as `codecairn._native`. It holds no logic.

#![allow(clippy::needless_pass_by_value, reason = "arguments come from Python as values")]

mod clock;
mod engine;
mod enter;
mod failpoint;
mod graph;
mod hit;
mod hooks;
mod memory;
mod memory_context;
mod memory_text;
mod query;
mod report;
mod requests;
mod transfer;
mod trust;
mod workspace;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::failpoint::arm()
    }

    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::enter::NativeError;
    #[pymodule_export]
    const MAX_PLACES: usize = super::graph::MAX_PLACES;
    #[pymodule_export]
    use super::graph::{Definition, Graph, Mention, Use};
    #[pymodule_export]
    use super::hit::{Hit, HitSpan};
    #[pymodule_export]
    use super::hooks::{
        crash_log_fault, hook, hook_event, hook_hosts, hook_reply, hooks_claimed, hooks_folder, hooks_log, hooks_sweep,
    };
    #[pymodule_export]
    use super::memory::Memory;
    #[pymodule_export]
    use super::memory_text::{
        conflicts, contained, contradiction_features, hosts_loading, memory_words, pseudonym, redacted,
    };
    #[pymodule_export]
    use super::query::{stemmed_words, translation};
    #[pymodule_export]
    use super::report::{Freshness, GarbageReport, IndexPreview, IndexReport, OutsideState, Problem, Skip, Status};
    #[pymodule_export]
    use super::transfer::IndexTransfer;
    #[pymodule_export]
    use super::trust::{is_store_sealed, make_user_key, seal_store, tracked_below};
    #[pymodule_export]
    use super::workspace::{copy_store, git_excludes, git_folders, is_rule_file, rescue_store};
    #[pymodule_export]
    use super::workspace::{error_kinds, git_common_root, git_head, languages};
}
