//! Copies a store, for a workspace that may read a shared store but not write it.
//!
//! The copy is complete and independent: it is written, refreshed and searched like any store. Derived files that were
//! removed while they were copied are rebuilt as usual.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use super::lock::WriteLock;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::database::identity;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::private_files::{self, make_folder};

use super::store::{DATABASE, OpenOptions, SEGMENTS, Store};

/// How long to wait for another process that makes the same copy.
const LOCK_TIMEOUT: Duration = Duration::from_mins(1);

/// Makes the store in `target` from the one in `source`, unless there is one. `source` is only read.
pub fn copy_store(source: &Path, target: &Path, clock: &Arc<dyn Clock>, cancel: &CancelToken) -> Result<()> {
    make_folder(target)?;
    make_folder(&target.join(SEGMENTS))?;
    let now_ns = clock.now_ns();
    let _lock = WriteLock::acquire_within(target, "copying a store", now_ns, LOCK_TIMEOUT, cancel)?;
    if target.join(DATABASE).exists() {
        return Ok(());
    }
    let original = Store::open(source, OpenOptions::new(Arc::clone(clock)).read_only())?;
    let snapshot = original.reader()?;
    for segment in snapshot.all_segments()?.values().flatten() {
        cancel.check()?;
        let (from, to) = (original.segments_dir().join(&segment.file), target.join(SEGMENTS).join(&segment.file));
        match copy_file(&from, &to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => outcome.map_err(|source| Error::io(&to, source))?,
        }
    }
    failpoint::reach("copy.segments-copied")?;
    let unfinished = target.join("index.db.copy");
    private_files::remove_if_exists(&unfinished).map_err(|source| Error::io(&unfinished, source))?;
    snapshot.database().copy_to(&unfinished)?;
    failpoint::reach("copy.database-copied")?;
    name_anew(&unfinished, now_ns)?;
    private_files::open(&unfinished)
        .and_then(|file| file.sync_all())
        .map_err(|source| Error::io(&unfinished, source))?;
    // The name comes last: a copy that was broken off is no store.
    failpoint::reach("copy.synced")?;
    let database = target.join(DATABASE);
    fs::rename(&unfinished, &database).map_err(|source| Error::io(&database, source))?;
    failpoint::reach("copy.named")
}

/// Gives a copied database an identity of its own, so that caches of the original are not used for the copy.
fn name_anew(path: &Path, now_ns: i64) -> Result<()> {
    let database = super::access::connect_writer(path, super::Journal::Truncate)?;
    database.set_number("identity", identity(&database, now_ns) as u64)
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = private_files::open(from)?;
    io::copy(&mut source, &mut private_files::create(to)?).map(drop)
}
