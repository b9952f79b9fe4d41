//! `codecairn._native`: the Python face of the engine. No logic lives here.

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _native {}
