//! Defines the report of an indexing run.

/// The report of an indexing run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexReport {
    /// The indexed branch.
    pub branch: String,
    /// Files of the branch now.
    pub files: u64,
    /// Files that were not there before.
    pub added: u64,
    /// Files with new content.
    pub modified: u64,
    /// Removed files.
    pub removed: u64,
    /// Renamed files: an added path with the content of a removed one.
    pub renamed: u64,
    /// Files that stayed as they were.
    pub unchanged: u64,
    /// Texts that were parsed; what an earlier run had stored, published or not, is not parsed again.
    pub parsed: u64,
    /// Texts whose records were made elsewhere and took the place of a parse.
    pub reused: u64,
    /// Texts that were parsed although there was such a record, as it did not fit.
    pub rejected: u64,
    /// Chunks of the branch now.
    pub chunks: u64,
    /// Chunks that the store did not have.
    pub new_chunks: u64,
    /// Texts that were embedded.
    pub embedded: u64,
    /// Texts of the store still without a vector.
    pub pending: u64,
    /// Files left out, each with a reason.
    pub skipped: u64,
    /// Bytes of source read.
    pub bytes: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Syntax errors that a parser reported.
    pub diagnostics: u64,
    /// Files that are cut by lines because parsing them ended a process: path and signal. Of a run over all files.
    pub crashed: Vec<(String, String)>,
}
