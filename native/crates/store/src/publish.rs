//! Publishes an indexing run: one transaction makes it visible to readers.
//!
//! Its commit is synced (`synchronous = FULL`), after the folder entries of the segments: a publication survives a loss
//! of power, and with it every batch before, as all go through the same log. Batches alone are not synced, because
//! losing one costs a re-parse only.

use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::id::{Generation, WorktreeId};
use codecairn_base::private_files;

use super::layers;
use super::record::{CatalogDelta, Segment, SegmentKind, Segments, SkipEntry, StatDelta, StatEntry};
use super::snapshot;
use super::write_guard::WriteGuard;
use codecairn_base::database::Database;

/// The content of a publication.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    /// The branch: its name, or `@<sha>` when detached.
    pub branch: &'a str,
    /// The commit, if git has one.
    pub head: Option<&'a str>,
    /// For a branch that isn't indexed yet: the indexed branch whose catalog `delta` starts from; `None` is the empty
    /// catalog. Of no meaning for others, whose delta starts from their own catalog.
    pub base: Option<&'a str>,
    /// What changes in the catalog.
    pub delta: &'a CatalogDelta,
    /// The worktree that was walked, with what was found there.
    pub worktree: Option<(WorktreeId, &'a StatDelta, &'a [SkipEntry])>,
    /// All live derived files of the kinds named; kinds not named stay as they are.
    pub segments: &'a Segments,
    /// Texts to be kept for [`Snapshot::note`](super::Snapshot::note), by key.
    pub notes: &'a [(&'a str, &'a str)],
}

impl WriteGuard {
    /// Makes a run visible: catalog, stat cache, skipped files and segments at once, durably. Returns the generation.
    pub fn publish(&mut self, publication: &Publication<'_>) -> Result<Generation> {
        check_segments(self, publication.segments)?;
        failpoint::reach("publish.segments-synced")?;
        let database = self.database();
        database.script("PRAGMA synchronous = FULL")?;
        let now_ns = self.store().now_ns();
        let published = database.transaction(|| {
            let generation = self.advance()?;
            write_catalog(database, publication, generation, now_ns)?;
            failpoint::reach("publish.catalog-written")?;
            if let Some((worktree, stats, skips)) = publication.worktree {
                write_stats(database, worktree, stats)?;
                write_skips(database, worktree, skips)?;
            }
            failpoint::reach("publish.stats-written")?;
            write_segments(database, publication.segments)?;
            for (key, text) in publication.notes {
                database.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('note:' || ?1, ?2)", (key, text))?;
            }
            failpoint::reach("publish.segments-listed")?;
            Ok(generation)
        });
        database.script("PRAGMA synchronous = NORMAL")?;
        failpoint::reach("publish.committed")?;
        published
    }

    /// Publishes derived files that were rebuilt from unchanged content. Returns the generation.
    pub fn publish_segments(&mut self, segments: &Segments) -> Result<Generation> {
        check_segments(self, segments)?;
        let database = self.database();
        database.transaction(|| {
            let generation = self.advance()?;
            write_segments(database, segments)?;
            failpoint::reach("publish.vectors-listed")?;
            Ok(generation)
        })
    }
}

fn write_catalog(
    database: &Database,
    publication: &Publication<'_>,
    generation: Generation,
    now_ns: i64,
) -> Result<()> {
    let Publication { branch: name, head, base, delta, .. } = *publication;
    for (path, blob) in delta {
        let Some(blob) = blob else { continue };
        if database.first("SELECT 1 FROM blob WHERE id = ?1", [blob.0], |_| Ok(()))?.is_none() {
            return Err(Error::InvalidArgument(format!("`{path}` leads to blob {}, which isn't stored", blob.0)));
        }
    }
    let own = snapshot::branch(database, name)?;
    let start = match (&own, base) {
        (Some(own), _) => Some(own.layer),
        (None, None) => None,
        (None, Some(base)) => {
            let missing =
                || Error::InvalidArgument(format!("branch `{base}` isn't indexed, so none can start from it"));
            Some(snapshot::branch(database, base)?.ok_or_else(missing)?.layer)
        }
    };
    let layer = layers::apply(database, start, own.is_some(), delta)?;
    database.run(
        "INSERT OR REPLACE INTO branch (name, head, layer, generation, indexed_at_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
        (name, head, layer, generation.0 as i64, now_ns),
    )?;
    match own {
        Some(own) if own.layer != layer => layers::release(database, own.layer),
        _ => Ok(()),
    }
}

/// Writes changes of a stat cache.
pub(super) fn write_stats(database: &Database, worktree: WorktreeId, stats: &StatDelta) -> Result<()> {
    for path in &stats.removed {
        database.run("DELETE FROM stat WHERE worktree = ?1 AND path = ?2", (worktree.0, path))?;
    }
    for StatEntry { path, size, mtime_ns, ctime_ns, inode, recorded_ns, blob } in &stats.recorded {
        database.run(
            "INSERT OR REPLACE INTO stat (worktree, path, size, mtime_ns, inode, recorded_ns, blob, ctime_ns) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (worktree.0, path, *size as i64, mtime_ns, *inode as i64, recorded_ns, blob.map(|blob| blob.0), ctime_ns),
        )?;
    }
    Ok(())
}

/// Replaces the list of skipped files, unless it is the same.
fn write_skips(database: &Database, worktree: WorktreeId, skips: &[SkipEntry]) -> Result<()> {
    if snapshot::skips(database, worktree)? == skips {
        return Ok(());
    }
    database.run("DELETE FROM skip WHERE worktree = ?1", [worktree.0])?;
    for SkipEntry { path, reason, detail } in skips {
        let sql = "INSERT OR REPLACE INTO skip (worktree, path, reason, detail) VALUES (?1, ?2, ?3, ?4)";
        database.run(sql, (worktree.0, path, reason, detail))?;
    }
    Ok(())
}

/// Deletes the notes of publications, which may not hold for catalogs that are changed in other ways.
pub(super) fn forget_notes(database: &Database) -> Result<()> {
    database.run("DELETE FROM meta WHERE key LIKE 'note:%'", []).map(drop)
}

/// Replaces the live derived files of the kinds named.
pub(super) fn write_segments(database: &Database, segments: &Segments) -> Result<()> {
    for (kind, files) in segments {
        let kind = kind.to_string();
        database.run("DELETE FROM segment WHERE kind = ?1", [&kind])?;
        for Segment { first, count, file, generation } in files {
            let sql = "INSERT INTO segment (kind, first, count, file, generation) VALUES (?1, ?2, ?3, ?4, ?5)";
            database.run(sql, (&kind, first.0, count, file, generation.0 as i64))?;
        }
    }
    Ok(())
}

/// Whether the files are there and cover the documents without a gap; makes their names durable.
pub(super) fn check_segments(guard: &WriteGuard, segments: &Segments) -> Result<()> {
    let dir = guard.store().segments_dir();
    let (next, written) = (guard.next_generation()?, segments.values().any(|files| !files.is_empty()));
    for (kind, files) in segments {
        if let Some(detail) = gap(*kind, files) {
            return Err(Error::InvalidArgument(detail));
        }
        for file in files {
            if file.generation > next || !dir.join(&file.file).is_file() {
                let (file, generation) = (&file.file, file.generation.0);
                let detail = format!("segment `{file}` of generation {generation} isn't there or from the future");
                return Err(Error::InvalidArgument(detail));
            }
        }
    }
    if written {
        private_files::sync_folder(&dir).map_err(|source| Error::io(&dir, source))?;
    }
    Ok(())
}

/// The first gap between segments, in words.
pub(super) fn gap(kind: SegmentKind, files: &[Segment]) -> Option<String> {
    let mut next = 0u64;
    for file in files {
        if u64::from(file.first.0) != next {
            return Some(format!("segment `{}` ({kind}) starts at document {}, not {next}", file.file, file.first.0));
        }
        next += u64::from(file.count);
    }
    None
}
