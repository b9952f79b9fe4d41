//! Updates the index of a folder, or of a branch that is not checked out.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rayon::prelude::*;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_base::parallel::on_all_threads;
use codecairn_index::indexer::{self, IndexReport, LookOptions, Plan, Progress, RunOptions, TreeChange};
use codecairn_index::transfer::RecordPacks;
use codecairn_model::vector::Method;
use codecairn_store::{Snapshot, WriteGuard};
use codecairn_syntax::chunk::{EXTRACTOR_VERSION, Extractor};
use codecairn_walk::{SkipReason, WalkedFile, folders_below, read_source};

use super::Engine;
use super::report::{Freshness, FreshnessState, IndexPreview};

/// The estimated bytes of a token.
const BYTES_PER_TOKEN: u64 = 4;

impl Engine {
    /// Indexes changed files; with `force` reads every file again and rebuilds derived files. If `paths` are given,
    /// only they and everything below them are compared, if that is sufficient.
    pub fn index(
        &self,
        force: bool,
        paths: Option<&[String]>,
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<IndexReport> {
        self.index_with(None, force, paths, progress, cancel)
    }

    /// The same with records that were made elsewhere.
    pub(super) fn index_with(
        &self,
        records: Option<&RecordPacks>,
        force: bool,
        paths: Option<&[String]>,
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<IndexReport> {
        let mut guard = self.store.lock(&self.writer)?;
        let started_ns = self.clock.now_ns();
        // A run over some paths is most often a refresh, which does not retry files that fail after seconds.
        let look = LookOptions { force, retry: paths.is_none(), paths, ..self.look(cancel) };
        let options = RunOptions { records, ..self.run_options(look, progress) };
        let indexed = indexer::index(&self.store, &mut guard, &options, None);
        let (mut report, _) = indexed.map_err(|error| self.located(error))?;
        thread::scope(|scope| {
            scope.spawn(|| guard.move_log());
            self.keep_view(&report);
        });
        // A run over some paths is to end soon.
        if paths.is_none() {
            self.update_graphs(&mut guard, cancel)?;
            report.crashed = self.crashed_files()?;
        }
        report.seconds = (self.clock.now_ns() - started_ns) as f64 / 1e9;
        Ok(report)
    }

    /// Builds the graphs that searches are to walk, unless they are there.
    pub(super) fn update_graphs(&self, guard: &mut WriteGuard, cancel: &CancelToken) -> Result<()> {
        if self.vector_method != Method::Hnsw {
            return Ok(());
        }
        let remote = self.remote.iter().map(|space| space.name.as_str());
        let spaces: Vec<&str> = std::iter::once(self.embedder.id()).chain(remote).collect();
        indexer::update_graphs(&self.store, guard, &spaces, cancel)
    }

    /// A look at everything, without a deadline.
    pub(super) fn look<'a>(&'a self, cancel: &'a CancelToken) -> LookOptions<'a> {
        let (root, rules, clock) = (self.root.as_path(), &self.rules, self.clock.as_ref());
        LookOptions { root, rules, force: false, retry: false, paths: None, deadline_ns: None, clock, cancel }
    }

    /// Makes an index of a branch that is not checked out, from contents that are given. Files that the rules leave out
    /// are left out here too.
    pub fn index_tree(&self, mut change: TreeChange, cancel: &CancelToken) -> Result<IndexReport> {
        change.files.retain(|(path, _)| self.rules.decide(path, false).is_none());
        let mut guard = self.store.lock(&self.writer)?;
        let options = self.run_options(self.look(cancel), &|_, _, _| {});
        indexer::index_tree(&self.store, &mut guard, &options, change).map_err(|error| self.located(error))
    }

    /// The commit that a branch was indexed at, if it was.
    pub fn indexed_head(&self, branch: &str) -> Result<Option<String>> {
        Ok(self.store.reader()?.branch(branch)?.and_then(|branch| branch.head))
    }

    fn run_options<'a>(&'a self, look: LookOptions<'a>, progress: &'a Progress<'a>) -> RunOptions<'a> {
        RunOptions {
            look,
            embedder: self.embedder.as_ref(),
            remote: self.remote.as_ref().map(|space| (space.name.as_str(), space.dimensions)),
            records: None,
            clock: &self.clock,
            progress,
        }
    }

    /// Runs the indexer under a lock that is held.
    pub(super) fn run(
        &self,
        guard: &mut WriteGuard,
        look: LookOptions<'_>,
        plan: Option<Plan>,
        progress: &Progress<'_>,
    ) -> Result<(IndexReport, u64)> {
        let options = self.run_options(look, progress);
        indexer::index(&self.store, guard, &options, plan).map_err(|error| self.located(error))
    }

    /// Looks at every file's size and times and indexes what changed, as far as `budget_ms` allows. A branch that
    /// was never indexed is an error: that is no refresh. Another writer is waited for within the budget.
    pub fn refresh(&self, budget_ms: Option<u64>, cancel: &CancelToken) -> Result<Freshness> {
        let started_ns = self.clock.now_ns();
        let deadline_ns = budget_ms.map(|budget| {
            started_ns.saturating_add(i64::try_from(budget).unwrap_or(i64::MAX).saturating_mul(1_000_000))
        });
        let done = |state, changed, unchecked| Freshness {
            state,
            changed,
            unchecked,
            seconds: (self.clock.now_ns() - started_ns) as f64 / 1e9,
        };
        let look = LookOptions { deadline_ns, ..self.look(cancel) };
        let plan = Plan::make(&self.store.reader()?, &look)?;
        if !plan.is_known && plan.base.is_none() {
            return Err(Error::NotIndexed { path: self.root.clone() });
        }
        if plan.is_up_to_date() {
            let state = if plan.unlooked == 0 { FreshnessState::Fresh } else { FreshnessState::Partial };
            return Ok(done(state, 0, plan.unlooked));
        }
        let behind = plan.behind();
        if self.store.is_read_only() {
            return Ok(done(FreshnessState::ReadOnly, 0, behind));
        }
        let left_ns = deadline_ns.map_or(0, |deadline| deadline - self.clock.now_ns());
        let ran = self
            .store
            .lock_within(&self.writer, Duration::from_nanos(u64::try_from(left_ns).unwrap_or(0)), cancel)
            .and_then(|mut guard| self.run(&mut guard, look, Some(plan), &|_, _, _| {}));
        let (report, waiting) = match ran {
            Ok(ran) => ran,
            Err(error) => {
                let state = obstacle(&error).ok_or(error)?;
                return Ok(done(state, 0, behind));
            }
        };
        let changed = report.added + report.modified + report.removed + report.renamed;
        let state = if waiting == 0 { FreshnessState::Fresh } else { FreshnessState::Partial };
        Ok(done(state, changed, waiting))
    }

    /// Who writes to the store right now, in words, if anybody does.
    pub fn writer(&self) -> Option<String> {
        self.store.writer()
    }

    /// `folder` and those below it whose changes matter, relative to the root, which is the empty path. Asked for the
    /// root, it reads the ignore files again.
    pub fn folders(&self, folder: &str) -> Vec<String> {
        if folder.is_empty() {
            self.rules.refresh();
        }
        folders_below(&self.rules, folder)
    }

    /// Whether a change of the entry at `path` may matter to the index.
    pub fn is_walked(&self, path: &str, is_dir: bool) -> bool {
        !matches!(self.rules.decide(path, is_dir), Some(SkipReason::Ignored | SkipReason::Internal))
    }

    /// Whether the current branch has been indexed.
    pub fn is_indexed(&self) -> Result<bool> {
        let (branch, _) = indexer::current_branch(&self.root);
        Ok(self.store.reader()?.branch(&branch)?.is_some())
    }

    fn plan(&self, cancel: &CancelToken) -> Result<Plan> {
        Plan::make(&self.store.reader()?, &self.look(cancel))
    }

    /// Previews an indexing run, without writing anything.
    pub fn preview(&self, cancel: &CancelToken) -> Result<IndexPreview> {
        let plan = self.plan(cancel)?;
        let snapshot = self.store.reader()?;
        let mut preview = IndexPreview { branch: plan.branch.clone(), ..IndexPreview::default() };
        let mut now: BTreeSet<&str> = BTreeSet::new();
        for (file, blob) in &plan.unchanged {
            now.insert(&file.path);
            sort_in(&mut preview, &plan, &file.path, Some(*blob));
        }
        for files in plan.to_read.chunks(512) {
            let found = self.read_all(files, cancel);
            cancel.check()?;
            for (file, read) in files.iter().zip(found) {
                let Some((blob, bytes, texts)) = read else { continue };
                now.insert(&file.path);
                let blob = blob.map_or(Ok(None), |key| stored(&snapshot, key))?;
                sort_in(&mut preview, &plan, &file.path, blob);
                if blob.is_none() {
                    preview.bytes += bytes;
                    preview.chunks += texts.len() as u64;
                    preview.texts += texts.iter().filter(|length| **length > 0).count() as u64;
                    preview.tokens += texts.iter().map(|length| length.div_ceil(BYTES_PER_TOKEN)).sum::<u64>();
                }
            }
        }
        preview.removed = plan.catalog.keys().filter(|path| !now.contains(path.as_str())).cloned().collect();
        Ok(preview)
    }

    /// For each file its identity, its length and the lengths of the texts to embed in it; `None` where it is skipped.
    fn read_all(&self, files: &[WalkedFile], cancel: &CancelToken) -> Vec<Option<ReadPreview>> {
        let extractor = || Extractor::with_clock(Arc::clone(&self.clock)).without_uses();
        let read_one = |extractor: &mut Extractor, file: &WalkedFile| {
            cancel.check().ok()?;
            let source = read_source(&self.root, &file.path).ok()?;
            let extraction = extractor.extract(&source.text, source.language);
            let texts =
                extraction.chunks.iter().map(|chunk| if chunk.lexical_only { 0 } else { chunk.span.len() as u64 });
            Some((Some((source.hash, source.language.id)), source.text.len() as u64, texts.collect()))
        };
        on_all_threads(|| files.par_iter().map_init(extractor, read_one).collect())
    }
}

type BlobKey = (codecairn_base::hash::ContentHash, &'static str);
type ReadPreview = (Option<BlobKey>, u64, Vec<u64>);

fn stored(snapshot: &Snapshot, (hash, language): BlobKey) -> Result<Option<BlobId>> {
    snapshot.find_blob(hash, language, EXTRACTOR_VERSION)
}

/// Puts a file that stays into the list it belongs to.
fn sort_in(preview: &mut IndexPreview, plan: &Plan, path: &str, blob: Option<BlobId>) {
    match plan.catalog.get(path) {
        None => preview.added.push(path.to_owned()),
        Some(before) if Some(*before) == blob => preview.unchanged += 1,
        Some(_) => preview.modified.push(path.to_owned()),
    }
}

/// The reason why a store that can be searched can't be updated.
fn obstacle(error: &Error) -> Option<FreshnessState> {
    match error {
        Error::Locked { .. } => Some(FreshnessState::Locked),
        Error::DiskFull { .. } => Some(FreshnessState::DiskFull),
        Error::StoreReadOnly { .. } => Some(FreshnessState::ReadOnly),
        Error::Io { source, .. } if source.kind() == ErrorKind::PermissionDenied => Some(FreshnessState::ReadOnly),
        _ => None,
    }
}
