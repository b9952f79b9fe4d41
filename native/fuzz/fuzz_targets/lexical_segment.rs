//! A damaged lexical segment is refused or answers wrongly, but never panics or reads outside.

#![no_main]

use std::sync::LazyLock;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::{DocId, Generation};
use codecairn_lexical::analyzer::query_terms;
use codecairn_lexical::{AnalyzedBatch, Document, LexicalIndex, SegmentBuilder, SegmentFile, merge};
use codecairn_base::span::ByteSpan;
use libfuzzer_sys::fuzz_target;

const DOCUMENTS: usize = 60;

struct Sample {
    folder: tempfile::TempDir,
    listed: SegmentFile,
    bytes: Vec<u8>,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let texts: Vec<String> = (0..DOCUMENTS)
        .map(|document| format!("tokens of getUser{document} parsed by HTTPServer {}", "again ".repeat(document)))
        .collect();
    let comments = [ByteSpan::new(0, 6)];
    let documents = texts.iter().map(|text| Document { text, names: &["getUser"], comments: &comments });
    let batch = AnalyzedBatch::analyze(documents);
    let mut builder = SegmentBuilder::new(DocId(0));
    builder.push(&batch, &[true; DOCUMENTS]);
    let listed = builder.write(folder.path(), Generation(1)).expect("a whole segment");
    let bytes = std::fs::read(folder.path().join(&listed.file_name)).expect("the segment");
    Sample { folder, listed, bytes }
});

fuzz_target!(|data: &[u8]| {
    let sample = &*SAMPLE;
    let mut bytes = sample.bytes.clone();
    codecairn_fuzz::damage(&mut bytes, data);
    std::fs::write(sample.folder.path().join(&sample.listed.file_name), bytes).expect("room on the disk");
    let files = std::slice::from_ref(&sample.listed);
    let Ok(index) = LexicalIndex::open(sample.folder.path(), files) else { return };
    let mut live = Bitmap::new(DOCUMENTS);
    (0..DOCUMENTS).step_by(2).for_each(|document| live.set(document));
    for term in query_terms("getUser7 tokens parsing again HTTPServer missing") {
        let _ = index.postings(&term, &live);
        let _ = index.for_each_posting(&term, |_, _| {});
    }
    for document in 0..DOCUMENTS as u32 {
        index.lengths(DocId(document));
    }
    let _ = index.verify();
    let into = tempfile::tempdir_in(sample.folder.path()).expect("a temporary folder");
    std::fs::copy(sample.folder.path().join(&sample.listed.file_name), into.path().join(&sample.listed.file_name))
        .expect("room on the disk");
    let _ = merge(into.path(), files, Generation(2));
});
