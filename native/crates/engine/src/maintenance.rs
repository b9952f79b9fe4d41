//! Reports the status of a store, and collects its garbage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use codecairn_base::bitmap::Bitmap;
use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{BlobId, DocId, EmbedderId};
use codecairn_index::indexer::{
    FILE_GRACE_NS, close_gaps, current_branch, fatal_contents, graph_file, pending_in, unlist_graphs, vector_files,
};
use codecairn_index::view::ChunkIndex;
use codecairn_model::embed::builtin;
use codecairn_model::vector::{Method, VectorIndex};
use codecairn_store::{Embedder, LOSSY, MissingRefs, SegmentKind, Snapshot, UNPARSED};
use codecairn_walk::git::{Head, Repository};
use codecairn_walk::{Skip, SkipReason};

use super::Engine;
use super::report::{GarbageReport, Status};
use super::view_cache::remove;

/// Chunks that are read at a time while vectors are counted: 1.5 MB.
const CHUNK_STRIDE: u32 = 1 << 16;

impl Engine {
    /// The state of the store, as far as it is indexed.
    pub fn status(&self) -> Result<Status> {
        let snapshot = self.store.reader()?;
        let (branch, _) = current_branch(&self.root);
        let counts = snapshot.counts()?;
        let mut status = Status {
            format: codecairn_store::FORMAT,
            generation: snapshot.generation().0,
            blobs: counts.blobs,
            texts: snapshot.text_count()?,
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
        status.vectors = self.vector_count(&snapshot)?;
        status.notes.extend(self.graph_note(&snapshot)?);
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

    /// The files of the current branch that are cut by lines because parsing them ended a process: path and signal.
    pub(super) fn crashed_files(&self) -> Result<Vec<(String, String)>> {
        let snapshot = self.store.reader()?;
        let fatal: BTreeMap<BlobId, Option<&str>> = fatal_contents(&snapshot)?.into_iter().collect();
        if fatal.is_empty() {
            return Ok(Vec::new());
        }
        let catalog = snapshot.catalog(&current_branch(&self.root).0)?.unwrap_or_default();
        let signal_of = |blob: &BlobId| fatal.get(blob).copied().flatten();
        Ok(catalog
            .into_iter()
            .filter_map(|(path, blob)| signal_of(&blob).map(|signal| (path, signal.to_owned())))
            .collect())
    }

    /// Why searches do not walk a graph although the settings ask for one.
    fn graph_note(&self, snapshot: &Snapshot) -> Result<Option<String>> {
        if self.vector_method != Method::Hnsw {
            return Ok(None);
        }
        let name = self.remote.as_ref().map_or(self.embedder.id(), |space| space.name.as_str());
        let Some(space) = snapshot.embedders()?.into_iter().find(|embedder| embedder.name == name) else {
            return Ok(None);
        };
        let folder = self.store.segments_dir();
        let reason = match graph_file(&folder, &snapshot.segments(SegmentKind::Hnsw(space.id))?) {
            None => "there is no HNSW graph of the vectors yet".to_owned(),
            Some(graph) => {
                let files = vector_files(&folder, &snapshot.segments(SegmentKind::Vector(space.id))?);
                let opened = VectorIndex::open(&folder, &files);
                match opened.and_then(|mut vectors| vectors.open_hnsw(&folder, &graph, None)) {
                    Ok(()) => return Ok(None),
                    Err(error) => error.to_string(),
                }
            }
        };
        Ok(Some(format!("{reason}: searches use sketches until `codecairn index` builds it")))
    }

    /// How many texts have a vector of the built-in model that can be read, in O(chunks).
    ///
    /// Segments tile the documents and are searched together: with one of them missing or damaged no vector is readable
    /// until the next index rebuilds them, so the count is zero.
    fn vector_count(&self, snapshot: &Snapshot) -> Result<u64> {
        let spaces = snapshot.embedders()?;
        let Some(space) = spaces.iter().find(|embedder| embedder.name == self.embedder.id()) else { return Ok(0) };
        let folder = self.store.segments_dir();
        let segments = snapshot.segments(SegmentKind::Vector(space.id))?;
        let Ok(vectors) = VectorIndex::open(&folder, &vector_files(&folder, &segments)) else { return Ok(0) };
        let mut texts = Bitmap::new(snapshot.counts()?.texts as usize);
        let end = snapshot.next_doc()?;
        let mut next = DocId(0);
        while next < end {
            let last = DocId(end.0.min(next.0 + CHUNK_STRIDE));
            for (_, _, text) in snapshot.chunks(next..last)?.into_iter().filter(|(doc, _, _)| vectors.has(*doc)) {
                texts.set(text.0 as usize);
            }
            next = last;
        }
        Ok(texts.count() as u64)
    }

    fn describe_branch(&self, snapshot: &Snapshot, branch: &str, status: &mut Status) -> Result<()> {
        let view = self.view_to_count(snapshot, branch)?;
        let blobs = snapshot.blobs()?;
        let lengths: BTreeMap<BlobId, u64> = blobs.iter().map(|blob| (blob.id, u64::from(blob.byte_len))).collect();
        let mut languages: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let flagged = |flag: u32| -> BTreeSet<BlobId> {
            blobs.iter().filter(|blob| blob.flags & flag != 0).map(|blob| blob.id).collect()
        };
        let (unparsed, lossy) = (flagged(UNPARSED), flagged(LOSSY));
        let fatal: BTreeMap<BlobId, Option<&str>> = fatal_contents(snapshot)?.into_iter().collect();
        for file in view.files() {
            if let Some(Some(signal)) = fatal.get(&file.blob) {
                status.crashed.push((file.path.to_owned(), (*signal).to_owned()));
            } else if unparsed.contains(&file.blob) {
                status.unparsed.push(file.path.to_owned());
            }
            if lossy.contains(&file.blob) {
                status.lossy.push(file.path.to_owned());
            }
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

    /// Collects garbage. A branch that git no longer has is removed, unless a worktree is on it, and so is a worktree
    /// whose folder no longer exists. A dry run only counts.
    pub fn collect_garbage(&self, dry_run: bool, cancel: &CancelToken) -> Result<GarbageReport> {
        let mut guard = self.store.lock(&self.writer)?;
        if !dry_run {
            for embedder in self.unused_spaces()? {
                guard.remove_embedder(embedder)?;
            }
            if self.vector_method != Method::Hnsw {
                unlist_graphs(&self.store, &mut guard)?;
            }
        }
        let missing = self.missing_refs()?;
        let garbage = guard.collect(&missing, dry_run)?;
        if !dry_run && garbage.wants_renumbering() {
            close_gaps(&self.store, &mut guard, self.embedder.as_ref(), cancel)?;
        }
        let views = self.unused_views(&self.store.reader()?, &missing.branches)?;
        if !dry_run {
            for (path, _) in &views {
                remove(path);
            }
        }
        let files = guard.unused_files(FILE_GRACE_NS)?;
        let file_bytes: u64 = files.iter().map(|(_, bytes)| bytes).chain(views.iter().map(|(_, bytes)| bytes)).sum();
        let files = views.len() + if dry_run { files.len() } else { guard.remove_unused_files(FILE_GRACE_NS)?.len() };
        Ok(GarbageReport {
            branches: garbage.branches,
            worktrees: missing.worktrees.len() as u64,
            blobs: garbage.blobs,
            chunks: garbage.docs,
            vectors: garbage.vectors,
            files: files as u64,
            bytes: garbage.free_bytes + file_bytes,
        })
    }

    /// How many contents the store has, and how many of them no branch leads to that git still has.
    pub fn unreached(&self) -> Result<(u64, u64)> {
        self.store.reader()?.unreached(&self.missing_refs()?.branches)
    }
}

impl Engine {
    /// The unused spaces: those of other built-in models, which cost nothing to rebuild, and other remote spaces once
    /// the configured one has all its vectors. Without a configured one they stay, as they may have been paid for.
    fn unused_spaces(&self) -> Result<Vec<EmbedderId>> {
        let snapshot = self.store.reader()?;
        let remote = self.remote.as_ref().map(|space| space.name.as_str());
        let is_complete = match remote {
            Some(name) => {
                snapshot.embedders()?.iter().any(|embedder| embedder.name == name)
                    && pending_in(&snapshot, name)?.is_empty()
            }
            None => false,
        };
        let unused = |embedder: &Embedder| {
            let in_use = embedder.name == self.embedder.id() || Some(embedder.name.as_str()) == remote;
            !in_use && (is_complete || builtin(&embedder.name).is_some())
        };
        Ok(snapshot.embedders()?.into_iter().filter(unused).map(|embedder| embedder.id).collect())
    }

    /// The worktrees whose folder no longer exists, and the indexed branches that git no longer has and no worktree is
    /// on. No branches if git's state can't be read: they would have to be indexed again.
    fn missing_refs(&self) -> Result<MissingRefs> {
        let snapshot = self.store.reader()?;
        let (kept, missing): (Vec<_>, Vec<_>) =
            snapshot.worktrees()?.into_iter().partition(|(_, root)| !is_gone(Path::new(root)));
        let worktrees = missing.into_iter().map(|(id, _)| id).collect();
        let repository = Repository::discover(&self.root).filter(|found| found.head() != Head::None);
        let Some(repository) = repository else { return Ok(MissingRefs { branches: Vec::new(), worktrees }) };
        let checked_out: BTreeSet<String> = kept
            .into_iter()
            .map(|(_, root)| PathBuf::from(root))
            .chain([self.root.clone()])
            .filter(|root| root.exists())
            .map(|root| current_branch(&root).0)
            .collect();
        let names = snapshot.branches()?.into_iter().map(|branch| branch.name);
        let branches = names.filter(|name| !checked_out.contains(name) && !repository.has_branch(name)).collect();
        Ok(MissingRefs { branches, worktrees })
    }
}

/// Whether a folder is known not to be there: one that can't be looked at may be.
fn is_gone(folder: &Path) -> bool {
    matches!(folder.try_exists(), Ok(false))
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
