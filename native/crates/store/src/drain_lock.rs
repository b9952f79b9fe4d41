//! Locks the embedding of texts by a provider to one process at a time, so that no text is paid for twice.
//!
//! It is apart from the write lease, which is held for moments only, while a provider takes seconds to answer. The
//! system releases it when the process ends, however it ends.

use std::fs::{File, TryLockError};

use codecairn_base::error::{Error, Result};
use codecairn_base::private_files;

use super::store::Store;

/// The held lock; dropping it releases it.
#[derive(Debug)]
pub struct DrainLock {
    /// Locked as long as it is open.
    file: File,
}

impl Store {
    /// Takes the lock; `None` if another process has it.
    pub fn drain_lock(&self) -> Result<Option<DrainLock>> {
        let path = self.dir().join("embed.lock");
        let file = private_files::open_or_create(&path).map_err(|source| Error::io(&path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(DrainLock { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(Error::io(&path, source)),
        }
    }
}

impl Drop for DrainLock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started holds a copy until it has begun.
        let _ = self.file.unlock();
    }
}
