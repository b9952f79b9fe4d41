//! Maps 16-byte hashes to dense numbers for the writer.
//!
//! The first look-ups search the sorted runs. Once they have cost as much as reading the whole column, it is read, and
//! hashes that come in its order are compared with it. Once others have cost as much again, all hashes are loaded into a
//! map in memory; a store that starts empty has the map from the start.
//!
//! Invariant: a hash gets one number, once. An index whose batch was rolled back is dropped and opened again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::{ChunkId, TextId};

use super::column::{Column, ColumnWriter};
use super::sorted_runs::{self, Run, Space};
use codecairn_base::database::Database;

/// The cost of a look-up in the runs, in entries that could be put into a map in that time (about 15 µs against 50 ns).
const LOOK_UP_COST: u64 = 300;

/// The same in entries that could be read in that time.
const LOOK_UP_READS: u64 = 1200;

/// Hashes kept in memory: about 500 MB.
const MAX_KEPT: usize = 16 << 20;

/// Hashes up to which they are kept in order as well: 16 MB.
const MAX_IN_ORDER: u64 = 1 << 20;

/// The writer's index over a column of hashes.
#[derive(Debug)]
pub(super) struct KeyIndex {
    space: Space,
    column: Column,
    writer: ColumnWriter,
    runs: Vec<Run>,
    known: HashMap<ContentHash, u32, BuildHasherDefault<FirstBytes>>,
    /// Whether `known` has all entries of the column.
    complete: bool,
    /// The stored hashes by number, once they are read; then `cursor` is where the next ones are expected.
    in_order: Option<Vec<ContentHash>>,
    cursor: Cursor,
    look_ups: u64,
    /// The entries that this batch added, in order of their numbers.
    fresh: Vec<ContentHash>,
}

impl KeyIndex {
    /// The index of `column`, whose entries begin with the hash.
    pub(super) fn open(database: &Database, column: Column) -> Result<Self> {
        let space = match column {
            Column::Chunk => Space::Chunk,
            Column::Text => Space::Text,
        };
        let writer = ColumnWriter::open(database, column)?;
        let complete = writer.len() == 0;
        let runs = sorted_runs::runs(database, space)?;
        let (known, in_order, fresh) = (HashMap::default(), None, Vec::new());
        let cursor = Cursor::default();
        Ok(Self { space, column, writer, runs, known, complete, in_order, cursor, look_ups: 0, fresh })
    }

    /// The number of entries.
    pub(super) fn len(&self) -> u32 {
        self.writer.len()
    }

    /// Makes room for so many new entries.
    pub(super) fn reserve(&mut self, count: usize) {
        self.known.reserve(count);
        self.fresh.reserve(count);
    }

    /// The number of `hash`, if it has one.
    pub(super) fn find(&mut self, database: &Database, hash: ContentHash) -> Result<Option<u32>> {
        if let Some(number) = self.in_order.as_ref().and_then(|list| self.cursor.guess(list, &hash)) {
            return Ok(Some(number as u32));
        }
        let found = self.find_anywhere(database, hash)?;
        if let Some(number) = found {
            self.cursor.jump(number as usize);
        }
        Ok(found)
    }

    fn find_anywhere(&mut self, database: &Database, hash: ContentHash) -> Result<Option<u32>> {
        if let Some(number) = self.known.get(&hash) {
            return Ok(Some(*number));
        }
        if self.complete {
            return Ok(None);
        }
        self.look_ups += 1;
        let len = u64::from(self.len());
        if self.in_order.is_none() && len <= MAX_IN_ORDER && self.look_ups * LOOK_UP_READS > len {
            self.in_order = Some(in_order(self.column, database, self.len())?);
            self.look_ups = 0;
        }
        if self.look_ups * LOOK_UP_COST > len && (len as usize) < MAX_KEPT {
            self.load(database)?;
            return Ok(self.known.get(&hash).copied());
        }
        let mut candidates = Vec::new();
        sorted_runs::look_up(database, &self.runs, first_bytes(hash), &mut candidates)?;
        for number in candidates {
            if self.writer.entry(database, number, |entry| entry[..16] == *hash.as_bytes())? == Some(true) {
                self.known.insert(hash, number);
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Gives the next number to `hash`, which has none. `rest` is the rest of the column's entry after the hash.
    pub(super) fn insert(&mut self, hash: ContentHash, rest: &[u8]) -> u32 {
        let number = self.len();
        self.writer.push(&[hash.as_bytes(), rest]);
        self.known.insert(hash, number);
        self.fresh.push(hash);
        number
    }

    /// Calls `read` with the column's entry `number`.
    pub(super) fn entry<T>(
        &self,
        database: &Database,
        number: u32,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        self.writer.entry(database, number, read)
    }

    /// Writes the entries that this batch added.
    pub(super) fn flush(&mut self, database: &Database) -> Result<()> {
        if self.fresh.is_empty() {
            return Ok(());
        }
        self.writer.flush(database)?;
        let first = self.len() - self.fresh.len() as u32;
        let entries = (first..).zip(&self.fresh).map(|(number, hash)| (first_bytes(*hash), number)).collect();
        sorted_runs::add(database, self.space, entries)?;
        self.runs = sorted_runs::runs(database, self.space)?;
        Ok(())
    }

    /// Ends the batch after a commit.
    pub(super) fn committed(&mut self) {
        self.fresh.clear();
        if self.known.len() > MAX_KEPT {
            self.known = HashMap::default();
            self.complete = false;
        }
    }

    fn load(&mut self, database: &Database) -> Result<()> {
        let (known, end) = (&mut self.known, self.writer.len());
        known.reserve(end as usize);
        match &self.in_order {
            Some(hashes) => known.extend(numbered(hashes)),
            None => each_hash(self.column, database, end, |number, hash| {
                known.insert(hash, number);
            })?,
        }
        self.complete = true;
        Ok(())
    }
}

/// The ids of the chunks of a store, by the numbers of their documents.
#[derive(Debug, Clone, Default)]
pub struct ChunkSet {
    in_order: Vec<ContentHash>,
    numbers: HashMap<ContentHash, u32, BuildHasherDefault<FirstBytes>>,
}

impl ChunkSet {
    /// Whether it has a chunk. Chunks that are looked up in the order of their documents are found by `cursor`, which costs
    /// a tenth of a look-up in the map.
    pub fn has(&self, chunk: ChunkId, cursor: &mut Cursor) -> bool {
        if cursor.guess(&self.in_order, &chunk.0).is_some() {
            return true;
        }
        let found = self.numbers.get(&chunk.0);
        if let Some(number) = found {
            cursor.jump(*number as usize);
        }
        found.is_some()
    }
}

impl FromIterator<ChunkId> for ChunkSet {
    fn from_iter<T: IntoIterator<Item = ChunkId>>(chunks: T) -> Self {
        let in_order: Vec<ContentHash> = chunks.into_iter().map(|chunk| chunk.0).collect();
        let numbers = (0u32..).zip(&in_order).map(|(number, hash)| (*hash, number)).collect();
        Self { in_order, numbers }
    }
}

/// Where in a list of hashes the next look-up is expected to succeed: after the last one, or where the list was left for a
/// hash that had come before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cursor {
    next: usize,
    left: usize,
}

impl Cursor {
    /// The place of `hash` in `list`, if it is one of the two expected.
    fn guess(&mut self, list: &[ContentHash], hash: &ContentHash) -> Option<usize> {
        let found = [self.next, self.left].into_iter().find(|at| list.get(*at) == Some(hash))?;
        self.next = found + 1;
        Some(found)
    }

    /// Goes on after a place that was not expected.
    fn jump(&mut self, place: usize) {
        self.left = self.left.max(self.next);
        self.next = place + 1;
    }
}

/// The ids of all chunks.
pub(super) fn chunk_set(database: &Database) -> Result<ChunkSet> {
    let in_order = in_order(Column::Chunk, database, database.number(Column::Chunk.length_key())? as u32)?;
    let mut numbers = HashMap::with_capacity_and_hasher(in_order.len(), BuildHasherDefault::default());
    numbers.extend(numbered(&in_order));
    Ok(ChunkSet { in_order, numbers })
}

/// The hashes of the numbers below `end`, zeros for those that were collected.
fn in_order(column: Column, database: &Database, end: u32) -> Result<Vec<ContentHash>> {
    let mut hashes = Vec::new();
    each_hash(column, database, end, |number, hash| {
        hashes.resize(number as usize, NONE);
        hashes.push(hash);
    })?;
    Ok(hashes)
}

/// The hash in the place of an entry that was collected.
const NONE: ContentHash = ContentHash::from_bytes([0; 16]);

/// The hashes of a list with their places.
fn numbered(in_order: &[ContentHash]) -> impl Iterator<Item = (ContentHash, u32)> {
    in_order.iter().copied().zip(0u32..).filter(|(hash, _)| *hash != NONE)
}

/// Visits the numbers below `end` that were not collected, with their hashes.
fn each_hash(column: Column, database: &Database, end: u32, mut visit: impl FnMut(u32, ContentHash)) -> Result<()> {
    column.each(database, 0, end, |number, entry| {
        let hash = hash_of(entry);
        if hash != NONE {
            visit(number, hash);
        }
    })
}

/// The hash at the start of a column's entry.
pub(super) fn hash_of(entry: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*entry.first_chunk().expect("invariant: an entry begins with a hash of 16 bytes"))
}

/// The text in an entry of the column of chunks.
pub(super) fn text_of(entry: &[u8]) -> TextId {
    TextId(u32::from_le_bytes(*entry.last_chunk().expect("invariant: an entry ends with its text's number")))
}

/// The first eight bytes of a hash, by which runs are sorted.
pub(super) fn first_bytes(hash: ContentHash) -> u64 {
    u64::from_be_bytes(*hash.as_bytes().first_chunk().expect("invariant: a hash has 16 bytes"))
}

/// A hasher that takes the first bytes of a content hash, which are distributed evenly already.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct FirstBytes(u64);

impl Hasher for FirstBytes {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut first = [0; 8];
        let length = bytes.len().min(8);
        first[..length].copy_from_slice(&bytes[..length]);
        self.0 ^= u64::from_ne_bytes(first);
    }
}
