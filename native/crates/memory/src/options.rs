//! The settings that a memory is opened with.

use std::path::PathBuf;

use super::privacy::Unclosed;
use super::project::ProjectName;

/// How a memory is opened.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The database; made if it does not exist.
    pub path: PathBuf,
    /// Where records wait if the database can't be written.
    pub spool: Option<SignedSpool>,
    /// The project that is spoken of.
    pub project: ProjectName,
    /// What happens to a `<private>` that is never closed.
    pub unclosed: Unclosed,
    /// Bytes of tool output that are kept.
    pub compact_bytes: usize,
}

/// Where records wait in a folder that a repository can put files into.
#[derive(Debug, Clone)]
pub struct SignedSpool {
    /// The folder.
    pub dir: PathBuf,
    /// The file of the user's key.
    pub key: PathBuf,
}
