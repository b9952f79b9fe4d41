//! Builds and walks HNSW graphs over the 8-bit rows.
//!
//! usearch builds a graph, with our own kernel as its metric, so distances are those of the exact scan. Each of its nodes
//! is a padded row and its scale; the file keeps the links alone, see [`Links`].
//!
//! The walk is ours: usearch trusts the file that it reads, and follows a link that is damaged or cut out of memory.
//!
//! Invariant: nodes are added in order of documents on one thread, so equal segments give equal
//! graphs. Documents that came later are not in it; [`VectorIndex`] scans those.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, VectorType};

use codecairn_base::atomic_file::AtomicFile;
use codecairn_base::bitmap::Bitmap;
use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::{DocId, Generation};

use super::hnsw_links::{GraphOf, LINKS, Links, pack};
use super::index::VectorIndex;
use super::layout::row_bytes;
use super::query::Query;
use super::simd::{cosine_distance, prefetch};
use super::top_k::TopK;

/// Candidates kept while adding.
const EXPANSION_ADD: usize = 128;
/// Candidates kept while searching: per document wanted, and at least.
const EXPANSION_PER_RESULT: usize = 2;
const EXPANSION_SEARCH: usize = 512;

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
#[derive(Debug)]
pub struct Hnsw {
    links: Links,
    listed: HnswFile,
}

impl Hnsw {
    /// Builds the graph of all documents of `index` and writes it into `folder`, in O(n log n): 0.2 to 0.6 ms for
    /// each document.
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
        let mut saved = vec![0; graph.serialized_length()];
        graph.save_to_buffer(&mut saved).map_err(|error| internal(&error))?;
        drop(graph);
        let of = graph_of(index, index.len() as u32, generation);
        let bytes = pack(&saved, of).ok_or_else(|| internal(&"a graph in an unknown format"))?;
        let file_name = format!("vectors-{:08x}-{:x}.hnsw", index.embedder() >> 32, generation.0);
        let mut file = AtomicFile::create(folder, &file_name)?;
        file.write(&bytes)?;
        file.publish(&[])?;
        Ok(HnswFile { file_name, generation, count: of.count, size_bytes: bytes.len() as u64 })
    }

    /// Opens a graph that was built from the first documents of `index`.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file is not whole, or not of this index.
    pub fn open(folder: &Path, listed: &HnswFile, index: &VectorIndex) -> Result<Self> {
        let path = folder.join(&listed.file_name);
        let links = Links::open(&path, graph_of(index, listed.count, listed.generation))?;
        if listed.count as usize > index.len() {
            return Err(Error::StoreDamaged { path, detail: "a graph of more vectors than there are".to_owned() });
        }
        Ok(Self { links, listed: listed.clone() })
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
        self.links.len()
    }

    /// The best of the live documents that a walk to the query meets; `None` if it meets fewer than `wanted` although
    /// the graph has more nodes: some may be cut off from the others, or not live.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file was cut or changed since it was opened.
    pub(super) fn search(
        &self,
        index: &VectorIndex,
        query: &Query,
        live: &Bitmap,
        wanted: usize,
    ) -> Result<Option<TopK>> {
        self.links.check_whole()?;
        let found = Walk { links: &self.links, index, query }.nearest(live, wanted);
        self.links.check_whole()?;
        if found.len() < wanted.min(self.links.len()) {
            return Ok(None);
        }
        let mut top = TopK::new(wanted);
        for step in found {
            top.push(DocId(self.links.document(step.node()).unwrap_or(0)), step.score());
        }
        Ok(Some(top))
    }
}

/// A node and its score as a number that rises with the score, then with the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step(u64);

impl Step {
    /// The bits of floats rise with positive numbers and fall with negative ones, as in [`f32::total_cmp`].
    fn new(node: u32, score: f32) -> Self {
        let bits = score.to_bits();
        let rising = if score.is_sign_negative() { !bits } else { bits | 1 << 31 };
        Self(u64::from(rising) << 32 | u64::from(node))
    }

    fn node(self) -> u32 {
        self.0 as u32
    }

    fn score(self) -> f32 {
        let rising = (self.0 >> 32) as u32;
        f32::from_bits(if rising >> 31 == 0 { !rising } else { rising & !(1 << 31) })
    }
}

/// A walk from the entry of a graph to a query.
struct Walk<'a> {
    links: &'a Links,
    index: &'a VectorIndex,
    query: &'a Query,
}

impl Walk<'_> {
    /// The live nodes nearest to the query that a beam search meets: it follows the links of the best node that it has not
    /// left yet, until that is worse than the worst of `2 · wanted` live ones. Equal scores go by node.
    fn nearest(&self, live: &Bitmap, wanted: usize) -> Vec<Step> {
        let expansion = (wanted * EXPANSION_PER_RESULT).max(EXPANSION_SEARCH);
        let Some(entry) = self.descend() else { return Vec::new() };
        let is_live = |step: Step| self.links.document(step.node()).is_some_and(|doc| live.get(doc as usize));
        let mut met = Bitmap::new(self.links.len());
        met.set(entry.node() as usize);
        let mut ahead = BinaryHeap::from([entry]);
        // The worst of the best is on top.
        let mut best: BinaryHeap<Reverse<Step>> = BinaryHeap::with_capacity(expansion + 1);
        best.extend(is_live(entry).then_some(Reverse(entry)));
        let mut found = Vec::with_capacity(2 * LINKS);
        while let Some(step) = ahead.pop() {
            let is_full = best.len() >= expansion;
            if is_full && best.peek().is_some_and(|worst| step < worst.0) {
                break;
            }
            let is_new = |node: &&u32| {
                let node = **node as usize;
                let is_new = node < met.len() && !met.get(node);
                if is_new {
                    met.set(node);
                }
                is_new
            };
            self.score(self.links.neighbours(step.node()).iter().filter(is_new), &mut found);
            for &next in &found {
                if best.len() >= expansion && best.peek().is_some_and(|worst| next < worst.0) {
                    continue;
                }
                ahead.push(next);
                if is_live(next) {
                    best.push(Reverse(next));
                    if best.len() > expansion {
                        best.pop();
                    }
                }
            }
        }
        best.into_iter().map(|Reverse(step)| step).collect()
    }

    /// The node from which no link of an upper level leads nearer to the query.
    fn descend(&self) -> Option<Step> {
        let (entry, top_level) = self.links.entry()?;
        let mut found = Vec::with_capacity(LINKS);
        self.score(std::iter::once(&entry), &mut found);
        let mut best = found.pop().unwrap_or(Step::new(entry, f32::NEG_INFINITY));
        for level in (1..=top_level).rev() {
            loop {
                self.score(self.links.upper_neighbours(best.node(), level).iter(), &mut found);
                let next = found.iter().copied().max().filter(|next| *next > best);
                let Some(next) = next else { break };
                best = next;
            }
        }
        Some(best)
    }

    /// Scores nodes into `found`. All rows are asked of memory before the first is read, as they lie far apart.
    fn score<'a>(&self, nodes: impl Iterator<Item = &'a u32>, found: &mut Vec<Step>) {
        found.clear();
        let mut rows = [(0, &[][..], 0.0); 2 * LINKS];
        let mut count = 0;
        for &node in nodes {
            let row = self.links.document(node).and_then(|doc| self.index.row(DocId(doc)));
            if let (Some((row, scale)), Some(place)) = (row, rows.get_mut(count)) {
                prefetch(bytemuck::cast_slice(row));
                *place = (node, row, scale);
                count += 1;
            }
        }
        let mut product = [0];
        for &(node, row, scale) in &rows[..count] {
            self.index.kernel().dots(&self.query.values, row, &mut product);
            found.push(Step::new(node, self.query.score(product[0], scale)));
        }
    }
}

fn graph_of(index: &VectorIndex, count: u32, generation: Generation) -> GraphOf {
    GraphOf { dimensions: index.dimensions().unwrap_or(0), generation, embedder: index.embedder(), count }
}

fn new_graph(index: &VectorIndex, dimensions: usize) -> Result<Index> {
    let options = IndexOptions {
        dimensions: row_bytes(dimensions) + size_of::<f32>(),
        metric: MetricKind::IP,
        quantization: ScalarKind::I8,
        connectivity: LINKS,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    };
    let mut graph = Index::new(&options).map_err(|error| internal(&error))?;
    let metric = cosine_distance(index.kernel(), row_bytes(dimensions));
    <i8 as VectorType>::change_metric(&mut graph, metric).map_err(|error| internal(&error))?;
    Ok(graph)
}

/// The content of a node: the row, then the bytes of its scale.
fn node(row: &[i8], scale: f32) -> Vec<i8> {
    row.iter().copied().chain(scale.to_le_bytes().map(u8::cast_signed)).collect()
}

fn internal(error: &impl std::fmt::Display) -> Error {
    Error::Internal(format!("usearch: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::hnsw_links::sign;
    use super::super::{SegmentOptions, VectorSegmentWriter, quantise};
    use super::*;

    #[test]
    fn graph_of_any_content_crashes_no_search() {
        let folder = tempfile::tempdir().unwrap();
        let options = SegmentOptions { first: DocId(0), dimensions: 8, embedder: "test", generation: Generation(1) };
        let mut writer = VectorSegmentWriter::create(folder.path(), &options).unwrap();
        for at in 0..40 {
            let vector: Vec<f32> = (0..8).map(|axis| ((at * 7 + axis * axis * 5) % 13) as f32 - 6.0).collect();
            writer.push(Some(&quantise(&vector).unwrap())).unwrap();
        }
        let mut index = VectorIndex::open(folder.path(), &[writer.finish().unwrap()]).unwrap();
        let listed = Hnsw::build(folder.path(), &index, Generation(1), &CancelToken::default()).unwrap();
        let path = folder.path().join(&listed.file_name);
        let whole = std::fs::read(&path).unwrap();
        let query = Query::new(&[1.0; 8]).unwrap();
        let live = Bitmap::of_words(vec![u64::MAX], 40);
        let mut opened = 0;
        for at in (36..whole.len() - 3).step_by(2).filter(|at| !(54..64).contains(at)) {
            for word in [0xffff_fff0_u32, 0x0001_0000, 41, 0] {
                let mut bytes = whole.clone();
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                sign(&mut bytes);
                std::fs::write(&path, &bytes).unwrap();
                if index.open_hnsw(folder.path(), &listed, None).is_ok() {
                    let found = index.search(&query, &live, 10, super::super::Method::Hnsw).unwrap();
                    assert!(found.len() >= 10 && found.iter().all(|(doc, _)| doc.0 < 40), "{word:#x} at {at}");
                    opened += 1;
                }
            }
        }
        assert!(opened > 1_000, "{opened}");
    }
}
