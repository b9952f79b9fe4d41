//! Says how much room is left on the disk that holds a file.

use std::path::Path;

/// With less room a database can't be opened: its shared memory alone takes 32 kB, and a write at least one page beside.
const MIN_BYTES: u64 = 64 << 10;

/// Bytes that may still be written beside `path`, and whether files may be made there; `None` if that is unknown.
///
/// A path that does not exist is looked up by the nearest folder above it that does.
#[cfg(unix)]
fn room(path: &Path) -> Option<(u64, bool)> {
    let found = path.ancestors().filter(|path| path.is_absolute()).find_map(|path| rustix::fs::statvfs(path).ok())?;
    // Some file systems count no files.
    Some((found.f_bavail.saturating_mul(found.f_frsize), found.f_files == 0 || found.f_favail > 0))
}

#[cfg(not(unix))]
fn room(_path: &Path) -> Option<(u64, bool)> {
    None
}

/// Whether the disk that holds `path` has no room for a database.
pub(crate) fn is_full(path: &Path) -> bool {
    room(path).is_some_and(|(bytes, may_make)| bytes < MIN_BYTES || !may_make)
}

/// The room that is left, in words for the end of a message; nothing if it is unknown.
pub(crate) fn describe(path: &Path) -> String {
    match room(path) {
        Some((_, false)) => ": it can hold no more files".to_owned(),
        Some((bytes, true)) if bytes < 10 << 20 => format!(": {} kB free", bytes / 1000),
        Some((bytes, true)) => format!(": {} MB free", bytes / 1_000_000),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_path_is_that_of_the_nearest_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/c.db");
        if cfg!(unix) {
            assert!(!is_full(&file));
            assert!(describe(&file).ends_with(" free"), "{}", describe(&file));
        }
        assert_eq!(describe(Path::new("a/relative/path")), "");
        assert!(!is_full(Path::new("a/relative/path")));
    }
}
