//! Holds the write lease, with the operations of the one writer of a store.
//!
//! Batches add content in bounded transactions. They stay when the run is cancelled later: content is addressed by its
//! hash, so the next run finds it. Publishing comes last, in one transaction of its own, and is all that readers see.

use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::failpoint;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, EmbedderId, Generation, WorktreeId};

use super::access;
use super::layers;
use super::lock::WriteLock;
use super::record::{Embedder, StatDelta};
use super::snapshot;
use super::store::Store;
use super::writer_state::WriterState;
use codecairn_base::database::Database;

/// The write lease of a store; dropping it lets the next writer in.
#[derive(Debug)]
pub struct WriteGuard {
    store: Store,
    database: Database,
    /// The state that the last batch left for the next; `None` until one was committed.
    pub(super) state: Option<WriterState>,
    _lock: WriteLock,
}

impl Store {
    /// Takes the write lease, or fails with [`Error::Locked`], which names its holder. `owner` is the program, in
    /// words.
    pub fn lock(&self, owner: &str) -> Result<WriteGuard> {
        self.lock_within(owner, Duration::ZERO, &CancelToken::default())
    }

    /// The same, and waits for as long as `wait` for the writer that has the lease.
    pub fn lock_within(&self, owner: &str, wait: Duration, cancel: &CancelToken) -> Result<WriteGuard> {
        let (database, lock) = self.connect_writer(owner, wait, cancel)?;
        Ok(WriteGuard { store: self.clone(), database, state: None, _lock: lock })
    }
}

impl WriteGuard {
    /// The store that is written.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The generation that the next publication makes; derived files are written for it.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the database was removed or replaced since the lease was taken: its folder may be
    /// another writer's by now.
    pub fn next_generation(&self) -> Result<Generation> {
        if !self.database.is_current() {
            return Err(self.database.damaged("it was removed or replaced while it was being written"));
        }
        Ok(Generation(self.database.number("generation")? + 1))
    }

    /// The blob with this content, read as this language by this version of the extractor.
    pub fn find_blob(&self, hash: ContentHash, language: &str, extractor_version: u32) -> Result<Option<BlobId>> {
        snapshot::find_blob(&self.database, hash, language, extractor_version)
    }

    /// The row of an embedder, made if it is new. `vector_bytes` is the length of a stored vector.
    pub fn embedder(&mut self, name: &str, dimensions: u32, vector_bytes: u32) -> Result<EmbedderId> {
        let known = snapshot::embedders(&self.database)?.into_iter().find(|embedder| embedder.name == name);
        if let Some(known) = known {
            let Embedder { id, dimensions: known_dimensions, vector_bytes: known_bytes, .. } = known;
            if (known_dimensions, known_bytes) == (dimensions, vector_bytes) {
                return Ok(id);
            }
            return Err(Error::InvalidArgument(format!(
                "embedder `{name}` has {known_dimensions} dimensions in {known_bytes} bytes here, not {dimensions} \
                 in {vector_bytes}"
            )));
        }
        let sql = "INSERT INTO embedder (name, dimensions, vector_bytes) VALUES (?1, ?2, ?3) RETURNING id";
        self.database.only(sql, (name, dimensions, vector_bytes), |row| Ok(EmbedderId(row.get(0)?)))
    }

    /// Removes an embedder with its vectors and derived files.
    pub fn remove_embedder(&mut self, embedder: EmbedderId) -> Result<()> {
        self.state = None;
        let database = &self.database;
        let (first, last) = super::vector_blocks::rows_of(embedder);
        database.transaction(|| {
            database.run("DELETE FROM vector_block WHERE id BETWEEN ?1 AND ?2", [first, last])?;
            database.run("DELETE FROM failed_text WHERE embedder = ?1", [embedder.0])?;
            database.run("DELETE FROM embedder WHERE id = ?1", [embedder.0])?;
            for kind in [super::SegmentKind::Vector(embedder), super::SegmentKind::Hnsw(embedder)] {
                database.run("DELETE FROM segment WHERE kind = ?1", [kind.to_string()])?;
            }
            failpoint::reach("gc.embedder-removed")?;
            self.advance().map(drop)
        })
    }

    /// The row of a worktree by its root, made if it is new.
    pub fn worktree(&mut self, root: &str) -> Result<WorktreeId> {
        if let Some(known) = snapshot::worktree(&self.database, root)? {
            return Ok(known);
        }
        let sql = "INSERT INTO worktree (root) VALUES (?1) RETURNING id";
        self.database.only(sql, [root], |row| Ok(WorktreeId(row.get(0)?)))
    }

    /// Records stat entries where no content changed. The generation stays.
    pub fn record_stats(&mut self, worktree: WorktreeId, stats: &StatDelta) -> Result<()> {
        self.database.transaction(|| {
            super::publish::write_stats(&self.database, worktree, stats)?;
            failpoint::reach("stats.written")
        })
    }

    /// Checkpoints a large log now instead of at the end of the lease.
    pub fn move_log(&mut self) {
        access::move_log(&self.database);
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    /// Advances the generation, inside a transaction.
    pub(super) fn advance(&self) -> Result<Generation> {
        let next = self.next_generation()?;
        self.database.set_number("generation", next.0)?;
        Ok(next)
    }
}

/// Removes a branch, inside a transaction. Returns whether there was one.
pub(super) fn forget_branch(database: &Database, name: &str) -> Result<bool> {
    let Some(branch) = snapshot::branch(database, name)? else { return Ok(false) };
    database.run("DELETE FROM branch WHERE name = ?1", [name])?;
    layers::release(database, branch.layer)?;
    Ok(true)
}

/// Removes a worktree with its stat cache and skipped files, inside a transaction.
pub(super) fn forget_worktree(database: &Database, worktree: WorktreeId) -> Result<()> {
    database.run("DELETE FROM stat WHERE worktree = ?1", [worktree.0])?;
    database.run("DELETE FROM skip WHERE worktree = ?1", [worktree.0])?;
    database.run("DELETE FROM worktree WHERE id = ?1", [worktree.0]).map(drop)
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        access::settle_log(&self.database);
    }
}
