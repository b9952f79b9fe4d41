//! Builds an index of one engine over windows of source files, then answers natural queries with it.
//!
//! `lexical-comparison ENGINE ANNOTATIONS LIMIT FOLDER...` with ENGINE one of `codecairn`, `tantivy`, `fts5`.
//! One engine a process, one thread, so that memory and time are its own. Time is the
//! processor time of the whole process, so that a busy machine does not count.

mod corpus;
mod engines;
mod memory;

use std::path::PathBuf;

use cpu_time::ProcessTime;
use engines::{Codecairn, Engine, Fts5, Tantivy};

/// How often all queries are asked; the best time of each counts.
const ROUNDS: usize = 5;
const QUERIES: usize = 200;
const HITS: usize = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, annotations, limit, folders @ ..] = &arguments[..] else {
        eprintln!("usage: lexical-comparison ENGINE ANNOTATIONS LIMIT FOLDER...");
        std::process::exit(2);
    };
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let files = corpus::read(&folders, limit.parse().expect("a number of chunks"));
    let queries = corpus::queries(&PathBuf::from(annotations), QUERIES);
    let chunks: usize = files.iter().map(Vec::len).sum();
    let bytes: usize = files.iter().flatten().map(|chunk| chunk.text.len()).sum();
    let folder = std::env::temp_dir().join(format!("lexical-comparison-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let before = memory::reset_peak();
    let start = ProcessTime::now();
    let index: Box<dyn Engine> = match engine.as_str() {
        "codecairn" => Box::new(Codecairn::build(&folder, &files)),
        "tantivy" => Box::new(Tantivy::build(&folder, &files)),
        "fts5" => Box::new(Fts5::build(&folder, &files)),
        other => panic!("no engine `{other}`"),
    };
    let build_s = start.elapsed().as_secs_f64();
    let peak = memory::peak() - before;
    let size: u64 = size_of(&folder);
    let mut best = vec![f64::INFINITY; queries.len()];
    let mut hits = 0;
    for _ in 0..ROUNDS {
        for (query, best) in queries.iter().zip(&mut best) {
            let start = ProcessTime::now();
            hits += index.search(query, HITS).len();
            *best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    best.sort_by(f64::total_cmp);
    let at = |share: f64| best[((best.len() - 1) as f64 * share) as usize];
    println!(
        "{engine}: {chunks} chunks, {:.1} MB; build {build_s:.2} s ({:.1} MB/s), {:.0} MiB more memory at its peak; {:.1} MB on disk \
         ({:.1} %); {} queries: p50 {:.3} ms, p95 {:.3} ms, most {:.3} ms; {} hits",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / build_s,
        peak as f64 / 1024.0,
        size as f64 / 1e6,
        100.0 * size as f64 / bytes as f64,
        queries.len(),
        at(0.5),
        at(0.95),
        at(1.0),
        hits / ROUNDS,
    );
    drop(index);
    std::fs::remove_dir_all(&folder).expect("our own folder");
}

fn size_of(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("our own folder");
    entries.map(|entry| entry.and_then(|entry| entry.metadata()).expect("our own file").len()).sum()
}
