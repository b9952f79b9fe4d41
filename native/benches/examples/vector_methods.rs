//! Measures each method of vector search by size: recall, time, build time, bytes on disk.
//!
//!     cargo run --release --example vector_methods -- 100000 1000000 --graph-up-to 1000000
//!
//! Prints one JSON object per figure. The time of a query is the best of three, as another program may run beside it. The
//! build time of a graph is that of the processor, as its build takes one thread.
//!
//! The vectors are those of a mixture of Gaussians with many clusters of unequal size in topics, and variances that fall
//! with the dimension, as in the embeddings of a static model. Queries are drawn from the same mixture with more noise.

#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(clippy::unwrap_used, reason = "a benchmark that can't be set up has nothing to say")]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::cancel::CancelToken;
use codecairn_base::id::{DocId, Generation};
use codecairn_model::vector::{Hnsw, Method, Query, SegmentOptions, VectorIndex, VectorSegmentWriter, quantise};
use cpu_time::ThreadTime;
use rayon::ThreadPoolBuilder;
use serde_json::json;

const DIMENSIONS: usize = 256;
/// Vectors of a cluster, and clusters of a topic, on average.
const CLUSTER: usize = 50;
const TOPIC: usize = 40;
/// Shares of topic and cluster in a vector, and of noise in a document and in a query.
const TOPIC_SHARE: f32 = 0.6;
const CLUSTER_SHARE: f32 = 0.6;
const DOCUMENT_NOISE: f32 = 0.55;
const QUERY_NOISE: f32 = 0.8;
const QUERIES: usize = 100;
const ROUNDS: usize = 3;
/// Results asked for: as many as a search of the engine does. Recall is measured on them and on the best of them.
const WANTED: usize = 400;
const BEST: usize = 10;

/// The splitmix64 sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let state = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ state >> 31
    }

    /// Uniform from 0 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    /// Nearly normal values: sums of four uniform ones, with a deviation of one.
    fn normals(&mut self) -> Vec<f32> {
        let of_bits = |bits: u64| {
            let sum: u64 = (0..4).map(|at| bits >> (at * 16) & 0xffff).sum();
            (sum as f32 / 65_536.0 - 2.0) * 1.732
        };
        (0..DIMENSIONS).map(|_| of_bits(self.next())).collect()
    }
}

/// A mixture of clusters in topics.
struct Mixture {
    random: Random,
    spectrum: Vec<f32>,
    clusters: Vec<Vec<f32>>,
}

impl Mixture {
    fn new(count: usize) -> Self {
        let mut random = Random(count as u64);
        let cluster_count = count.div_ceil(CLUSTER);
        let topics: Vec<_> = (0..cluster_count.div_ceil(TOPIC)).map(|_| random.normals()).collect();
        let clusters = (0..cluster_count).map(|at| {
            let topic = &topics[at % topics.len()];
            let own = random.normals();
            topic.iter().zip(own).map(|(topic, own)| TOPIC_SHARE * topic + CLUSTER_SHARE * own).collect()
        });
        let clusters = clusters.collect();
        let spectrum = (0..DIMENSIONS).map(|at| 1.0 / (1.0 + at as f32 / 32.0)).collect();
        Self { random, spectrum, clusters }
    }

    /// The next vector; the first clusters have more of them.
    fn vector(&mut self, noise: f32) -> Vec<f32> {
        let at = (self.random.unit().powi(2) * self.clusters.len() as f32) as usize;
        let centre = &self.clusters[at.min(self.clusters.len() - 1)];
        let own = self.random.normals();
        centre
            .iter()
            .zip(own)
            .zip(&self.spectrum)
            .map(|((centre, own), scale)| (centre + noise * own) * scale)
            .collect()
    }
}

fn segment(folder: &Path, mixture: &mut Mixture, count: usize) -> (VectorIndex, u64) {
    let options =
        SegmentOptions { first: DocId(0), dimensions: DIMENSIONS, embedder: "bench", generation: Generation(1) };
    let mut writer = VectorSegmentWriter::create(folder, &options).unwrap();
    for _ in 0..count {
        writer.push(Some(&quantise(&mixture.vector(DOCUMENT_NOISE)).unwrap())).unwrap();
    }
    let file = writer.finish().unwrap();
    let size_bytes = file.size_bytes;
    (VectorIndex::open(folder, &[file]).unwrap(), size_bytes)
}

/// The share of the exact `depth` best that a method finds, over all queries.
fn recall(index: &VectorIndex, queries: &[Query], live: &Bitmap, method: Method, depth: usize) -> f64 {
    let best = |query, method| -> BTreeSet<DocId> {
        index.search(query, live, WANTED, method).unwrap().into_iter().take(depth).map(|(doc, _)| doc).collect()
    };
    let shares = queries.iter().map(|query| {
        let exact = best(query, Method::Exact);
        best(query, method).intersection(&exact).count() as f64 / exact.len() as f64
    });
    shares.sum::<f64>() / queries.len() as f64
}

/// The median over all queries of the time of a search in milliseconds. Rounds go over all queries, so that none finds
/// its own vectors in the processor's cache.
fn median_ms(index: &VectorIndex, queries: &[Query], live: &Bitmap, method: Method) -> f64 {
    let mut times = vec![f64::MAX; queries.len()];
    for _ in 0..ROUNDS {
        for (time, query) in times.iter_mut().zip(queries) {
            let started = Instant::now();
            index.search(query, live, WANTED, method).unwrap();
            *time = time.min(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(count: usize, measure: &str, value: f64, unit: &str) {
    println!("{}", json!({"count": count, "measure": measure, "value": value, "unit": unit}));
}

fn measure(count: usize, has_graph: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut mixture = Mixture::new(count);
    let started = Instant::now();
    let (mut index, size_bytes) = segment(folder.path(), &mut mixture, count);
    print(count, "segment, written in", started.elapsed().as_secs_f64(), "s");
    print(count, "segment, on disk", size_bytes as f64 / 1e6, "MB");
    let queries: Vec<_> = (0..QUERIES).map(|_| Query::new(&mixture.vector(QUERY_NOISE)).unwrap()).collect();
    let mut methods = vec![("exact", Method::Exact), ("sketch", Method::Sketch)];
    if has_graph {
        let started = ThreadTime::now();
        let file = Hnsw::build(folder.path(), &index, Generation(1), &CancelToken::default()).unwrap();
        print(count, "hnsw, built in", started.elapsed().as_secs_f64(), "s");
        print(count, "hnsw, on disk", file.size_bytes as f64 / 1e6, "MB");
        let started = Instant::now();
        index.open_hnsw(folder.path(), &file, None).unwrap();
        print(count, "hnsw, opened in", started.elapsed().as_secs_f64() * 1e3, "ms");
        methods.push(("hnsw", Method::Hnsw));
    }
    let live = Bitmap::of_words(vec![u64::MAX; count.div_ceil(64)], count);
    for (name, method) in methods {
        for depth in [BEST, WANTED] {
            let found = recall(&index, &queries, &live, method, depth);
            print(count, &format!("{name}, recall@{depth}"), found, "");
        }
        for (threads, named) in [(1, "one thread"), (2, "two threads")] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let time = pool.install(|| median_ms(&index, &queries, &live, method));
            print(count, &format!("{name}, {named}, p50"), time, "ms");
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let limit = arguments.iter().position(|argument| argument == "--graph-up-to");
    let graph_up_to: usize = limit.map_or(usize::MAX, |at| arguments[at + 1].parse().unwrap());
    for count in &arguments[..limit.unwrap_or(arguments.len())] {
        let count: usize = count.parse().unwrap();
        measure(count, count <= graph_up_to);
    }
}
