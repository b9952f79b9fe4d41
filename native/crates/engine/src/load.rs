//! Loads the current state of a branch for search, and keeps it until a publication changes the branch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, ErrorKind, Result};
use codecairn_base::id::{DocId, Generation};
use codecairn_graph::scip::ScipFile;
use codecairn_graph::{BranchCache, WrittenTimes};
use codecairn_index::indexer::{LookOptions, current_branch, graph_file, lexical_files, vector_files};
use codecairn_index::view::View;
use codecairn_lexical::LexicalIndex;
use codecairn_model::vector::{Method, VectorIndex};
use codecairn_search::Searcher;
use codecairn_store::{SegmentKind, Snapshot};

use super::Engine;
use super::RemoteSpace;
use super::checksums::ChecksumCheck;

/// Which state was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StateVersion {
    database: u64,
    generation: Generation,
    branch: String,
}

/// A searcher and the state that it was built from.
pub(super) struct LoadedBranch {
    version: StateVersion,
    pub(super) searcher: Searcher,
    pub(super) soundness: ChecksumCheck,
    graph: Mutex<Arc<BranchCache>>,
}

/// The maximum size of the graph's cache between queries in bytes; beyond it, facts that can be read again are dropped.
const MAX_KEPT: usize = 512 << 20;

impl LoadedBranch {
    /// Whether the branch has the same files in a snapshot of the same database: only others were published since.
    fn is_of(&self, snapshot: &Snapshot) -> Result<bool> {
        let branch = snapshot.branch(&self.version.branch)?;
        Ok(branch.is_some_and(|branch| branch.generation <= self.version.generation))
    }

    /// The graph's cache of this state.
    fn graph(&self) -> Arc<BranchCache> {
        Arc::clone(&self.graph.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The graph's cache of this state with a SCIP index; answers by another index are dropped.
    pub(super) fn graph_on(
        &self,
        found: &ScipFile,
        written: impl FnOnce() -> Result<WrittenTimes>,
    ) -> Result<Arc<BranchCache>> {
        let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        if !graph.uses_index(found) {
            *graph = Arc::new(graph.with_index(&self.searcher.view, found, &written()?));
        }
        Ok(Arc::clone(&graph))
    }

    /// Shrinks the graph's cache after a query, if it is too large.
    pub(super) fn release_excess(&self, kept: &Arc<BranchCache>) {
        if kept.bytes() > MAX_KEPT {
            let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            if Arc::ptr_eq(&graph, kept) {
                *graph = Arc::new(kept.without_facts());
            }
        }
    }
}

/// The number of attempts to load a state whose files are replaced meanwhile.
const TRIES: usize = 3;

/// How long to wait for another writer before derived files are rebuilt: mostly it has just rebuilt them.
const BUSY_TIMEOUT: Duration = Duration::from_mins(1);

impl Engine {
    /// The searcher for the last published state of the current branch.
    pub(super) fn loaded(&self) -> Result<(Arc<LoadedBranch>, Snapshot)> {
        self.loaded_of(None)
    }

    /// The searcher for the last published state of a branch, of the current one without a name.
    pub(super) fn loaded_of(&self, branch: Option<&str>) -> Result<(Arc<LoadedBranch>, Snapshot)> {
        let mut tries = 0;
        loop {
            let snapshot = self.store.reader()?;
            let (current, _) = current_branch(&self.root);
            let other = branch.filter(|branch| *branch != current);
            // Another branch is loaded from the caches of the current one.
            let near = other.and_then(|_| self.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone());
            let branch = other.map_or(current, str::to_owned);
            let version = StateVersion { database: snapshot.identity()?, generation: snapshot.generation(), branch };
            let slot = if other.is_some() { &self.other_branch } else { &self.loaded };
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(loaded) = slot.as_ref().filter(|loaded| loaded.version == version) {
                return Ok((Arc::clone(loaded), snapshot));
            }
            let before = slot.as_ref().filter(|loaded| loaded.version.branch == version.branch);
            match self.load(version, &snapshot, before.or(near.as_ref()).map(|loaded| &**loaded)) {
                Ok(loaded) => {
                    let loaded = Arc::new(loaded);
                    self.begin_check(&loaded, loaded.version.database);
                    *slot = Some(Arc::clone(&loaded));
                    return Ok((loaded, snapshot));
                }
                // A writer published and removed the segments that this state names: look again.
                Err(error) if matches!(error.kind(), ErrorKind::Io | ErrorKind::StoreDamaged) && tries < TRIES => {
                    tries += 1;
                    drop(slot);
                    drop(snapshot);
                    if tries == TRIES {
                        self.rederive(None)?;
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Queries the last published state. If the query shows that a derived file is damaged, all are rebuilt and the
    /// query is repeated.
    pub(super) fn ask<T>(&self, question: impl Fn(&LoadedBranch, &Snapshot) -> Result<T>) -> Result<T> {
        self.ask_of(None, question)
    }

    /// Asks the last published state of a branch, of the current one without a name; as [`ask`](Self::ask).
    pub(super) fn ask_of<T>(
        &self,
        branch: Option<&str>,
        question: impl Fn(&LoadedBranch, &Snapshot) -> Result<T>,
    ) -> Result<T> {
        let (loaded, snapshot) = self.loaded_of(branch)?;
        match self.put(&loaded, &snapshot, &question) {
            Err(Error::StoreDamaged { path, detail }) => {
                let seen = snapshot.generation();
                drop((loaded, snapshot));
                self.forget_loaded();
                // A damaged view is detected when it is opened, and is rebuilt.
                let (is_segment, is_view) =
                    (path.starts_with(self.store.segments_dir()), path.starts_with(self.views_dir()));
                if self.store.is_read_only() || !(is_segment || is_view) {
                    return Err(Error::StoreDamaged { path, detail });
                }
                if is_segment {
                    self.rederive(Some(seen))?;
                }
                let (loaded, snapshot) = self.loaded_of(branch)?;
                self.put(&loaded, &snapshot, &question)
            }
            answer => answer,
        }
    }

    /// Lets go of all that is loaded: the next question opens its files again.
    pub(super) fn forget_loaded(&self) {
        for slot in [&self.loaded, &self.other_branch] {
            slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    /// Rebuilds missing or damaged derived files, under the write lease. Files that can be opened are rebuilt too if
    /// they are `damaged` as of a generation, unless another process has done so.
    fn rederive(&self, damaged: Option<Generation>) -> Result<()> {
        let cancel = CancelToken::default();
        let mut guard = self.store.lock_within(&self.writer, BUSY_TIMEOUT, &cancel)?;
        if damaged.is_some_and(|seen| self.store.reader().is_ok_and(|snapshot| snapshot.generation() > seen)) {
            return Ok(());
        }
        let look = LookOptions { force: damaged.is_some(), ..self.look(&cancel) };
        self.run(&mut guard, look, None, &|_, _, _| {}).map(drop)
    }

    fn load(&self, version: StateVersion, snapshot: &Snapshot, before: Option<&LoadedBranch>) -> Result<LoadedBranch> {
        let folder = self.store.segments_dir();
        let lexical = LexicalIndex::open(&folder, &lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?))?;
        let before = before.filter(|loaded| loaded.version.database == version.database);
        let view = self.view(snapshot, &version.branch, &lexical, before.map(|loaded| &loaded.searcher.view))?;
        let wanted = view.live().last().map_or(0, |doc| doc + 1);
        if lexical.document_count() < wanted {
            // Otherwise the rest of an interrupted repair would be searched as an empty index.
            let detail = format!("{} of {wanted} documents have no segment", wanted - lexical.document_count());
            return Err(Error::StoreDamaged { path: folder, detail });
        }
        let spaces = snapshot.embedders()?;
        let open = |name: &str, before: Option<&VectorIndex>| {
            let Some(embedder) = spaces.iter().find(|embedder| embedder.name == name) else {
                return VectorIndex::open(&folder, &[]);
            };
            let segments = snapshot.segments(SegmentKind::Vector(embedder.id))?;
            let mut vectors = VectorIndex::open(&folder, &vector_files(&folder, &segments))?;
            if self.vector_method == Method::Hnsw
                && let Some(graph) = graph_file(&folder, &snapshot.segments(SegmentKind::Hnsw(embedder.id))?)
            {
                // Searches do without a damaged graph; the status reports it.
                let _ = vectors.open_hnsw(&folder, &graph, before);
            }
            Ok(vectors)
        };
        let vectors = open(self.embedder.id(), before.map(|loaded| &loaded.searcher.vectors))?;
        let open_remote =
            |space: &RemoteSpace| open(&space.name, before.and_then(|loaded| loaded.searcher.remote.as_ref()));
        let remote = self.remote.as_ref().map(open_remote).transpose()?;
        let remote = remote.filter(|vectors| covers(vectors, &view));
        let (embedder, models) = (Arc::clone(&self.embedder), Arc::clone(&self.models));
        let searcher = Searcher::new(view, lexical, vectors, remote, embedder, self.vector_method, models);
        let graph = match before.map(|loaded| (loaded, loaded.graph())) {
            Some((loaded, graph)) if loaded.version.branch == version.branch && loaded.is_of(snapshot)? => graph,
            Some((loaded, graph)) => Arc::new(BranchCache::new(&searcher.view, Some((&loaded.searcher.view, &graph)))),
            None => Arc::new(BranchCache::new(&searcher.view, None)),
        };
        Ok(LoadedBranch { version, searcher, soundness: ChecksumCheck::default(), graph: Mutex::new(graph) })
    }
}

/// The maximum share of a branch's chunks without a remote vector: changed and rejected texts are found by their terms.
/// With more, the built-in model's vectors give better results.
const MAX_MISSING: f64 = 0.05;

/// Whether a remote space has enough vectors of the branch to be searched.
fn covers(vectors: &VectorIndex, view: &View) -> bool {
    let docs = view.embedded();
    let missing = docs.iter().filter(|&doc| !vectors.has(DocId(doc as u32))).count();
    missing < docs.count() && missing as f64 <= MAX_MISSING * docs.count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;
    use codecairn_base::clock::FixedClock;
    use codecairn_store::Depth;

    #[test]
    fn repair_that_broke_off_is_made_good_by_the_next_search() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "def only_one():\n    pass\n").unwrap();
        let options = OpenOptions {
            root: folder.path().to_path_buf(),
            store: folder.path().join(".codecairn"),
            embedder: "feature-hash".into(),
            remote: None,
            include: Vec::new(),
            exclude: Vec::new(),
            read_only: false,
            writer: "a test".into(),
            user_ignore: None,
            scip: String::new(),
            vector_method: Method::Auto,
        };
        let engine = Engine::open(options, Arc::new(FixedClock(1_000))).unwrap();
        let cancel = CancelToken::default();
        engine.index(false, None, &|_, _, _| {}, &cancel).unwrap();
        std::fs::remove_dir_all(engine.store.segments_dir()).unwrap();
        let found = engine.store.reader().unwrap().verify(Depth::Full, &cancel).unwrap();
        engine.store.lock("a repair").unwrap().repair(&found).unwrap();
        let (loaded, _) = engine.loaded().unwrap();
        assert_eq!(loaded.searcher.lexical.document_count(), 1);
        assert!(engine.verify(&cancel).unwrap().is_empty());
    }
}
