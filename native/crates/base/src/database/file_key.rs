//! Identifies the file that a path leads to by device and inode: a file that was replaced has the same path and another
//! key.

use std::path::Path;

/// Device and number of a file. While a file is open, no other file has its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKey(u64, u64);

impl FileKey {
    /// The key of the file at `path`, for one `stat`. `None` if there is no file, and where files have no numbers (on
    /// Windows, where an open database can be neither removed nor replaced).
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|file| Self(file.dev(), file.ino()))
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }
}
