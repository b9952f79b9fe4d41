//! What the code graph adds to an index, in one run.
//!
//!     cargo run --release --example graph -- FOLDER [ROUNDS]
//!
//! Prints one line of JSON; all times are seconds of processor time, the least of some rounds: extraction of chunks and
//! definitions alone, the same with uses, imports, bases and types, packing what is stored of either, the full index into a store
//! that is thrown away, and the whole graph made from it. `share` is what the graph adds to indexing, resolution included.

#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::Clock;
use codecairn_engine::{Engine, OpenOptions};
use codecairn_graph::Direction;
use codecairn_syntax::chunk::{Extraction, Extractor};
use codecairn_walk::{RuleOptions, Rules, Source, read_source, walk};
use cpu_time::ThreadTime;
use rayon::prelude::*;

struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
    }

    fn thread_ns(&self) -> i64 {
        ThreadTime::now().as_duration().as_nanos() as i64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let rounds: usize = arguments.next().map_or(Ok(3), |rounds| rounds.parse())?;
    let rules = Rules::new(&root, &RuleOptions::default())?;
    let found = walk(&root, &rules, &CancelToken::default())?;
    let sources: Vec<Source> = found.files.par_iter().filter_map(|file| read_source(&root, &file.path).ok()).collect();
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    let mut least = [f64::MAX; 6];
    let mut wall = [f64::MAX; 2];
    let mut stored = [0; 2];
    for _ in 0..rounds {
        let bare = timed(&mut least[0], || extract(&sources, &|| Extractor::new().without_uses()));
        let full = timed(&mut least[1], || extract(&sources, &Extractor::new));
        stored[0] = timed(&mut least[2], || pack(&bare));
        stored[1] = timed(&mut least[3], || pack(&full));
        drop((bare, full));
        let store = tempfile::tempdir()?;
        let engine = open(&root, &store.path().join("store"))?;
        let started = Instant::now();
        timed(&mut least[4], || engine.index(false, None, &|_, _, _| {}, &CancelToken::default()))?;
        wall[0] = wall[0].min(started.elapsed().as_secs_f64());
        let started = Instant::now();
        timed(&mut least[5], || engine.reached(&[], Direction::Callers, 1))?;
        wall[1] = wall[1].min(started.elapsed().as_secs_f64());
    }
    let [bare, full, pack_bare, pack_full, index, resolve] = least;
    let added = full - bare + pack_full - pack_bare;
    println!(
        "{{\"files\": {}, \"bytes\": {bytes}, \"extract_bare_s\": {bare:.3}, \"extract_full_s\": {full:.3}, \
         \"pack_bare_s\": {pack_bare:.3}, \"pack_full_s\": {pack_full:.3}, \"stored_bare_bytes\": {}, \
         \"stored_full_bytes\": {}, \"index_s\": {index:.3}, \"resolve_s\": {resolve:.3}, \"index_wall_s\": {:.3}, \
         \"resolve_wall_s\": {:.3}, \"extraction_share\": {:.3}, \"share\": {:.3}}}",
        sources.len(),
        stored[0],
        stored[1],
        wall[0],
        wall[1],
        added / (index - added),
        (added + resolve) / (index - added),
    );
    Ok(())
}

fn extract(sources: &[Source], extractor: &(dyn Fn() -> Extractor + Sync)) -> Vec<Extraction> {
    let read = |extractor: &mut Extractor, source: &Source| extractor.extract(&source.text, source.language);
    sources.par_iter().map_init(extractor, read).collect()
}

/// Packs and compresses what the store keeps of each text, and counts its bytes.
fn pack(extractions: &[Extraction]) -> usize {
    let packed = extractions.par_iter().map(|extraction| {
        let (_, syntax) = extraction.pack();
        zstd::bulk::compress(&syntax, 3).map_or(0, |packed| packed.len())
    });
    packed.sum()
}

fn open(root: &Path, store: &Path) -> Result<Engine, Box<dyn std::error::Error>> {
    let options = OpenOptions {
        root: root.to_path_buf(),
        store: store.to_path_buf(),
        embedder: "static".into(),
        remote: None,
        include: Vec::new(),
        exclude: Vec::new(),
        read_only: false,
        writer: "a bench".into(),
        user_ignore: None,
        scip: String::new(),
        vector_method: codecairn_engine::VectorMethod::Auto,
    };
    Ok(Engine::open(options, Arc::new(SystemClock))?)
}

fn timed<T>(least: &mut f64, work: impl FnOnce() -> T) -> T {
    let before = processor_s();
    let done = work();
    *least = least.min(processor_s() - before);
    done
}

/// Processor time of this process so far, in seconds; 0 where the system does not tell it in a file.
fn processor_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // Behind the name and the state come numbers; those of user and system are the eleventh and twelfth, in hundredths.
    fields.get(10..12).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / 100.0)
}
