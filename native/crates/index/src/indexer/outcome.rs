//! Collects the changes of a run to the catalog, the stat cache and the list of skipped files.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;
use codecairn_base::id::{BlobId, WorktreeId};
use codecairn_store::{CatalogDelta, SkipEntry, Snapshot, StatDelta, StatEntry};
use codecairn_walk::WalkedFile;

use super::commit::RunFiles;
use super::plan::{Plan, has_these_rules};
use super::report::IndexReport;

/// The changes that a run publishes.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) delta: CatalogDelta,
    pub(super) stats: StatDelta,
    pub(super) skips: Vec<SkipEntry>,
    /// Files that had to wait: they stay as they were.
    pub(super) waiting: u64,
}

impl Outcome {
    /// Compares the files of the run with the plan's catalog, and counts the differences.
    pub(super) fn of(plan: &Plan, found: RunFiles, report: &mut IndexReport) -> Self {
        let waiting: BTreeSet<&str> = found.waiting.iter().map(String::as_str).collect();
        let mut now: BTreeMap<&str, BlobId> = BTreeMap::new();
        now.extend(plan.unchanged.iter().map(|(file, blob)| (file.path.as_str(), *blob)));
        now.extend(found.files.iter().map(|(file, _, blob)| (file.path.as_str(), *blob)));
        let mut delta = CatalogDelta::new();
        for (&path, &blob) in &now {
            match plan.catalog.get(path) {
                Some(&before) if before == blob => report.unchanged += 1,
                Some(_) => {
                    report.modified += 1;
                    delta.insert(path.to_owned(), Some(blob));
                }
                None => {
                    report.added += 1;
                    delta.insert(path.to_owned(), Some(blob));
                }
            }
        }
        let mut removed: BTreeMap<BlobId, u64> = BTreeMap::new();
        let mut covered = 0;
        for (path, blob) in plan.scope.entries(&plan.catalog) {
            covered += 1;
            if !now.contains_key(path.as_str()) && !waiting.contains(path.as_str()) {
                *removed.entry(blob).or_default() += 1;
                report.removed += 1;
                delta.insert(path.clone(), None);
            }
        }
        count_renames(plan, &delta, &mut removed, report);
        let kept_waiting = waiting.iter().filter(|path| plan.catalog.contains_key(**path)).count();
        let outside = plan.before.files.saturating_sub(covered);
        report.files = (now.len() + kept_waiting) as u64 + outside;
        report.unchanged += outside;
        let mut skips: Vec<SkipEntry> = plan
            .walk
            .skipped
            .iter()
            .chain(found.skips.iter().map(|(_, _, skip)| skip))
            .map(|skip| SkipEntry {
                path: skip.path.clone(),
                reason: skip.reason.name().to_owned(),
                detail: skip.detail.clone(),
            })
            .chain(plan.left_out.iter().cloned())
            .collect();
        skips.sort();
        skips.dedup_by(|next, kept| next.path == kept.path);
        report.skipped = skips.len() as u64;
        let left_out = found.skips.into_iter().filter(|(_, _, skip)| skip.reason.is_of_content());
        let recorded = found
            .files
            .into_iter()
            .map(|(file, recorded_ns, blob)| stat_entry(file, recorded_ns, Some(blob)))
            .chain(left_out.map(|(file, recorded_ns, _)| stat_entry(file, recorded_ns, None)))
            .collect();
        let stats = StatDelta { recorded, removed: plan.forgotten.clone() };
        Self { delta, stats, skips, waiting: found.waiting.len() as u64 + plan.unlooked }
    }

    /// Whether there is anything to publish: a change of the catalog or of the skipped files.
    pub(super) fn changes_anything(&self, snapshot: &Snapshot, worktree: WorktreeId) -> Result<bool> {
        Ok(!self.delta.is_empty() || !has_these_rules(snapshot) || snapshot.skips(worktree)? != self.skips)
    }
}

fn stat_entry(file: WalkedFile, recorded_ns: i64, blob: Option<BlobId>) -> StatEntry {
    let WalkedFile { path, size, mtime_ns, ctime_ns, inode } = file;
    StatEntry { path, size, mtime_ns, ctime_ns, inode, recorded_ns, blob }
}

/// Counts renames: an added file with the content of a removed one is neither added nor removed.
fn count_renames(plan: &Plan, delta: &CatalogDelta, removed: &mut BTreeMap<BlobId, u64>, report: &mut IndexReport) {
    for (path, blob) in delta {
        let Some(blob) = blob else { continue };
        if plan.catalog.contains_key(path) {
            continue;
        }
        if let Some(left) = removed.get_mut(blob).filter(|left| **left > 0) {
            *left -= 1;
            report.renamed += 1;
            report.added -= 1;
            report.removed -= 1;
        }
    }
}
