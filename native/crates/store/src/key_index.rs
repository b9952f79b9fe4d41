//! Maps 16-byte hashes to dense numbers for the writer.
//!
//! The first look-ups search the sorted runs. Once they have cost as much as reading the whole column, all hashes are
//! loaded into a map in memory; a store that starts empty has the map from the start.
//!
//! Invariant: a hash gets one number, once. An index whose batch was rolled back is dropped and opened again.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use codecairn_base::error::Result;
use codecairn_base::hash::ContentHash;
use codecairn_base::id::TextId;

use super::column::{Column, ColumnWriter};
use super::sorted_runs::{self, Run, Space};
use codecairn_base::database::Database;

/// The cost of a look-up in the runs, in entries that could be read in that time (about 15 µs against 50 ns).
const LOOK_UP_COST: u64 = 300;

/// Hashes kept in memory: about 500 MB.
const MAX_KEPT: usize = 16 << 20;

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
        Ok(Self { space, column, writer, runs, known: HashMap::default(), complete, look_ups: 0, fresh: Vec::new() })
    }

    /// The number of entries.
    pub(super) fn len(&self) -> u32 {
        self.writer.len()
    }

    /// The number of `hash`, if it has one.
    pub(super) fn find(&mut self, database: &Database, hash: ContentHash) -> Result<Option<u32>> {
        if let Some(number) = self.known.get(&hash) {
            return Ok(Some(*number));
        }
        if self.complete {
            return Ok(None);
        }
        self.look_ups += 1;
        if self.look_ups * LOOK_UP_COST > u64::from(self.len()) && (self.len() as usize) < MAX_KEPT {
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
        each_hash(self.column, database, end, |number, hash| {
            known.insert(hash, number);
        })?;
        self.complete = true;
        Ok(())
    }
}

/// The ids of the chunks of a store.
pub type ChunkSet = HashSet<ContentHash, BuildHasherDefault<FirstBytes>>;

/// The ids of all chunks.
pub(super) fn chunk_set(database: &Database) -> Result<ChunkSet> {
    let end = database.number(Column::Chunk.length_key())? as u32;
    let mut known = ChunkSet::with_capacity_and_hasher(end as usize, BuildHasherDefault::default());
    each_hash(Column::Chunk, database, end, |_, hash| {
        known.insert(hash);
    })?;
    Ok(known)
}

/// Visits the numbers below `end` that were not collected, with their hashes.
fn each_hash(column: Column, database: &Database, end: u32, mut visit: impl FnMut(u32, ContentHash)) -> Result<()> {
    column.each(database, 0, end, |number, entry| {
        let hash = hash_of(entry);
        if hash.as_bytes() != &[0; 16] {
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
pub struct FirstBytes(u64);

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
