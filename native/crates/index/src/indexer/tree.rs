//! Indexes a branch that is not checked out, from an indexed branch and the contents that differ.
//!
//! Invariant: no file of the folder is read, and its stat cache and the checked-out branch stay as they are.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_store::{CatalogDelta, Publication, Store, WriteGuard};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_walk::{FileStat, WalkedFile, source_of};

use super::branch_counts::BranchCounts;
use super::commit::{Committer, RunFiles};
use super::derived_files::DerivedFiles;
use super::pipeline::Pipeline;
use super::plan::RULES_NOTE;
use super::prepare::{PreparerPool, chunk_set};
use super::report::IndexReport;
use super::run::{FILE_GRACE_NS, RunOptions};
use super::vector_segments::VectorSpace;
use super::vector_spaces::{VectorSpaces, grow_others};

/// A branch as it differs from another one.
#[derive(Debug)]
pub struct TreeChange {
    /// The branch to create or update.
    pub branch: String,
    /// Its commit.
    pub head: String,
    /// The indexed branch that it is compared with.
    pub base: String,
    /// Files with other contents than there.
    pub files: Vec<(String, Vec<u8>)>,
    /// Files of the base that it does not have.
    pub removed: Vec<String>,
}

/// Indexes a branch from contents that are given.
pub fn index_tree(
    store: &Store,
    guard: &mut WriteGuard,
    options: &RunOptions<'_>,
    change: TreeChange,
) -> Result<IndexReport> {
    let started_ns = options.clock.now_ns();
    let TreeChange { branch, head, base, files, removed } = change;
    let snapshot = store.reader()?;
    let mut catalog =
        snapshot.catalog(&base)?.ok_or_else(|| Error::NotIndexed { path: options.look.root.to_path_buf() })?;
    let own = snapshot.catalog(&branch)?;
    drop(snapshot);
    let (name, dimensions) = (options.embedder.id(), options.embedder.dimensions() as u32);
    let spaces = VectorSpaces::open(guard, (name, dimensions), options.remote)?;
    let space = VectorSpace { id: spaces.own, name, dimensions, model: Some(options.embedder) };
    let mut report = IndexReport { branch: branch.clone(), ..IndexReport::default() };
    let mut derived = DerivedFiles::open(guard, space, false, options.look.cancel)?;
    for path in removed.iter().chain(files.iter().map(|(path, _)| path)) {
        catalog.remove(path);
    }
    let commit = Committer { spaces };
    let found = store_all(store, guard, options, files, &commit, &mut derived, &mut report)?;
    derived.finish(options.look.cancel)?;
    let mut segments = derived.listed();
    segments.extend(grow_others(guard, &commit.spaces, options.look.cancel)?);
    catalog.extend(found.files.into_iter().map(|(file, _, blob)| (file.path, blob)));
    let delta = difference(own.as_ref().unwrap_or(&store.reader()?.catalog(&base)?.unwrap_or_default()), &catalog);
    let mut blobs: Vec<BlobId> = catalog.values().copied().collect();
    blobs.sort_unstable();
    report.files = catalog.len() as u64;
    report.chunks = store.reader()?.chunk_counts(&blobs)?.iter().sum();
    options.look.cancel.check()?;
    guard.publish(&Publication {
        branch: &branch,
        head: Some(&head),
        base: Some(&base),
        delta: &delta,
        worktree: None,
        segments: &segments,
        notes: &[
            (RULES_NOTE, &EXTRACTOR_VERSION.to_string()),
            (&BranchCounts::key(&branch), &BranchCounts::note(report.files, report.chunks)),
        ],
    })?;
    guard.remove_unused_files(FILE_GRACE_NS)?;
    report.seconds = (options.clock.now_ns() - started_ns) as f64 / 1e9;
    Ok(report)
}

/// The changes that turn one catalog into another.
fn difference(from: &codecairn_store::Catalog, to: &codecairn_store::Catalog) -> CatalogDelta {
    let removed = from.keys().filter(|path| !to.contains_key(*path)).map(|path| (path.clone(), None));
    let come = to.iter().filter(|(path, blob)| from.get(*path) != Some(blob));
    removed.chain(come.map(|(path, blob)| (path.clone(), Some(*blob)))).collect()
}

fn store_all(
    store: &Store,
    guard: &mut WriteGuard,
    options: &RunOptions<'_>,
    files: Vec<(String, Vec<u8>)>,
    commit: &Committer,
    derived: &mut DerivedFiles<'_>,
    report: &mut IndexReport,
) -> Result<RunFiles> {
    let stat = |bytes: &Vec<u8>| FileStat { size: bytes.len() as u64, mtime_ns: 0, ctime_ns: 0, inode: 0 };
    let listed = files.iter().map(|(path, bytes)| WalkedFile::new(path.clone(), stat(bytes))).collect();
    let contents: HashMap<String, Vec<u8>> = files.into_iter().collect();
    let pipeline = Pipeline {
        store,
        embedder: options.embedder,
        clock: options.clock.as_ref(),
        cancel: options.look.cancel,
        deadline_ns: None,
        workbench: PreparerPool::new(Arc::clone(options.clock), chunk_set(store, contents.len())?, options.records),
        retried: BTreeSet::new(),
        read: &|path| {
            let bytes = contents.get(path).cloned().unwrap_or_default();
            let stat = stat(&bytes);
            source_of(path, bytes, stat)
        },
    };
    let mut found = RunFiles::default();
    pipeline.run(listed, |files| {
        let mut batch = guard.begin()?;
        for file in files {
            commit.take(&mut batch, file?, derived, &mut found, report)?;
            if batch.is_full() {
                batch.commit()?;
                batch = guard.begin()?;
            }
        }
        derived.write_while(|| batch.commit())
    })?;
    Ok(found)
}
