//! A damaged model file is refused; one that is taken embeds any text.

#![no_main]

use std::sync::{Arc, LazyLock};

use codecairn_model::embed::{Embedder, ModelRows, Scratch, StaticModel, write_model};
use codecairn_base::mapped_file::MappedFile;
use libfuzzer_sys::fuzz_target;

const WORDS: [&str; 8] = ["a", "chunk", "get", "parse", "token", "user", "vector", "write"];
const DIMENSIONS: usize = 4;

static SAMPLE: LazyLock<(tempfile::TempDir, Vec<u8>)> = LazyLock::new(|| {
    let rows: Vec<f32> = (0..WORDS.len() * DIMENSIONS).map(|at| (at % 9) as f32 - 4.0).collect();
    let model = ModelRows { id: "fuzz-4-v1", dimensions: DIMENSIONS, max_tokens: 16, words: &WORDS, rows: &rows };
    (tempfile::tempdir().expect("a temporary folder"), write_model(&model).expect("a model that fits together"))
});

fuzz_target!(|data: &[u8]| {
    let (folder, sample) = &*SAMPLE;
    let mut bytes = sample.clone();
    codecairn_fuzz::damage(&mut bytes, data);
    let path = folder.path().join("model");
    std::fs::write(&path, bytes).expect("room on the disk");
    let Ok(file) = MappedFile::open(&path) else { return };
    let Ok(model) = StaticModel::mapped(Arc::new(file)) else { return };
    let vector = model.embed_document("getUser tokens, parsed to vectors", &mut Scratch::default());
    assert!(vector.iter().all(|value| value.is_finite()));
});
