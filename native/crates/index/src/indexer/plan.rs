//! Plans a run: walks the folder and compares it with the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, Generation};
use codecairn_store::{Catalog, SkipEntry, Snapshot};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_walk::{Changes, KnownFile, Rules, StatEntry, Walk, WalkedFile, git, topmost, walk_named, walk_until};

use super::branch_counts::BranchCounts;
use super::fatal_contents::fatal_contents;
use super::scope::Scope;

/// The note that holds the version of the rules by which contents were last left out.
pub(super) const RULES_NOTE: &str = "content-rules";

/// The catalog of a folder that is no git repository.
const WITHOUT_GIT: &str = "@files";

/// Entries of a stat cache up to which their blobs are looked up one by one.
const FEW_ENTRIES: usize = 256;

/// How often a text that took too much processor time is parsed again; with `force`, always once more.
const MAX_RETRIES: u32 = 3;

/// What to look at, and how.
#[derive(Clone, Copy)]
pub struct LookOptions<'a> {
    /// The workspace's root.
    pub root: &'a Path,
    /// What is walked.
    pub rules: &'a Rules,
    /// Trusts no earlier look: every file is read again.
    pub force: bool,
    /// Whether to parse texts again that took too much processor time, unless they did so too often.
    pub retry: bool,
    /// The only paths that may have changed, relative to the root; `None` for any.
    pub paths: Option<&'a [String]>,
    /// When to stop looking, by the clock; never without.
    pub deadline_ns: Option<i64>,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Who may stop it.
    pub cancel: &'a CancelToken,
}

/// A folder compared with its index.
#[derive(Debug)]
pub struct Plan {
    /// The state of the store that it was compared with.
    pub generation: Generation,
    /// The branch that the folder is on.
    pub branch: String,
    /// Its commit, or empty.
    pub head: String,
    /// The branch whose catalog is the nearest if this one has none yet.
    pub base: Option<String>,
    /// The catalog to change: the branch's own, else that of the base, else an empty one. Where only some paths were
    /// looked at, it may have no others.
    pub catalog: Catalog,
    /// What the whole catalog has.
    pub(super) before: BranchCounts,
    /// Whether the branch has been indexed before.
    pub is_known: bool,
    /// What was looked at.
    pub scope: Scope,
    /// Indexed files that there was no time to look at.
    pub unlooked: u64,
    /// What the walk found.
    pub walk: Walk,
    /// Files that need no reading, with their content.
    pub unchanged: Vec<(WalkedFile, BlobId)>,
    /// Files left out before that still are: because of a content that they still have, or outside the scope.
    pub left_out: Vec<SkipEntry>,
    /// Contents that are parsed again though the store has them.
    pub(super) retried: BTreeSet<BlobId>,
    /// Files to read.
    pub to_read: Vec<WalkedFile>,
    /// Paths of the stat cache that no longer exist.
    pub forgotten: Vec<String>,
}

impl Plan {
    /// Looks at the folder and compares. Named paths are looked at alone where that is enough: everything is walked if
    /// the branch or its commit is another one, or if an ignore file is among them.
    pub fn make(snapshot: &Snapshot, look: &LookOptions<'_>) -> Result<Self> {
        let (branch, head) = current_branch(look.root);
        let known_head = snapshot.branch(&branch)?.map(|branch| branch.head.unwrap_or_default());
        let named = look.paths.filter(|paths| {
            !look.force
                && known_head.as_ref() == Some(&head)
                && has_these_rules(snapshot)
                && !paths.iter().any(|path| path.is_empty() || Rules::is_rule_file(path))
        });
        let (walk, scope) = if let Some(paths) = named {
            let paths = topmost(paths);
            (walk_named(look.rules, &paths, look.cancel)?, Scope::Paths(paths))
        } else {
            let deadline_ns = look.deadline_ns.filter(|_| known_head.is_some());
            let is_late = || deadline_ns.is_some_and(|deadline| look.clock.now_ns() > deadline);
            (walk_until(look.root, look.rules, look.cancel, &is_late)?, Scope::Everything)
        };
        Self::compare(snapshot, look, (branch, head), walk, scope)
    }

    fn compare(
        snapshot: &Snapshot,
        look: &LookOptions<'_>,
        (branch, head): (String, String),
        mut walk: Walk,
        mut scope: Scope,
    ) -> Result<Self> {
        let mut skipped = still_skipped(snapshot, look.root)?;
        let mut retried = match look {
            LookOptions { force: true, .. } => snapshot.provisional_blobs(EXTRACTOR_VERSION, u32::MAX)?,
            LookOptions { retry: true, .. } => snapshot.provisional_blobs(EXTRACTOR_VERSION, MAX_RETRIES)?,
            _ => BTreeSet::new(),
        };
        if look.force || look.retry {
            for (blob, signal) in fatal_contents(snapshot)? {
                if signal.is_some() {
                    retried.remove(&blob)
                } else {
                    retried.insert(blob)
                };
            }
        }
        let known =
            if look.force { BTreeMap::new() } else { known_stats(snapshot, look.root, &scope, &skipped, &retried)? };
        let changes = Changes::between(&walk.files, &known);
        let mut unchanged: Vec<(WalkedFile, BlobId)> =
            changes.unchanged.iter().map(|&(file, blob)| (file.clone(), blob)).collect();
        let mut left_out: Vec<SkipEntry> =
            changes.left_out.iter().filter_map(|file| skipped.remove(&file.path)).collect();
        let to_read: Vec<WalkedFile> = changes.to_hash.into_iter().cloned().collect();
        let mut forgotten: Vec<String> = changes.removed.into_iter().map(str::to_owned).collect();
        let is_known = snapshot.branch(&branch)?.is_some();
        let base = if is_known { None } else { nearest_branch(snapshot)? };
        let noted = if is_known && !look.force { BranchCounts::noted(snapshot, &branch)? } else { None };
        let part = noted.and_then(|noted| match &scope {
            Scope::Paths(paths) => Some((noted, paths)),
            Scope::Everything => None,
        });
        let (catalog, before) = if let Some((noted, paths)) = part {
            (snapshot.catalog_below(&branch, paths)?.unwrap_or_default(), noted)
        } else {
            let start = if is_known { Some(&branch) } else { base.as_ref() };
            let catalog = start.map(|branch| snapshot.catalog(branch)).transpose()?.flatten().unwrap_or_default();
            let files = catalog.len() as u64;
            let counted = noted.filter(|noted| noted.files == files);
            (catalog, counted.unwrap_or(BranchCounts { files, chunks: None }))
        };
        let mut unlooked = 0;
        if walk.is_cut_short {
            // What was not seen may be there: only files that were seen to differ are spoken about.
            unlooked = (known.len() as u64).saturating_sub((unchanged.len() + left_out.len() + to_read.len()) as u64);
            unchanged.retain(|(file, blob)| catalog.get(&file.path) != Some(blob));
            let mut paths: Vec<String> =
                unchanged.iter().map(|(file, _)| file).chain(&to_read).map(|file| file.path.clone()).collect();
            paths.sort_unstable();
            scope = Scope::Paths(paths);
            skipped.extend(left_out.drain(..).map(|skip| (skip.path.clone(), skip)));
            walk.skipped.clear();
            forgotten.clear();
        }
        if scope != Scope::Everything {
            left_out.extend(skipped.into_values().filter(|skip| !scope.covers(&skip.path)));
        }
        let generation = snapshot.generation();
        Ok(Self {
            generation,
            branch,
            head,
            base,
            catalog,
            before,
            is_known,
            scope,
            unlooked,
            walk,
            unchanged,
            left_out,
            retried,
            to_read,
            forgotten,
        })
    }

    /// Whether nothing has to be read and the catalog is as the folder is, as far as it was looked at.
    pub fn is_up_to_date(&self) -> bool {
        self.is_known
            && self.to_read.is_empty()
            && self.unchanged.len() == self.scope.entries(&self.catalog).count()
            && self.unchanged.iter().all(|(file, blob)| self.catalog.get(&file.path) == Some(blob))
    }

    /// The number of files that differ from the catalog by their metadata.
    pub fn behind(&self) -> u64 {
        let differing = self.unchanged.iter().filter(|(file, blob)| self.catalog.get(&file.path) != Some(blob)).count();
        let indexed = self.scope.entries(&self.catalog).count();
        let gone = indexed.saturating_sub(self.unchanged.len() + self.to_read.len());
        (self.to_read.len() + differing + gone) as u64 + self.unlooked
    }
}

/// The stat entries of files in `scope` that are still valid for their content.
fn known_stats(
    snapshot: &Snapshot,
    root: &Path,
    scope: &Scope,
    skipped: &BTreeMap<String, SkipEntry>,
    retried: &BTreeSet<BlobId>,
) -> Result<BTreeMap<String, KnownFile>> {
    let Some(worktree) = snapshot.worktree(&root.to_string_lossy())? else { return Ok(BTreeMap::new()) };
    let entries = match scope {
        Scope::Everything => snapshot.stats(worktree)?,
        Scope::Paths(paths) => {
            let mut entries = Vec::new();
            for path in paths {
                entries.append(&mut snapshot.stats_below(worktree, path)?);
            }
            entries
        }
    };
    let outdated = if entries.len() < FEW_ENTRIES {
        let mut outdated = BTreeSet::new();
        for blob in entries.iter().filter_map(|entry| entry.blob) {
            if !snapshot.is_of_extractor(blob, EXTRACTOR_VERSION)? {
                outdated.insert(blob);
            }
        }
        outdated
    } else {
        snapshot.blobs_of_other_extractors(EXTRACTOR_VERSION)?
    };
    Ok(entries
        .into_iter()
        .filter(|entry| match entry.blob {
            Some(blob) => !outdated.contains(&blob) && !retried.contains(&blob),
            None => skipped.contains_key(&entry.path),
        })
        .map(|entry| {
            let stat = StatEntry {
                size: entry.size,
                mtime_ns: entry.mtime_ns,
                ctime_ns: entry.ctime_ns,
                inode: entry.inode,
                recorded_ns: entry.recorded_ns,
            };
            (entry.path, KnownFile { stat, blob: entry.blob })
        })
        .collect())
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
