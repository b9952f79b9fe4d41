//! Views by way of an engine: made from others, kept in files, and never taken for what they are not.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::FixedClock;
use codecairn_base::error::Error;
use codecairn_base::id::Generation;
use codecairn_index::indexer::{close_gaps, lexical_files};
use codecairn_index::view::{FileIndex, View};
use codecairn_lexical::LexicalIndex;
use codecairn_search::Filters;
use codecairn_store::{MissingRefs, SegmentKind, Snapshot};

use super::view_cache::generations;
use super::{Engine, OpenOptions};

const BRANCH: &str = "@files";

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
            remote: None,
            include: Vec::new(),
            exclude: Vec::new(),
            read_only: false,
            writer: "a test".into(),
            user_ignore: None,
            scip: String::new(),
            vector_method: crate::VectorMethod::Auto,
        };
        let engine = Engine::open(options, Arc::new(FixedClock(1_000))).unwrap();
        Self { folder, engine }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn view(&self, before: Option<&View>) -> View {
        self.index();
        self.view_of(&self.engine.store.reader().unwrap(), BRANCH, before)
    }

    fn index(&self) {
        self.engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
    }

    fn view_of(&self, snapshot: &Snapshot, branch: &str, before: Option<&View>) -> View {
        let folder = self.engine.store.segments_dir();
        let files = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical).unwrap());
        let lexical = LexicalIndex::open(&folder, &files).unwrap();
        self.engine.view(snapshot, branch, &lexical, before).unwrap()
    }

    fn keep(&self) -> PathBuf {
        let report = self.engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
        self.engine.write_view(&report).unwrap();
        self.kept_views().pop().unwrap()
    }

    fn kept_views(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.engine.store.dir().join("views")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Collects what no branch has and gives the documents that are left other numbers.
    fn number_anew(&self) {
        let mut guard = self.engine.store.lock("a test").unwrap();
        guard.collect(&MissingRefs { branches: Vec::new(), worktrees: Vec::new() }, false).unwrap();
        close_gaps(&self.engine.store, &mut guard, self.engine.embedder.as_ref(), &CancelToken::default()).unwrap();
    }

    fn doctor(&self) -> Vec<String> {
        self.engine.verify(&CancelToken::default()).unwrap().into_iter().map(|problem| problem.code).collect()
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
    let (changed, rebuilt) = (fixture.view(Some(&before)), fixture.view(None));
    assert_eq!(changed.bytes().unwrap(), rebuilt.bytes().unwrap());
    assert_ne!(before.bytes().unwrap(), rebuilt.bytes().unwrap());
    assert_eq!(changed.chunks_defining("changed.get").count(), 1);
    assert_eq!(changed.chunks_defining("b").count(), 0);
}

#[test]
fn edits_that_leave_a_file_its_number_of_chunks_are_taken_in() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture.write(&format!("{name}.py"), &class(name));
    }
    let path = fixture.keep();
    let identity = fixture.engine.store.reader().unwrap().identity().unwrap();
    let mut before = View::open(&path, identity).unwrap().unwrap();
    let edits = [class("b").replace("x +", "y +"), class("other"), class("other").replace("get", "put"), class("a")];
    for edit in edits {
        fixture.write("b.py", &edit);
        let (changed, rebuilt) = (fixture.view(Some(&before)), fixture.view(None));
        assert_eq!(changed.chunk_count(), before.chunk_count());
        assert_eq!(changed.bytes().unwrap(), rebuilt.bytes().unwrap());
        before = changed;
    }
    assert_eq!(before.chunks_defining("a.get").count(), 2);
    before.save(fixture.folder.path(), "again").unwrap();
    let again = View::open(&fixture.folder.path().join("again"), identity).unwrap().unwrap();
    assert_eq!(again.bytes().unwrap(), before.bytes().unwrap());
}

#[test]
fn chunks_that_one_file_gains_and_its_neighbour_loses_are_taken_in() {
    let fixture = Fixture::new();
    let several = |names: &[&str]| names.iter().map(|name| class(name)).collect::<Vec<_>>().concat();
    for (name, classes) in [("a", &["a"][..]), ("b", &["b"]), ("c", &["c", "more", "most"]), ("d", &["d"])] {
        fixture.write(&format!("{name}.py"), &several(classes));
    }
    let before = fixture.view(None);
    fixture.write("b.py", &several(&["b", "more", "most"]));
    fixture.write("c.py", &several(&["c"]));
    let (changed, rebuilt) = (fixture.view(Some(&before)), fixture.view(None));
    assert_eq!(changed.chunk_count(), before.chunk_count());
    assert_eq!(changed.bytes().unwrap(), rebuilt.bytes().unwrap());
    for file in 0..4 {
        assert!(changed.chunks_of(FileIndex(file)).all(|chunk| changed.file_of(chunk) == FileIndex(file)));
    }
}

#[test]
fn a_kept_view_is_the_one_that_would_be_made() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    let made = fixture.view(None);
    let path = fixture.keep();
    let identity = fixture.engine.store.reader().unwrap().identity().unwrap();
    let kept = View::open(&path, identity).unwrap().unwrap();
    assert_eq!((kept.bytes().unwrap(), kept.generation()), (made.bytes().unwrap(), made.generation()));
    assert_eq!(View::kept_generation(&path, identity), Some(made.generation()));
    assert_eq!(fixture.view(None).bytes().unwrap(), made.bytes().unwrap());
    assert!(View::open(&path, identity ^ 1).unwrap().is_none(), "it is of another database");
    assert_eq!(View::kept_generation(&path, identity ^ 1), None);
    assert!(View::open(&path.with_extension("none"), identity).unwrap().is_none());
}

#[test]
fn the_view_of_a_branch_never_seen_is_made_from_that_of_another() {
    let fixture = Fixture::new();
    let git = fixture.folder.path().join(".git");
    fs::create_dir(&git).unwrap();
    let switch = |branch: &str| fs::write(git.join("HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
    switch("one");
    for name in ["a", "b", "c"] {
        fixture.write(&format!("{name}.py"), &class(name));
    }
    fixture.keep();
    switch("two");
    fixture.write("b.py", &class("changed"));
    fixture.index();
    let snapshot = fixture.engine.store.reader().unwrap();
    let near = fixture.engine.other_kept_view(&snapshot, "two", &generations(&snapshot).unwrap()).unwrap();
    assert_eq!(near.unwrap().chunks_defining("b.get").count(), 1);
    let made = fixture.view_of(&snapshot, "two", None);
    assert_eq!(made.chunks_defining("changed.get").count(), 1);
    fs::remove_dir_all(fixture.engine.store.dir().join("views")).unwrap();
    assert_eq!(made.bytes().unwrap(), fixture.view_of(&snapshot, "two", None).bytes().unwrap());
}

#[test]
fn a_kept_view_of_another_version_of_the_program_is_written_anew() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    let path = fixture.keep();
    let whole = fs::read(&path).unwrap();
    let mut other = whole.clone();
    other[8] ^= 1;
    fs::write(&path, &other).unwrap();
    let made = fixture.view(None);
    assert!(View::open(&path, 0).unwrap().is_none());
    assert_eq!(fs::read(&path).unwrap(), other, "whose it is may still need it");
    assert!(fixture.doctor().is_empty());
    fixture.keep();
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(fixture.view(None).bytes().unwrap(), made.bytes().unwrap());
}

#[test]
fn a_damaged_view_is_found_passed_over_and_written_anew() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    let path = fixture.keep();
    let whole = fs::read(&path).unwrap();
    let made = fixture.view(None);
    let flipped = |at: usize| whole.iter().enumerate().map(|(i, byte)| byte ^ u8::from(i == at)).collect::<Vec<u8>>();
    // The number of the version is another matter.
    let places = (0..whole.len()).step_by(whole.len() / 97).filter(|at| !(6..16).contains(at));
    let cut = [0, 7, 300, whole.len() - 1].map(|length| whole[..length].to_vec());
    let longer = [&whole[..], b"more"].concat();
    for damaged in places.map(flipped).chain(cut).chain([longer]) {
        fs::write(&path, &damaged).unwrap();
        assert_eq!(fixture.doctor(), ["kept-view"]);
        assert_eq!(fixture.view(None).bytes().unwrap(), made.bytes().unwrap());
        assert!(!path.exists(), "it would be checked again by everybody");
        fixture.keep();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert!(fixture.doctor().is_empty());
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(fixture.doctor(), ["kept-view"]);
    assert!(fixture.engine.repair(&CancelToken::default()).unwrap().iter().all(|problem| problem.repaired));
    fixture.keep();
    assert!(path.is_file() && fixture.doctor().is_empty());
}

#[test]
fn who_still_reads_an_older_state_is_not_given_a_view_with_other_numbers() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture.write(&format!("{name}.py"), &class(name));
    }
    let made = fixture.view(None);
    let reader = fixture.engine.store.reader().unwrap();
    fs::remove_file(fixture.folder.path().join("a.py")).unwrap();
    fixture.index();
    fixture.number_anew();
    fixture.keep();
    assert_eq!(fixture.view_of(&reader, BRANCH, None).bytes().unwrap(), made.bytes().unwrap());
    let after = fixture.view(None);
    assert_eq!(fixture.view_of(&reader, BRANCH, Some(&after)).bytes().unwrap(), made.bytes().unwrap());
    drop(reader);
    fixture.write("d.py", &class("d"));
    let rebuilt = fixture.view(Some(&made));
    assert_eq!(rebuilt.bytes().unwrap(), fixture.view(Some(&after)).bytes().unwrap());
    assert_eq!(rebuilt.file_count(), 3);
}

#[test]
fn a_view_kept_before_documents_got_other_numbers_is_written_anew() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture.write(&format!("{name}.py"), &class(name));
    }
    let path = fixture.keep();
    fs::remove_file(fixture.folder.path().join("a.py")).unwrap();
    fixture.index();
    fixture.number_anew();
    let old = fs::read(&path).unwrap();
    let made = fixture.view(None);
    fixture.keep();
    assert_ne!(fs::read(&path).unwrap(), old);
    assert_eq!(fixture.view(None).bytes().unwrap(), made.bytes().unwrap());
    let Generation(now) = fixture.engine.store.reader().unwrap().generation();
    let identity = fixture.engine.store.reader().unwrap().identity().unwrap();
    assert_eq!(View::kept_generation(&path, identity), Some(Generation(now)));
}

#[test]
fn a_state_can_be_counted_without_segments() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    fixture.index();
    let status = fixture.engine.status().unwrap();
    fs::remove_dir_all(fixture.engine.store.segments_dir()).unwrap();
    let without = fixture.engine.status().unwrap();
    assert_eq!((without.files, without.chunks, without.symbols), (status.files, status.chunks, status.symbols));
    assert!(status.symbols > 0);
}

#[test]
fn garbage_collection_removes_views_of_branches_that_are_gone() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    let path = fixture.keep();
    fs::write(path.with_file_name("of a branch that is gone"), "old").unwrap();
    let cancel = CancelToken::default();
    let before = fixture.engine.collect_garbage(true, &cancel).unwrap();
    assert_eq!((before.files, before.bytes, fixture.kept_views().len()), (1, 3, 2));
    assert_eq!(fixture.engine.collect_garbage(false, &cancel).unwrap().files, 1);
    assert_eq!(fixture.kept_views(), [path]);
}

#[test]
fn what_can_not_be_unpacked_is_told_with_where_the_store_lies() {
    let fixture = Fixture::new();
    fixture.write("a.py", &class("a"));
    fixture.index();
    let database = rusqlite::Connection::open(fixture.engine.store.dir().join("index.db")).unwrap();
    database.execute("UPDATE blob_chunks SET chunks = X'FFFFFFFFFF'", []).unwrap();
    for told in [fixture.engine.status().err(), fixture.engine.define("get", &Filters::default(), 1).err()] {
        let Some(Error::StoreDamaged { path, .. }) = told else { panic!("{told:?}") };
        assert!(path.starts_with(fixture.engine.store.dir()), "{}", path.display());
    }
}
