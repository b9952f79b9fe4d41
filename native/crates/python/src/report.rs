//! Binds results of the engine as frozen Python classes, field by field.

use codecairn_base::hash::ContentHash;
use codecairn_store::Spending;
use pyo3::prelude::*;

/// Declares a frozen class whose fields Python can read, and how it comes from the engine's struct.
macro_rules! result_class {
    ($(#[$meta:meta])* $name:ident from $core:ty { $($field:ident: $type:ty = $convert:expr),+ $(,)? }) => {
        $(#[$meta])*
        #[pyclass(frozen, get_all, module = "codecairn._native")]
        #[derive(Debug)]
        pub(crate) struct $name {
            $($field: $type,)+
        }

        impl From<$core> for $name {
            fn from(core: $core) -> Self {
                Self { $($field: $convert(core.$field),)+ }
            }
        }

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                format!("{self:?}")
            }
        }
    };
}

/// Takes a field as it is.
fn same<T>(value: T) -> T {
    value
}

result_class! {
    /// What one run of indexing did.
    IndexReport from codecairn_engine::IndexReport {
        branch: String = same, files: u64 = same, added: u64 = same, modified: u64 = same, removed: u64 = same,
        renamed: u64 = same, unchanged: u64 = same, parsed: u64 = same, reused: u64 = same, rejected: u64 = same,
        chunks: u64 = same, new_chunks: u64 = same, embedded: u64 = same, pending: u64 = same, skipped: u64 = same, bytes: u64 = same, seconds: f64 = same,
        diagnostics: u64 = same, crashed: Vec<(String, String)> = same,
    }
}

result_class! {
    /// What a run of indexing would do.
    IndexPreview from codecairn_engine::IndexPreview {
        branch: String = same, added: Vec<String> = same, modified: Vec<String> = same, removed: Vec<String> = same,
        unchanged: u64 = same, bytes: u64 = same, chunks: u64 = same, texts: u64 = same, tokens: u64 = same,
    }
}

result_class! {
    /// How fresh the index is after a refresh.
    Freshness from codecairn_engine::Freshness {
        state: &'static str = state_name, changed: u64 = same, unchecked: u64 = same, seconds: f64 = same,
    }
}

result_class! {
    /// The state of a store.
    Status from codecairn_engine::Status {
        branch: String = same, head: String = same, format: u32 = same, generation: u64 = same, files: u64 = same,
        blobs: u64 = same, chunks: u64 = same, texts: u64 = same, vectors: u64 = same, pending: u64 = same,
        symbols: u64 = same, branches: Vec<(String, u64)> = same, languages: Vec<(String, u64, u64)> = same,
        skipped: Vec<(String, u64)> = same, coarse: u64 = same, unparsed: Vec<String> = same,
        crashed: Vec<(String, String)> = same, lossy: Vec<String> = same, store_bytes: u64 = same, segments: u64 = same,
        embedder: String = same, dimensions: u32 = same, indexed_at_ns: i64 = same, indexing: String = same,
        notes: Vec<String> = same,
    }
}

result_class! {
    /// A file that was left out.
    Skip from codecairn_walk::Skip {
        path: String = same, reason: &'static str = reason_name, detail: String = same,
    }
}

result_class! {
    /// Something wrong with a store.
    Problem from codecairn_engine::Problem {
        code: String = same, detail: String = same, repaired: bool = same,
    }
}

result_class! {
    /// What garbage collection freed, or would free.
    GarbageReport from codecairn_engine::GarbageReport {
        branches: u64 = same, worktrees: u64 = same, blobs: u64 = same, chunks: u64 = same, vectors: u64 = same,
        files: u64 = same, bytes: u64 = same,
    }
}

fn state_name(state: codecairn_engine::FreshnessState) -> &'static str {
    match state {
        codecairn_engine::FreshnessState::Fresh => "fresh",
        codecairn_engine::FreshnessState::Partial => "partial",
        codecairn_engine::FreshnessState::Locked => "locked",
        codecairn_engine::FreshnessState::ReadOnly => "read-only",
        codecairn_engine::FreshnessState::DiskFull => "disk-full",
    }
}

/// The name of a file's state.
pub(crate) fn file_state_name(state: codecairn_engine::FileState) -> &'static str {
    match state {
        codecairn_engine::FileState::Fresh => "fresh",
        codecairn_engine::FileState::Stale => "stale",
        codecairn_engine::FileState::Missing => "missing",
    }
}

fn reason_name(reason: codecairn_walk::SkipReason) -> &'static str {
    reason.name()
}

result_class! {
    /// How far the vectors of the outside space have come.
    OutsideState from codecairn_engine::RemoteProgress {
        texts: u64 = same, pending: u64 = same, failures: Vec<String> = reasons, is_active: bool = same,
    }
}

fn reasons(failures: Vec<(ContentHash, String)>) -> Vec<String> {
    failures.into_iter().map(|(_, reason)| reason).collect()
}

/// Requests, texts, tokens and millionths of a US dollar, with the vector space or reranker that they were for.
pub(crate) type SpendingRow = (String, u64, u64, u64, u64);

/// What was paid, from requests, texts, tokens and millionths of a US dollar.
pub(crate) fn spent((requests, texts, tokens, micro_usd): (u64, u64, u64, u64)) -> Spending {
    Spending { requests, texts, tokens, micro_usd }
}

/// The same the other way round, by vector space or reranker.
pub(crate) fn spending_rows(rows: Vec<(String, Spending)>) -> Vec<SpendingRow> {
    let row = |(name, paid): (String, Spending)| (name, paid.requests, paid.texts, paid.tokens, paid.micro_usd);
    rows.into_iter().map(row).collect()
}
