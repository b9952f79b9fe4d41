//! Defines the settings that a memory is opened with.

use std::path::PathBuf;

use super::privacy::Unclosed;
use super::project::ProjectName;

/// The settings of an open memory.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The database; made if it does not exist.
    pub path: PathBuf,
    /// The spool for records while the database can't be written.
    pub spool: Option<SignedSpool>,
    /// The project that is spoken of.
    pub project: ProjectName,
    /// The treatment of a `<private>` tag that is never closed.
    pub unclosed: Unclosed,
    /// Bytes of tool output that are stored.
    pub compact_bytes: usize,
}

/// A spool in a folder that a repository can put files into.
#[derive(Debug, Clone)]
pub struct SignedSpool {
    /// The folder.
    pub dir: PathBuf,
    /// The file of the user's key.
    pub key: PathBuf,
}
