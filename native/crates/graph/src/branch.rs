//! Reads the facts of one branch lazily and caches them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;
use codecairn_index::view::{FileIndex, View};
use codecairn_store::Snapshot;

use super::family::Family;
use super::file_facts::FileFacts;
use super::full_graph::FullGraph;
use super::graph_statistics::GraphStatistics;
use super::modules::Module;
use super::paths::folder_of;
use super::repository_layout::Layout;
use super::resolver::Effort;
use super::scip_evidence::{ScipCoverage, ScipEvidence, ScipNames, WrittenTimes};
use super::scoped_name::last;
use super::symbol::SymbolId;
use super::value::Value;
use crate::scip::{DocumentNumber, ScipFile};

/// A source of facts that are not cached.
pub(super) trait Load {
    /// The facts of a content.
    fn load(&self, blob: BlobId) -> Result<FileFacts>;
    /// The text of a content.
    fn text(&self, blob: BlobId) -> Result<String>;
}

impl Load for Snapshot {
    fn load(&self, blob: BlobId) -> Result<FileFacts> {
        Ok(FileFacts::unpack(&self.blob_syntax(blob)?)?)
    }

    fn text(&self, blob: BlobId) -> Result<String> {
        self.blob_text(blob)
    }
}

/// The source of a branch whose facts are all cached; it reads nothing.
pub(super) struct Preloaded;

impl Load for Preloaded {
    fn load(&self, blob: BlobId) -> Result<FileFacts> {
        Err(Error::Internal(format!("the facts of content {} were not loaded", blob.0)))
    }

    fn text(&self, blob: BlobId) -> Result<String> {
        Err(Error::Internal(format!("the text of content {} was not loaded", blob.0)))
    }
}

/// Names with more definitions than this are not resolved: their candidates are useless.
const MAX_DEFINITIONS: usize = 400;

/// The cache of a branch between queries. It belongs to one generation of one branch.
#[derive(Debug, Default)]
pub struct BranchCache {
    facts: Vec<OnceLock<Arc<FileFacts>>>,
    /// Where the lines of a file start.
    lines: Vec<OnceLock<Box<[u32]>>>,
    /// How many files' facts are there.
    loaded: AtomicUsize,
    /// The approximate memory of facts and lines.
    bytes: AtomicUsize,
    layout: OnceLock<Arc<Layout>>,
    families: Vec<Family>,
    /// The transitive includes of each C file.
    headers: Vec<OnceLock<Vec<FileIndex>>>,
    /// The modules that each file imports, by what it writes.
    modules: Vec<Mutex<HashMap<String, Module>>>,
    /// The SCIP index with its validity, if there is one.
    evidence: Option<Arc<ScipEvidence>>,
    whole: OnceLock<Arc<FullGraph>>,
    standing: OnceLock<Arc<GraphStatistics>>,
    defining: ShardedAnswers,
    members: ShardedAnswers,
    /// The bases of types, each with the effort to find them.
    bases: [Mutex<HashMap<SymbolId, KnownBases>>; 32],
}

/// The bases of a type, and how far finding them went.
type KnownBases = (Arc<[Value]>, Effort);

/// Answers by name, sharded over several locks, as all threads query it while the full graph is built.
#[derive(Debug, Default)]
struct ShardedAnswers([Mutex<HashMap<String, Arc<[SymbolId]>>>; 32]);

impl ShardedAnswers {
    fn get_or(&self, key: &str, find: impl FnOnce() -> Result<Vec<SymbolId>>) -> Result<Arc<[SymbolId]>> {
        let shard = &self.0[(xxh3_64(key.as_bytes()) % 32) as usize];
        if let Some(found) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
            return Ok(Arc::clone(found));
        }
        let found: Arc<[SymbolId]> = find()?.into();
        shard.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), Arc::clone(&found));
        Ok(found)
    }
}

impl BranchCache {
    /// Nothing yet, but for the facts of files that an earlier state, or another branch, has read with the same
    /// content.
    pub fn new(view: &View, before: Option<(&View, &Self)>) -> Self {
        let kept = Self::empty(view.files().map(|file| Family::of(file.language.id)).collect());
        if let Some((old_view, old)) = before {
            let read = (0u32..).zip(old_view.files()).filter_map(|(number, file)| {
                let facts = old.facts[number as usize].get()?;
                Some((file.blob, Arc::clone(facts)))
            });
            let read: HashMap<BlobId, Arc<FileFacts>> = read.collect();
            for (number, file) in view.files().enumerate() {
                if let Some(facts) = read.get(&file.blob) {
                    kept.put(number, Arc::clone(facts));
                }
            }
        }
        kept
    }

    fn empty(families: Vec<Family>) -> Self {
        let count = families.len();
        Self {
            facts: (0..count).map(|_| OnceLock::new()).collect(),
            lines: (0..count).map(|_| OnceLock::new()).collect(),
            headers: (0..count).map(|_| OnceLock::new()).collect(),
            modules: (0..count).map(|_| Mutex::default()).collect(),
            families,
            ..Self::default()
        }
    }

    /// Whether the cache was built with this SCIP index.
    pub fn uses_index(&self, found: &ScipFile) -> bool {
        match (&self.evidence, &found.index) {
            (None, None) => true,
            (Some(evidence), Some(index)) => Arc::ptr_eq(&evidence.index, index),
            _ => false,
        }
    }

    /// The same with the SCIP index that was found, or without one: no answer stays, but all facts do.
    #[must_use]
    pub fn with_index(&self, view: &View, found: &ScipFile, written: &WrittenTimes) -> Self {
        let mut kept = Self::new(view, Some((view, self)));
        kept.layout = self.layout.clone();
        kept.evidence = ScipEvidence::new(found, view, written).map(Arc::new);
        kept
    }

    /// About how many bytes of memory can be had back by [`without_facts`](Self::without_facts).
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The cache without facts that can be read again; the full graph stays.
    #[must_use]
    pub fn without_facts(&self) -> Self {
        let mut slim = Self::empty(self.families.clone());
        (slim.layout, slim.whole, slim.standing) = (self.layout.clone(), self.whole.clone(), self.standing.clone());
        slim.evidence.clone_from(&self.evidence);
        slim
    }

    /// Where the lines of a file start; `read` reads its text, once.
    pub fn line_starts(&self, file: FileIndex, read: impl FnOnce() -> Result<String>) -> Result<&[u32]> {
        let slot = &self.lines[file.0 as usize];
        if let Some(starts) = slot.get() {
            return Ok(starts);
        }
        let text = read()?;
        let starts: Box<[u32]> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        self.bytes.fetch_add(starts.len() * size_of::<u32>(), Ordering::Relaxed);
        Ok(slot.get_or_init(|| starts))
    }

    fn shard_of_bases(&self, of: SymbolId) -> MutexGuard<'_, HashMap<SymbolId, KnownBases>> {
        let shard = (of.file.0 ^ of.symbol) as usize % self.bases.len();
        self.bases[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, file: usize, facts: Arc<FileFacts>) {
        let bytes = facts.bytes();
        if self.facts[file].set(facts).is_ok() {
            self.loaded.fetch_add(1, Ordering::Relaxed);
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

/// A branch as the graph sees it.
pub(super) struct Branch<'a, L> {
    pub(super) view: &'a View,
    kept: &'a BranchCache,
    load: &'a L,
}

impl<'a, L: Load> Branch<'a, L> {
    pub(super) fn new(view: &'a View, kept: &'a BranchCache, load: &'a L) -> Self {
        Self { view, kept, load }
    }

    /// The facts of a file.
    pub(super) fn facts(&self, file: FileIndex) -> Result<&'a FileFacts> {
        let slot = &self.kept.facts[file.0 as usize];
        if let Some(facts) = slot.get() {
            return Ok(facts);
        }
        self.put(file, Arc::new(self.load.load(self.view.file(file).blob)?));
        slot.get().map(|facts| &**facts).ok_or_else(|| Error::Internal("facts were not kept".into()))
    }

    /// The module that a file means by `source`, found at most once.
    pub(super) fn module_once(&self, from: FileIndex, source: &str, find: impl FnOnce() -> Module) -> Module {
        let of_file = &self.kept.modules[from.0 as usize];
        if let Some(known) = of_file.lock().unwrap_or_else(PoisonError::into_inner).get(source) {
            return known.clone();
        }
        let found = find();
        of_file.lock().unwrap_or_else(PoisonError::into_inner).insert(source.to_owned(), found.clone());
        found
    }

    /// Whether the facts of all files are cached, so that threads that can't read the store may query it.
    pub(super) fn is_loaded(&self) -> bool {
        self.kept.loaded.load(Ordering::Relaxed) == self.kept.facts.len()
    }

    /// Whether a file's facts are there already.
    pub(super) fn has(&self, file: FileIndex) -> bool {
        self.kept.facts[file.0 as usize].get().is_some()
    }

    /// The whole graph, if it has been made.
    pub(super) fn full(&self) -> Option<Arc<FullGraph>> {
        self.kept.whole.get().cloned()
    }

    /// Keeps the whole graph.
    pub(super) fn keep_full(&self, whole: FullGraph) -> Arc<FullGraph> {
        Arc::clone(self.kept.whole.get_or_init(|| Arc::new(whole)))
    }

    /// The statistics of the full graph; `find` is called once.
    pub(super) fn statistics(&self, find: impl FnOnce() -> GraphStatistics) -> Arc<GraphStatistics> {
        Arc::clone(self.kept.standing.get_or_init(|| Arc::new(find())))
    }

    /// The same branch with cached facts alone, for threads that can't read the store.
    pub(super) fn preloaded(&self) -> Result<Branch<'a, Preloaded>> {
        // The layout reads manifests, and evidence is judged by texts, which only this thread can read.
        self.layout();
        self.scip_coverage()?;
        Ok(Branch { view: self.view, kept: self.kept, load: &Preloaded })
    }

    /// The SCIP index with its validity, if there is one.
    pub(super) fn evidence(&self) -> Option<&'a ScipEvidence> {
        self.kept.evidence.as_deref()
    }

    /// The names of a document of the SCIP index, if it holds for its file.
    pub(super) fn scip_names<'e>(
        &self,
        evidence: &'e ScipEvidence,
        document: DocumentNumber,
    ) -> Result<Option<&'e ScipNames>> {
        evidence.names(document, |file| self.text(file))
    }

    /// For how many files the SCIP index holds, if there is one.
    pub(super) fn scip_coverage(&self) -> Result<Option<ScipCoverage>> {
        self.evidence().map(|evidence| evidence.coverage(|file| self.text(file))).transpose()
    }

    /// The text of a file.
    pub(super) fn text(&self, file: FileIndex) -> Result<String> {
        self.load.text(self.view.file(file).blob)
    }

    /// Takes in facts that were read in bulk.
    pub(super) fn put(&self, file: FileIndex, facts: Arc<FileFacts>) {
        self.kept.put(file.0 as usize, facts);
    }

    pub(super) fn family(&self, file: FileIndex) -> Family {
        self.kept.families[file.0 as usize]
    }

    /// The id of a file's language.
    pub(super) fn language(&self, file: FileIndex) -> &'a str {
        self.view.file(file).language.id
    }

    pub(super) fn path(&self, file: FileIndex) -> &'a str {
        self.view.file(file).path
    }

    /// The layout of the branch's files.
    pub(super) fn layout(&self) -> &'a Layout {
        self.kept.layout.get_or_init(|| Arc::new(Layout::new(self.view, |blob| self.load.text(blob).ok())))
    }

    /// The transitive includes of a file, in ascending order; `find` is called once.
    pub(super) fn headers(
        &self,
        file: FileIndex,
        find: impl FnOnce() -> Result<Vec<FileIndex>>,
    ) -> Result<&'a [FileIndex]> {
        let slot = &self.kept.headers[file.0 as usize];
        if let Some(found) = slot.get() {
            return Ok(found);
        }
        let found = find()?;
        Ok(slot.get_or_init(|| found))
    }

    /// The bases of a type, if they were found before.
    pub(super) fn known_bases(&self, of: SymbolId) -> Option<KnownBases> {
        self.kept.shard_of_bases(of).get(&of).cloned()
    }

    /// Keeps the bases of a type.
    pub(super) fn keep_bases(&self, of: SymbolId, bases: Arc<[Value]>, effort: Effort) {
        self.kept.shard_of_bases(of).insert(of, (bases, effort));
    }

    /// All symbols of this name, in order of path and position; none if there are too many.
    pub(super) fn defining(&self, name: &str) -> Result<Arc<[SymbolId]>> {
        self.kept.defining.get_or(name, || {
            let files = self.files_of(name);
            if files.len() <= MAX_DEFINITIONS { self.defined_in(files, name) } else { Ok(Vec::new()) }
        })
    }

    /// All symbols with a name and its scopes, such as `Session.get`, however many share its last part. It is for
    /// queries by name and not for the resolution of references, which are too many for it.
    pub(super) fn meant_by(&self, full_name: &str) -> Result<Vec<SymbolId>> {
        let mut parts = full_name.rsplit('.');
        let simple = parts.next().unwrap_or(full_name);
        if let Some(scope) = parts.next() {
            let found = self.defined_in(self.files_of(&format!("{scope}.{simple}")), simple)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.defined_in(self.files_of(simple), simple)
    }

    fn defined_in(&self, files: Vec<FileIndex>, name: &str) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        for file in files {
            found.extend(self.facts(file)?.named(name).map(|symbol| SymbolId { file, symbol }));
        }
        Ok(found)
    }

    /// All symbols of this name whose innermost scope has that name.
    pub(super) fn members(&self, scope: &str, name: &str) -> Result<Arc<[SymbolId]>> {
        let key = format!("{scope}.{name}");
        self.kept.members.get_or(&key, || {
            let mut found = Vec::new();
            for file in self.files_of(&key) {
                let facts = self.facts(file)?;
                let is_member = |symbol: &u32| {
                    let rest = facts.qualified_name(*symbol).strip_suffix(name);
                    rest.and_then(|rest| rest.strip_suffix('.')).is_some_and(|scopes| last(scopes) == scope)
                };
                found.extend(facts.named(name).filter(is_member).map(|symbol| SymbolId { file, symbol }));
            }
            Ok(found)
        })
    }

    fn files_of(&self, name: &str) -> Vec<FileIndex> {
        let mut files: Vec<FileIndex> =
            self.view.chunks_defining(name).map(|chunk| self.view.chunk(chunk).file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The name of a symbol with its scopes.
    pub(super) fn qualified_name(&self, id: SymbolId) -> Result<&'a str> {
        Ok(self.facts(id.file)?.qualified_name(id.symbol))
    }

    /// The package of a file: its folder, relative to the source root if there are several.
    pub(super) fn package(&self, file: FileIndex) -> &'a str {
        let folder = self.folder(file);
        if self.family(file) != Family::Jvm {
            return folder;
        }
        let roots = ["/java/", "/kotlin/", "/scala/", "/groovy/"];
        roots.iter().find_map(|root| folder.split_once(root)).map_or(folder, |(_, package)| package)
    }

    /// The folder of a file; empty at the root.
    pub(super) fn folder(&self, file: FileIndex) -> &'a str {
        folder_of(self.path(file))
    }
}
