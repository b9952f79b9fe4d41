//! Binds small functions about languages and git that need no store, and those on stores that are not open.

use std::path::PathBuf;
use std::sync::Arc;

use codecairn_base::ErrorKind;
use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_syntax::language;
use pyo3::prelude::*;

use crate::clock::SystemClock;
use crate::enter::enter_long;

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
    codecairn_walk::git::Repository::discover(&root)
        .map_or_else(Default::default, |repository| repository.branch_and_commit())
}

/// The user's own file of git excludes: `core.excludesFile`, else git's default; it need not exist.
#[pyfunction]
pub(crate) fn git_excludes() -> Option<PathBuf> {
    codecairn_walk::global_excludes_path()
}

/// Makes the store in `target` from the one in `source`, unless there is one.
#[pyfunction]
pub(crate) fn copy_store(py: Python<'_>, source: PathBuf, target: PathBuf) -> PyResult<()> {
    let token = CancelToken::default();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    enter_long(py, &token, || codecairn_store::copy_store(&source, &target, &clock, &token))
}

/// Sets the damaged store in `store` aside; returns the folder it lies in now, and the rows of the new database that has
/// what could be read, if that is wanted.
#[pyfunction]
#[pyo3(signature = (store, *, salvaging))]
pub(crate) fn rescue_store(py: Python<'_>, store: PathBuf, salvaging: bool) -> PyResult<(PathBuf, u64)> {
    let token = CancelToken::default();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let rescue = enter_long(py, &token, || codecairn_store::rescue(&store, salvaging, &clock, &token))?;
    Ok((rescue.aside, rescue.rows))
}

/// (folder of this worktree's own git state, folder that all worktrees share), if `root` lies in a repository.
#[pyfunction]
pub(crate) fn git_folders(root: PathBuf) -> Option<(PathBuf, PathBuf)> {
    codecairn_walk::git::Repository::discover(&root).map(|repository| (repository.git_dir, repository.common_dir))
}

/// Whether a change of the file at `path` may change which others are indexed.
#[pyfunction]
pub(crate) fn is_rule_file(path: &str) -> bool {
    codecairn_walk::Rules::is_rule_file(path)
}

/// The main worktree's root if `root` lies in a linked worktree.
#[pyfunction]
pub(crate) fn git_common_root(root: PathBuf) -> Option<PathBuf> {
    let repository = codecairn_walk::git::Repository::discover(&root)?;
    repository.is_linked_worktree().then(|| repository.main_worktree())?
}
