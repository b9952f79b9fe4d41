//! Verifies and repairs a store, its content and its derived files.

use std::collections::BTreeSet;

use rayon::prelude::*;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{BlobId, ChunkId, DocId};
use codecairn_base::parallel::on_all_threads;
use codecairn_index::indexer::{LookOptions, graph_file, lexical_files, unlist_graphs, vector_files};
use codecairn_lexical::LexicalIndex;
use codecairn_model::vector::VectorIndex;
use codecairn_store::{BlobRecord, Depth, Names, SegmentKind, Snapshot};
use codecairn_syntax::Syntax;
use codecairn_syntax::chunk::{EXTRACTOR_VERSION, Extraction};

use super::Engine;
use super::report::Problem;

/// Blobs whose contents are read at once.
const BLOBS: usize = 256;
/// The problem of a damaged graph.
const GRAPH: &str = "hnsw-graph";

impl Engine {
    /// Everything that is wrong with the store and its derived files; nothing, if all is well.
    pub fn verify(&self, cancel: &CancelToken) -> Result<Vec<Problem>> {
        let snapshot = self.store.reader()?;
        let mut problems: Vec<Problem> = found(&snapshot, cancel)?
            .into_iter()
            .map(|problem| Problem { code: problem.code.name().to_owned(), detail: problem.detail, repaired: false })
            .collect();
        let folder = self.store.segments_dir();
        let mut check = |code: &str, result: Result<()>| {
            if let Err(error) = result {
                problems.push(Problem { code: code.to_owned(), detail: error.to_string(), repaired: false });
            }
        };
        check("lock-file", self.store.check_lock_files());
        let lexical = lexical_files(&folder, &snapshot.segments(SegmentKind::Lexical)?);
        check("lexical-segment", LexicalIndex::open(&folder, &lexical).and_then(|index| index.verify()));
        for embedder in snapshot.embedders()? {
            let files = vector_files(&folder, &snapshot.segments(SegmentKind::Vector(embedder.id))?);
            check("vector-segment", VectorIndex::open(&folder, &files).and_then(|index| index.verify()));
            if let Some(graph) = graph_file(&folder, &snapshot.segments(SegmentKind::Hnsw(embedder.id))?)
                && let Ok(mut index) = VectorIndex::open(&folder, &files)
            {
                check(GRAPH, index.open_hnsw(&folder, &graph, None));
            }
        }
        check("kept-view", self.verify_views(&snapshot));
        Ok(problems)
    }

    /// Repairs the database, then rebuilds everything derived from it, then updates the branch.
    pub fn repair(&self, cancel: &CancelToken) -> Result<Vec<Problem>> {
        let mut problems = self.verify(cancel)?;
        if problems.is_empty() {
            return Ok(problems);
        }
        let mut guard = self.store.lock(&self.writer)?;
        let found = found(&self.store.reader()?, cancel)?;
        self.forget_views();
        guard.repair(&found)?;
        if found.iter().any(codecairn_store::Problem::is_of_names) {
            let names = names(&self.store.reader()?)?;
            guard.rewrite_names(names)?;
        }
        if problems.iter().any(|problem| problem.code == GRAPH) {
            unlist_graphs(&self.store, &mut guard)?;
        }
        let look = LookOptions { force: true, ..self.look(cancel) };
        self.run(&mut guard, look, None, &|_, _, _| {})?;
        self.update_graphs(&mut guard, cancel)?;
        drop(guard);
        let left = self.verify(cancel)?;
        for problem in &mut problems {
            problem.repaired = !left.iter().any(|other| other.code == problem.code && other.detail == problem.detail);
        }
        // Problems that show only after another repair.
        problems.extend(left.into_iter().filter(|other| !found.iter().any(|known| known.detail == other.detail)));
        Ok(problems)
    }
}

/// The problems of the database and of the content of its blobs.
fn found(snapshot: &Snapshot, cancel: &CancelToken) -> Result<Vec<codecairn_store::Problem>> {
    let mut problems = snapshot.verify(Depth::Full, cancel)?;
    let known: BTreeSet<BlobId> = problems.iter().filter_map(codecairn_store::Problem::blob).collect();
    for check in [contents, unfound_names] {
        match check(snapshot, &known, cancel) {
            Ok(more) => problems.extend(more),
            // Unreadable content was reported before.
            Err(Error::StoreDamaged { .. }) if !problems.is_empty() => {}
            Err(other) => return Err(other),
        }
    }
    Ok(problems)
}

/// A blob as it is stored.
struct PackedBlob {
    blob: BlobId,
    text: String,
    docs: Vec<DocId>,
    chunks: Vec<u8>,
    syntax: Vec<u8>,
}

/// The blobs whose chunks are not those that their text and symbols make.
fn contents(
    snapshot: &Snapshot,
    known: &BTreeSet<BlobId>,
    cancel: &CancelToken,
) -> Result<Vec<codecairn_store::Problem>> {
    let mut ids: Vec<Option<ChunkId>> = vec![None; snapshot.next_doc()?.index()];
    for (doc, id, _) in snapshot.chunks(DocId(0)..snapshot.next_doc()?)? {
        ids[doc.index()] = Some(id);
    }
    let mut problems = Vec::new();
    let is_checked = |blob: &BlobRecord| blob.extractor_version == EXTRACTOR_VERSION && !known.contains(&blob.id);
    let blobs: Vec<BlobId> = snapshot.blobs()?.into_iter().filter(is_checked).map(|blob| blob.id).collect();
    for some in blobs.chunks(BLOBS) {
        cancel.check()?;
        let texts = snapshot.blob_texts(some)?;
        let mut packed = Vec::with_capacity(some.len());
        for (&blob, text) in some.iter().zip(texts) {
            let ((docs, chunks), syntax) = (snapshot.blob_chunks(blob)?, snapshot.blob_syntax(blob)?);
            packed.push(PackedBlob { blob, text, docs, chunks, syntax });
        }
        let wrong: Vec<BlobId> = on_all_threads(|| {
            let is_wrong = |packed: &PackedBlob| {
                let stored: Option<Vec<ChunkId>> =
                    packed.docs.iter().map(|doc| ids.get(doc.index()).copied().flatten()).collect();
                let made = Extraction::unpack(&packed.chunks, &packed.syntax, &packed.text).ok();
                (made.is_none() || made.map(|made| made.chunk_ids()) != stored).then_some(packed.blob)
            };
            packed.par_iter().filter_map(is_wrong).collect()
        });
        let reported = wrong
            .into_iter()
            .map(|blob| codecairn_store::Problem::of_blob(blob, "its chunks are not those of its text"));
        problems.extend(reported);
    }
    Ok(problems)
}

/// Whether every symbol is found by its name.
fn unfound_names(snapshot: &Snapshot, _: &BTreeSet<BlobId>, _: &CancelToken) -> Result<Vec<codecairn_store::Problem>> {
    let names = names(snapshot)?;
    let missing = snapshot.names_missing(&names)?;
    Ok(if missing == 0 { Vec::new() } else { vec![codecairn_store::Problem::of_names(missing, names.count())] })
}

/// The names of all symbols, as far as they can be read.
fn names(snapshot: &Snapshot) -> Result<Names> {
    let mut names = Names::default();
    for blob in snapshot.blobs()? {
        let Ok(syntax) = snapshot.blob_syntax(blob.id) else { continue };
        for symbol in Syntax::unpack_symbols(&syntax).unwrap_or_default() {
            names.add(&symbol.name, blob.id);
        }
    }
    Ok(names)
}
