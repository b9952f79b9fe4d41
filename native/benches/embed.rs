//! How many bytes of source a core turns into vectors per second: `cargo bench --bench embed`.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that can't be set up has nothing to say")]

use std::path::Path;

use codecairn_model::embed::tokenizer::for_each_word;
use codecairn_model::embed::{FEATURE_HASH, STATIC, Scratch, builtin};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The source of all crates in pieces of forty lines, about the length of a chunk.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines: Vec<_> = text.lines().collect();
                texts.extend(lines.chunks(40).map(|lines| lines.join("\n")));
            }
        }
    }
    texts
}

fn embed(criterion: &mut Criterion) {
    let texts = texts();
    let mut group = criterion.benchmark_group("embed");
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("tokenize", |bencher| {
        bencher.iter(|| {
            let mut words = 0;
            for text in &texts {
                for_each_word(text, |word| {
                    words += word.len();
                    true
                });
            }
            words
        });
    });
    for name in [FEATURE_HASH, STATIC] {
        let model = builtin(name).unwrap();
        let mut warm = Scratch::default();
        let all =
            |scratch: &mut Scratch| texts.iter().map(|text| model.embed_document(text, scratch).len()).sum::<usize>();
        group.bench_function(format!("{name}, words seen before"), |bencher| bencher.iter(|| all(&mut warm)));
        group.bench_function(format!("{name}, all words new"), |bencher| bencher.iter(|| all(&mut Scratch::default())));
    }
    group.finish();
}

criterion_group!(benches, embed);
criterion_main!(benches);
