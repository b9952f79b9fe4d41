//! The health of a store, and vectors that come from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::Engine;
use super::report::{GarbageReport, Problem, Status};
use crate::cancel::CancelToken;
use crate::embed::builtin;
use crate::error::{Error, Result};
use crate::id::{BlobId, EmbedderId};
use crate::indexer::{FILE_GRACE_NS, Look, current_branch, lexical_files, pending_in, vector_files};
use crate::lexical::LexicalIndex;
use crate::store::{Depth, Embedder, SegmentKind, Snapshot};
use crate::vector::VectorIndex;
use crate::view::ChunkIndex;
use crate::walk::git::{Head, Repository};
use crate::walk::{Skip, SkipReason};

impl Engine {
    /// The state of the store, as far as it is indexed.
    pub fn status(&self) -> Result<Status> {
        let snapshot = self.store.reader()?;
        let (branch, _) = current_branch(&self.root);
        let counts = snapshot.counts()?;
        let mut status = Status {
            format: crate::store::FORMAT,
            generation: snapshot.generation().0,
            blobs: counts.blobs,
            texts: counts.texts,
            store_bytes: folder_bytes(self.store.dir()),
            segments: snapshot.all_segments()?.values().map(|segments| segments.len() as u64).sum(),
            embedder: self.embedder.id().to_owned(),
            dimensions: self.embedder.dimensions() as u32,
            indexing: self.store.writer().unwrap_or_default(),
            notes: self.store.notes().to_vec(),
            ..Status::default()
        };
        for other in snapshot.branches()? {
            let files = snapshot.catalog(&other.name)?.map_or(0, |catalog| catalog.len() as u64);
            if other.name == branch {
                status.head = other.head.unwrap_or_default();
                status.indexed_at_ns = other.indexed_at_ns;
            }
            status.branches.push((other.name, files));
        }
        if snapshot.embedders()?.iter().any(|embedder| embedder.name == self.embedder.id()) {
            status.vectors = snapshot.embeddable_count()?;
        }
        if snapshot.branch(&branch)?.is_some() {
            self.describe_branch(&snapshot, &branch, &mut status)?;
        }
        let mut reasons: BTreeMap<&'static str, u64> = BTreeMap::new();
        for skip in self.skips()? {
            *reasons.entry(skip.reason.name()).or_default() += 1;
        }
        status.skipped = reasons.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect();
        status.branch = branch;
        Ok(status)
    }

    fn describe_branch(&self, snapshot: &Snapshot, branch: &str, status: &mut Status) -> Result<()> {
        let view = self.view_alone(snapshot, branch)?;
        let lengths: BTreeMap<BlobId, u64> =
            snapshot.blobs()?.into_iter().map(|blob| (blob.id, u64::from(blob.byte_len))).collect();
        let mut languages: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for file in view.files() {
            let (files, bytes) = languages.entry(file.language.id).or_default();
            *files += 1;
            *bytes += lengths.get(&file.blob).copied().unwrap_or_default();
            let mut chunks = (file.first_chunk..file.first_chunk + file.chunk_count).map(ChunkIndex);
            status.coarse += u64::from(chunks.any(|chunk| view.chunk(chunk).lexical_only));
        }
        status.files = view.file_count() as u64;
        status.chunks = view.chunk_count() as u64;
        status.symbols = view.symbol_count() as u64;
        status.languages = languages.into_iter().map(|(id, (files, bytes))| (id.to_owned(), files, bytes)).collect();
        Ok(())
    }

    /// The files that were left out when the folder was last indexed.
    pub fn skips(&self) -> Result<Vec<Skip>> {
        let snapshot = self.store.reader()?;
        let Some(worktree) = snapshot.worktree(&self.root.to_string_lossy())? else { return Ok(Vec::new()) };
        Ok(snapshot
            .skips(worktree)?
            .into_iter()
            .map(|entry| {
                let reason = SkipReason::ALL.into_iter().find(|reason| reason.name() == entry.reason);
                Skip::new(entry.path, reason.unwrap_or(SkipReason::Unreadable), entry.detail)
            })
            .collect())
    }

    /// The indexed paths of the current branch.
    pub fn paths(&self) -> Result<Vec<String>> {
        let (branch, _) = current_branch(&self.root);
        let catalog = self.store.reader()?.catalog(&branch)?;
        let catalog = catalog.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })?;
        Ok(catalog.into_keys().collect())
    }

    /// Everything that is wrong with the store and its derived files; nothing, if all is well.
    pub fn verify(&self, cancel: &CancelToken) -> Result<Vec<Problem>> {
        let snapshot = self.store.reader()?;
        let mut problems: Vec<Problem> = snapshot
            .verify(Depth::Full, cancel)?
            .into_iter()
            .map(|problem| Problem { code: problem.code.name().to_owned(), detail: problem.detail, repaired: false })
            .collect();
        let folder = self.store.segments_dir();
        let mut check = |code: &str, result: Result<()>| {
            if let Err(error) = result {
                problems.push(Problem { code: code.to_owned(), detail: error.to_string(), repaired: false });
            }
        };
        let lexical = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
        check("lexical-segment", LexicalIndex::open(&folder, &lexical).and_then(|index| index.verify()));
        for embedder in snapshot.embedders()? {
            let files = vector_files(&folder, &snapshot.segments(SegmentKind::Vector(embedder.id))?);
            check("vector-segment", VectorIndex::open(&folder, &files).and_then(|index| index.verify()));
        }
        Ok(problems)
    }

    /// Mends what can be mended: the database's loose ends, then everything derived from it, then the branch.
    pub fn repair(&self, cancel: &CancelToken) -> Result<Vec<Problem>> {
        let mut problems = self.verify(cancel)?;
        if problems.is_empty() {
            return Ok(problems);
        }
        let mut guard = self.store.lock(&self.writer)?;
        let found = self.store.reader()?.verify(Depth::Full, cancel)?;
        guard.repair(&found)?;
        let look = Look { force: true, ..self.look(cancel) };
        self.run(&mut guard, look, None, &|_, _, _| {})?;
        drop(guard);
        let left = self.verify(cancel)?;
        for problem in &mut problems {
            problem.repaired = !left.iter().any(|other| other.code == problem.code && other.detail == problem.detail);
        }
        Ok(problems)
    }

    /// Frees what no branch needs. A branch that git no longer has is forgotten, unless a worktree is on it.
    pub fn collect_garbage(&self, dry_run: bool) -> Result<GarbageReport> {
        let before = folder_bytes(self.store.dir());
        let mut guard = self.store.lock(&self.writer)?;
        if !dry_run {
            for embedder in self.unused_spaces()? {
                guard.remove_embedder(embedder)?;
            }
        }
        let garbage = guard.collect(&self.gone_branches()?, dry_run)?;
        let files = if dry_run { Vec::new() } else { guard.remove_unused_files(FILE_GRACE_NS)? };
        drop(guard);
        Ok(GarbageReport {
            blobs: garbage.blobs,
            chunks: garbage.docs,
            vectors: garbage.vectors,
            files: files.len() as u64,
            bytes: before.saturating_sub(folder_bytes(self.store.dir())),
        })
    }
}

impl Engine {
    /// The spaces that nothing uses: other built-in models', which cost nothing to make again, and those made outside once
    /// the configured one has all its vectors. Without a configured one they are kept, as they may have been paid for.
    fn unused_spaces(&self) -> Result<Vec<EmbedderId>> {
        let snapshot = self.store.reader()?;
        let outside = self.outside.as_ref().map(|space| space.name.as_str());
        let is_complete = match outside {
            Some(name) => {
                snapshot.embedders()?.iter().any(|embedder| embedder.name == name)
                    && pending_in(&snapshot, name)?.is_empty()
            }
            None => false,
        };
        let unused = |embedder: &Embedder| {
            let in_use = embedder.name == self.embedder.id() || Some(embedder.name.as_str()) == outside;
            !in_use && (is_complete || builtin(&embedder.name).is_some())
        };
        Ok(snapshot.embedders()?.into_iter().filter(unused).map(|embedder| embedder.id).collect())
    }

    /// The indexed branches that git no longer has and no worktree is on. None, where git's own state can't be read:
    /// what is forgotten would have to be indexed again.
    fn gone_branches(&self) -> Result<Vec<String>> {
        let repository = Repository::discover(&self.root).filter(|found| found.head() != Head::None);
        let Some(repository) = repository else { return Ok(Vec::new()) };
        let snapshot = self.store.reader()?;
        let worktrees = snapshot.worktrees()?.into_iter().map(|(_, root)| PathBuf::from(root));
        let checked_out: BTreeSet<String> = worktrees
            .chain([self.root.clone()])
            .filter(|root| root.exists())
            .map(|root| current_branch(&root).0)
            .collect();
        let names = snapshot.branches()?.into_iter().map(|branch| branch.name);
        Ok(names.filter(|name| !checked_out.contains(name) && !repository.has_branch(name)).collect())
    }
}

/// The size of all files below a folder, as far as they can be read.
fn folder_bytes(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
