//! Chooses the method of a search by the bytes of the live rows, and runs it over all segments.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::DocId;
use codecairn_base::parallel::on_all_threads;

use super::block::BLOCK;
use super::exact;
use super::hnsw::{Hnsw, HnswFile};
use super::layout::row_bytes;
use super::method::Method;
use super::nearest::Nearest;
use super::quantise::QuantisedVector;
use super::query::Query;
use super::segment::{VectorSegment, VectorSegmentFile};
use super::simd::Kernel;
use super::sketch;
use super::sketch_scan;
use super::top_k::TopK;

/// Live rows up to this many bytes are all looked at.
const EXACT_BYTES: usize = 50 << 20;
/// Documents rescored per result wanted, and at least.
const RESCORED_PER_RESULT: usize = 40;
const RESCORED: usize = 2_000;
/// The graph is walked if at least one in so many of its vectors is live. With a tenth of them live a walk takes six
/// times as long, and a scan a quarter of the time.
const GRAPH_PER_LIVE: usize = 2;
/// Blocks of 64 documents in a piece of work, and how many runs of pieces a thread has on average.
const PIECE_BLOCKS: usize = 64;
const RUNS_PER_THREAD: usize = 2;
/// Bytes to read from which on threads pay for waking them.
const PARALLEL_BYTES: usize = 4 << 20;

/// The open vector segments of one model, and its graph if there is one.
#[derive(Debug)]
pub struct VectorIndex {
    segments: Vec<VectorSegment>,
    hnsw: Option<Arc<Hnsw>>,
    kernel: Kernel,
}

impl VectorIndex {
    /// Opens the live segments of a store, which must tile the documents from zero on.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if a file is not what is listed, or the segments leave a gap, overlap,
    /// or are of different models; [`Error::Io`] if a file can't be read.
    pub fn open(folder: &Path, files: &[VectorSegmentFile]) -> Result<Self> {
        let mut segments: Vec<VectorSegment> = Vec::with_capacity(files.len());
        for file in files {
            let segment = VectorSegment::open(folder, file)?;
            let end = segments.last().map_or(0, |last| last.first() + last.len());
            let model = |segment: &VectorSegment| (segment.header().dimensions, segment.header().embedder);
            if segment.first() != end || segments.last().is_some_and(|last| model(last) != model(&segment)) {
                let detail = "it does not continue the segment before it".to_owned();
                return Err(Error::StoreDamaged { path: folder.join(&file.file_name), detail });
            }
            segments.push(segment);
        }
        Ok(Self { segments, hnsw: None, kernel: Kernel::detect() })
    }

    /// Adds the graph, to be walked by [`Method::Hnsw`]. It is shared with an earlier index of the same store that has
    /// it open, as opening reads the whole file.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if the file is not whole or not made from these segments.
    pub fn open_hnsw(&mut self, folder: &Path, file: &HnswFile, before: Option<&Self>) -> Result<()> {
        let known = before.and_then(|before| before.hnsw.as_ref()).filter(|hnsw| hnsw.listed() == file);
        self.hnsw = Some(match known {
            Some(hnsw) => Arc::clone(hnsw),
            None => Arc::new(Hnsw::open(folder, file, self)?),
        });
        Ok(())
    }

    /// Number of documents, those without a vector included.
    pub fn len(&self) -> usize {
        self.segments.last().map_or(0, |last| last.first() + last.len())
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of the vectors; `None` without segments.
    pub fn dimensions(&self) -> Option<usize> {
        self.segments.first().map(VectorSegment::dimensions)
    }

    /// Hash of the id of the model; zero without segments.
    pub(super) fn embedder(&self) -> u64 {
        self.segments.first().map_or(0, |segment| segment.header().embedder)
    }

    pub(super) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The stored vector of a document, to look for more like it.
    pub fn vector(&self, doc: DocId) -> Option<QuantisedVector> {
        let (segment, index) = self.locate(doc)?;
        segment.vector(index)
    }

    /// Whether a document has a vector.
    pub fn has(&self, doc: DocId) -> bool {
        self.row(doc).is_some()
    }

    /// The cosine of a document with the query; `None` if it has no vector.
    pub fn score(&self, doc: DocId, query: &Query) -> Option<f32> {
        let (segment, index) = self.locate(doc)?;
        let (row, scale) = segment.row(index)?;
        if row.len() != query.values.len() {
            return None;
        }
        let mut product = [0];
        self.kernel.dots(&query.values, row, &mut product);
        Some(query.score(product[0], scale))
    }

    pub(super) fn row(&self, doc: DocId) -> Option<(&[i8], f32)> {
        let (segment, index) = self.locate(doc)?;
        segment.row(index)
    }

    /// The `wanted` live documents nearest to the query with their cosines, best first, equal ones by
    /// document. Documents that tie with the last are all there, so there may be more: the caller
    /// cuts after putting equal scores into its own order.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the query has other dimensions.
    pub fn search(&self, query: &Query, live: &Bitmap, wanted: usize, method: Method) -> Result<Vec<(DocId, f32)>> {
        let Some(dimensions) = self.dimensions() else { return Ok(Vec::new()) };
        if dimensions != query.dimensions() {
            let of_query = query.dimensions();
            return Err(Error::InvalidArgument(format!(
                "a query of {of_query} dimensions for vectors of {dimensions}"
            )));
        }
        if query.is_zero() || wanted == 0 {
            return Ok(Vec::new());
        }
        let hnsw = self.hnsw.as_ref().filter(|_| method == Method::Hnsw);
        if let Some(hnsw) = hnsw.filter(|hnsw| live.count() * GRAPH_PER_LIVE >= hnsw.vector_count())
            // A graph that was damaged meanwhile fails no search.
            && let Ok(Some(top)) = hnsw.search(self, query, live, wanted)
        {
            return Ok(top.joined(self.scan_later(hnsw.len(), query, live, wanted)).into_sorted());
        }
        let is_sketch = match method {
            Method::Exact => false,
            Method::Sketch => true,
            Method::Auto | Method::Hnsw => self.choose(live, wanted) == Method::Sketch,
        };
        let top = if is_sketch {
            self.rescore(&self.sketch_candidates(query, live, wanted), query, wanted)
        } else {
            self.scan(0, query, live, wanted)
        };
        Ok(top.into_sorted())
    }

    /// The method that [`Method::Auto`] chooses, by the bytes of the live rows: exact while they
    /// are few, which includes every narrow filter; above, the sketch, which needs no build and which
    /// filters cost nothing.
    pub(crate) fn choose(&self, live: &Bitmap, wanted: usize) -> Method {
        let count = live.count();
        let rescored = sketch_size(wanted);
        if count * row_bytes(self.dimensions().unwrap_or(0)) <= EXACT_BYTES || count <= rescored * 4 {
            Method::Exact
        } else {
            Method::Sketch
        }
    }

    /// Checks all bytes: bodies against checksums, rows against their scales and sketches.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] with the first damage found.
    pub fn verify(&self) -> Result<()> {
        on_all_threads(|| self.segments.par_iter().try_for_each(VectorSegment::verify))
    }

    /// Checks the checksum of each segment that `is_wanted`, by its name: 0.1 ms a megabyte.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] for the first that does not match.
    pub fn verify_checksums(&self, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
        let mut wanted = self.segments.iter().filter(|segment| is_wanted(segment.path()));
        wanted.try_for_each(VectorSegment::verify_checksum)
    }

    /// Fails with [`Error::StoreDamaged`] if a segment was cut since it was opened, as far as reading has met it.
    pub fn check_whole(&self) -> Result<()> {
        self.segments.iter().try_for_each(VectorSegment::check_whole)
    }

    /// The files of all segments.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.segments.iter().map(VectorSegment::path)
    }

    fn locate(&self, doc: DocId) -> Option<(&VectorSegment, usize)> {
        let at = self.segments.partition_point(|segment| segment.first() <= doc.index()).checked_sub(1)?;
        let segment = &self.segments[at];
        let index = doc.index() - segment.first();
        (index < segment.len()).then_some((segment, index))
    }

    /// Exact search from document `start` on.
    fn scan(&self, start: usize, query: &Query, live: &Bitmap, wanted: usize) -> TopK {
        let pieces = self.pieces(start);
        let look = |mut top: TopK, (segment, blocks): Piece<'_>| {
            exact::scan(segment, blocks, query, live, self.kernel, &mut top);
            top
        };
        fold(pieces, query.values.len(), || TopK::new(wanted), look, TopK::joined)
    }

    fn sketch_candidates(&self, query: &Query, live: &Bitmap, wanted: usize) -> Vec<DocId> {
        let (size, highest) = (sketch_size(wanted), sketch::highest(&query.tables));
        // A threshold that one thread has reached holds for all others.
        let floor = AtomicU16::new(0);
        let look = |mut nearest: Nearest, (segment, blocks): Piece<'_>| {
            nearest.raise(floor.load(Ordering::Relaxed));
            sketch_scan::candidates(segment, blocks, query, live, self.kernel, &mut nearest);
            floor.fetch_max(nearest.threshold(), Ordering::Relaxed);
            nearest
        };
        let width = query.values.len() / 8;
        fold(self.pieces(0), width, || Nearest::new(size, highest), look, Nearest::joined).into_docs()
    }

    /// All blocks from that of document `start` on, in pieces to be shared among threads.
    fn pieces(&self, start: usize) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        for segment in &self.segments {
            let skipped = start.saturating_sub(segment.first()).min(segment.len()) / BLOCK;
            for block in (skipped..segment.blocks()).step_by(PIECE_BLOCKS) {
                pieces.push((segment, block..(block + PIECE_BLOCKS).min(segment.blocks())));
            }
        }
        pieces
    }

    /// Exact search of the documents from `start` on alone.
    fn scan_later(&self, start: usize, query: &Query, live: &Bitmap, wanted: usize) -> TopK {
        if start == self.len() {
            return TopK::new(wanted);
        }
        let mut words = live.words().to_vec();
        let (whole, bits) = (start / 64, start % 64);
        words.iter_mut().take(whole).for_each(|word| *word = 0);
        if let Some(word) = words.get_mut(whole) {
            *word &= u64::MAX << bits;
        }
        self.scan(start, query, &Bitmap::of_words(words, live.len()), wanted)
    }

    /// The best of some documents that have vectors, given in rising order.
    fn rescore(&self, docs: &[DocId], query: &Query, wanted: usize) -> TopK {
        let empty = || TopK::new(wanted);
        let look = |top, docs| self.rescore_run(docs, query, top);
        if docs.len() <= RESCORED {
            return look(empty(), docs);
        }
        on_all_threads(|| docs.par_chunks(RESCORED).fold(empty, look).reduce(empty, TopK::joined))
    }

    fn rescore_run(&self, docs: &[DocId], query: &Query, mut top: TopK) -> TopK {
        let mut rest = docs;
        for segment in &self.segments {
            let end = rest.partition_point(|doc| doc.index() < segment.first() + segment.len());
            let (here, later) = rest.split_at(end);
            let rows: Vec<_> = here.iter().map(|doc| doc.index() - segment.first()).collect();
            exact::pick(segment, &rows, query, self.kernel, &mut top);
            rest = later;
        }
        top
    }
}

/// A range of blocks of one segment.
type Piece<'a> = (&'a VectorSegment, Range<usize>);

/// Looks at the pieces, `width` bytes a document, one after the other or, if there is enough to
/// read, on all threads. What was found in one piece narrows what matters in the next, so each
/// thread takes a long run of them.
fn fold<'a, T: Send>(
    pieces: Vec<Piece<'a>>,
    width: usize,
    empty: impl Fn() -> T + Sync + Send,
    look: impl Fn(T, Piece<'a>) -> T + Sync + Send,
    join: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let bytes: usize = pieces.iter().map(|(_, blocks)| blocks.len() * BLOCK * width).sum();
    if bytes < PARALLEL_BYTES {
        return pieces.into_iter().fold(empty(), look);
    }
    on_all_threads(|| {
        let run = pieces.len().div_ceil(rayon::current_num_threads() * RUNS_PER_THREAD);
        pieces.into_par_iter().with_min_len(run).fold(&empty, look).reduce(&empty, join)
    })
}

fn sketch_size(wanted: usize) -> usize {
    (wanted * RESCORED_PER_RESULT).max(RESCORED)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
