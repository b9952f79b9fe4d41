//! The durable index. `SQLite` is the source of truth; segments are derived from it and may be deleted at any time.
//!
//! One process writes ([`Store::lock`]), any number read ([`Store::reader`]). Content comes in through batches
//! ([`WriteGuard::begin`]) and is addressed by its hash; what readers see changes by [`WriteGuard::publish`] alone.
//! A crash at any instant leaves the last publication whole, and the next run finds the batches committed after it.
//!
//! Durability: batches are not synced (`synchronous = NORMAL` in WAL), because a loss of power can only lose the
//! last of them, whole, and an indexing run repeats them; publications are (`FULL`), and with them all batches before.
//!
//! The store never parses, ranks or embeds: chunk tables, symbols and vectors are bytes to it.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files, and damage them, by hand"))]

mod access;
mod batch;
mod chunk_table;
mod column;
mod content;
mod copy;
mod delta_list;
mod drain_lock;
mod frames;
mod garbage;
mod key_index;
mod layers;
mod lock;
mod migrate;
mod names;
mod packed_tables;
mod problem;
mod publish;
mod record;
mod remote_vectors;
mod renumber;
mod repack;
mod repair;
mod rescue;
mod row_check;
mod salvage;
mod snapshot;
mod sorted_runs;
mod store;
mod vector_blocks;
mod verify;
mod write_guard;
mod writer_state;

use codecairn_base::error::Result;

pub use access::Journal;
pub use batch::{Batch, ChunkNumbers};
pub use chunk_table::StoredTable;
pub use copy::copy_store;
pub use drain_lock::DrainLock;
pub use garbage::{Garbage, MissingRefs};
pub use key_index::ChunkSet;
pub use migrate::FORMAT;
pub use names::Names;
pub use packed_tables::{PackedTables, TablePacker};
pub use problem::{Problem, ProblemCode, Repair};
pub use publish::Publication;
pub use record::{
    BlobRecord, Branch, Catalog, CatalogDelta, Embedder, NewBlob, PROVISIONAL, Segment, SegmentKind, Segments,
    SkipEntry, StatDelta, StatEntry, UNPARSED,
};
pub use remote_vectors::Spending;
pub use renumber::Renumbering;
pub use rescue::{Rescue, rescue};
pub use salvage::copy_table;
pub use snapshot::{Counts, Snapshot};
pub use store::VIEWS;
pub use store::{OpenOptions, Store};
pub use verify::Depth;
pub use write_guard::WriteGuard;

/// A read-only connection to a store's database, in the mode that its folder allows.
pub fn connect_for_reading(path: &std::path::Path) -> Result<codecairn_base::database::Database> {
    Ok(access::connect_reader(path)?.database)
}

#[cfg(test)]
mod tests;
