//! Counts the files and chunks of a branch. Each publication stores its counts as a note, so the next one adds only its
//! changes.

use codecairn_base::error::Result;
use codecairn_base::id::BlobId;
use codecairn_store::{CatalogDelta, Snapshot};

use super::plan::Plan;

/// Changed files up to which the counts are updated instead of counted again.
const FEW_FILES: usize = 1024;

/// The counts of a branch's catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BranchCounts {
    pub(super) files: u64,
    /// `None` if there is no note.
    pub(super) chunks: Option<u64>,
}

impl BranchCounts {
    /// The key of a branch's note.
    pub(super) fn key(branch: &str) -> String {
        format!("counts:{branch}")
    }

    /// The note of the last publication of a branch.
    pub(super) fn noted(snapshot: &Snapshot, branch: &str) -> Result<Option<Self>> {
        let note = snapshot.note(&Self::key(branch))?;
        let numbers = note.as_deref().and_then(|note| note.split_once(' '));
        Ok(numbers
            .and_then(|(files, chunks)| Some(Self { files: files.parse().ok()?, chunks: Some(chunks.parse().ok()?) })))
    }

    /// The note of these counts.
    pub(super) fn note(files: u64, chunks: u64) -> String {
        format!("{files} {chunks}")
    }
}

/// The chunks of the plan's branch once `delta` is published.
pub(super) fn count_chunks(snapshot: &Snapshot, plan: &Plan, delta: &CatalogDelta) -> Result<u64> {
    let total = |mut blobs: Vec<BlobId>| {
        // In the order of their rows.
        blobs.sort_unstable();
        Ok::<u64, codecairn_base::Error>(snapshot.chunk_counts(&blobs)?.iter().sum())
    };
    // A plan of a part of the folder has a part of the catalog, which can't be counted as a whole, and need not.
    let is_whole = plan.catalog.len() as u64 == plan.before.files;
    match plan.before.chunks {
        Some(count) if !is_whole || delta.len() <= FEW_FILES => {
            let came = total(delta.values().copied().flatten().collect())?;
            let went = total(delta.keys().filter_map(|path| plan.catalog.get(path).copied()).collect())?;
            Ok((count + came).saturating_sub(went))
        }
        _ => {
            let stays = plan.catalog.iter().filter(|(path, _)| !delta.contains_key(*path)).map(|(_, blob)| *blob);
            total(stays.chain(delta.values().copied().flatten()).collect())
        }
    }
}
