//! Defines the settings that a memory is opened with.

use std::path::{Path, PathBuf};

use codecairn_base::error::{Error, Result};
use serde::Deserialize;

use super::privacy::Unclosed;
use super::project::{Identity, ProjectName};

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

/// The options as Python writes them.
#[derive(Deserialize)]
struct Document {
    spool: Option<PathBuf>,
    key: PathBuf,
    identity: String,
    project: Option<String>,
    unclosed: String,
    compact_bytes: usize,
}

impl MemoryOptions {
    /// Reads options that Python wrote as JSON, for the memory at `path` and the project at `root`.
    pub fn from_json(path: PathBuf, root: &Path, json: &str) -> Result<Self> {
        let given: Document = serde_json::from_str(json).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        let identity: Identity = given.identity.parse().map_err(Error::InvalidArgument)?;
        let unclosed = given.unclosed.parse().map_err(Error::InvalidArgument)?;
        let spool = given.spool.map(|dir| SignedSpool { dir, key: given.key });
        let project = ProjectName::of(root, identity, given.project.as_deref());
        Ok(Self { path, spool, project, unclosed, compact_bytes: given.compact_bytes })
    }
}

/// A spool in a folder that a repository can put files into.
#[derive(Debug, Clone)]
pub struct SignedSpool {
    /// The folder.
    pub dir: PathBuf,
    /// The file of the user's key.
    pub key: PathBuf,
}
