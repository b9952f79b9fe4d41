//! Stores the vectors of 64 consecutive texts in one row: bit masks of the present and the pending ones, and the bytes.
//!
//! Texts are numbered in order of arrival and mostly embedded in that order; a row per text would cost far more than
//! the bytes. All vectors of an embedder have one length.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::{EmbedderId, TextId};

use codecairn_base::database::Database;

/// Texts in a block.
const BLOCK: u32 = 64;

/// One row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Bit n: the block's n-th text has a vector.
    pub(super) present: u64,
    /// Bit n: the block's n-th text is pending.
    pub(super) pending: u64,
    data: Vec<u8>,
}

impl Block {
    /// The vector of the `bit`-th text, each having `width` bytes.
    pub(super) fn vector(&self, bit: u32, width: usize) -> Option<&[u8]> {
        if self.present >> bit & 1 == 0 {
            return None;
        }
        let at = self.rank(bit) * width;
        self.data.get(at..at + width)
    }

    /// Sets the vector of the `bit`-th text.
    fn put(&mut self, bit: u32, vector: &[u8]) {
        let at = self.rank(bit) * vector.len();
        if self.present >> bit & 1 == 1 {
            self.data[at..at + vector.len()].copy_from_slice(vector);
        } else if at == self.data.len() {
            self.data.extend_from_slice(vector);
        } else {
            self.data.splice(at..at, vector.iter().copied());
        }
        self.present |= 1 << bit;
        self.pending &= !(1 << bit);
    }

    /// Removes the vectors and marks of all texts that are not in `keep`.
    pub(super) fn retain(&mut self, keep: u64, width: usize) {
        let mut data = Vec::with_capacity(self.data.len());
        for bit in 0..BLOCK {
            if keep >> bit & 1 == 1 {
                data.extend_from_slice(self.vector(bit, width).unwrap_or_default());
            }
        }
        self.data = data;
        self.present &= keep;
        self.pending &= keep;
    }

    /// Removes all vectors and marks their texts as pending.
    pub(super) fn await_all(&mut self) {
        *self = Self { present: 0, pending: self.present | self.pending, data: Vec::new() };
    }

    /// Whether the length of the data matches the number of vectors.
    pub(super) fn is_sound(&self, width: usize) -> bool {
        self.data.len() == self.present.count_ones() as usize * width && self.present & self.pending == 0
    }

    /// The number of vectors before the `bit`-th text's.
    fn rank(&self, bit: u32) -> usize {
        (self.present & ((1 << bit) - 1)).count_ones() as usize
    }
}

/// The row of a text and its bit there.
pub(super) fn address(embedder: EmbedderId, text: TextId) -> (i64, u32) {
    (row_id(embedder, text.0 / BLOCK), text.0 % BLOCK)
}

/// The first text of a row.
pub(super) fn first_text(row: i64) -> u32 {
    ((row & 0xffff_ffff) as u32).wrapping_mul(BLOCK)
}

/// The rows that an embedder may have, first and last.
pub(super) fn rows_of(embedder: EmbedderId) -> (i64, i64) {
    (row_id(embedder, 0), row_id(embedder, u32::MAX))
}

fn row_id(embedder: EmbedderId, block: u32) -> i64 {
    i64::from(embedder.0) << 32 | i64::from(block)
}

/// Reads a row; one that was never written is empty. `width` is the length of a vector in bytes.
pub(super) fn read(database: &Database, row: i64, width: usize) -> Result<Block> {
    let sql = "SELECT present, pending, data FROM vector_block WHERE id = ?1";
    let found = database.first(sql, [row], |row| block_of(row, 0))?.unwrap_or_default();
    if found.is_sound(width) { Ok(found) } else { Err(database.damaged(format!("vector block {row} is inconsistent"))) }
}

/// Writes a row, or deletes it if it is empty.
pub(super) fn write(database: &Database, row: i64, block: &Block) -> Result<()> {
    if block.present | block.pending == 0 {
        return database.run("DELETE FROM vector_block WHERE id = ?1", [row]).map(drop);
    }
    let sql = "INSERT OR REPLACE INTO vector_block (id, present, pending, data) VALUES (?1, ?2, ?3, ?4)";
    database.run(sql, (row, block.present as i64, block.pending as i64, &block.data)).map(drop)
}

/// The block in a row's columns from `first` on: present, pending, data.
pub(super) fn block_of(row: &rusqlite::Row<'_>, first: usize) -> Result<Block> {
    Ok(Block {
        present: row.get::<_, i64>(first)? as u64,
        pending: row.get::<_, i64>(first + 1)? as u64,
        data: row.get(first + 2)?,
    })
}

/// Collects a batch's vectors by block.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    blocks: BTreeMap<i64, Block>,
    bytes: usize,
}

/// Bytes of vectors collected before they are written.
const COLLECTED: usize = 8 << 20;

impl BlockWriter {
    /// Adds the vector of `text`.
    pub(super) fn put(
        &mut self,
        database: &Database,
        embedder: EmbedderId,
        text: TextId,
        vector: &[u8],
        width: usize,
    ) -> Result<()> {
        if vector.len() != width {
            let found = vector.len();
            return Err(Error::InvalidArgument(format!("a vector has {found} bytes, the embedder's have {width}")));
        }
        let (row, bit) = address(embedder, text);
        self.block(database, row, width)?.put(bit, vector);
        self.bytes += vector.len();
        if self.bytes > COLLECTED {
            self.flush(database)?;
        }
        Ok(())
    }

    /// Marks `text` as pending, unless it has a vector.
    pub(super) fn await_vector(
        &mut self,
        database: &Database,
        embedder: EmbedderId,
        text: TextId,
        width: usize,
    ) -> Result<()> {
        let (row, bit) = address(embedder, text);
        let block = self.block(database, row, width)?;
        block.pending |= (1 << bit) & !block.present;
        Ok(())
    }

    /// Writes the collected vectors.
    pub(super) fn flush(&mut self, database: &Database) -> Result<()> {
        for (row, block) in std::mem::take(&mut self.blocks) {
            write(database, row, &block)?;
        }
        self.bytes = 0;
        Ok(())
    }

    fn block(&mut self, database: &Database, row: i64, width: usize) -> Result<&mut Block> {
        match self.blocks.entry(row) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => Ok(new.insert(read(database, row, width)?)),
        }
    }
}
