//! Read-only memory maps of derived files.
//!
//! Invariant: a derived file is never changed in place. It is written under a temporary name, synced
//! and renamed; an old one is unlinked, which leaves existing maps valid.

#![allow(unsafe_code, reason = "mapping a file is unsafe because others could change it; see the invariant above")]

use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::private_files;

/// A whole file, mapped for reading.
#[derive(Debug)]
pub struct MappedFile {
    path: PathBuf,
    map: Mmap,
}

impl MappedFile {
    /// Maps the file at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let file = private_files::open(path).map_err(|source| Error::io(path, source))?;
        // SAFETY: derived files are immutable once named (module invariant), so the mapped bytes never change.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| Error::io(path, source))?;
        Ok(Self { path: path.to_path_buf(), map })
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
