//! What the parts of the store do together.

mod access;
mod content;
mod damage;
mod model;
mod numbering;
mod processes;
mod publish;
mod upkeep;

use std::sync::Arc;

use codecairn_base::clock::FixedClock;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{BlobId, ChunkId, EmbedderId, Generation, TextId};

use super::*;

/// Bytes of a vector in tests.
const WIDTH: u32 = 8;

/// A store in a folder that goes away with it.
struct Fixture {
    dir: tempfile::TempDir,
    store: Store,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir.path().join("store")).unwrap();
        Self { dir, store }
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join("store")
    }

    fn lock(&self) -> WriteGuard {
        self.store.lock("a test").unwrap()
    }

    fn read(&self) -> Snapshot {
        self.store.reader().unwrap()
    }

    /// The catalog of a branch with texts instead of blobs.
    fn texts(&self, branch: &str) -> Vec<(String, String)> {
        let snapshot = self.read();
        let catalog = snapshot.catalog(branch).unwrap().unwrap();
        catalog.into_iter().map(|(path, blob)| (path, snapshot.blob_text(blob).unwrap())).collect()
    }
}

fn options() -> OpenOptions {
    OpenOptions::new(Arc::new(FixedClock(1_000)))
}

fn open(dir: &std::path::Path) -> codecairn_base::Result<Store> {
    Store::open(dir, options())
}

/// Adds a text as a blob with a chunk for each line, and a vector for each new text if there is an embedder.
fn add(batch: &mut Batch<'_>, text: &str, embedder: Option<EmbedderId>) -> BlobId {
    let mut docs = Vec::new();
    for (ordinal, line) in (0..).zip(text.lines()) {
        let hash = ContentHash::of(line.as_bytes());
        let interned = batch.intern_chunk(ChunkId::new(hash, "", &[], ordinal), hash, false).unwrap();
        if let (Some(embedder), Some(text)) = (embedder, interned.new_text) {
            batch.put_vectors(embedder, [(text, &vector_of(hash)[..])]).unwrap();
        }
        docs.push(interned.doc);
    }
    let names: Vec<NameHash> = text.split_whitespace().map(NameHash::of).collect();
    let blob = NewBlob {
        hash: ContentHash::of(text.as_bytes()),
        language: "text",
        class: "source",
        encoding: "utf-8",
        extractor_version: 1,
        text,
        line_count: text.lines().count() as u32,
        flags: 0,
        docs: &docs,
        tables: &PackedTables::new(b"chunks", text.as_bytes()),
        names: &names,
    };
    batch.add_blob(&blob).unwrap()
}

/// The vector of a text in tests: the first bytes of its hash.
fn vector_of(hash: ContentHash) -> [u8; 8] {
    *hash.as_bytes().first_chunk().unwrap()
}

/// Publishes files of a branch, given as path and text (`None`: removed), as one batch.
fn publish(guard: &mut WriteGuard, branch: &str, base: Option<&str>, files: &[(&str, Option<&str>)]) -> Generation {
    let mut batch = guard.begin().unwrap();
    let delta: CatalogDelta =
        files.iter().map(|(path, text)| ((*path).to_owned(), text.map(|text| add(&mut batch, text, None)))).collect();
    batch.commit().unwrap();
    let (segments, notes) = (Segments::new(), []);
    let publication =
        Publication { branch, head: None, base, delta: &delta, worktree: None, segments: &segments, notes: &notes };
    guard.publish(&publication).unwrap()
}

/// The text of a line as the test fixture interns it.
fn text_id(snapshot: &Snapshot, line: &str) -> Option<TextId> {
    let hash = ContentHash::of(line.as_bytes());
    (0..snapshot.counts().unwrap().texts as u32)
        .map(TextId)
        .find(|text| snapshot.text_hash(*text).unwrap() == Some(hash))
}
