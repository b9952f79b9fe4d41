//! Holds the counters and look-ups that a writer keeps from one batch to the next.
//!
//! They are read from the database once a lease. A batch that fails drops them, so that the next one reads them again.

use std::collections::BTreeSet;

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_base::id::EmbedderId;

use super::column::Column;
use super::frames::FrameWriter;
use super::key_index::KeyIndex;

/// What the writer keeps between batches.
#[derive(Debug)]
pub(super) struct WriterState {
    pub(super) chunks: KeyIndex,
    pub(super) texts: KeyIndex,
    /// Texts that need no vector so far.
    pub(super) plain: BTreeSet<u32>,
    pub(super) next_blob: u32,
    pub(super) frames: FrameWriter,
    /// Bytes of a vector, by embedder.
    pub(super) vector_bytes: Vec<(EmbedderId, usize)>,
}

impl WriterState {
    pub(super) fn open(database: &Database) -> Result<Self> {
        let plain = database.all("SELECT text FROM plain_text", [], |row| Ok(row.get(0)?))?;
        let number = |key| database.number(key).map(|number| number as u32);
        Ok(Self {
            chunks: KeyIndex::open(database, Column::Chunk)?,
            texts: KeyIndex::open(database, Column::Text)?,
            plain: plain.into_iter().collect(),
            next_blob: number("next_blob")?,
            frames: FrameWriter::new(number("next_frame")?),
            vector_bytes: Vec::new(),
        })
    }
}
