//! Wraps usearch's HNSW graph over the 8-bit rows.
//!
//! Each node holds a padded row and its scale, and the metric is our own kernel, so distances in
//! the graph are those of the exact scan. (usearch's own F16 metric decodes number by number when it
//! is built without its optional SIMD library, and takes twice the room.)
//!
//! The file is usearch's, followed by a trailer: usearch expects its bytes at the start. Its reader
//! trusts what it reads, so the whole file is checked against its checksum before usearch sees it, and
//! usearch reads our map, which survives a file that is cut while it is in use.
//!
//! Invariant: nodes are added in order of documents on one thread, so equal segments give equal
//! graphs. Documents that came later are not in it; [`VectorIndex`] scans those.

#![allow(unsafe_code, reason = "usearch borrows the map without a lifetime")]

use std::path::Path;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, VectorType};
use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::atomic_file::AtomicFile;

use super::index::VectorIndex;
use super::layout::row_bytes;
use super::query::Query;
use super::simd::cosine_distance;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{DocId, Generation};
use codecairn_base::mapped_file::MappedFile;

/// Edges of a node, and candidates kept while adding (usearch's names and, for the edges, default).
const CONNECTIVITY: usize = 16;
const EXPANSION_ADD: usize = 128;
/// Candidates kept while searching: per document wanted, and at least.
const EXPANSION_PER_RESULT: usize = 2;
const EXPANSION_SEARCH: usize = 512;
/// Searches that can run at a time; one more is refused, and the caller searches sketches instead.
const SEARCHERS: usize = 64;

const MAGIC: &[u8; 8] = b"CAIRNHNS";
const VERSION: u32 = 1;
const TRAILER: usize = 64;

/// A graph as the store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HnswFile {
    /// Name within the folder of segments.
    pub file_name: String,
    /// Generation it was written for.
    pub generation: Generation,
    /// Documents that it covers, from zero on.
    pub count: u32,
    /// Length of the file.
    pub size_bytes: u64,
}

/// An open graph.
pub struct Hnsw {
    /// Dropped before the map that it reads.
    graph: Index,
    file: MappedFile,
    listed: HnswFile,
}

impl std::fmt::Debug for Hnsw {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hnsw").field("listed", &self.listed).finish_non_exhaustive()
    }
}

impl Hnsw {
    /// Builds the graph of all documents of `index` and writes it into `folder`. Takes minutes for
    /// millions of documents; run it in the background.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::InvalidArgument`] for an index without segments; input and
    /// output errors.
    pub fn build(folder: &Path, index: &VectorIndex, generation: Generation, cancel: &CancelToken) -> Result<HnswFile> {
        let Some(dimensions) = index.dimensions() else {
            return Err(Error::InvalidArgument("no vectors to build a graph of".to_owned()));
        };
        let graph = new_graph(index, dimensions)?;
        graph.reserve_capacity_and_threads(index.len(), 1).map_err(|error| internal(&error))?;
        for doc in 0..index.len() as u32 {
            if doc.is_multiple_of(256) {
                cancel.check()?;
            }
            if let Some((row, scale)) = index.row(DocId(doc)) {
                graph.add(u64::from(doc), &node(row, scale)).map_err(|error| internal(&error))?;
            }
        }
        write(folder, &graph, index, generation)
    }

    /// Opens a graph that was built from the first documents of `index`.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file is not whole, or not of this index.
    pub fn open(folder: &Path, listed: &HnswFile, index: &VectorIndex) -> Result<Self> {
        let path = folder.join(&listed.file_name);
        let damaged = |detail: &str| Error::StoreDamaged { path: path.clone(), detail: detail.to_owned() };
        let file = MappedFile::open(&path)?;
        let body = file.bytes().len().checked_sub(TRAILER).ok_or_else(|| damaged("too short for a graph"))?;
        let dimensions = index.dimensions().unwrap_or(0);
        let expected = trailer(&file.bytes()[..body], dimensions, listed.count, index.embedder(), listed.generation);
        if file.bytes()[body..] != expected || listed.count as usize > index.len() {
            return Err(damaged("not the graph of these vectors, or not whole"));
        }
        let graph = new_graph(index, dimensions)?;
        // Room for searchers is kept by the view, which itself puts back the metric of the file's header.
        graph.reserve_capacity_and_threads(0, SEARCHERS).map_err(|error| internal(&error))?;
        // SAFETY: the map is never changed, and `Self` drops the graph before it.
        unsafe { graph.view_from_buffer(&file.bytes()[..body]) }.map_err(|error| damaged(error.what()))?;
        let graph = with_metric(graph, index, dimensions)?;
        Ok(Self { graph, file, listed: listed.clone() })
    }

    /// The file that it was opened from.
    pub(super) fn listed(&self) -> &HnswFile {
        &self.listed
    }

    /// Documents covered, from zero on.
    pub(super) fn len(&self) -> usize {
        self.listed.count as usize
    }

    /// Vectors in it.
    pub(super) fn vector_count(&self) -> usize {
        self.graph.size()
    }

    /// Live documents near the query in rising order, at least `wanted` if they are found.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file was cut or changed since it was opened; [`Error::Internal`] if too many
    /// searches run at a time.
    pub(super) fn search(&self, query: &Query, live: &Bitmap, wanted: usize) -> Result<Vec<DocId>> {
        self.file.check_whole()?;
        let expansion = (wanted * EXPANSION_PER_RESULT).max(EXPANSION_SEARCH);
        let matches = self
            .graph
            .filtered_search(&node(&query.values, query.scale), expansion, |key| live.get(key as usize))
            .map_err(|error| internal(&error))?;
        self.file.check_whole()?;
        let mut docs: Vec<_> = matches.keys.iter().map(|&key| DocId(key as u32)).collect();
        docs.sort_unstable();
        Ok(docs)
    }
}

fn new_graph(index: &VectorIndex, dimensions: usize) -> Result<Index> {
    let options = IndexOptions {
        dimensions: row_bytes(dimensions) + size_of::<f32>(),
        metric: MetricKind::IP,
        quantization: ScalarKind::I8,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    };
    with_metric(Index::new(&options).map_err(|error| internal(&error))?, index, dimensions)
}

fn with_metric(mut graph: Index, index: &VectorIndex, dimensions: usize) -> Result<Index> {
    let metric = cosine_distance(index.kernel(), row_bytes(dimensions));
    <i8 as VectorType>::change_metric(&mut graph, metric).map_err(|error| internal(&error))?;
    Ok(graph)
}

/// The content of a node: the row, then the bytes of its scale.
fn node(row: &[i8], scale: f32) -> Vec<i8> {
    row.iter().copied().chain(scale.to_le_bytes().map(u8::cast_signed)).collect()
}

fn write(folder: &Path, graph: &Index, index: &VectorIndex, generation: Generation) -> Result<HnswFile> {
    let mut bytes = vec![0; graph.serialized_length()];
    graph.save_to_buffer(&mut bytes).map_err(|error| internal(&error))?;
    let count = index.len() as u32;
    let end = trailer(&bytes, index.dimensions().unwrap_or(0), count, index.embedder(), generation);
    bytes.extend_from_slice(&end);
    let file_name = format!("vectors-{:08x}-{:x}.hnsw", index.embedder() >> 32, generation.0);
    let mut file = AtomicFile::create(folder, &file_name)?;
    file.write(&bytes)?;
    file.publish(&[])?;
    Ok(HnswFile { file_name, generation, count, size_bytes: bytes.len() as u64 })
}

/// What follows usearch's bytes: whose graph it is, and the checksum of all before.
fn trailer(body: &[u8], dimensions: usize, count: u32, embedder: u64, generation: Generation) -> [u8; TRAILER] {
    let mut bytes = [0; TRAILER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&(dimensions as u32).to_le_bytes());
    bytes[16..24].copy_from_slice(&generation.0.to_le_bytes());
    bytes[24..28].copy_from_slice(&count.to_le_bytes());
    bytes[32..40].copy_from_slice(&embedder.to_le_bytes());
    bytes[40..48].copy_from_slice(&xxh3_64(body).to_le_bytes());
    bytes
}

fn internal(error: &impl std::fmt::Display) -> Error {
    Error::Internal(format!("usearch: {error}"))
}
