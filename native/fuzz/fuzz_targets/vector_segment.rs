//! A damaged vector segment is refused or answers wrongly, but never panics or reads outside.

#![no_main]

use std::sync::LazyLock;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::{DocId, Generation};
use codecairn_model::vector::{
    Method, Query, SegmentOptions, VectorIndex, VectorSegmentFile, VectorSegmentWriter, quantise,
};
use libfuzzer_sys::fuzz_target;

const DIMENSIONS: usize = 32;
const DOCUMENTS: usize = 100;

struct Sample {
    folder: tempfile::TempDir,
    listed: VectorSegmentFile,
    bytes: Vec<u8>,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options =
        SegmentOptions { first: DocId(0), dimensions: DIMENSIONS, embedder: "fuzz", generation: Generation(1) };
    let mut writer = VectorSegmentWriter::create(folder.path(), &options).expect("a new segment");
    for document in 0..DOCUMENTS {
        let vector: Vec<f32> = (0..DIMENSIONS).map(|at| ((document * 31 + at * 17) % 23) as f32 - 11.0).collect();
        let quantised = quantise(&vector).expect("finite numbers");
        writer.push((document % 7 != 0).then_some(&quantised)).expect("room for a row");
    }
    let listed = writer.finish().expect("a whole segment");
    let bytes = std::fs::read(folder.path().join(&listed.file_name)).expect("the segment");
    Sample { folder, listed, bytes }
});

fuzz_target!(|data: &[u8]| {
    let sample = &*SAMPLE;
    let mut bytes = sample.bytes.clone();
    codecairn_fuzz::damage(&mut bytes, data);
    std::fs::write(sample.folder.path().join(&sample.listed.file_name), bytes).expect("room on the disk");
    let Ok(index) = VectorIndex::open(sample.folder.path(), std::slice::from_ref(&sample.listed)) else { return };
    let mut live = Bitmap::new(DOCUMENTS);
    (0..DOCUMENTS).step_by(3).for_each(|document| live.set(document));
    let query = Query::new(&[1.0; DIMENSIONS]).expect("finite numbers");
    for method in [Method::Auto, Method::Exact, Method::Sketch] {
        for (document, _) in index.search(&query, &live, 10, method).unwrap_or_default() {
            assert!(live.get(document.index()));
        }
    }
    for document in 0..DOCUMENTS as u32 + 2 {
        index.score(DocId(document), &query);
        index.vector(DocId(document));
    }
    let _ = index.verify();
});
