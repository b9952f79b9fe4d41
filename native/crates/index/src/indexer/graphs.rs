//! Builds the HNSW graphs of vector spaces, and rebuilds those that cover too few of the documents.
//!
//! Invariant: a listed graph was built from the vectors that are listed with it. A run that rebuilds vectors unlists
//! their graph; one that appends vectors keeps it, and searches scan what it does not cover.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Result;
use codecairn_base::id::DocId;
use codecairn_model::vector::{Hnsw, HnswFile, VectorIndex};
use codecairn_store::{Segment, SegmentKind, Segments, Store, WriteGuard};

use super::run::FILE_GRACE_NS;
use super::segment_files::{graph_file, vector_files};

/// A graph is rebuilt when more than one in so many documents are left to the exact scan, which takes about as long as
/// the walk by then.
const DOCS_PER_UNCOVERED: usize = 10;

/// Builds the missing, damaged and outgrown graphs of the named spaces and publishes them, in O(n log n): 0.2 to 0.6 ms
/// for each vector. Searches read the published vectors meanwhile.
pub fn update_graphs(store: &Store, guard: &mut WriteGuard, spaces: &[&str], cancel: &CancelToken) -> Result<()> {
    let folder = store.segments_dir();
    // No snapshot is held while a graph is built: without a log a commit waits for all readers.
    let snapshot = store.reader()?;
    let mut listed = Vec::new();
    for embedder in snapshot.embedders()?.into_iter().filter(|embedder| spaces.contains(&embedder.name.as_str())) {
        let vectors = vector_files(&folder, &snapshot.segments(SegmentKind::Vector(embedder.id))?);
        let kind = SegmentKind::Hnsw(embedder.id);
        listed.push((kind, vectors, graph_file(&folder, &snapshot.segments(kind)?)));
    }
    drop(snapshot);
    let mut built = Segments::new();
    for (kind, vectors, graph) in listed {
        let mut index = VectorIndex::open(&folder, &vectors)?;
        let uncovered = |graph: &HnswFile| index.len().saturating_sub(graph.count as usize);
        let current = graph.filter(|graph| uncovered(graph) * DOCS_PER_UNCOVERED <= index.len());
        if index.is_empty() || current.is_some_and(|graph| index.open_hnsw(&folder, &graph, None).is_ok()) {
            continue;
        }
        let graph = Hnsw::build(&folder, &index, guard.next_generation()?, cancel)?;
        let HnswFile { file_name: file, generation, count, .. } = graph;
        built.insert(kind, vec![Segment { first: DocId(0), count, file, generation }]);
    }
    if !built.is_empty() {
        guard.publish_segments(&built)?;
        guard.remove_unused_files(FILE_GRACE_NS)?;
    }
    Ok(())
}

/// Unlists all graphs; their files are garbage then.
pub fn unlist_graphs(store: &Store, guard: &mut WriteGuard) -> Result<()> {
    let kinds = store.reader()?.all_segments()?.into_keys();
    let graphs: Segments =
        kinds.filter(|kind| matches!(kind, SegmentKind::Hnsw(_))).map(|kind| (kind, Vec::new())).collect();
    if graphs.is_empty() { Ok(()) } else { guard.publish_segments(&graphs).map(drop) }
}
