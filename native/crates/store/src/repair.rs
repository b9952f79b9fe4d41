//! Repairs the problems that a verification found, without parsing or embedding.
//!
//! Incomplete content is deleted with everything that refers to it, so that the next run indexes it again. Derived data
//! is rebuilt, here or, for segments, by the caller. Sound data is not touched.

use std::collections::BTreeSet;

use codecairn_base::error::Result;
use codecairn_base::failpoint;
use codecairn_base::id::TextId;

use super::column::Column;
use super::delta_list::unpack_docs;
use super::garbage::{clear_entries, forget_unused_docs};
use super::key_index::{first_bytes, hash_of};
use super::layers;
use super::problem::{Problem, Repair, RepairTarget};
use super::publish::forget_notes;
use super::snapshot;
use super::sorted_runs::{self, Space};
use super::vector_blocks::{self, BlockWriter};
use super::write_guard::WriteGuard;
use codecairn_base::database::Database;

impl WriteGuard {
    /// Puts right what can be put right, in one transaction. Verify again afterwards: a repair can lay open what
    /// another problem hid.
    pub fn repair(&mut self, problems: &[Problem]) -> Result<Repair> {
        self.state = None;
        let database = self.database();
        let mut repair = Repair::default();
        database.transaction(|| {
            let docs: BTreeSet<u32> = problems
                .iter()
                .filter_map(|problem| if let RepairTarget::Doc(doc) = problem.subject { Some(doc) } else { None })
                .collect();
            if !docs.is_empty() {
                drop_docs(database, &docs)?;
            }
            for problem in problems {
                if mend(database, problem, &mut repair)? {
                    repair.fixed.push(problem.clone());
                } else {
                    repair.remaining.push(problem.clone());
                }
            }
            if problems.iter().any(|problem| matches!(problem.subject, RepairTarget::Blob(_) | RepairTarget::Doc(_))) {
                // A number that stays without a blob would be derived as an empty document, and be found again empty.
                forget_unused_docs(database)?;
            }
            forget_notes(database)?;
            failpoint::reach("repair.mended")?;
            self.advance()
        })?;
        failpoint::reach("repair.committed")?;
        Ok(repair)
    }
}

/// Puts one problem right; `false` if the store can't.
fn mend(database: &Database, problem: &Problem, repair: &mut Repair) -> Result<bool> {
    match &problem.subject {
        RepairTarget::Database => {
            // Only an index that disagrees with its table can be mended from within; what is left shows next time.
            let _ = database.script("REINDEX");
            return Ok(false);
        }
        // The caller knows the names.
        RepairTarget::LookUp(Space::Symbol) => return Ok(false),
        RepairTarget::LookUp(Space::Chunk) => rewrite_look_up(database, Space::Chunk, Column::Chunk)?,
        RepairTarget::LookUp(Space::Text) => rewrite_look_up(database, Space::Text, Column::Text)?,
        RepairTarget::Branch(name) => {
            if let Some(branch) = snapshot::branch(database, name)? {
                database.run("DELETE FROM branch WHERE name = ?1", [name])?;
                layers::release(database, branch.layer)?;
            }
        }
        RepairTarget::Blob(blob) => drop_blob(database, *blob)?,
        // Done before, all at once.
        RepairTarget::Doc(_) => {}
        RepairTarget::Texts(embedder, texts) => {
            let sql = "SELECT vector_bytes FROM embedder WHERE id = ?1";
            let width = database.only(sql, [embedder.0], |row| Ok(row.get::<_, u32>(0)? as usize))?;
            let mut writer = BlockWriter::default();
            for text in texts {
                writer.await_vector(database, *embedder, TextId(*text), width)?;
            }
            writer.flush(database)?;
        }
        RepairTarget::VectorBlock(row) => {
            let sql = "SELECT present, pending, data FROM vector_block WHERE id = ?1";
            if let Some(mut block) = database.first(sql, [row], |row| vector_blocks::block_of(row, 0))? {
                block.await_all();
                vector_blocks::write(database, *row, &block)?;
            }
        }
        RepairTarget::Segments(kind) => {
            database.run("DELETE FROM segment WHERE kind = ?1", [kind.to_string()])?;
            repair.rebuild.insert(*kind);
        }
        RepairTarget::Orphans(orphans) => {
            let (table, condition) = orphans.rows();
            database.run(&format!("DELETE FROM {table} WHERE {condition}"), [])?;
        }
    }
    Ok(true)
}

/// Drops a blob and whatever leads to it.
fn drop_blob(database: &Database, blob: u32) -> Result<()> {
    let sql = "SELECT DISTINCT layer FROM layer_entry WHERE blob = ?1";
    let layers = database.all(sql, [blob], |row| Ok(row.get::<_, i64>(0)?))?;
    for (table, column) in
        [("layer_entry", "blob"), ("stat", "blob"), ("blob", "id"), ("blob_chunks", "blob"), ("blob_syntax", "blob")]
    {
        database.run(&format!("DELETE FROM {table} WHERE {column} = ?1"), [blob])?;
    }
    layers.into_iter().try_for_each(|layer| layers::recount(database, layer))
}

/// Drops documents and the blobs that have them.
fn drop_docs(database: &Database, docs: &BTreeSet<u32>) -> Result<()> {
    let mut affected = Vec::new();
    let mut own = Vec::new();
    database.each("SELECT blob, docs FROM blob_chunks", [], |row| {
        own.clear();
        let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        if unpack_docs(packed, &mut own).is_none() || own.iter().any(|doc| docs.contains(&doc.0)) {
            affected.push(row.get(0)?);
        }
        Ok(())
    })?;
    for blob in affected {
        drop_blob(database, blob)?;
    }
    clear_entries(database, Column::Chunk, |doc| docs.contains(&doc))
}

fn rewrite_look_up(database: &Database, space: Space, column: Column) -> Result<()> {
    let mut entries = Vec::new();
    let end = database.number(column.length_key())? as u32;
    column.each(database, 0, end, |number, entry| {
        if entry.iter().any(|byte| *byte != 0) {
            entries.push((first_bytes(hash_of(entry)), number));
        }
    })?;
    sorted_runs::rewrite(database, space, entries)
}
