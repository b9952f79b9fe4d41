//! Bringing the index up to date.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Arc;

use rayon::prelude::*;

use super::Engine;
use super::report::{Freshness, FreshnessState, IndexPreview, IndexReport};
use crate::cancel::CancelToken;
use crate::chunk::{EXTRACTOR_VERSION, Extractor};
use crate::error::{Error, Result};
use crate::id::BlobId;
use crate::indexer::{self, Plan, Progress, RunOptions};
use crate::parallel::on_all_threads;
use crate::store::{Snapshot, WriteGuard};
use crate::walk::{WalkedFile, read_source};

/// What a token is taken for when costs are estimated, in bytes.
const BYTES_PER_TOKEN: u64 = 4;

impl Engine {
    /// Indexes what changed; with `force` reads every file again and rebuilds what is derived.
    pub fn index(&self, force: bool, progress: &Progress<'_>, cancel: &CancelToken) -> Result<IndexReport> {
        let mut guard = self.store.lock(&self.writer)?;
        let (report, _) = self.run(&mut guard, force, None, progress, cancel)?;
        Ok(report)
    }

    /// Runs the indexer under a lock that is held.
    pub(super) fn run(
        &self,
        guard: &mut WriteGuard,
        force: bool,
        deadline_ns: Option<i64>,
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<(IndexReport, u64)> {
        let options = RunOptions {
            root: &self.root,
            rules: &self.rules,
            embedder: self.embedder.as_ref(),
            outside: self.outside.as_ref().map(|space| (space.name.as_str(), space.dimensions)),
            force,
            deadline_ns,
            clock: &self.clock,
            progress,
            cancel,
        };
        indexer::index(&self.store, guard, &options)
    }

    /// Looks at every file's size and times and indexes what changed, as far as `budget_ms` allows. A branch that
    /// was never indexed is an error: that is no refresh.
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
        let plan = self.plan(cancel)?;
        if !plan.is_known && plan.base.is_none() {
            return Err(Error::NotIndexed { path: self.root.clone() });
        }
        if plan.is_up_to_date() {
            return Ok(done(FreshnessState::Fresh, 0, 0));
        }
        let behind = behind(&plan);
        if self.store.is_read_only() {
            return Ok(done(FreshnessState::ReadOnly, 0, behind));
        }
        let ran = self
            .store
            .lock(&self.writer)
            .and_then(|mut guard| self.run(&mut guard, false, deadline_ns, &|_, _, _| {}, cancel));
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

    /// Whether the current branch has been indexed.
    pub fn is_indexed(&self) -> Result<bool> {
        let (branch, _) = indexer::current_branch(&self.root);
        Ok(self.store.reader()?.branch(&branch)?.is_some())
    }

    fn plan(&self, cancel: &CancelToken) -> Result<Plan> {
        Plan::make(&self.store.reader()?, &self.root, &self.rules, false, cancel)
    }

    /// What indexing would do, without writing anything.
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
        let extractor = || Extractor::with_clock(Arc::clone(&self.clock));
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

type BlobKey = (crate::hash::ContentHash, &'static str);
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

/// What keeps a store from taking in changes that may still be searched.
fn obstacle(error: &Error) -> Option<FreshnessState> {
    match error {
        Error::Locked { .. } => Some(FreshnessState::Locked),
        Error::DiskFull { .. } => Some(FreshnessState::DiskFull),
        Error::StoreReadOnly { .. } => Some(FreshnessState::ReadOnly),
        Error::Io { source, .. } if source.kind() == ErrorKind::PermissionDenied => Some(FreshnessState::ReadOnly),
        _ => None,
    }
}

/// How many files differ from the catalog as far as a look from outside tells.
fn behind(plan: &Plan) -> u64 {
    let differing = plan.unchanged.iter().filter(|(file, blob)| plan.catalog.get(&file.path) != Some(blob)).count();
    let gone = plan.catalog.len().saturating_sub(plan.unchanged.len() + plan.to_read.len());
    (plan.to_read.len() + differing + gone) as u64
}
