//! Renumbers documents without the gaps that collected ones left, so that segments carry none of them.

use codecairn_base::error::Result;
use codecairn_base::id::{DocId, Generation};

use super::column::Column;
use super::delta_list::{pack_docs, unpack_docs};
use super::garbage::clear_entries;
use super::key_index::{first_bytes, hash_of};
use super::publish::{check_segments, write_segments};
use super::record::Segments;
use super::row_check;
use super::sorted_runs::{self, Space};
use super::write_guard::WriteGuard;
use codecairn_base::database::Database;

/// Old numbers of documents to new ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbering {
    /// The new number by old number, or `None` for a collected document. The order stays, so new numbers rise.
    pub new: Vec<Option<DocId>>,
    /// How many documents there are now.
    pub live: u32,
    /// The generation that segments are to be written for.
    pub generation: Generation,
}

impl WriteGuard {
    /// Gives the documents that are left new numbers without gaps, in one transaction. `rebuild` writes the segments
    /// for them; readers see the old state until it is done, and for good if it fails. It reads through a
    /// [`Snapshot`](super::Snapshot), which has the old numbers.
    pub fn renumber(&mut self, rebuild: impl FnOnce(&Renumbering) -> Result<Segments>) -> Result<Generation> {
        self.state = None;
        let database = self.database();
        database.script("PRAGMA synchronous = FULL")?;
        let done = database.transaction(|| {
            let renumbering = renumber(database, self.next_generation()?)?;
            let segments = rebuild(&renumbering)?;
            check_segments(self, &segments)?;
            database.run("DELETE FROM segment", [])?;
            write_segments(database, &segments)?;
            self.advance()
        });
        database.script("PRAGMA synchronous = NORMAL")?;
        done
    }
}

fn renumber(database: &Database, generation: Generation) -> Result<Renumbering> {
    // Also makes sure that the column is whole.
    clear_entries(database, Column::Chunk, |_| false)?;
    let end = database.number(Column::Chunk.length_key())? as u32;
    let (mut new, mut column, mut entries) = (vec![None; end as usize], Vec::new(), Vec::new());
    let mut live = 0;
    Column::Chunk.each(database, 0, end, |doc, entry| {
        if entry.iter().any(|byte| *byte != 0) {
            new[doc as usize] = Some(DocId(live));
            column.extend_from_slice(entry);
            entries.push((first_bytes(hash_of(entry)), live));
            live += 1;
        }
    })?;
    Column::Chunk.rewrite(database, &column)?;
    sorted_runs::rewrite(database, Space::Chunk, entries)?;
    let blobs = database.all("SELECT blob, docs, checksum FROM blob_chunks", [], |row| {
        Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Option<i64>>(2)?))
    })?;
    let mut docs = Vec::new();
    for (blob, packed, checksum) in blobs {
        docs.clear();
        let known = unpack_docs(&packed, &mut docs).is_some();
        let moved: Option<Vec<DocId>> = docs.iter().map(|doc| new.get(doc.index()).copied().flatten()).collect();
        let moved = moved.filter(|_| known);
        let moved = moved.ok_or_else(|| database.damaged(format!("blob {blob} has documents that aren't there")))?;
        let moved = pack_docs(&moved);
        let checksum = checksum.map(|sum| sum ^ row_check::of_docs(blob, &packed) ^ row_check::of_docs(blob, &moved));
        let sql = "UPDATE blob_chunks SET docs = ?2, checksum = ?3 WHERE blob = ?1";
        database.run(sql, (blob, moved, checksum))?;
    }
    Ok(Renumbering { new, live, generation })
}
