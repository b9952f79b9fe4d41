//! Binds the checks of what inside a workspace this user wrote.

use std::path::PathBuf;

use codecairn_trust::{Seal, UserKey};
use pyo3::prelude::*;

use crate::enter::enter;

/// Whether the folder of a store is signed by the key in a file: `None` if there is no folder.
#[pyfunction]
pub(crate) fn is_store_sealed(py: Python<'_>, store: PathBuf, key: PathBuf) -> PyResult<Option<bool>> {
    enter(py, || {
        Ok(match Seal::of(&store, UserKey::load(&key)?.as_ref())? {
            Seal::Valid => Some(true),
            Seal::Invalid => Some(false),
            Seal::NoFolder => None,
        })
    })
}

/// Makes the folder of a store, unless it is there, and signs it with the key in a file, which is made if there is none.
#[pyfunction]
pub(crate) fn seal_store(py: Python<'_>, store: PathBuf, key: PathBuf) -> PyResult<()> {
    enter(py, || Seal::write(&store, &UserKey::load_or_create(&key)?))
}

/// The paths below a folder that git tracks, relative to it; `None` if git's index can't be read.
#[pyfunction]
pub(crate) fn tracked_below(py: Python<'_>, folder: PathBuf) -> PyResult<Option<Vec<String>>> {
    enter(py, || Ok(codecairn_trust::tracked_below(&folder)))
}

/// Makes the user's key in a file, unless there is one.
#[pyfunction]
pub(crate) fn make_user_key(py: Python<'_>, key: PathBuf) -> PyResult<()> {
    enter(py, || UserKey::load_or_create(&key).map(drop))
}
