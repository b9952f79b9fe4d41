//! Small questions about languages and git that need no store.

use std::path::PathBuf;

use codecairn_core::{ErrorKind, language, walk};
use pyo3::prelude::*;

/// This version of the core.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The stable name of every kind of failure.
#[pyfunction]
pub(crate) fn error_kinds() -> Vec<&'static str> {
    ErrorKind::ALL.into_iter().map(ErrorKind::name).collect()
}

/// (id, name, has a grammar) of every known language.
#[pyfunction]
pub(crate) fn languages() -> Vec<(&'static str, &'static str, bool)> {
    language::all().iter().map(|language| (language.id, language.name, language.parser().is_some())).collect()
}

/// (branch or `@<sha>` or empty, commit or empty), read without running git.
#[pyfunction]
pub(crate) fn git_head(root: PathBuf) -> (String, String) {
    walk::git::Repository::discover(&root).map_or_else(Default::default, |repository| repository.branch_and_commit())
}

/// The user's own file of git excludes: `core.excludesFile`, else git's default; it need not exist.
#[pyfunction]
pub(crate) fn git_excludes() -> Option<PathBuf> {
    walk::global_excludes_path()
}

/// The main worktree's root if `root` lies in a linked worktree.
#[pyfunction]
pub(crate) fn git_common_root(root: PathBuf) -> Option<PathBuf> {
    let repository = walk::git::Repository::discover(&root)?;
    repository.is_linked_worktree().then(|| repository.main_worktree())?
}
