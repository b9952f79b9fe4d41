//! Defines the reports of the engine as plain data.

use codecairn_base::span::LineSpan;
use codecairn_search::Contribution;
use codecairn_syntax::kind::Kind;

/// The preview of an indexing run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexPreview {
    /// The branch.
    pub branch: String,
    /// Paths that are new.
    pub added: Vec<String>,
    /// Paths with new content.
    pub modified: Vec<String>,
    /// Removed paths.
    pub removed: Vec<String>,
    /// Files that stay as they are.
    pub unchanged: u64,
    /// Bytes to read.
    pub bytes: u64,
    /// Chunks to store.
    pub chunks: u64,
    /// Texts to embed.
    pub texts: u64,
    /// Their length in tokens, estimated at four bytes each.
    pub tokens: u64,
}

/// How fresh the index is after a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreshnessState {
    /// Everything that changed is indexed.
    Fresh,
    /// Some of it had to wait.
    Partial,
    /// Another process is indexing.
    Locked,
    /// The store can't be written.
    ReadOnly,
    /// The store's disk has no room left.
    DiskFull,
}

/// The result of a refresh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Freshness {
    /// In a word.
    pub state: FreshnessState,
    /// Files brought up to date, removals included.
    pub changed: u64,
    /// Files known to have changed that are not yet indexed.
    pub unchecked: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// Whether a file has changed since it was indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Size and times are as recorded.
    Fresh,
    /// It changed since.
    Stale,
    /// It no longer exists.
    Missing,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Relative path.
    pub path: String,
    /// First line of the span, from 1.
    pub start_line: u32,
    /// Last line of the span.
    pub end_line: u32,
    /// Its kind.
    pub kind: Kind,
    /// The qualified name, or empty.
    pub name: String,
    /// The language's id.
    pub language: &'static str,
    /// The score that decided the order.
    pub score: f32,
    /// How probably its file has what the query needs, of a search in words.
    pub confidence: Option<f32>,
    /// The indexed text of the span, with the requested lines of context.
    pub text: String,
    /// Line on which `text` begins.
    pub context_start_line: u32,
    /// Its path and scopes.
    pub breadcrumb: String,
    /// The contributions to its score, if requested.
    pub contributions: Vec<Contribution>,
    /// The places in its file that are worth their tokens, in order of their lines, if there is a token budget.
    pub spans: Vec<HitSpan>,
}

/// A place in the file of a hit.
#[derive(Debug, Clone, PartialEq)]
pub struct HitSpan {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Its kind.
    pub kind: Kind,
    /// The qualified name, or empty.
    pub name: String,
    /// How probably it is what the query needs.
    pub probability: f32,
    /// Its lines that are shown, in order.
    pub shown: Vec<LineSpan>,
    /// The lines of each way to show it, if an explanation was requested: empty where there is none such.
    pub ways: Vec<Vec<LineSpan>>,
    /// The text of the lines that are shown, if texts are wanted.
    pub text: String,
    /// The contributions to its probability, if requested.
    pub contributions: Vec<Contribution>,
}

/// The state of a store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// The current branch.
    pub branch: String,
    /// Its commit when it was indexed, or empty.
    pub head: String,
    /// The database's format.
    pub format: u32,
    /// The number of the last published state.
    pub generation: u64,
    /// Files of the branch.
    pub files: u64,
    /// Distinct contents in the store.
    pub blobs: u64,
    /// Chunks of the branch.
    pub chunks: u64,
    /// Distinct texts in the store.
    pub texts: u64,
    /// Vectors of the current embedder.
    pub vectors: u64,
    /// Texts without a vector of it.
    pub pending: u64,
    /// Symbols of the branch.
    pub symbols: u64,
    /// All branches with their numbers of files.
    pub branches: Vec<(String, u64)>,
    /// Languages of the branch: id, files, bytes.
    pub languages: Vec<(String, u64, u64)>,
    /// Reasons why files are left out, with their numbers.
    pub skipped: Vec<(String, u64)>,
    /// Files cut into coarse windows without vectors.
    pub coarse: u64,
    /// Files that were cut by lines, all of them or in part, because their parse was stopped: paths.
    pub unparsed: Vec<String>,
    /// Files that were cut by lines because parsing them ended a process: path and signal.
    pub crashed: Vec<(String, String)>,
    /// Files with a region that their grammar can't read, where definitions may be missing: paths.
    pub lossy: Vec<String>,
    /// Size of the store on disk.
    pub store_bytes: u64,
    /// Live segments.
    pub segments: u64,
    /// The embedder's id.
    pub embedder: String,
    /// Its dimensions.
    pub dimensions: u32,
    /// When the branch was last indexed, nanoseconds since the epoch; 0 for never.
    pub indexed_at_ns: i64,
    /// Who writes to the store right now, or empty.
    pub indexing: String,
    /// Remarks on the store's file system.
    pub notes: Vec<String>,
}

/// Something wrong with a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its stable name.
    pub code: String,
    /// The details.
    pub detail: String,
    /// Whether it has been mended.
    pub repaired: bool,
}

/// The result of a garbage collection or of a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GarbageReport {
    /// Branches forgotten, as git no longer has them.
    pub branches: u64,
    /// Removed worktrees, whose folder no longer exists.
    pub worktrees: u64,
    /// Contents that no branch has.
    pub blobs: u64,
    /// Chunks that no content has.
    pub chunks: u64,
    /// Stored (remote) vectors of texts that no chunk has.
    pub vectors: u64,
    /// Files of the store removed.
    pub files: u64,
    /// Bytes given back, by the database and in files.
    pub bytes: u64,
}
