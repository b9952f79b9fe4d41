//! Defines the file format of an HNSW graph: the links between documents. Their vectors are in the segments.
//!
//! Numbers are little-endian and have 32 bits unless said otherwise.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | magic `CAIRNHNS` |
//! | 8..12 | format version, 2 |
//! | 12..16 | dimensions |
//! | 16..24 | generation |
//! | 24..32 | xxh3-64 of the embedder's id |
//! | 32..36 | documents covered, from zero on |
//! | 36..40 | nodes: documents with a vector |
//! | 40..44 | tall nodes: those in upper levels |
//! | 44..48 | lists of upper levels |
//! | 48..52 | node where a walk enters |
//! | 52..56 | its level, the top one |
//! | 56..64 | xxh3-64 of bytes 64.., seeded with that of bytes 0..56 |
//! | documents | of each node, in rising order |
//! | neighbours | a list of up to [`BASE_LINKS`] for each node: its length, then nodes, zeros |
//! | tall nodes | in rising order, each with the number of its first list |
//! | upper lists | as above, of up to [`LINKS`], those of a node from level 1 on |
//!
//! Invariant: whatever a file contains, reading it neither leaves the map nor goes on for ever.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use codecairn_base::error::{Error, Result};
use codecairn_base::id::Generation;
use codecairn_base::mapped_file::MappedFile;

/// Most edges of a node in an upper level, and in the base level (usearch's default).
pub(super) const LINKS: usize = 16;
const BASE_LINKS: usize = 2 * LINKS;
/// No graph of fewer than 2³² nodes has as many levels: a node reaches the next with a chance of one in [`LINKS`].
const MAX_LEVEL: u32 = 64;

const MAGIC: &[u8; 8] = b"CAIRNHNS";
const VERSION: u32 = 2;
const HEADER: usize = 64;
/// Length of usearch's own header of vectors.
const USEARCH_HEAD: usize = 64;

/// Which vectors a graph was built from.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphOf {
    pub(super) dimensions: usize,
    pub(super) generation: Generation,
    pub(super) embedder: u64,
    /// Documents covered.
    pub(super) count: u32,
}

impl GraphOf {
    fn bytes(self) -> [u8; 36] {
        let mut bytes = [0; 36];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.dimensions as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.0.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.embedder.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.count.to_le_bytes());
        bytes
    }
}

/// The links of a graph in a mapped file.
#[derive(Debug)]
pub(super) struct Links {
    file: MappedFile,
    documents: Range<usize>,
    neighbours: Range<usize>,
    tall: Range<usize>,
    upper: Range<usize>,
    entry: u32,
    top_level: u32,
}

impl Links {
    /// Maps a file and checks that it is whole and the graph of these vectors, in O(size): 0.1 ms a megabyte.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`] if it is not.
    pub(super) fn open(path: &Path, of: GraphOf) -> Result<Self> {
        let damaged = |detail: &str| Error::StoreDamaged { path: path.to_path_buf(), detail: detail.to_owned() };
        let file = MappedFile::open(path)?;
        let links = Self::find(file, of).ok_or_else(|| damaged("not the graph of these vectors, or not whole"))?;
        let documents = links.words(&links.documents);
        let is_rising = documents.windows(2).all(|pair| pair[0] < pair[1]);
        if links.top_level > MAX_LEVEL || !is_rising || documents.last().is_some_and(|&last| last >= of.count) {
            return Err(damaged("not a graph"));
        }
        Ok(links)
    }

    fn find(file: MappedFile, of: GraphOf) -> Option<Self> {
        let bytes = file.bytes();
        let (head, body) = bytes.split_at_checked(HEADER)?;
        let is_whole = head.starts_with(&of.bytes()) && head[56..] == checksum(&head[..56], body).to_le_bytes();
        let [nodes, tall, lists, entry, top_level] =
            [36, 40, 44, 48, 52].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|byte| head[at + byte])));
        let mut end = HEADER;
        let mut section = |count: u32, width: usize| {
            let start = end;
            end = end.checked_add((count as usize).checked_mul(width)?.checked_mul(size_of::<u32>())?)?;
            Some(start..end)
        };
        let (documents, neighbours) = (section(nodes, 1)?, section(nodes, 1 + BASE_LINKS)?);
        let (tall, upper) = (section(tall, 2)?, section(lists, 1 + LINKS)?);
        let is_aligned = bytemuck::try_cast_slice::<u8, u32>(bytes.get(..end)?).is_ok();
        if !is_whole || !is_aligned || end != bytes.len() {
            return None;
        }
        Some(Self { file, documents, neighbours, tall, upper, entry, top_level })
    }

    /// Fails with [`Error::StoreDamaged`] if the file was cut or changed since it was opened.
    pub(super) fn check_whole(&self) -> Result<()> {
        self.file.check_whole()
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.documents.len() / size_of::<u32>()
    }

    /// Where a walk enters, and the level of that node; `None` without nodes.
    pub(super) fn entry(&self) -> Option<(u32, u32)> {
        ((self.entry as usize) < self.len()).then_some((self.entry, self.top_level))
    }

    /// The document of a node.
    pub(super) fn document(&self, node: u32) -> Option<u32> {
        self.words(&self.documents).get(node as usize).copied()
    }

    /// The neighbours of a node in the base level.
    pub(super) fn neighbours(&self, node: u32) -> &[u32] {
        list(self.words(&self.neighbours), node as usize, 1 + BASE_LINKS)
    }

    /// The neighbours of a tall node in an upper level.
    pub(super) fn upper_neighbours(&self, node: u32, level: u32) -> &[u32] {
        let (tall, _) = self.words(&self.tall).as_chunks::<2>();
        match tall.binary_search_by_key(&node, |&[node, _]| node) {
            Ok(at) => list(self.words(&self.upper), tall[at][1] as usize + level as usize - 1, 1 + LINKS),
            Err(_) => &[],
        }
    }

    fn words(&self, section: &Range<usize>) -> &[u32] {
        bytemuck::cast_slice(&self.file.bytes()[section.clone()])
    }
}

/// The list of a number; nothing beyond the last, and of one that is longer than its room.
fn list(lists: &[u32], number: usize, width: usize) -> &[u32] {
    let found = number.checked_mul(width).and_then(|at| lists.get(at..)?.get(..width));
    found.and_then(|list| list[1..].get(..list[0] as usize)).unwrap_or_default()
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(head))
}

/// Takes the links out of a graph that usearch has saved, in the order of its nodes; `None` if it is in another format.
pub(super) fn pack(saved: &[u8], of: GraphOf) -> Option<Vec<u8>> {
    let mut saved = Saved(saved);
    let (rows, width) = (saved.u32()? as usize, saved.u32()? as usize);
    saved.take(rows * width)?;
    let is_usearch = saved.take(USEARCH_HEAD)?.starts_with(b"usearch");
    let sizes = [saved.u64()?, saved.u64()?, saved.u64()?];
    let (top_level, entry) = (saved.u64()? as u32, saved.u64()? as u32);
    if !is_usearch || sizes != [rows, LINKS, BASE_LINKS].map(|size| size as u64) {
        return None;
    }
    let levels = saved.take(rows * 2)?;
    let [mut documents, mut neighbours, mut tall, mut upper] = [const { Vec::new() }; 4];
    let mut lists = 0_u32;
    for (node, level) in levels.chunks_exact(2).enumerate() {
        let level = u32::from(u16::from_le_bytes([level[0], level[1]]));
        documents.extend((saved.u64()? as u32).to_le_bytes());
        saved.take(2)?;
        neighbours.extend(saved.take((1 + BASE_LINKS) * 4)?);
        if level > 0 {
            tall.extend([node as u32, lists].map(u32::to_le_bytes).as_flattened());
            upper.extend(saved.take(level as usize * (1 + LINKS) * 4)?);
            lists += level;
        }
    }
    let mut packed = of.bytes().to_vec();
    let numbers = [rows as u32, (tall.len() / 8) as u32, lists, entry, top_level];
    packed.extend(numbers.map(u32::to_le_bytes).as_flattened());
    let body = [documents, neighbours, tall, upper].concat();
    packed.extend(checksum(&packed, &body).to_le_bytes());
    packed.extend(body);
    saved.0.is_empty().then_some(packed)
}

/// What usearch saved and was not read yet.
struct Saved<'a>(&'a [u8]);

impl<'a> Saved<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

/// Makes the checksum of a changed file match.
#[cfg(test)]
pub(super) fn sign(bytes: &mut [u8]) {
    let sum = checksum(&bytes[..56], &bytes[HEADER..]);
    bytes[56..HEADER].copy_from_slice(&sum.to_le_bytes());
}
