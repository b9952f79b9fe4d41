//! Replaces a database that can't be used any more: it is set aside whole, and its readable rows are copied into a new
//! one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::private_files::{self, make_folder};

use super::access::sibling_path;
use super::lock::WriteLock;
use super::salvage::salvage;
use super::store::{DATABASE, SEGMENTS};

/// How long to wait for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_mins(1);

/// What became of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// The folder in the store in which the damaged files lie now.
    pub aside: PathBuf,
    /// Rows of its database that are in the new one; 0 if there is no new one.
    pub rows: u64,
}

/// Sets the database in `dir` aside with the files that belong to it. With `salvaging`, a new one with the readable rows
/// takes its place; the caller verifies and repairs it.
pub fn rescue(dir: &Path, salvaging: bool, clock: &Arc<dyn Clock>, cancel: &CancelToken) -> Result<Rescue> {
    let now_ns = clock.now_ns();
    let aside = dir.join(format!("damaged-{now_ns}"));
    make_folder(&aside)?;
    for name in ["write.lock", "write.owner", "embed.lock"] {
        if private_files::require_file(&dir.join(name)).is_err() {
            set_aside(dir, &aside, name)?;
        }
    }
    let _lock = WriteLock::acquire_within(dir, "rescuing a damaged store", now_ns, LOCK_TIMEOUT, cancel)?;
    set_aside(dir, &aside, SEGMENTS)?;
    make_folder(&dir.join(SEGMENTS))?;
    let unfinished = dir.join("index.db.salvaged");
    let journal = sibling_path(&unfinished, "-journal");
    for part in [&unfinished, &journal] {
        private_files::remove_if_exists(part).map_err(|source| Error::io(part, source))?;
    }
    let rows = if salvaging { salvage(&dir.join(DATABASE), &unfinished, now_ns)? } else { 0 };
    private_files::remove_if_exists(&journal).map_err(|source| Error::io(&journal, source))?;
    if rows > 0 {
        private_files::open(&unfinished)
            .and_then(|file| file.sync_all())
            .map_err(|source| Error::io(&unfinished, source))?;
    }
    // Before the new one has its name: its first reader would apply a log of the old database to it.
    for suffix in ["-wal", "-shm", "-journal"] {
        set_aside(dir, &aside, &format!("{DATABASE}{suffix}"))?;
    }
    failpoint::reach("rescue.log-aside")?;
    let database = dir.join(DATABASE);
    // Linked first where that can be done, so that there is a database at each instant.
    if rows == 0 || fs::hard_link(&database, aside.join(DATABASE)).is_err() {
        set_aside(dir, &aside, DATABASE)?;
    }
    failpoint::reach("rescue.database-aside")?;
    if rows > 0 {
        fs::rename(&unfinished, &database).map_err(|source| Error::io(&database, source))?;
        failpoint::reach("rescue.named")?;
    }
    Ok(Rescue { aside, rows })
}

fn set_aside(dir: &Path, aside: &Path, name: &str) -> Result<()> {
    let from = dir.join(name);
    match fs::rename(&from, aside.join(name)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&from, error)),
        _ => Ok(()),
    }
}
