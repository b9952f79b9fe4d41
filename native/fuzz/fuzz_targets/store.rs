//! A damaged database is refused, answered with errors, or repaired, but never makes a panic.

#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use codecairn_base::Result;
use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::FixedClock;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{ChunkId, TextId, WorktreeId};
use codecairn_store::{
    CatalogDelta, Depth, Journal, NewBlob, OpenOptions, PackedTables, Publication, Segments, Store,
};
use libfuzzer_sys::fuzz_target;

const FILES: usize = 12;

static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(folder.path()).expect("a sound store");
    std::fs::read(folder.path().join("index.db")).expect("its database")
});

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut bytes = SAMPLE.clone();
    codecairn_fuzz::damage(&mut bytes, data);
    std::fs::write(folder.path().join("index.db"), bytes).expect("room on the disk");
    let _ = read(folder.path());
    let _ = write(folder.path());
    let _ = repair(folder.path());
});

fn open(folder: &Path) -> Result<Store> {
    let mut options = OpenOptions::new(Arc::new(FixedClock(1_000)));
    options.journal = Some(Journal::Truncate);
    Store::open(folder, options)
}

/// A store with some of everything.
fn fill(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    let mut guard = store.lock("a fuzzer")?;
    let embedder = guard.embedder("fuzz-8", 8, 8)?;
    guard.worktree("/root")?;
    let mut batch = guard.begin()?;
    let mut delta = CatalogDelta::new();
    for number in 0..FILES {
        let text: String = (0..20).map(|line| format!("line {line} of file {number}\n")).collect();
        let mut docs = Vec::new();
        for (ordinal, line) in (0..).zip(text.lines()) {
            let hash = ContentHash::of(line.as_bytes());
            let interned = batch.intern_chunk(ChunkId::new(hash, "", &[], ordinal), hash, false)?;
            if let (Some(text), 0) = (interned.new_text, number % 2) {
                batch.put_vectors(embedder, [(text, &[7; 8][..])])?;
            } else if let Some(text) = interned.new_text {
                batch.add_pending(embedder, [text])?;
            }
            docs.push(interned.doc);
        }
        let blob = NewBlob {
            hash: ContentHash::of(text.as_bytes()),
            language: "text",
            class: "source",
            encoding: "utf-8",
            extractor_version: 1,
            text: &text,
            line_count: 20,
            flags: 0,
            docs: &docs,
            tables: &PackedTables::new(b"chunks", b"syntax"),
            names: &["line", "file"],
        };
        delta.insert(format!("file-{number}"), Some(batch.add_blob(&blob)?));
    }
    batch.commit()?;
    publish(&mut guard, &delta)
}

fn publish(guard: &mut codecairn_store::WriteGuard, delta: &CatalogDelta) -> Result<()> {
    let (segments, branch) = (Segments::new(), "main");
    let publication =
        Publication { branch, head: None, base: None, delta, worktree: None, segments: &segments, notes: &[] };
    guard.publish(&publication).map(|_| ())
}

fn read(folder: &Path) -> Result<()> {
    let snapshot = open(folder)?.reader()?;
    snapshot.counts()?;
    let catalog = snapshot.catalog("main")?.unwrap_or_default();
    for blob in catalog.values() {
        let _ = (snapshot.blob_text(*blob), snapshot.blob_syntax(*blob), snapshot.blob_chunks(*blob));
    }
    let blobs: Vec<_> = catalog.values().copied().collect();
    let _ = (snapshot.blob_texts(&blobs), snapshot.blobs(), snapshot.blobs_defining("line"));
    let _ = (snapshot.stats(WorktreeId(1)), snapshot.branches());
    let texts: Vec<_> = (0..300).map(TextId).collect();
    for embedder in snapshot.embedders()? {
        let _ = snapshot.pending(embedder.id);
        snapshot.each_vector(&embedder, &texts, |_, _| Ok(()))?;
    }
    Ok(())
}

fn write(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    let mut guard = store.lock("a fuzzer")?;
    let mut batch = guard.begin()?;
    for line in ["line 3 of file 7", "a new line"] {
        let hash = ContentHash::of(line.as_bytes());
        batch.intern_chunk(ChunkId::new(hash, "", &[], 3), hash, false)?;
    }
    batch.commit()?;
    publish(&mut guard, &CatalogDelta::from([("file-1".to_owned(), None)]))?;
    guard.collect(&codecairn_store::MissingRefs::default(), false).map(|_| ())
}

fn repair(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    let problems = store.reader()?.verify(Depth::Full, &CancelToken::default())?;
    store.lock("a fuzzer")?.repair(&problems)?;
    store.reader()?.verify(Depth::Quick, &CancelToken::default()).map(|_| ())
}
