//! Collects garbage: deletes the content that no branch reaches (mark and sweep).
//!
//! Rows are deleted and entries of columns are cleared. Numbers are never reused, so segments stay valid and merely
//! carry documents that no bitmap has. Closing these gaps rebuilds every segment and is an operation of its own,
//! [`WriteGuard::renumber`].

use std::collections::BTreeSet;

use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::id::{DocId, EmbedderId, WorktreeId};
use codecairn_base::private_files;

use super::column::Column;
use super::delta_list::unpack_docs;
use super::problem::Orphans;
use super::repack;
use super::snapshot::Snapshot;
use super::sorted_runs::{self, Space};
use super::vector_blocks;
use super::write_guard::{WriteGuard, forget_branch, forget_worktree};
use codecairn_base::database::Database;

/// Branches and worktrees that no longer exist outside the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingRefs {
    /// Branches that git no longer has.
    pub branches: Vec<String>,
    /// Worktrees whose folder is no longer there.
    pub worktrees: Vec<WorktreeId>,
}

/// The counts of a collection or a dry run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Garbage {
    /// Branches that were removed.
    pub branches: u64,
    /// Blobs that no branch reaches.
    pub blobs: u64,
    /// Newly found documents that no blob has.
    pub docs: u64,
    /// Texts that no document has.
    pub texts: u64,
    /// Vectors of such texts.
    pub vectors: u64,
    /// Frames without any text, after the rest of nearly empty ones was moved.
    pub frames: u64,
    /// Live documents.
    pub live_docs: u64,
    /// Numbers given to documents, which is what segments carry.
    pub numbered_docs: u64,
    /// Bytes of free pages in the database.
    pub free_bytes: u64,
}

impl Garbage {
    /// Whether more than a quarter of the documents in segments are garbage, so that renumbering pays.
    pub fn wants_renumbering(&self) -> bool {
        (self.numbered_docs - self.live_docs) * 4 > self.numbered_docs
    }
}

impl WriteGuard {
    /// Removes what is `gone` and deletes all unreachable content, in one transaction, and returns the space to the
    /// file system. A dry run only counts.
    pub fn collect(&mut self, gone: &MissingRefs, dry_run: bool) -> Result<Garbage> {
        self.state = None;
        let database = self.database();
        database.script("BEGIN IMMEDIATE")?;
        let collected = collect(database, gone);
        if collected.is_err() || dry_run {
            database.roll_back();
            return collected;
        }
        let committed = self.advance().and_then(|_| database.script("COMMIT"));
        if let Err(error) = committed {
            database.roll_back();
            return Err(error);
        }
        failpoint::reach("gc.committed")?;
        database.script("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(PASSIVE)")?;
        failpoint::reach("gc.vacuumed")?;
        collected
    }

    /// Deletes the [unused files](Self::unused_files). Returns their names.
    pub fn remove_unused_files(&mut self, grace_ns: i64) -> Result<Vec<String>> {
        let dir = self.store().segments_dir();
        let mut removed = Vec::new();
        for (name, _) in self.unused_files(grace_ns)? {
            let path = dir.join(&name);
            // On Windows a mapped file can't be removed; the next collection tries again.
            if private_files::remove(&path).is_ok() {
                removed.push(name);
            }
            failpoint::reach("gc.file-removed")?;
        }
        Ok(removed)
    }

    /// The files of the segments' folder that are not live and were not changed for `grace_ns`, by name with sizes in
    /// bytes. The grace period is for readers of an older generation that are about to open a file.
    pub fn unused_files(&self, grace_ns: i64) -> Result<Vec<(String, u64)>> {
        let dir = self.store().segments_dir();
        let live: BTreeSet<String> =
            self.database().all("SELECT file FROM segment", [], |row| Ok(row.get(0)?))?.into_iter().collect();
        let mut unused = Vec::new();
        private_files::require_folder(&dir)?;
        for entry in std::fs::read_dir(&dir).map_err(|source| Error::io(&dir, source))? {
            let entry = entry.map_err(|source| Error::io(&dir, source))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let modified = entry.metadata().and_then(|file| file.modified()).ok();
            let age = modified
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
                .map(|since| i128::from(self.store().now_ns()) - since.as_nanos() as i128);
            if !live.contains(&name) && age.is_some_and(|age| age >= i128::from(grace_ns)) {
                unused.push((name, entry.metadata().map_or(0, |file| file.len())));
            }
        }
        unused.sort_unstable();
        Ok(unused)
    }
}

impl Snapshot {
    /// The number of blobs, and of those that only branches of `gone` reach.
    pub fn unreached(&self, gone: &[String]) -> Result<(u64, u64)> {
        let database = self.database();
        let number = |row: &rusqlite::Row<'_>| Ok(row.get::<_, i64>(0)? as u64);
        let all = database.only("SELECT count(*) FROM blob", [], number)?;
        let sql = "WITH RECURSIVE used (id) AS (\
                   SELECT layer FROM branch WHERE name NOT IN (SELECT value FROM json_each(?1)) UNION \
                   SELECT layer.parent FROM layer JOIN used ON layer.id = used.id WHERE layer.parent IS NOT NULL) \
                   SELECT count(DISTINCT blob) FROM layer_entry WHERE layer IN (SELECT id FROM used)";
        let names = serde_json::to_string(gone).map_err(|error| Error::Internal(error.to_string()))?;
        let reached = database.only(sql, [names], number)?;
        Ok((all, all.saturating_sub(reached)))
    }
}

fn collect(database: &Database, gone: &MissingRefs) -> Result<Garbage> {
    let (free_before, mut branches) = (free_bytes(database)?, 0);
    for branch in &gone.branches {
        branches += u64::from(forget_branch(database, branch)?);
    }
    for worktree in &gone.worktrees {
        forget_worktree(database, *worktree)?;
    }
    failpoint::reach("gc.branches-forgotten")?;
    for orphans in [Orphans::Layers, Orphans::Entries] {
        drop_orphans(database, orphans)?;
    }
    let unreached = "id NOT IN (SELECT blob FROM layer_entry WHERE blob IS NOT NULL)";
    let mut garbage = Garbage { branches, blobs: delete(database, "blob", unreached)?, ..Garbage::default() };
    for orphans in [Orphans::Chunks, Orphans::Syntax, Orphans::Stats, Orphans::Skips, Orphans::Vectors] {
        drop_orphans(database, orphans)?;
    }
    let docs = live_docs(database)?;
    garbage.docs = forget_docs(database, &docs)?;
    let mut texts = vec![false; database.number(Column::Text.length_key())? as usize];
    Column::Chunk.each(database, 0, docs.len() as u32, |_, entry| {
        if entry.iter().any(|byte| *byte != 0) {
            garbage.live_docs += 1;
            if let Some(text) = texts.get_mut(super::key_index::text_of(entry).0 as usize) {
                *text = true;
            }
        }
    })?;
    garbage.numbered_docs = docs.len() as u64;
    collect_texts(database, &texts, &mut garbage)?;
    if garbage.blobs > 0 {
        let blobs: BTreeSet<u32> =
            database.all("SELECT id FROM blob", [], |row| Ok(row.get(0)?))?.into_iter().collect();
        filter_run(database, Space::Symbol, |blob| blobs.contains(&blob))?;
    }
    failpoint::reach("gc.rows-deleted")?;
    repack::move_texts(database)?;
    failpoint::reach("gc.texts-moved")?;
    garbage.frames = repack::drop_frames(database)?;
    garbage.free_bytes = free_bytes(database)?.saturating_sub(free_before);
    Ok(garbage)
}

/// Bytes of free pages in the database.
fn free_bytes(database: &Database) -> Result<u64> {
    let number = |sql: &str| database.only(sql, [], |row| Ok(row.get::<_, i64>(0)? as u64));
    Ok(number("PRAGMA freelist_count")? * number("PRAGMA page_size")?)
}

/// Clears the documents that no blob has.
pub(super) fn forget_unused_docs(database: &Database) -> Result<u64> {
    forget_docs(database, &live_docs(database)?)
}

/// Clears the documents from `first` on that no blob has; returns their number.
pub(super) fn forget_docs_without_blob(database: &Database, first: DocId) -> Result<u64> {
    let mut live = live_docs(database)?;
    live.iter_mut().take(first.index()).for_each(|live| *live = true);
    forget_docs(database, &live)
}

/// Clears the documents that are not live; returns their number.
fn forget_docs(database: &Database, live: &[bool]) -> Result<u64> {
    let mut lost = BTreeSet::new();
    Column::Chunk.each(database, 0, live.len() as u32, |doc, entry| {
        if !live[doc as usize] && entry.iter().any(|byte| *byte != 0) {
            lost.insert(doc);
        }
    })?;
    if !lost.is_empty() {
        clear_entries(database, Column::Chunk, |doc| lost.contains(&doc))?;
        filter_run(database, Space::Chunk, |doc| live.get(doc as usize) == Some(&true))?;
    }
    Ok(lost.len() as u64)
}

/// The documents that any blob has.
fn live_docs(database: &Database) -> Result<Vec<bool>> {
    let mut live = vec![false; database.number(Column::Chunk.length_key())? as usize];
    let mut docs = Vec::new();
    database.each("SELECT blob, docs FROM blob_chunks", [], |row| {
        docs.clear();
        // Unreadable documents are all kept apart by the error: nothing is collected from a damaged store.
        unpack_docs(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?, &mut docs)
            .ok_or_else(|| database.damaged("the documents of a blob are unreadable"))?;
        for doc in &docs {
            if let Some(live) = live.get_mut(doc.index()) {
                *live = true;
            }
        }
        Ok(())
    })?;
    Ok(live)
}

fn collect_texts(database: &Database, live: &[bool], garbage: &mut Garbage) -> Result<()> {
    let mut lost = BTreeSet::new();
    Column::Text.each(database, 0, live.len() as u32, |text, entry| {
        if !live[text as usize] && entry.iter().any(|byte| *byte != 0) {
            lost.insert(text);
        }
    })?;
    garbage.texts = lost.len() as u64;
    if lost.is_empty() {
        return Ok(());
    }
    clear_entries(database, Column::Text, |text| lost.contains(&text))?;
    filter_run(database, Space::Text, |text| live.get(text as usize) == Some(&true))?;
    for text in &lost {
        database.run("DELETE FROM plain_text WHERE text = ?1", [text])?;
    }
    for (id, width) in database.all("SELECT id, vector_bytes FROM embedder", [], |row| {
        Ok((EmbedderId(row.get(0)?), row.get::<_, u32>(1)? as usize))
    })? {
        let (first, last) = vector_blocks::rows_of(id);
        let sql = "SELECT id FROM vector_block WHERE id BETWEEN ?1 AND ?2";
        for row in database.all(sql, [first, last], |row| Ok(row.get::<_, i64>(0)?))? {
            let base = vector_blocks::first_text(row);
            let keep = (0..64u32)
                .filter(|bit| live.get(base.wrapping_add(*bit) as usize) == Some(&true))
                .fold(0u64, |keep, bit| keep | 1 << bit);
            let mut block = vector_blocks::read(database, row, width)?;
            if (block.present | block.pending) & !keep != 0 {
                garbage.vectors += u64::from((block.present & !keep).count_ones());
                block.retain(keep, width);
                vector_blocks::write(database, row, &block)?;
            }
        }
    }
    Ok(())
}

/// Clears the entries of a column whose numbers are `lost`.
pub(super) fn clear_entries(database: &Database, column: Column, lost: impl Fn(u32) -> bool) -> Result<()> {
    let end = database.number(column.length_key())? as u32;
    let mut entries = Vec::with_capacity(end as usize * column.width());
    column.each(database, 0, end, |number, entry| {
        if lost(number) {
            entries.resize(entries.len() + column.width(), 0);
        } else {
            entries.extend_from_slice(entry);
        }
    })?;
    if entries.len() != end as usize * column.width() {
        return Err(database.damaged(format!("a part of the column of {} is missing", column.length_key())));
    }
    column.rewrite(database, &entries)
}

fn filter_run(database: &Database, space: Space, live: impl Fn(u32) -> bool) -> Result<()> {
    let mut entries = sorted_runs::all(database, space)?;
    entries.retain(|(_, number)| live(*number));
    sorted_runs::rewrite(database, space, entries)
}

fn drop_orphans(database: &Database, orphans: Orphans) -> Result<u64> {
    let (table, condition) = orphans.rows();
    delete(database, table, condition)
}

fn delete(database: &Database, table: &str, condition: &str) -> Result<u64> {
    Ok(database.run(&format!("DELETE FROM {table} WHERE {condition}"), [])? as u64)
}
