//! Reads a consistent view of the store: branches, catalogs, stat caches, segments and counts.
//!
//! A snapshot is one read transaction. It never waits for the writer and never sees a part of a publication. Held long,
//! it keeps the log from being cleared, so it belongs to one question, not to a session.

use std::collections::BTreeSet;

use codecairn_base::error::{Error, Result};
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, DocId, EmbedderId, Generation, WorktreeId};

use super::access::Reader;
use super::column::Column;
use super::key_index::{ChunkSet, chunk_set};
use super::layers;
use super::record::{
    ATTEMPT, Branch, Catalog, Embedder, FATAL, PROVISIONAL, Segment, SegmentKind, Segments, SkipEntry, StatEntry,
};
use super::store::{SEGMENTS, Store};
use codecairn_base::database::{Database, FileKey};

/// A consistent view of a store.
#[derive(Debug)]
pub struct Snapshot {
    store: Store,
    /// Empty only while it is dropped.
    database: Option<Database>,
    shared: bool,
    file: Option<FileKey>,
    generation: Generation,
}

/// How much a store holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Branches with a catalog.
    pub branches: u64,
    /// Blobs, reachable or not.
    pub blobs: u64,
    /// Documents numbered so far.
    pub docs: u64,
    /// Texts numbered so far.
    pub texts: u64,
    /// Bytes of the blobs' texts, before compression.
    pub text_bytes: u64,
    /// Bytes of the database's pages.
    pub database_bytes: u64,
}

impl Store {
    /// A consistent view of the store as it is now, whatever is written meanwhile.
    pub fn reader(&self) -> Result<Snapshot> {
        let (Reader { database, shared }, file) = self.connect_reader()?;
        database.script("BEGIN")?;
        // The first read is what fixes the view.
        let generation = Generation(database.number("generation")?);
        Ok(Snapshot { store: self.clone(), database: Some(database), shared, file, generation })
    }
}

impl Snapshot {
    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The generation of the snapshot; it rises with each publication.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The number that identifies the database, so that caches of one are not used for another.
    pub fn identity(&self) -> Result<u64> {
        self.database().number("identity")
    }

    /// All branches by name.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        let sql = "SELECT name, head, generation, indexed_at_ns, layer FROM branch ORDER BY name";
        self.database().all(sql, [], branch_of)
    }

    /// A branch, if it is indexed.
    pub fn branch(&self, name: &str) -> Result<Option<Branch>> {
        branch(self.database(), name)
    }

    /// The files of a branch, if it is indexed.
    pub fn catalog(&self, name: &str) -> Result<Option<Catalog>> {
        let branch = self.branch(name)?;
        branch.map(|branch| layers::resolve(self.database(), branch.layer)).transpose()
    }

    /// The files of a branch at these paths and below them, if it is indexed.
    pub fn catalog_below(&self, name: &str, paths: &[String]) -> Result<Option<Catalog>> {
        let branch = self.branch(name)?;
        branch.map(|branch| layers::resolve_below(self.database(), branch.layer, paths)).transpose()
    }

    /// Whether this version of the extractor made a blob.
    pub fn is_of_extractor(&self, blob: BlobId, version: u32) -> Result<bool> {
        let sql = "SELECT 1 FROM blob WHERE id = ?1 AND extractor_version = ?2";
        Ok(self.database().first(sql, (blob.0, version), |_| Ok(()))?.is_some())
    }

    /// The blobs that another version of the extractor made.
    pub fn blobs_of_other_extractors(&self, version: u32) -> Result<BTreeSet<BlobId>> {
        let sql = "SELECT id FROM blob WHERE extractor_version <> ?1";
        Ok(self.database().all(sql, [version], |row| Ok(BlobId(row.get(0)?)))?.into_iter().collect())
    }

    /// The blobs of this version of the extractor that are [`PROVISIONAL`] and have come out no better fewer than
    /// `max_attempts` times.
    pub fn provisional_blobs(&self, version: u32, max_attempts: u32) -> Result<BTreeSet<BlobId>> {
        let sql = "SELECT id FROM blob WHERE extractor_version = ?1 AND flags & ?2 <> 0 AND flags / ?3 < ?4";
        let parameters = (version, PROVISIONAL, ATTEMPT, max_attempts);
        Ok(self.database().all(sql, parameters, |row| Ok(BlobId(row.get(0)?)))?.into_iter().collect())
    }

    /// The blobs of this version of the extractor that are [`FATAL`], with their languages.
    pub fn fatal_blobs(&self, version: u32) -> Result<Vec<(BlobId, String)>> {
        let sql = "SELECT id, language FROM blob WHERE extractor_version = ?1 AND flags & ?2 <> 0 ORDER BY id";
        self.database().all(sql, (version, FATAL), |row| Ok((BlobId(row.get(0)?), row.get(1)?)))
    }

    /// The row of a worktree by its root.
    pub fn worktree(&self, root: &str) -> Result<Option<WorktreeId>> {
        worktree(self.database(), root)
    }

    /// All worktrees with their roots.
    pub fn worktrees(&self) -> Result<Vec<(WorktreeId, String)>> {
        let sql = "SELECT id, root FROM worktree ORDER BY id";
        self.database().all(sql, [], |row| Ok((WorktreeId(row.get(0)?), row.get(1)?)))
    }

    /// A worktree's stat cache, by path.
    pub fn stats(&self, worktree: WorktreeId) -> Result<Vec<StatEntry>> {
        let sql = "SELECT path, size, mtime_ns, inode, recorded_ns, blob, ctime_ns FROM stat WHERE worktree = ?1 ORDER BY path";
        self.database().all(sql, [worktree.0], stat_of)
    }

    /// One entry of a worktree's stat cache.
    pub fn stat(&self, worktree: WorktreeId, path: &str) -> Result<Option<StatEntry>> {
        let sql = "SELECT path, size, mtime_ns, inode, recorded_ns, blob, ctime_ns FROM stat WHERE worktree = ?1 AND path = ?2";
        self.database().first(sql, (worktree.0, path), stat_of)
    }

    /// The entries of a worktree's stat cache at this path and below it, by path.
    pub fn stats_below(&self, worktree: WorktreeId, path: &str) -> Result<Vec<StatEntry>> {
        // `0` follows `/`, so these are the paths that begin with the folder.
        let sql = "SELECT path, size, mtime_ns, inode, recorded_ns, blob, ctime_ns FROM stat \
                   WHERE worktree = ?1 AND (path = ?2 OR (path > ?2 || '/' AND path < ?2 || '0')) ORDER BY path";
        self.database().all(sql, (worktree.0, path), stat_of)
    }

    /// The files that a worktree's last publication left out, by path.
    pub fn skips(&self, worktree: WorktreeId) -> Result<Vec<SkipEntry>> {
        skips(self.database(), worktree)
    }

    /// The embedders of the store.
    pub fn embedders(&self) -> Result<Vec<Embedder>> {
        embedders(self.database())
    }

    /// The live derived files of a kind, in order of their documents.
    pub fn segments(&self, kind: SegmentKind) -> Result<Vec<Segment>> {
        let sql = "SELECT first, count, file, generation FROM segment WHERE kind = ?1 ORDER BY first";
        self.database().all(sql, [kind.to_string()], |row| segment_of(row, 0))
    }

    /// All live derived files.
    pub fn all_segments(&self) -> Result<Segments> {
        all_segments(self.database())
    }

    /// How many documents have been numbered: all are below this number.
    pub fn next_doc(&self) -> Result<DocId> {
        Ok(DocId(self.database().number(Column::Chunk.length_key())? as u32))
    }

    /// The ids of all chunks; some 50 ns and 20 bytes each.
    pub fn chunk_set(&self) -> Result<ChunkSet> {
        chunk_set(self.database())
    }

    /// A text that a publication left under `key`.
    pub fn note(&self, key: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM meta WHERE key = 'note:' || ?1";
        self.database().first(sql, [key], |row| Ok(row.get(0)?))
    }

    /// How much the store holds.
    pub fn counts(&self) -> Result<Counts> {
        let number = |sql: &str| self.database().only(sql, [], |row| Ok(row.get::<_, i64>(0)? as u64));
        Ok(Counts {
            branches: number("SELECT count(*) FROM branch")?,
            blobs: number("SELECT count(*) FROM blob")?,
            docs: self.database().number(Column::Chunk.length_key())?,
            texts: self.database().number(Column::Text.length_key())?,
            text_bytes: number("SELECT coalesce(sum(byte_len), 0) FROM blob")?,
            database_bytes: number("PRAGMA page_count")? * number("PRAGMA page_size")?,
        })
    }

    pub(super) fn database(&self) -> &Database {
        self.database.as_ref().expect("invariant: the connection is given back by drop only")
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(database) = self.database.take() {
            database.roll_back();
            if self.shared {
                self.store.give_back(database, self.file);
            }
        }
    }
}

fn stat_of(row: &rusqlite::Row<'_>) -> Result<StatEntry> {
    Ok(StatEntry {
        path: row.get(0)?,
        size: row.get::<_, i64>(1)? as u64,
        mtime_ns: row.get(2)?,
        ctime_ns: row.get(6)?,
        inode: row.get::<_, i64>(3)? as u64,
        recorded_ns: row.get(4)?,
        blob: row.get::<_, Option<u32>>(5)?.map(BlobId),
    })
}

pub(super) fn branch(database: &Database, name: &str) -> Result<Option<Branch>> {
    let sql = "SELECT name, head, generation, indexed_at_ns, layer FROM branch WHERE name = ?1";
    database.first(sql, [name], branch_of)
}

fn branch_of(row: &rusqlite::Row<'_>) -> Result<Branch> {
    Ok(Branch {
        name: row.get(0)?,
        head: row.get(1)?,
        generation: Generation(row.get::<_, i64>(2)? as u64),
        indexed_at_ns: row.get(3)?,
        layer: row.get(4)?,
    })
}

pub(super) fn find_blob(
    database: &Database,
    hash: ContentHash,
    language: &str,
    extractor_version: u32,
) -> Result<Option<BlobId>> {
    let sql = "SELECT id FROM blob WHERE hash = ?1 AND language = ?2 AND extractor_version = ?3";
    database.first(sql, (hash.as_bytes(), language, extractor_version), |row| Ok(BlobId(row.get(0)?)))
}

pub(super) fn worktree(database: &Database, root: &str) -> Result<Option<WorktreeId>> {
    database.first("SELECT id FROM worktree WHERE root = ?1", [root], |row| Ok(WorktreeId(row.get(0)?)))
}

pub(super) fn skips(database: &Database, worktree: WorktreeId) -> Result<Vec<SkipEntry>> {
    let sql = "SELECT path, reason, detail FROM skip WHERE worktree = ?1 ORDER BY path";
    database.all(sql, [worktree.0], |row| Ok(SkipEntry { path: row.get(0)?, reason: row.get(1)?, detail: row.get(2)? }))
}

pub(super) fn embedders(database: &Database) -> Result<Vec<Embedder>> {
    database.all("SELECT id, name, dimensions, vector_bytes FROM embedder ORDER BY id", [], |row| {
        Ok(Embedder {
            id: EmbedderId(row.get(0)?),
            name: row.get(1)?,
            dimensions: row.get(2)?,
            vector_bytes: row.get(3)?,
        })
    })
}

pub(super) fn all_segments(database: &Database) -> Result<Segments> {
    let mut segments = Segments::new();
    let sql = "SELECT kind, first, count, file, generation FROM segment ORDER BY kind, first";
    database.each(sql, [], |row| {
        let kind = row.get::<_, String>(0)?.parse::<SegmentKind>().map_err(|detail| database.damaged(detail))?;
        segments.entry(kind).or_default().push(segment_of(row, 1)?);
        Ok(())
    })?;
    Ok(segments)
}

fn segment_of(row: &rusqlite::Row<'_>, first: usize) -> Result<Segment> {
    let file: String = row.get(first + 2)?;
    if !is_plain_name(&file) {
        let detail = format!("a segment is named `{}`, which leads out of the store", file.escape_debug());
        return Err(Error::StoreDamaged { path: SEGMENTS.into(), detail });
    }
    Ok(Segment {
        first: DocId(row.get(first)?),
        count: row.get(first + 1)?,
        file,
        generation: Generation(row.get::<_, i64>(first + 3)? as u64),
    })
}

/// Whether a name is that of a file in the same folder.
fn is_plain_name(name: &str) -> bool {
    !name.contains(['/', '\\', ':', '\0']) && !matches!(name, "" | "." | "..")
}
