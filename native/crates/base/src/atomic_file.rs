//! Writes a derived file under a temporary name and renames it when it is complete.
//!
//! Invariant: the name appears only when the file is complete and synced; a file that is dropped before is removed.
//! Publishing fails if a mapped file was cut meanwhile, because the new one may have been made from its zeros.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::mapped_file::cut_maps;
use crate::error::{Error, Result};
use crate::failpoint;
use crate::private_files;

/// Bytes gathered before the system is asked to write.
const BUFFER: usize = 1 << 18;

/// A file that is being written under a temporary name.
pub struct AtomicFile {
    path: PathBuf,
    temporary: Temporary,
    file: BufWriter<File>,
    /// Maps that had been cut when it was begun.
    cut_maps: u64,
}

/// Removes the file unless it has moved to its name.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is gone if it was published. If it can't be removed nothing more can be done here.
        let _ = private_files::remove(&self.0);
    }
}

impl AtomicFile {
    /// Creates the file under a temporary name; dropping it without publishing removes it.
    pub fn create(folder: &Path, file_name: &str) -> Result<Self> {
        let temporary = folder.join(format!("{file_name}.tmp"));
        let file = private_files::create(&temporary).map_err(|source| Error::io(&temporary, source))?;
        failpoint::reach("file.made")?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(Self { path: folder.join(file_name), temporary: Temporary(temporary), file, cut_maps: cut_maps() })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|source| Error::io(&self.temporary.0, source))
    }

    /// Overwrites the first bytes, syncs, and gives the file its name, all of it safe from a crash.
    pub fn publish(mut self, head: &[u8]) -> Result<()> {
        let failed = |source| Error::io(&self.temporary.0, source);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.file.write_all(head).map_err(failed)?;
        self.file.flush().map_err(failed)?;
        failpoint::reach("file.written")?;
        self.file.get_ref().sync_all().map_err(failed)?;
        failpoint::reach("file.synced")?;
        if cut_maps() != self.cut_maps {
            let detail = "a file was cut while this one was made from it".to_owned();
            return Err(Error::StoreDamaged { path: self.path, detail });
        }
        std::fs::rename(&self.temporary.0, &self.path).map_err(|source| Error::io(&self.path, source))?;
        failpoint::reach("file.named")?;
        if let Some(folder) = self.path.parent() {
            private_files::sync_folder(folder).map_err(|source| Error::io(folder, source))?;
        }
        Ok(())
    }
}
