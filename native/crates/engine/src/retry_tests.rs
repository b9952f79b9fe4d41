//! Texts whose parse took too much processor time, and when they are parsed again.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;

use super::{Engine, OpenOptions};

/// On a slow machine each look at the processor time finds that a second has passed. Time itself flies always, as it
/// does for a process that is suspended.
#[derive(Default)]
struct Machine {
    is_slow: AtomicBool,
    ticks: AtomicI64,
}

impl Clock for Machine {
    fn now_ns(&self) -> i64 {
        60_000_000_000 * self.ticks.fetch_add(1, Ordering::Relaxed)
    }

    fn thread_ns(&self) -> i64 {
        if self.is_slow.load(Ordering::Relaxed) { self.now_ns() } else { 0 }
    }
}

struct Fixture {
    _folder: tempfile::TempDir,
    machine: Arc<Machine>,
    engine: Engine,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let define = |number: u32| format!("def f_{number}(value):\n    return value.f_{number}_of\n\n\n");
        fs::write(folder.path().join("a.py"), (0..1000).map(define).collect::<String>()).unwrap();
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
        let machine = Arc::<Machine>::default();
        let engine = Engine::open(options, Arc::clone(&machine) as Arc<dyn Clock>).unwrap();
        Self { _folder: folder, machine, engine }
    }

    /// Indexes, and returns how many texts were parsed, the symbols that there are, and the files cut by lines.
    fn index(&self, is_slow: bool, force: bool) -> (u64, u64, Vec<String>) {
        self.machine.is_slow.store(is_slow, Ordering::Relaxed);
        let parsed = self.engine.index(force, None, &|_, _, _| {}, &CancelToken::default()).unwrap().parsed;
        let status = self.engine.status().unwrap();
        (parsed, status.symbols, status.unparsed)
    }
}

#[test]
fn time_that_passes_without_the_processor_stops_no_parse() {
    let fixture = Fixture::new();
    assert_eq!(fixture.index(false, false), (1, 1000, Vec::new()));
}

#[test]
fn a_text_that_was_too_slow_is_parsed_again_by_the_next_runs() {
    let fixture = Fixture::new();
    let cut = vec!["a.py".to_owned()];
    assert_eq!(fixture.index(true, false), (1, 0, cut.clone()));
    assert_eq!(fixture.index(true, false), (1, 0, cut.clone()));
    assert_eq!(fixture.engine.status().unwrap().blobs, 1);
    fixture.engine.refresh(None, &CancelToken::default()).unwrap();
    assert_eq!(fixture.engine.status().unwrap().unparsed, cut);
    assert_eq!(fixture.index(false, false), (1, 1000, Vec::new()));
    assert_eq!(fixture.index(false, false), (0, 1000, Vec::new()));
    assert!(fixture.engine.verify(&CancelToken::default()).unwrap().is_empty());
    fixture.engine.collect_garbage(false, &CancelToken::default()).unwrap();
    assert_eq!(fixture.engine.status().unwrap().blobs, 1);
}

#[test]
fn force_parses_again_what_was_too_slow() {
    let fixture = Fixture::new();
    let parsed: Vec<u64> = (0..6).map(|_| fixture.index(true, false).0).collect();
    assert_eq!(parsed, [1, 1, 1, 1, 0, 0], "a file that is too slow time after time is left alone");
    assert_eq!(fixture.index(true, true).1, 0);
    assert_eq!(fixture.index(false, true), (1, 1000, Vec::new()));
}
