//! Runs one update of the index: plans, commits batches of prepared files, writes derived files, and publishes last. It
//! needs the write lease.

use std::collections::BTreeSet;
use std::sync::Arc;

use codecairn_base::clock::Clock;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_model::embed::Embedder;
use codecairn_store::{Publication, Store, WriteGuard};
use codecairn_syntax::chunk::EXTRACTOR_VERSION;
use codecairn_walk::{SourceReader, WalkedFile};

use super::branch_counts::{BranchCounts, count_chunks};
use super::commit::{Committer, RunFiles};
use super::derived_files::DerivedFiles;
use super::outcome::Outcome;
use super::pipeline::Pipeline;
use super::plan::{LookOptions, Plan, RULES_NOTE};
use super::prepare::{PreparerPool, chunk_set};
use super::report::IndexReport;
use super::vector_segments::VectorSpace;
use super::vector_spaces::{SpaceName, VectorSpaces, grow_others, pending_in};
use crate::transfer::RecordPacks;

/// How long a derived file that is no longer listed stays for readers that are about to open it: a minute.
pub const FILE_GRACE_NS: i64 = 60_000_000_000;

/// Bytes between two progress callbacks.
const PROGRESS_BYTES: u64 = 1 << 20;

/// A stage of a run, for progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The folder is walked and compared; the total is not known.
    Scanning,
    /// Texts are read, parsed, embedded and stored; counted in bytes.
    Indexing,
    /// Derived files are written and the result is published.
    Finishing,
}

impl Phase {
    /// The phase's name, as shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scanning => "scanning",
            Self::Indexing => "indexing",
            Self::Finishing => "finishing",
        }
    }
}

/// The progress callback: the phase, the work done and the total.
pub type Progress<'a> = dyn Fn(Phase, u64, u64) + Sync + 'a;

/// The options of a run.
pub struct RunOptions<'a> {
    /// The options of the plan. At its deadline the run stops preparing files and publishes; with `force` it rebuilds
    /// derived files.
    pub look: LookOptions<'a>,
    /// Makes vectors as texts come.
    pub embedder: &'a dyn Embedder,
    /// The remote space, if there is one; new texts become pending in it.
    pub remote: Option<SpaceName<'a>>,
    /// Records that were made elsewhere, which are taken in place of parses.
    pub records: Option<&'a RecordPacks>,
    /// Time.
    pub clock: &'a Arc<dyn Clock>,
    /// The progress callback.
    pub progress: &'a Progress<'a>,
}

/// Brings the index up to date with the folder. Returns the report and the number of files left at the deadline. A plan
/// that was made before is used if the store has not changed since.
pub fn index(
    store: &Store,
    guard: &mut WriteGuard,
    options: &RunOptions<'_>,
    plan: Option<Plan>,
) -> Result<(IndexReport, u64)> {
    let started_ns = options.clock.now_ns();
    (options.progress)(Phase::Scanning, 0, 0);
    let snapshot = store.reader()?;
    let mut plan = match plan.filter(|plan| plan.generation == snapshot.generation()) {
        Some(plan) => plan,
        None => Plan::make(&snapshot, &options.look)?,
    };
    drop(snapshot);
    let (name, dimensions) = (options.embedder.id(), options.embedder.dimensions() as u32);
    let spaces = VectorSpaces::open(guard, (name, dimensions), options.remote)?;
    let mut report = IndexReport { branch: plan.branch.clone(), ..IndexReport::default() };
    let worktree = guard.worktree(&options.look.root.to_string_lossy())?;
    let mut derived = DerivedFiles::open(
        guard,
        VectorSpace { id: spaces.own, name, dimensions, model: Some(options.embedder) },
        options.look.force,
        options.look.cancel,
    )?;
    report.embedded = derived.embedded();
    let to_read = std::mem::take(&mut plan.to_read);
    let commit = Committer { spaces };
    let retried = std::mem::take(&mut plan.retried);
    let found = run_batches(store, guard, options, (to_read, retried), &commit, &mut derived, &mut report)?;
    (options.progress)(Phase::Finishing, 0, 0);
    derived.finish(options.look.cancel)?;
    let mut segments = derived.listed();
    segments.extend(grow_others(guard, &commit.spaces, options.look.cancel)?);
    let outcome = Outcome::of(&plan, found, &mut report);
    report.chunks = count_chunks(&store.reader()?, &plan, &outcome.delta)?;
    if !plan.is_known || outcome.changes_anything(&store.reader()?, worktree)? || derived.has_changed() {
        options.look.cancel.check()?;
        guard.publish(&Publication {
            branch: &plan.branch,
            head: Some(plan.head.as_str()).filter(|head| !head.is_empty()),
            base: plan.base.as_deref(),
            delta: &outcome.delta,
            worktree: Some((worktree, &outcome.stats, &outcome.skips)),
            segments: &segments,
            notes: &[
                (RULES_NOTE, &EXTRACTOR_VERSION.to_string()),
                (&BranchCounts::key(&plan.branch), &BranchCounts::note(report.files, report.chunks)),
            ],
        })?;
        guard.remove_unused_files(FILE_GRACE_NS)?;
    } else if !outcome.stats.recorded.is_empty() || !outcome.stats.removed.is_empty() {
        guard.record_stats(worktree, &outcome.stats)?;
    }
    let snapshot = store.reader()?;
    report.pending = pending_in(&snapshot, options.remote.map_or(name, |(remote, _)| remote))?.len() as u64;
    report.seconds = (options.clock.now_ns() - started_ns) as f64 / 1e9;
    Ok((report, outcome.waiting))
}

/// Prepares files on all cores while this thread commits them.
fn run_batches(
    store: &Store,
    guard: &mut WriteGuard,
    options: &RunOptions<'_>,
    (files, retried): (Vec<WalkedFile>, BTreeSet<BlobId>),
    commit: &Committer,
    derived: &mut DerivedFiles<'_>,
    report: &mut IndexReport,
) -> Result<RunFiles> {
    let total: u64 = files.iter().map(|file| file.size).sum();
    let mut found = RunFiles::default();
    if files.is_empty() {
        return Ok(found);
    }
    let sources = SourceReader::new(options.look.root);
    let pipeline = Pipeline {
        store,
        embedder: options.embedder,
        clock: options.clock.as_ref(),
        cancel: options.look.cancel,
        deadline_ns: options.look.deadline_ns,
        workbench: PreparerPool::new(Arc::clone(options.clock), chunk_set(store, files.len())?, options.records),
        retried,
        read: &|path| sources.read(path),
    };
    pipeline.run(files, |files| {
        let (mut done, mut told) = (0, 0);
        (options.progress)(Phase::Indexing, done, total);
        let mut batch = guard.begin()?;
        for file in files {
            // What this run has done is not done again by the next one.
            if options.look.cancel.is_cancelled() {
                batch.commit()?;
                return Err(Error::Cancelled);
            }
            let file = file?;
            done += file.file.size;
            commit.take(&mut batch, file, derived, &mut found, report)?;
            if batch.is_full() {
                batch.commit()?;
                batch = guard.begin()?;
            }
            if done >= told + PROGRESS_BYTES {
                (options.progress)(Phase::Indexing, done.min(total), total);
                told = done;
            }
        }
        (options.progress)(Phase::Indexing, total, total);
        derived.write_while(|| batch.commit())
    })?;
    Ok(found)
}
