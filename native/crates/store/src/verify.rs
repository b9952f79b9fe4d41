//! Verifies the invariants of a store:
//!
//! 1. `SQLite` finds its own pages sound.
//! 2. The layers of every branch exist, and every file in them has a blob.
//! 3. Every blob has its documents, its chunk table, its symbols, and the frames that its text lies in.
//! 4. Every document has a chunk id and a text, and is found by it.
//! 5. Every text of a branch has a vector of each embedder in use or waits for one, unless only the lexical index
//!    takes it.
//! 6. Live segments are files, none is from a later generation, and those of a kind cover the branches' documents from
//!    0 on without a gap.
//! 7. Nothing belongs to nothing.
//!
//! It reads one snapshot and changes nothing.

use std::collections::BTreeSet;
use std::str::from_utf8;

use rusqlite::types::ValueRef;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::{Error, Result};
use codecairn_base::id::BlobId;

use super::column::Column;
use super::frames;
use super::key_index::text_of;
use super::key_index::{first_bytes, hash_of};
use super::layers;
use super::problem::{Orphans, Problem, ProblemCode, RepairTarget};
use super::publish::gap;
use super::record::{BlobRecord, SegmentKind};
use super::salvage::low_counters;
use super::snapshot::Snapshot;
use super::sorted_runs::{self, Space};
use super::vector_blocks;
use codecairn_base::database::Database;

/// How thorough a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Tables against each other; seconds for a large store.
    Quick,
    /// Also every index of the database and every text; reads the whole store.
    Full,
}

/// Blobs whose texts are read at once.
const TEXTS: usize = 256;

impl Snapshot {
    /// All promises that don't hold. An empty list is a sound store.
    pub fn verify(&self, depth: Depth, cancel: &CancelToken) -> Result<Vec<Problem>> {
        let mut check = Check { snapshot: self, problems: Vec::new(), depth };
        for step in [Step::Database, Step::Content, Step::Segments] {
            cancel.check()?;
            let done = match step {
                Step::Database => check.database(),
                Step::Content => check.content(),
                Step::Segments => check.segments(),
            };
            match done {
                Err(Error::StoreDamaged { detail, .. }) => {
                    check.report(ProblemCode::Database, detail, RepairTarget::Database);
                }
                other => other?,
            }
        }
        Ok(check.problems)
    }
}

/// A part of a verification; damage found by one doesn't stop the others.
enum Step {
    Database,
    Content,
    Segments,
}

struct Check<'snapshot> {
    snapshot: &'snapshot Snapshot,
    problems: Vec<Problem>,
    depth: Depth,
}

impl<'snapshot> Check<'snapshot> {
    fn report(&mut self, code: ProblemCode, detail: impl Into<String>, subject: RepairTarget) {
        self.problems.push(Problem { code, detail: detail.into(), subject });
    }

    fn db(&self) -> &'snapshot Database {
        self.snapshot.database()
    }

    fn database(&mut self) -> Result<()> {
        let pragma = match self.depth {
            Depth::Quick => "PRAGMA quick_check(20)",
            Depth::Full => "PRAGMA integrity_check(20)",
        };
        for line in self.db().all(pragma, [], |row| Ok(row.get::<_, String>(0)?))? {
            if line != "ok" {
                self.report(ProblemCode::Database, line, RepairTarget::Database);
            }
        }
        self.texts_of_rows()?;
        for (key, least) in low_counters(self.db())? {
            let detail = format!("`{key}` would give numbers that are taken: it is to be at least {least}");
            self.report(ProblemCode::Database, detail, RepairTarget::Database);
        }
        for orphans in Orphans::ALL {
            let (table, condition) = orphans.rows();
            let sql = format!("SELECT count(*) FROM {table} WHERE {condition}");
            let count = self.db().only(&sql, [], |row| Ok(row.get::<_, i64>(0)?))?;
            if count > 0 {
                let detail = format!("{count} rows of `{table}` belong to nothing");
                self.report(ProblemCode::Orphan, detail, RepairTarget::Orphans(orphans));
            }
        }
        Ok(())
    }

    /// Every text of every table is UTF-8. `SQLite` stores any bytes as text, but reading such a row fails.
    fn texts_of_rows(&mut self) -> Result<()> {
        let sql = "SELECT format('\"%w\"', t.name), group_concat(format('\"%w\"', c.name)), count(*) \
                   FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c \
                   WHERE t.type = 'table' AND c.type IN ('TEXT', 'ANY') GROUP BY t.name";
        let tables = self.db().all(sql, [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)? as usize))
        })?;
        for (table, columns, width) in tables {
            let mut damaged = 0;
            self.db().each(&format!("SELECT {columns} FROM {table}"), [], |row| {
                let is_utf8 =
                    |column| Ok(!matches!(row.get_ref(column)?, ValueRef::Text(text) if from_utf8(text).is_err()));
                let are_sound = (0..width).map(is_utf8).collect::<Result<Vec<bool>>>()?;
                damaged += usize::from(are_sound.contains(&false));
                Ok(())
            })?;
            if damaged > 0 {
                let detail = format!("{damaged} rows of {table} have text that is not UTF-8");
                self.report(ProblemCode::Database, detail, RepairTarget::Database);
            }
        }
        Ok(())
    }

    fn content(&mut self) -> Result<()> {
        let (sound, damaged): (Vec<_>, Vec<_>) =
            self.snapshot.blobs_with_soundness()?.into_iter().partition(|(_, is_sound)| *is_sound);
        for (blob, _) in damaged {
            let detail = format!("blob {}: its row is not what was written", blob.id.0);
            self.report(ProblemCode::BlobIncomplete, detail, RepairTarget::Blob(blob.id.0));
        }
        let blobs: Vec<BlobRecord> = sound.into_iter().map(|(blob, _)| blob).collect();
        let catalogued = self.catalogs(&blobs)?;
        let (docs, texts) = self.columns()?;
        let used = self.blobs(&blobs, &catalogued, &docs)?;
        if self.depth == Depth::Full {
            self.texts(&blobs)?;
        }
        self.vectors(&docs, &texts, &used)?;
        self.coverage(&used)
    }

    /// Branches and what they lead to. Returns the blobs that some branch has.
    fn catalogs(&mut self, blobs: &[BlobRecord]) -> Result<BTreeSet<BlobId>> {
        let mut catalogued = BTreeSet::new();
        for branch in self.snapshot.branches()? {
            match layers::resolve(self.db(), branch.layer) {
                Ok(catalog) => catalogued.extend(catalog.into_values()),
                Err(Error::StoreDamaged { detail, .. }) => {
                    let detail = format!("branch `{}`: {detail}", branch.name);
                    self.report(ProblemCode::Catalog, detail, RepairTarget::Branch(branch.name));
                }
                Err(other) => return Err(other),
            }
        }
        let sql = "SELECT DISTINCT blob FROM layer_entry WHERE blob NOT IN (SELECT id FROM blob)";
        for blob in self.db().all(sql, [], |row| Ok(row.get::<_, u32>(0)?))? {
            let detail = format!("catalogs lead to blob {blob}, which isn't there");
            self.report(ProblemCode::BlobMissing, detail, RepairTarget::Blob(blob));
        }
        let known: BTreeSet<BlobId> = blobs.iter().map(|blob| blob.id).collect();
        Ok(catalogued.intersection(&known).copied().collect())
    }

    /// The text of each document and whether each text is there; `None` for what was collected.
    fn columns(&mut self) -> Result<(Vec<Option<u32>>, Vec<bool>)> {
        let mut texts = vec![false; self.snapshot.counts()?.texts as usize];
        let mut entries = Vec::new();
        Column::Text.each(self.db(), 0, texts.len() as u32, |text, entry| {
            if entry.iter().any(|byte| *byte != 0) {
                texts[text as usize] = true;
                entries.push((first_bytes(hash_of(entry)), text));
            }
        })?;
        self.look_ups(Space::Text, &entries)?;
        entries.clear();
        let mut docs = vec![None; self.snapshot.next_doc()?.index()];
        Column::Chunk.each(self.db(), 0, docs.len() as u32, |doc, entry| {
            if entry.iter().any(|byte| *byte != 0) {
                docs[doc as usize] = Some(text_of(entry).0);
                entries.push((first_bytes(hash_of(entry)), doc));
            }
        })?;
        self.look_ups(Space::Chunk, &entries)?;
        for (doc, text) in (0u32..).zip(&docs) {
            if let Some(text) = text.filter(|text| texts.get(*text as usize) != Some(&true)) {
                let detail = format!("document {doc} has text {text}, which isn't there");
                self.report(ProblemCode::DocIncomplete, detail, RepairTarget::Doc(doc));
            }
        }
        Ok((docs, texts))
    }

    /// Whether everything in a column is found by its hash.
    fn look_ups(&mut self, space: Space, entries: &[sorted_runs::Entry]) -> Result<()> {
        let mut found = sorted_runs::all(self.db(), space)?;
        found.sort_unstable();
        let missing = entries.iter().filter(|entry| found.binary_search(entry).is_err()).count();
        if missing > 0 {
            let detail = format!("{missing} of {} entries aren't found by their hash", entries.len());
            self.report(ProblemCode::LookUpIncomplete, detail, RepairTarget::LookUp(space));
        }
        Ok(())
    }

    /// What belongs to each blob. Returns the documents of the blobs that some branch has.
    fn blobs(
        &mut self,
        blobs: &[BlobRecord],
        catalogued: &BTreeSet<BlobId>,
        docs: &[Option<u32>],
    ) -> Result<BTreeSet<u32>> {
        let ids =
            |sql| Ok::<BTreeSet<u32>, Error>(self.db().all(sql, [], |row| Ok(row.get(0)?))?.into_iter().collect());
        let (syntax, stored) = (ids("SELECT blob FROM blob_syntax")?, ids("SELECT id FROM frame")?);
        let mut used = BTreeSet::new();
        for blob in blobs {
            let id = blob.id;
            let mut faults = Vec::new();
            match self.snapshot.blob_chunks(id) {
                Ok((own, _)) => {
                    let lost = own.iter().filter(|doc| !matches!(docs.get(doc.index()), Some(Some(_)))).count();
                    if lost > 0 {
                        faults.push(format!("{lost} of its documents are missing"));
                    }
                    if catalogued.contains(&id) {
                        used.extend(own.iter().map(|doc| doc.0));
                    }
                }
                Err(Error::StoreDamaged { .. }) => faults.push("its documents are unreadable".to_owned()),
                Err(other) => return Err(other),
            }
            if !syntax.contains(&id.0) {
                faults.push("its symbols are missing".to_owned());
            } else if self.depth == Depth::Full && self.snapshot.blob_syntax(id).is_err() {
                faults.push("its symbols can't be decompressed".to_owned());
            }
            if !frames::frames_of(blob.place, blob.byte_len as usize).all(|frame| stored.contains(&frame)) {
                faults.push("a part of its text is missing".to_owned());
            }
            for fault in faults {
                let detail = format!("blob {}: {fault}", id.0);
                self.report(ProblemCode::BlobIncomplete, detail, RepairTarget::Blob(id.0));
            }
        }
        Ok(used)
    }

    fn texts(&mut self, blobs: &[BlobRecord]) -> Result<()> {
        for part in blobs.chunks(TEXTS) {
            let ids: Vec<BlobId> = part.iter().map(|blob| blob.id).collect();
            if self.snapshot.blob_texts(&ids).is_ok() {
                continue;
            }
            for id in ids {
                match self.snapshot.blob_texts(&[id]) {
                    Err(Error::StoreDamaged { detail, .. }) => {
                        let detail = format!("blob {}: {detail}", id.0);
                        self.report(ProblemCode::TextUnreadable, detail, RepairTarget::Blob(id.0));
                    }
                    other => drop(other?),
                }
            }
        }
        Ok(())
    }

    fn vectors(&mut self, docs: &[Option<u32>], texts: &[bool], used: &BTreeSet<u32>) -> Result<()> {
        let plain = self.db().all("SELECT text FROM plain_text", [], |row| Ok(row.get::<_, u32>(0)?))?;
        let plain: BTreeSet<u32> = plain.into_iter().collect();
        let needed: BTreeSet<u32> = used
            .iter()
            .filter_map(|doc| docs.get(*doc as usize).copied().flatten())
            .filter(|text| texts.get(*text as usize) == Some(&true) && !plain.contains(text))
            .collect();
        for embedder in self.snapshot.embedders()? {
            let mut known = vec![false; texts.len()];
            let (first, last) = vector_blocks::rows_of(embedder.id);
            let sql = "SELECT id, present, pending, data FROM vector_block WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
            let rows = self.db().all(sql, [first, last], |row| Ok((row.get(0)?, vector_blocks::block_of(row, 1)?)))?;
            if rows.is_empty() {
                continue;
            }
            for (row, block) in rows {
                for bit in (0..64).filter(|bit| (block.present | block.pending) >> bit & 1 == 1) {
                    if let Some(known) = known.get_mut(vector_blocks::first_text(row).wrapping_add(bit) as usize) {
                        *known = true;
                    }
                }
                if !block.is_sound(embedder.vector_bytes as usize) {
                    let detail = format!("vectors of texts from {} on", vector_blocks::first_text(row));
                    self.report(ProblemCode::VectorsUnreadable, detail, RepairTarget::VectorBlock(row));
                }
            }
            let missing: Vec<u32> = needed.iter().copied().filter(|text| !known[*text as usize]).collect();
            if !missing.is_empty() {
                let detail = format!("{} texts have no vector of `{}`", missing.len(), embedder.name);
                self.report(ProblemCode::VectorMissing, detail, RepairTarget::Texts(embedder.id, missing));
            }
        }
        Ok(())
    }

    fn segments(&mut self) -> Result<()> {
        let dir = self.snapshot.store().segments_dir();
        for (kind, files) in self.snapshot.all_segments()? {
            let subject = RepairTarget::Segments(kind);
            if let Some(detail) = gap(kind, &files) {
                self.report(ProblemCode::Segment, detail, subject.clone());
            }
            for file in files {
                if file.generation > self.snapshot.generation() {
                    let detail = format!("segment `{}` is of generation {}", file.file, file.generation.0);
                    self.report(ProblemCode::Segment, detail, subject.clone());
                }
                if !dir.join(&file.file).is_file() {
                    let detail = format!("segment `{}` is not in `{}`", file.file, dir.display());
                    self.report(ProblemCode::Segment, detail, subject.clone());
                }
            }
        }
        Ok(())
    }

    /// Whether each kind that there is covers all documents of the branches, and there is a lexical one. A graph may
    /// lag: searches scan what it does not cover.
    fn coverage(&mut self, used: &BTreeSet<u32>) -> Result<()> {
        let Some(last) = used.last() else { return Ok(()) };
        let mut segments = self.snapshot.all_segments()?;
        segments.entry(SegmentKind::Lexical).or_default();
        for (kind, files) in segments.into_iter().filter(|(kind, _)| !matches!(kind, SegmentKind::Hnsw(_))) {
            let covered = files.last().map_or(0, |file| u64::from(file.first.0) + u64::from(file.count));
            if covered <= u64::from(*last) {
                let detail = format!("segments ({kind}) cover {covered} documents, the branches have up to {last}");
                self.report(ProblemCode::Segment, detail, RepairTarget::Segments(kind));
            }
        }
        Ok(())
    }
}
