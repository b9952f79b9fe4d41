//! How long a search takes by method, size and filter, and what share of the exact results it finds:
//! `cargo bench --bench vector`.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::print_stdout, reason = "recall is a result")]
#![allow(clippy::unwrap_used, reason = "a benchmark that can't be set up has nothing to say")]

use std::collections::BTreeSet;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::cancel::CancelToken;
use codecairn_base::id::{DocId, Generation};
use codecairn_model::vector::{Hnsw, Method, Query, SegmentOptions, VectorIndex, VectorSegmentWriter, quantise};
use criterion::{Criterion, criterion_group, criterion_main};

const DIMENSIONS: usize = 256;
/// Results asked for: what one side of the retrieval takes.
const WANTED: usize = 200;

struct Random(u64);

impl Random {
    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS)
            .map(|_| {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
            })
            .collect()
    }
}

/// An index of so many vectors around centres of fifty each, and queries like them.
fn index(folder: &std::path::Path, count: usize) -> (VectorIndex, Vec<Query>) {
    let mut random = Random(count as u64);
    let centres: Vec<_> = (0..count / 50).map(|_| random.vector()).collect();
    let near = |random: &mut Random, at: usize| -> Vec<f32> {
        random.vector().iter().zip(&centres[at * 7_919 % centres.len()]).map(|(noise, centre)| noise + centre).collect()
    };
    let options =
        SegmentOptions { first: DocId(0), dimensions: DIMENSIONS, embedder: "bench", generation: Generation(1) };
    let mut writer = VectorSegmentWriter::create(folder, &options).unwrap();
    for at in 0..count {
        writer.push(Some(&quantise(&near(&mut random, at)).unwrap())).unwrap();
    }
    let queries = (0..64).map(|at| Query::new(&near(&mut random, at * 31)).unwrap()).collect();
    (VectorIndex::open(folder, &[writer.finish().unwrap()]).unwrap(), queries)
}

fn every(step: usize, count: usize) -> Bitmap {
    let mut live = Bitmap::new(count);
    (0..count).step_by(step).for_each(|doc| live.set(doc));
    live
}

/// The share of the exact results that a method finds, over all queries.
fn recall(index: &VectorIndex, queries: &[Query], live: &Bitmap, method: Method) -> f64 {
    let nearest = |query, method| -> BTreeSet<DocId> {
        index.search(query, live, WANTED, method).unwrap().into_iter().map(|(doc, _)| doc).collect()
    };
    let shares = queries.iter().map(|query| {
        let exact = nearest(query, Method::Exact);
        nearest(query, method).intersection(&exact).count() as f64 / exact.len() as f64
    });
    shares.sum::<f64>() / queries.len() as f64
}

fn search(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    for (count, has_graph) in [(75_000, true), (300_000, false)] {
        let (mut index, queries) = index(folder.path(), count);
        let mut methods = vec![Method::Exact, Method::Sketch];
        if has_graph {
            let file = Hnsw::build(folder.path(), &index, Generation(1), &CancelToken::default()).unwrap();
            index.open_hnsw(folder.path(), &file, None).unwrap();
            methods.push(Method::Hnsw);
        }
        for &method in &methods {
            for (step, share) in [(1, "all live"), (100, "1 % live")] {
                let found = recall(&index, &queries, &every(step, count), method);
                println!("{count} vectors, {method:?}, {share}: {found:.4} of the {WANTED} nearest");
            }
        }
        let mut group = criterion.benchmark_group(format!("{count} vectors"));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for &method in &methods {
                for (step, share) in [(1, "all live"), (100, "1 % live")] {
                    let live = every(step, count);
                    let mut at = 0;
                    group.bench_function(format!("{method:?}, {share}, threads: {threads}"), |bencher| {
                        pool.install(|| {
                            bencher.iter(|| {
                                at += 1;
                                index.search(&queries[at % queries.len()], &live, WANTED, method).unwrap().len()
                            });
                        });
                    });
                }
            }
        }
        group.finish();
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
