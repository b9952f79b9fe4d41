use std::path::Path;

use proptest::prelude::*;

use codecairn_base::cancel::CancelToken;
use codecairn_base::id::Generation;

use super::super::{SegmentOptions, VectorSegmentWriter, merge, quantise};
use super::*;
use crate::embed::{Embedder, FeatureHash, Scratch};

/// Numbers between -1 and 1 that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.next() + self.next() + self.next()).collect()
    }
}

/// Vectors around a few hundred centres, as chunks of code lie around topics.
fn clustered(count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut random = Random(seed);
    let centres: Vec<_> = (0..count.div_ceil(50)).map(|_| random.vector(dimensions)).collect();
    (0..count)
        .map(|index| {
            let centre = &centres[(index * 7_919) % centres.len()];
            random.vector(dimensions).iter().zip(centre).map(|(noise, centre)| centre + 0.7 * noise).collect()
        })
        .collect()
}

/// The feature-hash vectors of the source of all crates, in windows of three lines.
fn source_vectors() -> Vec<Vec<f32>> {
    let mut texts = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines: Vec<_> = text.lines().collect();
                texts.extend(lines.chunks(3).map(|lines| lines.join("\n")));
            }
        }
    }
    let (model, mut scratch) = (FeatureHash::default(), Scratch::default());
    texts.iter().map(|text| model.embed_document(text, &mut scratch)).collect()
}

fn write_segment(folder: &Path, first: usize, vectors: &[Vec<f32>]) -> VectorSegmentFile {
    let options = SegmentOptions {
        first: DocId(first as u32),
        dimensions: vectors[0].len(),
        embedder: "test",
        generation: Generation(3),
    };
    let mut writer = VectorSegmentWriter::create(folder, &options).unwrap();
    for vector in vectors {
        let quantised = quantise(vector).unwrap();
        writer.push((!quantised.is_zero()).then_some(&quantised)).unwrap();
    }
    writer.finish().unwrap()
}

/// An index of the vectors, cut into segments of the given lengths and what remains.
fn index_of(folder: &Path, vectors: &[Vec<f32>], lengths: &[usize]) -> (VectorIndex, Vec<VectorSegmentFile>) {
    let (mut files, mut first) = (Vec::new(), 0);
    for length in lengths.iter().copied().chain([vectors.len()]) {
        let end = (first + length).min(vectors.len());
        if end > first {
            files.push(write_segment(folder, first, &vectors[first..end]));
            first = end;
        }
    }
    (VectorIndex::open(folder, &files).unwrap(), files)
}

fn all(len: usize) -> Bitmap {
    let mut live = Bitmap::new(len);
    (0..len).for_each(|doc| live.set(doc));
    live
}

/// Share of the ten nearest documents that `method` finds, over many queries.
fn recall(index: &VectorIndex, queries: &[Vec<f32>], live: &Bitmap, method: Method) -> f64 {
    let (mut found, mut all) = (0, 0);
    for query in queries {
        let query = Query::new(query).unwrap();
        let exact = index.search(&query, live, 10, Method::Exact).unwrap();
        let hits = index.search(&query, live, 10, method).unwrap();
        all += exact.len().min(10);
        found += exact.iter().take(10).filter(|hit| hits.contains(hit)).count();
    }
    found as f64 / f64::from(all as u32)
}

#[test]
fn recall_of_sketch_and_graph_is_held_on_clustered_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(12_000, 128, 1);
    let (mut index, _) = index_of(folder.path(), &vectors, &[5_000]);
    let file = Hnsw::build(folder.path(), &index, Generation(3), &CancelToken::default()).unwrap();
    index.open_hnsw(folder.path(), &file, None).unwrap();
    let queries: Vec<_> = clustered(12_100, 128, 1).split_off(12_000);
    for method in [Method::Sketch, Method::Hnsw] {
        let recall = recall(&index, &queries, &all(12_000), method);
        assert!(recall >= 0.95, "{method:?}: {recall}");
    }
}

#[test]
fn recall_of_sketch_and_graph_is_held_on_code() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = source_vectors();
    let (mut index, _) = index_of(folder.path(), &vectors, &[100]);
    let file = Hnsw::build(folder.path(), &index, Generation(3), &CancelToken::default()).unwrap();
    index.open_hnsw(folder.path(), &file, None).unwrap();
    let model = FeatureHash::default();
    let queries: Vec<_> =
        ["read a mapped file", "split identifiers", "sort by score", "damaged header", "vector product"]
            .iter()
            .map(|query| model.embed_query(query, &mut Scratch::default()))
            .chain(vectors.iter().step_by(9).cloned())
            .collect();
    for method in [Method::Sketch, Method::Hnsw] {
        let recall = recall(&index, &queries, &all(vectors.len()), method);
        assert!(recall >= 0.95, "{method:?}: {recall}");
    }
}

#[test]
fn a_graph_finds_later_documents_and_only_live_ones() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(900, 64, 2);
    let (small, mut files) = index_of(folder.path(), &vectors[..600], &[]);
    let graph = Hnsw::build(folder.path(), &small, Generation(3), &CancelToken::default()).unwrap();
    files.push(write_segment(folder.path(), 600, &vectors[600..]));
    let mut index = VectorIndex::open(folder.path(), &files).unwrap();
    index.open_hnsw(folder.path(), &graph, None).unwrap();
    let mut live = Bitmap::new(900);
    (0..900).step_by(3).for_each(|doc| live.set(doc));
    let queries: Vec<_> = vectors.iter().step_by(17).cloned().collect();
    assert!(recall(&index, &queries, &live, Method::Hnsw) >= 0.95);
    let query = Query::new(&vectors[700]).unwrap();
    let hits = index.search(&query, &all(900), 1, Method::Hnsw).unwrap();
    assert_eq!(hits[0].0, DocId(700));
    let hits = index.search(&query, &live, 400, Method::Hnsw).unwrap();
    assert!(hits.iter().all(|(doc, _)| live.get(doc.index())));
}

#[test]
fn without_a_graph_and_behind_a_narrow_filter_hnsw_is_as_auto() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(900, 64, 2);
    let (mut index, files) = index_of(folder.path(), &vectors, &[]);
    let query = Query::new(&vectors[70]).unwrap();
    let found = |index: &VectorIndex, live: &Bitmap, method| index.search(&query, live, 40, method).unwrap();
    assert_eq!(found(&index, &all(900), Method::Hnsw), found(&index, &all(900), Method::Auto));
    // A graph that lacks the nearest document shows who walks it.
    let other = tempfile::tempdir().unwrap();
    let mut fewer = vectors.clone();
    fewer[70].fill(0.0);
    let (without, _) = index_of(other.path(), &fewer, &[]);
    let graph = Hnsw::build(other.path(), &without, Generation(3), &CancelToken::default()).unwrap();
    index.open_hnsw(other.path(), &graph, None).unwrap();
    let mut narrow = Bitmap::new(900);
    (0..900).step_by(10).for_each(|doc| narrow.set(doc));
    assert_ne!(found(&index, &all(900), Method::Hnsw)[0].0, DocId(70));
    assert_eq!(found(&index, &narrow, Method::Hnsw)[0].0, DocId(70));
    // The next state of a store shares the open graph.
    std::fs::remove_file(other.path().join(&graph.file_name)).unwrap();
    let mut next = VectorIndex::open(folder.path(), &files).unwrap();
    assert!(next.open_hnsw(other.path(), &graph, None).is_err());
    next.open_hnsw(other.path(), &graph, Some(&index)).unwrap();
    assert_eq!(found(&next, &all(900), Method::Hnsw), found(&index, &all(900), Method::Hnsw));
}

#[test]
fn methods_are_named_and_other_names_are_refused() {
    let named: [Method; 4] = ["auto", "exact", "sketch", "hnsw"].map(|name| name.parse().unwrap());
    assert_eq!(named, [Method::Auto, Method::Exact, Method::Sketch, Method::Hnsw]);
    assert!("HNSW".parse::<Method>().unwrap_err().contains("auto, exact, sketch or hnsw"));
}

#[test]
fn a_damaged_graph_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut index, _) = index_of(folder.path(), &clustered(50, 64, 2), &[]);
    let listed = Hnsw::build(folder.path(), &index, Generation(3), &CancelToken::default()).unwrap();
    let path = folder.path().join(&listed.file_name);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, listed.size_bytes);
    for at in (0..bytes.len()).step_by(101).chain(bytes.len() - 64..bytes.len()) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert!(
            matches!(index.open_hnsw(folder.path(), &listed, None), Err(Error::StoreDamaged { .. })),
            "flipped at {at}"
        );
    }
    std::fs::write(&path, &bytes[..30]).unwrap();
    assert!(matches!(index.open_hnsw(folder.path(), &listed, None), Err(Error::StoreDamaged { .. })));
}

#[test]
fn building_a_graph_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = index_of(folder.path(), &clustered(50, 64, 2), &[]);
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(Hnsw::build(folder.path(), &index, Generation(3), &cancel), Err(Error::Cancelled)));
}

#[test]
fn a_damaged_or_cut_segment_is_found_when_opened_or_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (_, files) = index_of(folder.path(), &clustered(70, 70, 2), &[]);
    let path = folder.path().join(&files[0].file_name);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, files[0].size_bytes);
    for len in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        std::fs::write(&path, &bytes[..len]).unwrap();
        assert!(matches!(VectorIndex::open(folder.path(), &files), Err(Error::StoreDamaged { .. })), "cut at {len}");
    }
    for at in (0..64).chain((64..bytes.len()).step_by(31)).filter(|at| !(56..64).contains(at)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        std::fs::write(&path, &damaged).unwrap();
        let found = VectorIndex::open(folder.path(), &files).and_then(|index| {
            index.search(&Query::new(&[1.0; 70]).unwrap(), &all(70), 9, Method::Exact).unwrap();
            index.verify()
        });
        assert!(matches!(found, Err(Error::StoreDamaged { .. })), "flipped at {at}");
    }
}

#[test]
fn segments_that_do_not_tile_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(40, 64, 3);
    let (_, files) = index_of(folder.path(), &vectors, &[20]);
    assert!(VectorIndex::open(folder.path(), &files[1..]).is_err(), "a gap at the start");
    assert!(VectorIndex::open(folder.path(), &[files[1].clone(), files[0].clone()]).is_err(), "out of order");
    let narrow = write_segment(folder.path(), 20, &clustered(20, 32, 3));
    assert!(VectorIndex::open(folder.path(), &[files[0].clone(), narrow]).is_err(), "other dimensions");
    let mut listed = files.clone();
    listed[0].generation = Generation(4);
    assert!(VectorIndex::open(folder.path(), &listed).is_err(), "another generation");
}

#[test]
fn bad_queries_get_an_answer_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = index_of(folder.path(), &clustered(40, 64, 3), &[]);
    let search = |query: &Query, method| index.search(query, &all(40), 5, method);
    assert!(matches!(search(&Query::new(&[1.0; 63]).unwrap(), Method::Exact), Err(Error::InvalidArgument(_))));
    assert_eq!(search(&Query::new(&[0.0; 64]).unwrap(), Method::Exact).unwrap(), []);
    let empty = VectorIndex::open(folder.path(), &[]).unwrap();
    assert_eq!(empty.search(&Query::new(&[1.0; 3]).unwrap(), &all(0), 5, Method::Auto).unwrap(), []);
    assert!(empty.is_empty() && empty.dimensions().is_none());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = SegmentOptions { first: DocId(0), dimensions: 9, embedder: "test", generation: Generation(1) };
    let mut writer = VectorSegmentWriter::create(folder.path(), &options).unwrap();
    assert!(writer.push(Some(&quantise(&[1.0]).unwrap())).is_err(), "other dimensions");
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn merged_segments_hold_what_they_held_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut vectors = clustered(150, 70, 4);
    vectors[77].fill(0.0);
    let (apart, files) = index_of(folder.path(), &vectors, &[10, 70]);
    let merged = merge(folder.path(), &files, Generation(8)).unwrap();
    let index = VectorIndex::open(folder.path(), &[merged]).unwrap();
    index.verify().unwrap();
    for doc in (0..151).map(DocId) {
        assert_eq!(index.vector(doc), apart.vector(doc));
    }
    assert!(index.vector(DocId(77)).is_none());
    assert!(merge(folder.path(), &[files[0].clone(), files[2].clone()], Generation(9)).is_err());
    assert!(merge(folder.path(), &[], Generation(9)).is_err());
}

#[test]
fn large_scans_on_many_threads_equal_small_ones() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(30_000, 192, 5);
    let (index, _) = index_of(folder.path(), &vectors, &[]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let query = Query::new(&vectors[9]).unwrap();
    let live = all(vectors.len());
    for method in [Method::Exact, Method::Sketch] {
        let many = pool.install(|| index.search(&query, &live, 50, method).unwrap());
        let expected: Vec<_> = many.iter().map(|(doc, _)| (*doc, index.score(*doc, &query).unwrap())).collect();
        assert_eq!(many, expected);
        assert_eq!(many[0], (DocId(9), index.score(DocId(9), &query).unwrap()));
    }
    assert_eq!(index.choose(&live, 10), Method::Exact);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn search_equals_sorting_however_segments_are_cut(seed in any::<u64>(), lengths in proptest::collection::vec(1usize..90, 0..4), holes in proptest::collection::vec(0usize..200, 0..20), dead in proptest::collection::vec(0usize..200, 0..200), wanted in 1usize..60) {
        let folder = tempfile::tempdir().unwrap();
        let mut vectors = clustered(200, 30, seed);
        vectors[11] = vectors[12].clone();
        for &hole in &holes {
            vectors[hole].fill(0.0);
        }
        let (index, _) = index_of(folder.path(), &vectors, &lengths);
        let query = Query::new(&clustered(1, 30, seed ^ 1)[0]).unwrap();
        let mut live = Bitmap::new(200);
        (0..200).filter(|doc| !dead.contains(doc)).for_each(|doc| live.set(doc));
        let mut expected: Vec<_> = live.iter().map(|doc| DocId(doc as u32)).filter_map(|doc| Some((doc, index.score(doc, &query)?))).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let last = expected.get(wanted - 1).map_or(f32::MIN, |hit| hit.1);
        expected.retain(|hit| hit.1 >= last);
        for method in [Method::Exact, Method::Sketch, Method::Auto] {
            prop_assert_eq!(&index.search(&query, &live, wanted, method).unwrap(), &expected);
        }
        index.verify().unwrap();
    }
}
