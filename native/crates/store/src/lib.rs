//! Stores the index durably. `SQLite` is the source of truth; segments are derived from it and may be deleted at any time.
//!
//! One process writes ([`Store::lock`]), any number read ([`Store::reader`]). Content comes in through batches
//! ([`WriteGuard::begin`]) and is addressed by its hash; what readers see changes by [`WriteGuard::publish`] alone.
//! A crash at any instant leaves the last publication whole, and the next run finds the batches committed after it.
//!
//! Durability: batches are not synced (`synchronous = NORMAL` in WAL), because a loss of power can only lose the
//! last of them, whole, and an indexing run repeats them; publications are (`FULL`), and with them all batches before.
//!
//! | rule | enforced by | tested by |
//! |---|---|---|
//! | Readers see publications only, each whole. | `publish`: one transaction; `snapshot`: one read transaction | `publish::readers_see_publications_only`, `processes::readers_never_see_half_a_publication` |
//! | A run that fails, is cancelled or dies leaves the last publication. | `batch`, `publish`: rollback | `publish::failed_publication_changes_nothing`, `publish::cancelled_run_leaves_its_batches_and_the_old_catalog`, `processes::killed_writer_leaves_a_sound_store`, `tests/integration/test_failpoints.py` |
//! | A dropped batch leaves no row and no number. | `batch`: rollback | `publish::dropped_batch_leaves_nothing` |
//! | One process writes. | `lock`: released by the system | `access::second_writer_is_told_who_writes`, `processes::killed_writer_leaves_the_lock_to_the_next` |
//! | Documents of another store come with the segments that cover them, or not at all. | `numbering`: one transaction | `numbering::adopted_documents_come_with_their_segments_or_not_at_all`, `tests/integration/test_failpoints.py` |
//! | A branch changes by its own publications only. | `layers`: copy-on-write | `model::store_equals_its_model`, `publish::new_branch_shares_layers_until_it_changes` |
//! | Equal content is stored once, under one number. | `key_index` | `content::equal_content_is_stored_once_and_apart_by_language`, `content::chunk_keeps_its_document_across_batches_and_leases` |
//! | A full disk spoils nothing. | `batch`, `publish`: rollback | `damage::full_disk_is_named_and_leaves_the_old_state`, `damage::full_disk_never_spoils_the_store` |
//! | Damage is an error that names the file, never a panic. | `row_check`, zstd's checksums | `damage::flipped_and_cut_bytes_never_panic`, `damage::file_that_is_no_database_is_named` |
//! | The invariants of `verify` hold, or `repair` restores them without parsing. | `verify`, `repair`, `rescue` | `upkeep::sound_store_has_no_problems` and the rest of `upkeep` |
//! | A read-only store is never written. | `access` | `access::read_only_store_is_never_written` |
//! | The folder belongs to its owner alone. | `private_files` of the base, `clippy.toml` | `access::folder_is_for_its_owner_alone` |
//! | A newer format is refused. | `migrate` | `access::newer_format_is_refused` |
//! | No migration is edited. | `migrate`: numbered scripts | `tests/tidy/test_migrations.py` |
//! | A mapped file is never changed in place. | `AtomicFile` of the base: a new name, then a rename; `clippy.toml` | no test of its own |
//! | Nothing is parsed, ranked or embedded: tables, symbols and vectors are bytes. | the manifest: it depends on `base` alone | `tests/tidy/test_tidy.py` |

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
mod numbering;
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
pub use key_index::{ChunkSet, Cursor};
pub use migrate::FORMAT;
pub use names::{NameHash, Names};
pub use numbering::NumberedChunk;
pub use packed_tables::{PackedTables, TablePacker, TableUnpacker};
pub use problem::{Problem, ProblemCode, Repair};
pub use publish::Publication;
pub use record::{
    BlobRecord, Branch, Catalog, CatalogDelta, Embedder, FATAL, LOSSY, NewBlob, PROVISIONAL, Segment, SegmentKind,
    Segments, SkipEntry, StatDelta, StatEntry, UNPARSED,
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
