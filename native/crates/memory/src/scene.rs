//! Holds the project and the time that a transaction writes for.

/// The project of a record, and the time of the transaction that stores it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    /// The row of the project.
    pub(super) project: i64,
    /// Milliseconds since the epoch.
    pub(super) now_ms: i64,
}
