//! Speed of analysing, building, merging and searching lexical segments, over windows of the source of all crates.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that can't be set up stops")]

use std::hint::black_box;
use std::path::Path;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::{DocId, Generation};
use codecairn_lexical::analyzer::query_terms;
use codecairn_lexical::{AnalyzedBatch, Bm25, Document, Field, LexicalIndex, SegmentBuilder, SegmentFile, merge};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Lines of a chunk.
const WINDOW: usize = 30;
/// How often the source is repeated, so that lists of postings get as long as in a real index.
const COPIES: usize = 40;

/// The windows of each file.
fn corpus() -> Vec<Vec<String>> {
    let mut files = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates"), &mut files);
    files
}

fn read(folder: &Path, files: &mut Vec<Vec<String>>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            files.push(lines.chunks(WINDOW).map(<[&str]>::concat).collect());
        }
    }
}

fn analyze(file: &[String]) -> AnalyzedBatch {
    AnalyzedBatch::analyze(file.iter().map(|text| Document { text, names: &[], comments: &[] }))
}

fn build(batches: &[AnalyzedBatch], first: u32, folder: &Path) -> SegmentFile {
    let mut builder = SegmentBuilder::new(DocId(first));
    for batch in batches {
        builder.push(batch, &vec![true; batch.len()]);
    }
    builder.write(folder, Generation(1)).unwrap()
}

fn lexical(criterion: &mut Criterion) {
    let files = corpus();
    let bytes: usize = files.iter().flatten().map(String::len).sum();
    let folder = tempfile::tempdir().unwrap();
    let batches: Vec<AnalyzedBatch> = files.iter().map(|file| analyze(file)).collect();
    let copies: Vec<AnalyzedBatch> = (0..COPIES).flat_map(|_| files.iter().map(|file| analyze(file))).collect();

    let mut group = criterion.benchmark_group("lexical");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("analyze", |bencher| {
        bencher.iter(|| files.iter().map(|file| analyze(black_box(file)).len()).sum::<usize>());
    });
    group.bench_function("build", |bencher| bencher.iter(|| build(black_box(&batches), 0, folder.path())));
    group.throughput(Throughput::Elements(1));
    let left = build(&copies, 0, folder.path());
    let right = build(&copies, left.count, folder.path());
    group.bench_function("merge", |bencher| {
        bencher.iter(|| merge(folder.path(), black_box(&[left.clone(), right.clone()]), Generation(2)).unwrap());
    });

    let index = LexicalIndex::open(folder.path(), &[left]).unwrap();
    let count = index.document_count();
    let mut live = Bitmap::new(count);
    (0..count).for_each(|doc| live.set(doc));
    let norms =
        Bm25::TEXT.norms((0..count as u32).map(|doc| index.lengths(DocId(doc)).body).collect::<Vec<_>>().into_iter());
    let mut scores = vec![0.0; count];
    // Six terms that are frequent in this source.
    let terms = query_terms("self bytes term document segment length");
    group.bench_function("query of six frequent terms", |bencher| {
        bencher.iter(|| {
            scores.fill(0.0);
            for term in &terms {
                let (exact, group) = index.postings(term, &live).unwrap();
                for (postings, field) in
                    [(&exact, Field::Body), (&group, Field::Body), (&group, Field::Names), (&group, Field::Comments)]
                {
                    Bm25::TEXT.accumulate(postings, field, count, &norms, &mut scores);
                }
            }
            black_box(&scores);
        });
    });
    group.finish();
}

criterion_group!(benches, lexical);
criterion_main!(benches);
