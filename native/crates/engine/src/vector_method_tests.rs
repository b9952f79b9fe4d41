//! The method of vector search, and the life of graphs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::{Clock, FixedClock};
use codecairn_base::id::DocId;
use codecairn_index::indexer::{FILE_GRACE_NS, graph_file, vector_files};
use codecairn_model::vector::{Hnsw, HnswFile, SegmentOptions, VectorIndex, VectorSegmentWriter};
use codecairn_search::Filters;
use codecairn_store::SegmentKind;

use super::{Engine, OpenOptions, VectorMethod};

const WORDS: [&str; 12] = [
    "invoice", "parser", "socket", "colour", "weather", "garden", "engine", "ticket", "planet", "violin", "kernel",
    "harbour",
];

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// A folder with so many files of one function each.
    fn new(count: usize) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        (0..count).for_each(|number| fixture.write(number));
        fixture
    }

    fn write(&self, number: usize) {
        fs::write(self.folder.path().join(format!("f{number}.py")), text(number)).unwrap();
    }

    fn open(&self, vector_method: VectorMethod) -> Engine {
        self.open_at(vector_method, Arc::new(FixedClock(i64::MAX - FILE_GRACE_NS)))
    }

    fn open_at(&self, vector_method: VectorMethod, clock: Arc<dyn Clock>) -> Engine {
        let options = OpenOptions {
            root: self.folder.path().to_path_buf(),
            store: self.folder.path().join(".codecairn"),
            embedder: "feature-hash".into(),
            remote: None,
            include: Vec::new(),
            exclude: Vec::new(),
            read_only: false,
            writer: "a test".into(),
            user_ignore: None,
            scip: String::new(),
            vector_method,
        };
        Engine::open(options, clock).unwrap()
    }

    fn segments(&self) -> PathBuf {
        self.folder.path().join(".codecairn").join("segments")
    }

    /// The names of all graphs on disk.
    fn graphs(&self) -> Vec<String> {
        let paths = fs::read_dir(self.segments()).unwrap().map(|entry| entry.unwrap().path());
        let graphs = paths.filter(|path| path.extension().is_some_and(|extension| extension == "hnsw"));
        graphs.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }
}

/// A clock by which everything takes no time, but for graphs: once one is on disk, seven seconds have passed.
struct ClockOfGraphs {
    segments: PathBuf,
}

impl Clock for ClockOfGraphs {
    fn now_ns(&self) -> i64 {
        let mut entries = fs::read_dir(&self.segments).into_iter().flatten().flatten();
        let is_there = entries.any(|entry| entry.path().extension().is_some_and(|extension| extension == "hnsw"));
        i64::MAX - FILE_GRACE_NS - if is_there { 0 } else { 7_000_000_000 }
    }

    fn thread_ns(&self) -> i64 {
        0
    }
}

#[test]
fn the_time_of_a_run_has_that_of_its_graphs() {
    let fixture = Fixture::new(40);
    let engine = fixture.open_at(VectorMethod::Hnsw, Arc::new(ClockOfGraphs { segments: fixture.segments() }));
    let report = engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
    assert_eq!(fixture.graphs().len(), 1);
    assert!((report.seconds - 7.0).abs() < 1e-6, "{} s", report.seconds);
}

fn text(number: usize) -> String {
    let (one, other) = (WORDS[number % WORDS.len()], WORDS[number / WORDS.len()]);
    format!("def {one}_{other}():\n    return {one} + {other}\n")
}

fn index(engine: &Engine) {
    engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
}

/// The vectors and the listed graph of the only space.
fn listed(engine: &Engine, folder: &Path) -> (VectorIndex, Option<HnswFile>) {
    let snapshot = engine.store.reader().unwrap();
    let space = snapshot.embedders().unwrap()[0].id;
    let vectors = vector_files(folder, &snapshot.segments(SegmentKind::Vector(space)).unwrap());
    let graph = graph_file(folder, &snapshot.segments(SegmentKind::Hnsw(space)).unwrap());
    (VectorIndex::open(folder, &vectors).unwrap(), graph)
}

/// The paths and scores of what is like the file of a number.
fn like(engine: &Engine, number: usize) -> Vec<(String, f32)> {
    let hits = engine.similar(&text(number), None, &Filters::default(), 5, None).unwrap();
    hits.into_iter().map(|hit| (hit.path, hit.score)).collect()
}

#[test]
fn only_the_method_hnsw_builds_a_graph_and_walks_it() {
    let fixture = Fixture::new(30);
    for method in [VectorMethod::Auto, VectorMethod::Exact, VectorMethod::Sketch] {
        index(&fixture.open(method));
        assert!(fixture.graphs().is_empty(), "{method:?}");
    }
    let engine = fixture.open(VectorMethod::Hnsw);
    assert!(engine.status().unwrap().notes.concat().contains("no HNSW graph"));
    index(&engine);
    assert_eq!(fixture.graphs().len(), 1);
    assert_eq!(engine.status().unwrap().notes, [""; 0]);
    let exact = fixture.open(VectorMethod::Exact);
    assert_eq!(like(&engine, 7), like(&exact, 7));
    // A graph that lacks a document shows who walks it.
    let segments = fixture.segments();
    let (vectors, graph) = listed(&engine, &segments);
    let other = tempfile::tempdir().unwrap();
    let generation = graph.unwrap().generation;
    let dimensions = vectors.dimensions().unwrap();
    let options = SegmentOptions { first: DocId(0), dimensions, embedder: engine.embedder.id(), generation };
    let mut writer = VectorSegmentWriter::create(other.path(), &options).unwrap();
    let lost = like(&exact, 7)[0].clone();
    let doc = {
        let view = &engine.loaded().unwrap().0.searcher.view;
        view.chunk(view.chunks_of(view.find(&lost.0).unwrap()).next().unwrap()).doc
    };
    for at in (0..vectors.len() as u32).map(DocId) {
        writer.push(vectors.vector(at).filter(|_| at != doc).as_ref()).unwrap();
    }
    let without = VectorIndex::open(other.path(), &[writer.finish().unwrap()]).unwrap();
    let graph = Hnsw::build(other.path(), &without, generation, &CancelToken::default()).unwrap();
    fs::copy(other.path().join(&graph.file_name), segments.join(&graph.file_name)).unwrap();
    assert_eq!(like(&fixture.open(VectorMethod::Sketch), 7)[0], lost);
    assert!(!like(&fixture.open(VectorMethod::Hnsw), 7).contains(&lost));
}

#[test]
fn a_graph_stays_while_it_covers_nine_tenths_of_the_documents() {
    let fixture = Fixture::new(40);
    let engine = fixture.open(VectorMethod::Hnsw);
    index(&engine);
    let first = fixture.graphs();
    for number in 40..44 {
        fixture.write(number);
        index(&engine);
        assert_eq!(fixture.graphs(), first);
        assert_eq!(like(&engine, number)[0].0, format!("f{number}.py"));
        assert!(engine.verify(&CancelToken::default()).unwrap().is_empty());
    }
    fixture.write(44);
    engine.index(false, Some(&["f44.py".to_owned()]), &|_, _, _| {}, &CancelToken::default()).unwrap();
    assert_eq!(fixture.graphs(), first, "a run over paths builds none");
    index(&engine);
    let (vectors, graph) = listed(&engine, &fixture.segments());
    assert_eq!(graph.unwrap().count as usize, vectors.len());
    assert_eq!(like(&engine, 44), like(&fixture.open(VectorMethod::Exact), 44));
}

#[test]
fn a_damaged_graph_fails_no_search_and_is_built_again() {
    let fixture = Fixture::new(30);
    let engine = fixture.open(VectorMethod::Hnsw);
    index(&engine);
    let whole = like(&engine, 3);
    let path = fixture.segments().join(&fixture.graphs()[0]);
    let bytes = fs::read(&path).unwrap();
    // While it is in use.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    assert_eq!(like(&engine, 3), whole);
    let middle = bytes.len() / 2;
    let changed: Vec<u8> = bytes.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == middle)).collect();
    for damaged in [Some(&changed[..]), Some(&bytes[..100]), Some(&[]), None] {
        match damaged {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let engine = fixture.open(VectorMethod::Hnsw);
        assert_eq!(like(&engine, 3), whole);
        let notes = engine.status().unwrap().notes;
        assert!(notes.iter().any(|note| note.contains("searches use sketches")), "{notes:?}");
        let codes: Vec<_> =
            engine.verify(&CancelToken::default()).unwrap().into_iter().map(|found| found.code).collect();
        assert!(codes.iter().any(|code| code == "hnsw-graph"), "{codes:?}");
    }
    index(&engine);
    assert_eq!(engine.status().unwrap().notes, [""; 0]);
    assert!(engine.verify(&CancelToken::default()).unwrap().is_empty());
    fs::write(fixture.segments().join(&fixture.graphs()[0]), b"damaged").unwrap();
    assert!(engine.repair(&CancelToken::default()).unwrap().iter().all(|problem| problem.repaired));
    assert_eq!(engine.status().unwrap().notes, [""; 0]);
}

#[test]
fn rebuilt_vectors_have_a_new_graph() {
    let fixture = Fixture::new(20);
    let engine = fixture.open(VectorMethod::Hnsw);
    index(&engine);
    let first = fixture.graphs();
    engine.index(true, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
    assert_ne!(fixture.graphs(), first);
    assert_eq!(engine.status().unwrap().notes, [""; 0]);
}

#[test]
fn garbage_collection_removes_graphs_that_no_search_walks() {
    let fixture = Fixture::new(20);
    index(&fixture.open(VectorMethod::Hnsw));
    fixture.open(VectorMethod::Hnsw).collect_garbage(false, &CancelToken::default()).unwrap();
    assert_eq!(fixture.graphs().len(), 1);
    let auto = fixture.open(VectorMethod::Auto);
    auto.collect_garbage(true, &CancelToken::default()).unwrap();
    assert_eq!(fixture.graphs().len(), 1, "a dry run only counts");
    auto.collect_garbage(false, &CancelToken::default()).unwrap();
    assert!(fixture.graphs().is_empty());
    assert!(auto.verify(&CancelToken::default()).unwrap().is_empty());
}
