//! One workspace's engine: opens the store, keeps a searcher for the current state, and offers every
//! operation once.
//!
//! Thread-safe. Searches never wait for a writer: they read the last published state.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod checksums;
mod evidence;
mod graph;
mod hits;
mod impact;
mod load;
mod maintenance;
mod remote_vectors;
mod report;
#[cfg(test)]
mod retry_tests;
mod search;
mod stem_counts;
mod transfer;
#[cfg(test)]
mod transfer_tests;
mod update;
#[cfg(test)]
mod vector_method_tests;
mod verify;
mod view_cache;
mod views;
#[cfg(test)]
mod views_tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::clock::Clock;
use codecairn_base::error::{Error, Result};
use codecairn_graph::scip::ScipFile;
use codecairn_model::embed::{self, Embedder};
use codecairn_search::Models;
use codecairn_store::{DrainLock, Store};
use codecairn_walk::{RuleOptions, Rules};

pub use codecairn_index::indexer::{IndexReport, Phase, Progress, TreeChange};
pub use codecairn_model::vector::Method as VectorMethod;
pub use evidence::EvidenceReport;
pub use graph::{Definition, FullGraphNode, FullGraphReport, Mention, Place, Use};
pub use impact::{Change, ChangedFile, Hub, Reach, ReachOptions};
pub use remote_vectors::{Delivery, PendingText, RemoteProgress, RemoteSpace};
pub use report::{FileState, Freshness, FreshnessState, GarbageReport, Hit, HitSpan, IndexPreview, Problem, Status};
pub use search::SearchOptions;
pub use transfer::{Export, IndexedContent, NumberingPart, SegmentPart, TextDigest};

use load::LoadedBranch;

/// How a workspace is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The workspace's root.
    pub root: PathBuf,
    /// The folder of the store; it may lie elsewhere, as for linked worktrees.
    pub store: PathBuf,
    /// The built-in model: `static` or `feature-hash`.
    pub embedder: String,
    /// The remote vector space, if there is one.
    pub remote: Option<RemoteSpace>,
    /// Globs of files to index; empty for all.
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// Never writes.
    pub read_only: bool,
    /// How this process is named to others that find the store locked.
    pub writer: String,
    /// The user's own file of git excludes.
    pub user_ignore: Option<PathBuf>,
    /// The file of a SCIP index, relative to the root; empty for none.
    pub scip: String,
    /// How searches find the nearest vectors. Indexing builds graphs for [`VectorMethod::Hnsw`].
    pub vector_method: VectorMethod,
}

/// An open workspace.
pub struct Engine {
    root: PathBuf,
    store: Store,
    rules: Rules,
    writer: String,
    clock: Arc<dyn Clock>,
    embedder: Arc<dyn Embedder>,
    remote: Option<RemoteSpace>,
    vector_method: VectorMethod,
    /// The lock for remote embedding, while this engine holds it.
    draining: Mutex<Option<DrainLock>>,
    models: Arc<Models>,
    /// The current branch, as loaded for the last search.
    loaded: Mutex<Option<Arc<LoadedBranch>>>,
    /// The last other branch that was queried.
    other_branch: Mutex<Option<Arc<LoadedBranch>>>,
    verified: checksums::VerifiedSegments,
    scip_path: String,
    /// The SCIP index, as it was last looked at.
    scip: Mutex<Option<Arc<ScipFile>>>,
}

impl Engine {
    /// Opens a workspace; creates the store if there is none and it may be written.
    pub fn open(options: OpenOptions, clock: Arc<dyn Clock>) -> Result<Self> {
        let unknown = || Error::InvalidArgument(format!("unknown built-in embedder `{}`", options.embedder));
        let embedder = Arc::from(embed::builtin(&options.embedder).ok_or_else(unknown)?);
        let rules = Rules::new(
            &options.root,
            &RuleOptions { include: options.include, exclude: options.exclude, global_excludes: options.user_ignore },
        )?;
        if options.read_only && !options.store.is_dir() {
            return Err(Error::NotIndexed { path: options.root });
        }
        let mut store_options = codecairn_store::OpenOptions::new(Arc::clone(&clock));
        if options.read_only {
            store_options = store_options.read_only();
        }
        Ok(Self {
            root: rules.root().to_path_buf(),
            store: Store::open(&options.store, store_options)?,
            rules,
            writer: options.writer,
            clock,
            embedder,
            remote: options.remote,
            vector_method: options.vector_method,
            draining: Mutex::new(None),
            models: Arc::new(Models::built_in()?),
            loaded: Mutex::new(None),
            other_branch: Mutex::new(None),
            verified: checksums::VerifiedSegments::default(),
            scip_path: options.scip,
            scip: Mutex::new(None),
        })
    }

    /// The workspace's root, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Drops all caches and closes the database. The next call opens it again.
    pub fn close(&self) -> Result<()> {
        self.stop_draining();
        self.forget_loaded();
        self.scip.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.store.let_go();
        Ok(())
    }

    /// Says where the database lies in an error of something packed in it that can't be read.
    fn located(&self, error: Error) -> Error {
        match error {
            Error::StoreDamaged { path, detail } => Error::StoreDamaged { path: self.store.dir().join(path), detail },
            other => other,
        }
    }
}
