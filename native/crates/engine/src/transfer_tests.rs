//! What is in the parts of an index, and what is not.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::FixedClock;

use super::*;

fn engine(root: &Path, store: &Path) -> Engine {
    let options = OpenOptions {
        root: root.to_path_buf(),
        store: store.to_path_buf(),
        embedder: "static".into(),
        remote: None,
        include: Vec::new(),
        exclude: Vec::new(),
        read_only: false,
        writer: "a test".into(),
        user_ignore: None,
        scip: String::new(),
        vector_method: VectorMethod::Auto,
    };
    Engine::open(options, Arc::new(FixedClock(1_000))).unwrap()
}

/// All parts of the index of a folder.
fn parts(root: &Path, store: &Path) -> (Vec<u8>, Vec<NumberingPart>, Vec<SegmentPart>) {
    let engine = engine(root, store);
    engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
    let export = Export::default();
    let contents = engine.export_contents(&export, None).unwrap();
    let wanted: Vec<(TextDigest, String)> =
        contents.into_iter().map(|content| (content.digest, content.language)).collect();
    let pack = engine.export_records(&export, &wanted).unwrap();
    (pack, engine.export_numbering(&export).unwrap(), engine.export_segments(&export).unwrap())
}

/// A part as it is, and behind it what its zstd frames hold, and the frames in them.
fn unpacked(part: &[u8]) -> Vec<u8> {
    let mut all = part.to_vec();
    let magic = [0x28, 0xb5, 0x2f, 0xfd];
    for at in (0..part.len()).filter(|at| part[*at..].starts_with(&magic)) {
        let mut raw = Vec::new();
        let decoder = zstd::stream::read::Decoder::with_buffer(&part[at..]).unwrap().single_frame();
        // Bytes that merely look like the beginning of a frame are none.
        if { decoder }.read_to_end(&mut raw).is_ok() {
            all.append(&mut unpacked(&raw));
        }
    }
    all
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/tests/corpus")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn parts_have_words_of_the_source_but_no_line_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (pack, numbering, segments) = parts(&corpus(), &folder.path().join("store"));
    let datas = numbering.iter().map(|part| &part.data).chain(segments.iter().map(|part| &part.data));
    let raw: Vec<u8> = std::iter::once(&pack).chain(datas).flat_map(|part| unpacked(part)).collect();
    let among = |texts: &[String]| -> BTreeSet<String> {
        let searched = AhoCorasick::new(texts).unwrap();
        searched.find_overlapping_iter(&raw).map(|found| texts[found.pattern().as_usize()].clone()).collect()
    };
    assert_eq!(among(&["Session".to_owned(), "session".to_owned(), "no such word".to_owned()]).len(), 2);
    let mut lines = BTreeSet::new();
    for file in files(&corpus()) {
        let text = std::fs::read_to_string(file).unwrap();
        lines.extend(text.lines().map(str::trim).filter(|line| line.split_whitespace().count() > 2).map(str::to_owned));
    }
    assert!(lines.len() > 1000, "{}", lines.len());
    assert_eq!(among(&lines.into_iter().collect::<Vec<_>>()), BTreeSet::new());
}
