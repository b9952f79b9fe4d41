//! Caches views of all but small branches in files, so that a process need not build one from all chunks.
//!
//! Invariant: a cached view is written while the store's lock is held, from the published state, and used only for
//! states with the same document numbers; one that is missing, damaged or unusable is ignored.

use std::ffi::OsString;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use codecairn_base::error::{ErrorKind, Result};
use codecairn_base::failpoint;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::Generation;
use codecairn_base::private_files;
use codecairn_index::indexer::IndexReport;
use codecairn_index::indexer::lexical_files;
use codecairn_index::view::View;
use codecairn_lexical::LexicalIndex;
use codecairn_store::{SegmentKind, Snapshot, VIEWS};

use super::Engine;

/// Chunks from which on a view is cached. With 4,000 of them a process waits 13 ms for building one, and 1 ms for opening its
/// file, which takes 270 bytes a chunk.
const KEPT_FROM: u64 = 1_024;
/// Changed files from which on a cached view is rewritten; until then the next view is derived from it.
const STALE_FILES: u64 = 256;

/// The states whose views fit a snapshot: since documents have their numbers, and no later, because they may have had
/// others by then. With new numbers all segments are new.
pub(super) fn generations(snapshot: &Snapshot) -> Result<RangeInclusive<Generation>> {
    let lexical = snapshot.segments(SegmentKind::Lexical)?;
    let numbered = lexical.first().map_or(Generation(0), |segment| segment.generation);
    Ok(numbered..=snapshot.generation())
}

impl Engine {
    /// The cached view of a branch, of any state. A damaged file is removed, so that the next run rewrites it.
    pub(super) fn kept_view(&self, identity: u64, branch: &str) -> Option<View> {
        let path = self.view_path(branch);
        View::open(&path, identity).unwrap_or_else(|error| {
            let is_damaged = error.kind() == ErrorKind::StoreDamaged || private_files::require_file(&path).is_err();
            if is_damaged && !self.store.is_read_only() {
                remove(&path);
            }
            None
        })
    }

    /// The view of another branch in its file, that of the branch indexed last which has one of use: a branch never
    /// seen has most files of it.
    pub(super) fn other_kept_view(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        usable: &RangeInclusive<Generation>,
    ) -> Result<Option<View>> {
        let identity = snapshot.identity()?;
        let mut others = snapshot.branches()?;
        others.retain(|other| other.name != branch);
        others.sort_by(|left, right| (right.generation, &right.name).cmp(&(left.generation, &left.name)));
        let of_use = |view: &View| usable.contains(&view.generation());
        Ok(others.iter().find_map(|other| self.kept_view(identity, &other.name).filter(of_use)))
    }

    /// Keeps the view of a branch that is not small, of which much has changed. The caller holds the store's lock. A view that
    /// can't be made or kept does not fail the publication: the query that needs it builds it, and
    /// returns the error.
    pub(super) fn keep_view(&self, report: &IndexReport) {
        if report.chunks >= KEPT_FROM {
            let _ = self.write_view(report);
        }
    }

    /// Writes the view of a branch, unless the cached one is recent enough.
    pub(super) fn write_view(&self, report: &IndexReport) -> Result<()> {
        let (snapshot, path) = (self.store.reader()?, self.view_path(&report.branch));
        let changed = report.added + report.modified + report.removed + report.renamed;
        if changed < STALE_FILES {
            let kept = View::kept_generation(&path, snapshot.identity()?);
            if let Some(kept) = kept
                && generations(&snapshot)?.contains(&kept)
            {
                return Ok(());
            }
        }
        let folder = self.store.segments_dir();
        let files = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
        let view = self.view(&snapshot, &report.branch, &LexicalIndex::open(&folder, &files)?, None)?;
        failpoint::reach("view.made")?;
        // Nothing else writes here, so leftover files are of no use.
        for (path, _) in self.unused_views(&snapshot, &[])? {
            remove(&path);
        }
        let folder = self.views_dir();
        private_files::make_folder(&folder)?;
        view.save(&folder, &file_name(&report.branch).to_string_lossy())?;
        failpoint::reach("view.kept")
    }

    /// Verifies the checksums of the cached views.
    ///
    /// # Errors
    /// [`StoreDamaged`](codecairn_base::Error::StoreDamaged) for the first that is not; input errors.
    pub(super) fn verify_views(&self, snapshot: &Snapshot) -> Result<()> {
        let identity = snapshot.identity()?;
        snapshot.branches()?.iter().try_for_each(|branch| View::open(&self.view_path(&branch.name), identity).map(drop))
    }

    /// The files in the views' folder that are of no branch, or of one that is `gone`, with sizes in bytes.
    pub(super) fn unused_views(&self, snapshot: &Snapshot, gone: &[String]) -> Result<Vec<(PathBuf, u64)>> {
        let branches = snapshot.branches()?.into_iter().map(|branch| branch.name);
        let live: Vec<OsString> = branches.filter(|name| !gone.contains(name)).map(|name| file_name(&name)).collect();
        let folder = self.views_dir();
        private_files::require_folder(&folder)?;
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let unused = entries.filter(|entry| !live.contains(&entry.file_name()));
        Ok(unused.map(|entry| (entry.path(), entry.metadata().map_or(0, |file| file.len()))).collect())
    }

    /// Removes all cached views, before catalogs are changed in another way than by a publication.
    pub(super) fn forget_views(&self) {
        // In use on Windows: rebuilt segments outdate it.
        remove(&self.views_dir());
    }

    pub(super) fn views_dir(&self) -> PathBuf {
        self.store.dir().join(VIEWS)
    }

    fn view_path(&self, branch: &str) -> PathBuf {
        self.views_dir().join(file_name(branch))
    }
}

/// Removes the file at a path. One that is in use on Windows stays until a later call.
pub(super) fn remove(path: &Path) {
    let _ = private_files::remove(path);
}

fn file_name(branch: &str) -> OsString {
    ContentHash::of(branch.as_bytes()).to_string().into()
}
