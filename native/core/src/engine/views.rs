//! The view of a branch: kept in a file where it is large, made from the one before where little changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::Engine;
use super::report::IndexReport;
use crate::chunk::{ChunkFacts, ChunkTable};
use crate::error::{Error, Result};
use crate::hash::ContentHash;
use crate::id::{BlobId, DocId, Generation};
use crate::indexer::lexical_files;
use crate::kind::Kind;
use crate::language::{self, Class, Language};
use crate::lexical::LexicalIndex;
use crate::parallel::on_all_threads;
use crate::store::{BlobRecord, Catalog, SegmentKind, Snapshot, StoredTable};
use crate::view::{BlobFacts, FileIndex, FileInput, FileSource, View, ViewBuilder};

/// The folder of views in the store's folder.
const VIEWS: &str = "views";
/// Chunks from which on a view is kept: that of a small branch is made in less time than a file is checked.
const KEPT_FROM: u64 = 16_384;
/// Changed files from which on a kept view is written anew; until then it is what the next one is made from.
const STALE_FILES: u64 = 256;
/// Blobs whose chunk tables are read at once.
const BLOBS_READ: usize = 4096;
/// Blobs from which on it is quicker to read the rows of all.
const MANY_BLOBS: usize = 1024;

/// The contents of files that are not kept from a view before.
type Decoded = BTreeMap<BlobId, FileSource>;

impl Engine {
    /// The view of a branch as the snapshot has it. `before` is an older one of the same branch, if somebody has it.
    pub(super) fn view(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        lexical: &LexicalIndex,
        before: Option<&View>,
    ) -> Result<View> {
        let found = snapshot.branch(branch)?.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })?;
        let numbered = numbered(snapshot)?;
        let identity = snapshot.identity()?;
        let kept = match before {
            Some(_) => None,
            None => View::open(&self.views_dir().join(file_name(branch)), identity),
        };
        let kept = kept.filter(|view| view.generation() >= numbered);
        let is_current = |view: &View| (found.generation..=snapshot.generation()).contains(&view.generation());
        if let Some(kept) = kept {
            if is_current(&kept) {
                return Ok(kept);
            }
            return self.build_view(snapshot, branch, lexical, Some(&kept));
        }
        self.build_view(snapshot, branch, lexical, before.filter(|view| view.generation() >= numbered))
    }

    /// The view of a branch without segments at hand.
    pub(super) fn view_alone(&self, snapshot: &Snapshot, branch: &str) -> Result<View> {
        let folder = self.store.segments_dir();
        let files = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
        self.view(snapshot, branch, &LexicalIndex::open(&folder, &files)?, None)
    }

    /// Keeps the view of a large branch of which much has changed, so that no process has to make it. Who calls it
    /// writes to the store. A view that can't be kept is made by who needs it.
    pub(super) fn keep_view(&self, report: &IndexReport) -> Result<()> {
        let (folder, name) = (self.views_dir(), file_name(&report.branch));
        let changed = report.added + report.modified + report.removed + report.renamed;
        if report.chunks < KEPT_FROM {
            return Ok(());
        }
        let snapshot = self.store.reader()?;
        let since = numbered(&snapshot)?;
        if changed < STALE_FILES && View::is_kept(&folder.join(&name), snapshot.identity()?, since) {
            return Ok(());
        }
        let view = self.view_alone(&snapshot, &report.branch)?;
        if std::fs::create_dir_all(&folder).is_ok() && view.save(&folder, &name.to_string_lossy()).is_ok() {
            let live: Vec<OsString> = snapshot.branches()?.iter().map(|branch| file_name(&branch.name)).collect();
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                if !live.contains(&entry.file_name()) {
                    // In use on Windows: the next run tries again.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
        Ok(())
    }

    /// Removes all kept views, before catalogs are changed in another way than by a publication.
    pub(super) fn forget_views(&self) {
        // In use on Windows: segments that are made again outdate it.
        let _ = std::fs::remove_dir_all(self.views_dir());
    }

    fn views_dir(&self) -> PathBuf {
        self.store.dir().join(VIEWS)
    }

    fn build_view(
        &self,
        snapshot: &Snapshot,
        branch: &str,
        lexical: &LexicalIndex,
        before: Option<&View>,
    ) -> Result<View> {
        let catalog = snapshot.catalog(branch)?.ok_or_else(|| Error::NotIndexed { path: self.root.clone() })?;
        let kept = before.map_or_else(Vec::new, |before| kept(&catalog, before));
        let kept_of = |at: usize| kept.get(at).copied().flatten();
        let mut new: Vec<BlobId> =
            catalog.values().enumerate().filter(|(at, _)| kept_of(*at).is_none()).map(|(_, blob)| *blob).collect();
        new.sort_unstable();
        new.dedup();
        let decoded = decode_all(snapshot, &new)?;
        let inputs = catalog.into_iter().enumerate().map(|(at, (path, blob))| {
            let source = kept_of(at).map(FileSource::Kept).or_else(|| decoded.get(&blob).cloned());
            let source = source.ok_or_else(|| Error::Internal("a blob was not loaded".into()))?;
            Ok(FileInput { path, blob, source })
        });
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        drop(decoded);
        let origin = (snapshot.identity()?, snapshot.generation());
        let builder = ViewBuilder { origin, doc_count: snapshot.next_doc()?.index(), before };
        builder.build(&inputs, |doc| lexical.length_codes(doc))
    }
}

/// The state at which documents got the numbers that they have, at the latest: with new numbers all segments are new.
fn numbered(snapshot: &Snapshot) -> Result<Generation> {
    Ok(snapshot.segments(SegmentKind::Lexical)?.first().map_or(Generation(0), |segment| segment.generation))
}

fn file_name(branch: &str) -> OsString {
    ContentHash::of(branch.as_bytes()).to_string().into()
}

/// By file of the catalog: which file of the view before has the same path and content.
fn kept(catalog: &Catalog, before: &View) -> Vec<Option<FileIndex>> {
    let mut files = (0u32..).map(FileIndex).zip(before.files()).peekable();
    catalog
        .iter()
        .map(|(path, blob)| {
            while files.next_if(|(_, file)| file.path < path.as_str()).is_some() {}
            let same = files.next_if(|(_, file)| file.path == path)?;
            Some(same.0).filter(|_| same.1.blob == *blob)
        })
        .collect()
}

/// What views take from some blobs, which are in ascending order.
fn decode_all(snapshot: &Snapshot, blobs: &[BlobId]) -> Result<Decoded> {
    let records: Vec<BlobRecord> = if blobs.len() < MANY_BLOBS {
        blobs.iter().map(|blob| snapshot.blob(*blob)).collect::<Result<_>>()?
    } else {
        let mut all = snapshot.blobs()?;
        all.retain(|record| blobs.binary_search(&record.id).is_ok());
        all
    };
    let mut facts: Vec<(BlobId, BlobFacts)> = Vec::with_capacity(blobs.len());
    for some in blobs.chunks(BLOBS_READ) {
        let mut packed: Vec<(BlobId, Vec<DocId>, Vec<u8>)> = Vec::with_capacity(some.len());
        snapshot.each_chunks(some, |blob, docs, table| {
            packed.push((blob, docs.to_vec(), table.0.to_vec()));
            Ok(())
        })?;
        let decode_one = |(blob, docs, table): &(BlobId, Vec<DocId>, Vec<u8>)| {
            Ok((*blob, decode(docs, &StoredTable(table).unpack()?)?))
        };
        facts.extend(on_all_threads(|| packed.par_iter().map(decode_one).collect::<Result<Vec<_>>>())?);
    }
    let sources = facts.into_iter().zip(records).map(|((blob, facts), record)| {
        let language: &'static Language = language::by_id(&record.language).unwrap_or_else(language::fallback);
        let class = Class::ALL.into_iter().find(|class| class.name() == record.class).unwrap_or(language.class);
        (blob, FileSource::Decoded(Arc::new(facts), language, class))
    });
    Ok(sources.collect())
}

fn bit(kind: Kind) -> u16 {
    1 << kind as u8
}

fn is_test(qualified_name: &str, raw_kind: &str) -> bool {
    let scope = qualified_name.split_once('.').map_or("", |(scope, _)| scope);
    scope == "tests" || scope == "test" || raw_kind.starts_with("test")
}

/// What a view takes from a packed chunk table.
fn decode(docs: &[DocId], table: &[u8]) -> Result<BlobFacts> {
    let table = ChunkTable::parse(table)?;
    let mut facts = BlobFacts::with_capacity(docs.len());
    for (chunk, &doc) in table.iter().zip(docs) {
        let chunk = chunk?;
        let kinds = chunk.symbols().fold(bit(chunk.kind), |kinds, symbol| kinds | bit(symbol.kind));
        let is_test = is_test(chunk.qualified_name, chunk.raw_kind);
        facts.push(doc, (chunk.span, chunk.lines), (chunk.kind, kinds), chunk.lexical_only, is_test);
        for symbol in chunk.symbols() {
            facts.push_name(symbol.name);
            // A field or constant would only rival the method or type of its name.
            if symbol.kind.is_code()
                && let Some(scope) = scope_of(symbol.name, &chunk)
            {
                facts.push_scoped_name(scope, symbol.name);
            }
        }
    }
    Ok(facts)
}

/// The scope right around a symbol, as far as its chunk tells: a chunk knows its own qualified name, and of further
/// symbols only that they lie inside of a type or stand beside a member.
fn scope_of<'a>(symbol: &str, chunk: &ChunkFacts<'a>) -> Option<&'a str> {
    let qualified = chunk.qualified_name;
    let scopes = match qualified.strip_suffix(symbol) {
        Some("") => return None,
        Some(scopes) if scopes.ends_with('.') => &scopes[..scopes.len() - 1],
        _ if matches!(chunk.kind, Kind::Function | Kind::Method | Kind::Constant) => qualified.rsplit_once('.')?.0,
        _ => qualified,
    };
    scopes.rsplit('.').next().filter(|scope| !scope.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cancel::CancelToken;
    use crate::clock::FixedClock;
    use crate::engine::OpenOptions;

    struct Fixture {
        folder: tempfile::TempDir,
        engine: Engine,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let options = OpenOptions {
                root: folder.path().to_path_buf(),
                store: folder.path().join(".codecairn"),
                embedder: "feature-hash".into(),
                outside: None,
                include: Vec::new(),
                exclude: Vec::new(),
                read_only: false,
                writer: "a test".into(),
                user_ignore: None,
            };
            let engine = Engine::open(options, Arc::new(FixedClock(1_000))).unwrap();
            Self { folder, engine }
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }

        fn view(&self, before: Option<&View>) -> View {
            self.engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
            let snapshot = self.engine.store.reader().unwrap();
            let folder = self.engine.store.segments_dir();
            let files = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical).unwrap());
            let lexical = LexicalIndex::open(&folder, &files).unwrap();
            self.engine.view(&snapshot, "@files", &lexical, before).unwrap()
        }
    }

    fn class(name: &str) -> String {
        format!("class {name}:\n    def get(self):\n        return {}\n", "x + ".repeat(80) + "1")
    }

    #[test]
    fn a_view_made_from_the_one_before_equals_one_made_anew() {
        let fixture = Fixture::new();
        for name in ["b", "d", "f"] {
            fixture.write(&format!("{name}.py"), &class(name));
        }
        let before = fixture.view(None);
        fixture.write("a.py", &class("d"));
        fixture.write("d.py", &class("changed"));
        fixture.write("e.rs", "fn get() {}\n");
        fs::remove_file(fixture.folder.path().join("b.py")).unwrap();
        let (changed, anew) = (fixture.view(Some(&before)), fixture.view(None));
        assert_eq!(changed.bytes(), anew.bytes());
        assert_ne!(before.bytes(), anew.bytes());
        assert_eq!(changed.chunks_defining("changed.get").count(), 1);
        assert_eq!(changed.chunks_defining("b").count(), 0);
    }

    #[test]
    fn a_kept_view_is_opened_and_a_damaged_one_is_passed_over() {
        let fixture = Fixture::new();
        fixture.write("a.py", &class("a"));
        let view = fixture.view(None);
        let identity = fixture.engine.store.reader().unwrap().identity().unwrap();
        view.save(fixture.folder.path(), "kept").unwrap();
        let path = fixture.folder.path().join("kept");
        assert_eq!(View::open(&path, identity).unwrap().bytes(), view.bytes());
        assert!(View::open(&path, identity ^ 1).is_none());
        let Generation(made) = view.generation();
        assert!(View::is_kept(&path, identity, Generation(made)));
        assert!(!View::is_kept(&path, identity, Generation(made + 1)), "documents were numbered anew since");
        assert!(!View::is_kept(&path, identity ^ 1, Generation(made)));
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 97) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(View::open(&path, identity).is_none(), "flipped at {at}");
        }
        for length in [0, 7, 300, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(View::open(&path, identity).is_none(), "cut to {length}");
        }
    }
}
