//! What there is to do: the folder as it stands against what the store knows of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cancel::CancelToken;
use crate::chunk::EXTRACTOR_VERSION;
use crate::error::Result;
use crate::id::BlobId;
use crate::store::{self, Catalog, SkipEntry, Snapshot};
use crate::walk::{Changes, Known, Rules, StatEntry, Walk, WalkedFile, git, walk};

/// The note that holds the version of the rules by which contents were last left out.
pub(super) const RULES_NOTE: &str = "content-rules";

/// The catalog of a folder that is no git repository.
const WITHOUT_GIT: &str = "@files";

/// A folder compared with its index.
#[derive(Debug)]
pub struct Plan {
    /// The branch that the folder is on.
    pub branch: String,
    /// Its commit, or empty.
    pub head: String,
    /// The branch whose catalog is the nearest if this one has none yet.
    pub base: Option<String>,
    /// The catalog to change: the branch's own, else that of the base, else an empty one.
    pub catalog: Catalog,
    /// Whether the branch has been indexed before.
    pub is_known: bool,
    /// What the walk found.
    pub walk: Walk,
    /// Files that need no reading, with their content.
    pub unchanged: Vec<(WalkedFile, BlobId)>,
    /// Files left out before because of a content that they still have.
    pub left_out: Vec<SkipEntry>,
    /// Files to read.
    pub to_read: Vec<WalkedFile>,
    /// Paths of the stat cache that are gone.
    pub forgotten: Vec<String>,
}

impl Plan {
    /// Walks the folder and compares. With `force` every file is read again.
    pub fn make(snapshot: &Snapshot, root: &Path, rules: &Rules, force: bool, cancel: &CancelToken) -> Result<Self> {
        let (branch, head) = current_branch(root);
        let walk = walk(root, rules, cancel)?;
        let outdated: BTreeSet<BlobId> = snapshot
            .blobs()?
            .into_iter()
            .filter(|blob| blob.extractor_version != EXTRACTOR_VERSION)
            .map(|blob| blob.id)
            .collect();
        let mut skipped = still_skipped(snapshot, root)?;
        let known: BTreeMap<String, Known> = if force {
            BTreeMap::new()
        } else {
            stored_stats(snapshot, root)?
                .into_iter()
                .filter(|entry| match entry.blob {
                    Some(blob) => !outdated.contains(&blob),
                    None => skipped.contains_key(&entry.path),
                })
                .map(|entry| {
                    let stat = StatEntry {
                        size: entry.size,
                        mtime_ns: entry.mtime_ns,
                        inode: entry.inode,
                        recorded_ns: entry.recorded_ns,
                    };
                    (entry.path, Known { stat, blob: entry.blob })
                })
                .collect()
        };
        let changes = Changes::between(&walk.files, &known);
        let unchanged = changes.unchanged.iter().map(|&(file, blob)| (file.clone(), blob)).collect();
        let left_out = changes.left_out.iter().filter_map(|file| skipped.remove(&file.path)).collect();
        let to_read = changes.to_hash.into_iter().cloned().collect();
        let forgotten = changes.removed.into_iter().map(str::to_owned).collect();
        let is_known = snapshot.branch(&branch)?.is_some();
        let base = if is_known { None } else { nearest_branch(snapshot)? };
        let catalog = match (is_known, &base) {
            (true, _) => snapshot.catalog(&branch)?.unwrap_or_default(),
            (false, Some(base)) => snapshot.catalog(base)?.unwrap_or_default(),
            (false, None) => Catalog::new(),
        };
        Ok(Self { branch, head, base, catalog, is_known, walk, unchanged, left_out, to_read, forgotten })
    }

    /// Whether nothing has to be read and the catalog is as the folder is.
    pub fn is_up_to_date(&self) -> bool {
        self.is_known
            && self.to_read.is_empty()
            && self.unchanged.len() == self.catalog.len()
            && self.unchanged.iter().all(|(file, blob)| self.catalog.get(&file.path) == Some(blob))
    }
}

/// What the last run left out by the rules that are in force, by path.
fn still_skipped(snapshot: &Snapshot, root: &Path) -> Result<BTreeMap<String, SkipEntry>> {
    let worktree = snapshot.worktree(&root.to_string_lossy())?;
    match worktree.filter(|_| has_these_rules(snapshot)) {
        Some(worktree) => Ok(snapshot.skips(worktree)?.into_iter().map(|skip| (skip.path.clone(), skip)).collect()),
        None => Ok(BTreeMap::new()),
    }
}

/// Whether the last run left contents out by the rules that are in force.
pub(super) fn has_these_rules(snapshot: &Snapshot) -> bool {
    matches!(snapshot.note(RULES_NOTE), Ok(Some(version)) if version == EXTRACTOR_VERSION.to_string())
}

fn stored_stats(snapshot: &Snapshot, root: &Path) -> Result<Vec<store::StatEntry>> {
    match snapshot.worktree(&root.to_string_lossy())? {
        Some(worktree) => snapshot.stats(worktree),
        None => Ok(Vec::new()),
    }
}

/// The folder's branch and commit; a name of our own without git.
pub fn current_branch(root: &Path) -> (String, String) {
    let found = git::Repository::discover(root).map_or_else(Default::default, |found| found.branch_and_commit());
    if found.0.is_empty() { (WITHOUT_GIT.to_owned(), found.1) } else { found }
}

/// The branch that was indexed last: a new branch most often leaves from the one just worked on.
fn nearest_branch(snapshot: &Snapshot) -> Result<Option<String>> {
    let branches = snapshot.branches()?;
    Ok(branches.into_iter().max_by_key(|branch| (branch.generation, branch.name.clone())).map(|branch| branch.name))
}
