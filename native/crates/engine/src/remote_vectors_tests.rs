use std::collections::BTreeSet;
use std::sync::Arc;

use codecairn_base::clock::FixedClock;
use codecairn_search::{Filters, Fusion, Ranking};
use codecairn_store::SegmentKind;

use super::*;
use crate::{OpenOptions, SearchOptions, VectorMethod};

const NAME: &str = "test/model@2";

fn engine(folder: &std::path::Path, name: &str) -> Engine {
    engine_with(folder, name, VectorMethod::Auto)
}

fn engine_with(folder: &std::path::Path, name: &str, vector_method: VectorMethod) -> Engine {
    let options = OpenOptions {
        root: folder.to_path_buf(),
        store: folder.join(".codecairn"),
        embedder: "feature-hash".into(),
        remote: Some(RemoteSpace { name: name.into(), dimensions: 2 }),
        include: Vec::new(),
        exclude: Vec::new(),
        read_only: false,
        writer: "a test".into(),
        user_ignore: None,
        scip: String::new(),
        vector_method,
    };
    Engine::open(options, Arc::new(FixedClock(1_000))).unwrap()
}

fn folder(files: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..files {
        write(&folder, number);
    }
    folder
}

fn write(folder: &tempfile::TempDir, number: u32) {
    let text = format!("def number_{number}(value):\n    \"\"\"{}\"\"\"\n    return {number}\n", "words ".repeat(40));
    std::fs::write(folder.path().join(format!("file{number}.py")), text).unwrap();
}

fn index(engine: &Engine) {
    engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
}

fn vector(x: f32, y: f32) -> Vec<u8> {
    [x, y].iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn deliver_all(engine: &Engine, vector: &[u8]) -> u64 {
    let vectors = engine.pending_hashes().unwrap().into_iter().map(|hash| (hash, vector.to_vec())).collect();
    let kept = engine.deliver(&Delivery { vectors, ..Delivery::default() }).unwrap();
    engine.publish_vectors(&CancelToken::default()).unwrap();
    kept
}

/// The paths of the four files whose vectors are most like (0, 1).
fn elsewhere(engine: &Engine) -> BTreeSet<String> {
    let hits = engine.similar("unlike", Some(&vector(0.0, 1.0)), &Filters::default(), 4, None).unwrap();
    hits.into_iter().map(|hit| hit.path).collect()
}

#[test]
fn waiting_texts_are_told_by_hash_and_delivered_once() {
    let folder = folder(5);
    let engine = engine(folder.path(), NAME);
    index(&engine);
    let hashes = engine.pending_hashes().unwrap();
    assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), 5);
    for PendingText { hash, text } in engine.pending_texts(&hashes).unwrap() {
        assert_eq!(ContentHash::of(text.as_bytes()), hash);
    }
    assert_eq!(deliver_all(&engine, &vector(1.0, 0.0)), 5);
    assert!(engine.pending_hashes().unwrap().is_empty());
    assert!(engine.pending_texts(&hashes).unwrap().is_empty());
    assert!(engine.uses_remote().unwrap());
    assert!(engine.verify(&CancelToken::default()).unwrap().is_empty());
}

#[test]
fn delivery_is_taken_whole_or_not_at_all() {
    let folder = folder(3);
    let engine = engine(folder.path(), NAME);
    index(&engine);
    let hashes = engine.pending_hashes().unwrap();
    for bad in [vec![0; 7], vector(f32::NAN, 0.0), vector(f32::INFINITY, 0.0)] {
        let vectors = vec![(hashes[0], vector(1.0, 0.0)), (hashes[1], bad)];
        let error = engine.deliver(&Delivery { vectors, ..Delivery::default() }).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
    }
    assert_eq!(engine.pending_hashes().unwrap().len(), 3);
    let unknown = vec![(ContentHash::of(b"nowhere"), vector(1.0, 0.0))];
    assert_eq!(engine.deliver(&Delivery { vectors: unknown, ..Delivery::default() }).unwrap(), 0);
}

#[test]
fn failures_and_costs_are_remembered() {
    let folder = folder(3);
    let engine = engine(folder.path(), NAME);
    index(&engine);
    let hashes = engine.pending_hashes().unwrap();
    let spending = Spending { requests: 1, texts: 2, tokens: 30, micro_usd: 4 };
    let failures = vec![(hashes[0], "it is no text".to_owned())];
    engine.deliver(&Delivery { failures, spending, ..Delivery::default() }).unwrap();
    engine.deliver(&Delivery { spending, ..Delivery::default() }).unwrap();
    let state = engine.remote_progress().unwrap();
    assert_eq!((state.texts, state.pending, state.is_active), (3, 3, false));
    assert_eq!(state.failures, [(hashes[0], "it is no text".to_owned())]);
    let twice = Spending { requests: 2, texts: 4, tokens: 60, micro_usd: 8 };
    assert_eq!(engine.spending().unwrap(), [(NAME.to_owned(), twice)]);
    engine.add_spending("rerank x", spending).unwrap();
    assert_eq!(engine.spending().unwrap()[0], ("rerank x".to_owned(), spending));
    deliver_all(&engine, &vector(1.0, 0.0));
    assert_eq!(engine.remote_progress().unwrap().failures, []);
}

#[test]
fn space_is_searched_while_one_text_in_twenty_may_be_missing() {
    let folder = folder(40);
    let engine = engine(folder.path(), NAME);
    index(&engine);
    deliver_all(&engine, &vector(1.0, 0.0));
    for (number, is_used) in [(40, true), (41, true), (42, false)] {
        write(&folder, number);
        index(&engine);
        assert_eq!(engine.uses_remote().unwrap(), is_used, "{number}");
        assert!(engine.verify(&CancelToken::default()).unwrap().is_empty());
    }
    deliver_all(&engine, &vector(1.0, 0.0));
    assert!(engine.uses_remote().unwrap());
}

#[test]
fn vectors_that_come_after_a_graph_are_found() {
    let folder = folder(20);
    let engine = engine_with(folder.path(), NAME, VectorMethod::Hnsw);
    index(&engine);
    deliver_all(&engine, &vector(1.0, 0.0));
    (20..24).for_each(|number| write(&folder, number));
    // More than a tenth is new, so this run builds a graph, which can't have their vectors yet.
    index(&engine);
    deliver_all(&engine, &vector(0.0, 1.0));
    assert_eq!(elsewhere(&engine), (20..24).map(|number| format!("file{number}.py")).collect());
    assert_eq!(engine.status().unwrap().notes, [""; 0]);
}

#[test]
fn graph_goes_with_the_segments_that_it_was_built_from() {
    let folder = folder(20);
    let engine = engine_with(folder.path(), NAME, VectorMethod::Hnsw);
    index(&engine);
    deliver_all(&engine, &vector(1.0, 0.0));
    (20..24).for_each(|number| write(&folder, number));
    index(&engine);
    let snapshot = engine.store.reader().unwrap();
    let space = snapshot.embedders().unwrap().into_iter().find(|space| space.name == NAME).unwrap();
    for segment in snapshot.segments(SegmentKind::Vector(space.id)).unwrap() {
        std::fs::remove_file(engine.store.segments_dir().join(segment.file)).unwrap();
    }
    drop(snapshot);
    engine.repair(&CancelToken::default()).unwrap();
    deliver_all(&engine, &vector(0.0, 1.0));
    assert_eq!(elsewhere(&engine), (20..24).map(|number| format!("file{number}.py")).collect());
}

#[test]
fn repair_drops_damaged_graphs_that_no_search_walks() {
    let folder = folder(20);
    let hnsw = engine_with(folder.path(), NAME, VectorMethod::Hnsw);
    index(&hnsw);
    deliver_all(&hnsw, &vector(1.0, 0.0));
    let paths = std::fs::read_dir(hnsw.store.segments_dir()).unwrap().map(|entry| entry.unwrap().path());
    let graphs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "hnsw")).collect();
    assert_eq!(graphs.len(), 2);
    for graph in &graphs {
        std::fs::write(graph, b"damaged").unwrap();
    }
    let auto = engine(folder.path(), NAME);
    let problems = auto.repair(&CancelToken::default()).unwrap();
    assert!(problems.len() == 2 && problems.iter().all(|problem| problem.repaired), "{problems:?}");
    assert!(auto.verify(&CancelToken::default()).unwrap().is_empty());
}

#[test]
fn vectors_of_two_models_never_meet() {
    let folder = folder(4);
    let first = engine(folder.path(), NAME);
    index(&first);
    deliver_all(&first, &vector(1.0, 0.0));
    let second = engine(folder.path(), "test/other@2");
    assert_eq!(second.pending_hashes().unwrap().len(), 4, "before it was ever used");
    index(&second);
    assert!(!second.uses_remote().unwrap());
    assert_eq!(deliver_all(&second, &vector(0.0, 1.0)), 4);
    assert!(first.uses_remote().unwrap() && second.uses_remote().unwrap());
    let options = SearchOptions {
        limit: 3,
        filters: Filters::default(),
        context_lines: 0,
        explain: true,
        ranking: Ranking::Model,
        fusion: Fusion::ReciprocalRank,
        text: false,
        token_budget: None,
    };
    for (engine, own) in [(&first, vector(1.0, 0.0)), (&second, vector(0.0, 1.0))] {
        let hits = engine.search("some words", Some(&own), &options).unwrap();
        let near = hits[0].contributions.iter().find(|part| part.feature == "vector").unwrap();
        assert!(near.value > 0.99, "{}", near.value);
    }
    assert!(first.search("some words", Some(&[0; 4]), &options).is_err(), "a vector of another length");
}

#[test]
fn one_process_has_texts_embedded_at_a_time() {
    let folder = folder(1);
    let (first, second) = (engine(folder.path(), NAME), engine(folder.path(), NAME));
    assert!(first.start_draining().unwrap());
    assert!(!first.start_draining().unwrap() && !second.start_draining().unwrap());
    first.stop_draining();
    assert!(second.start_draining().unwrap());
}
