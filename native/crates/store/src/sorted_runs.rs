//! Maps 64-bit hashes to numbers, with duplicates, by sorted runs: a log-structured merge index.
//!
//! A B-tree inserts hashes at random positions and touches a page for nearly each; at millions of entries that would
//! cost more than all other writing. Here a batch's entries are sorted and written as one run of packed pages, and runs
//! of similar size are merged, so each entry is rewritten a logarithmic number of times. Hashes are distributed evenly,
//! so a page is found by a hash's first bits, without a directory.
//!
//! Invariant: an entry may refer to a deleted item, or to one with another name of equal hash; the caller checks.

use codecairn_base::error::Result;

use codecairn_base::database::Database;

/// What is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    /// Chunk ids → `DocId`.
    Chunk = 0,
    /// Hashes of texts → text.
    Text = 1,
    /// Lower-cased names of symbols → blob.
    Symbol = 2,
}

/// A hash and its number.
pub(super) type Entry = (u64, u32);

/// Entries that a page holds at least, on average: some of them share a page of the database, so little room is lost.
const PAGE_ENTRIES: usize = 64;

/// Bits of a page's number for its index in the run.
const BUCKET_BITS: u32 = 20;

/// A run is merged with the one before it unless that one is this many times as large.
const RATIO: usize = 4;

/// One sorted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    id: i64,
    bits: u32,
    entries: usize,
}

impl Run {
    fn page(self, hash: u64) -> i64 {
        let bucket = hash.checked_shr(64 - self.bits).unwrap_or(0);
        self.pages().0 | bucket as i64
    }

    /// The first and the last page that it may have.
    fn pages(self) -> (i64, i64) {
        let first = self.id << BUCKET_BITS;
        (first, first | ((1 << BUCKET_BITS) - 1))
    }
}

/// The runs of a space, oldest and largest first.
pub(super) fn runs(database: &Database, space: Space) -> Result<Vec<Run>> {
    database.all("SELECT id, bits, entries FROM run WHERE space = ?1 ORDER BY id", [space as u8], |row| {
        let entries: i64 = row.get(2)?;
        Ok(Run { id: row.get(0)?, bits: row.get::<_, u32>(1)?.min(BUCKET_BITS), entries: entries as usize })
    })
}

/// Appends all numbers under `hash` to `found`.
pub(super) fn look_up(database: &Database, runs: &[Run], hash: u64, found: &mut Vec<u32>) -> Result<()> {
    for run in runs {
        database.first("SELECT data FROM run_page WHERE id = ?1", [run.page(hash)], |row| {
            let page = Page::of(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
            let mut at = page.first_at_least(hash);
            while at < page.len() && page.hash(at) == hash {
                found.push(page.number(at));
                at += 1;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Writes `entries` as a new run, together with the runs that are not much larger.
pub(super) fn add(database: &Database, space: Space, mut entries: Vec<Entry>) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut runs = runs(database, space)?;
    while let Some(last) = runs.pop_if(|run| run.entries < RATIO * entries.len()) {
        read(database, last, &mut entries)?;
        drop_run(database, last)?;
    }
    write(database, space, entries)
}

/// Rewrites a space from all its entries.
pub(super) fn rewrite(database: &Database, space: Space, entries: Vec<Entry>) -> Result<()> {
    for run in runs(database, space)? {
        drop_run(database, run)?;
    }
    if entries.is_empty() { Ok(()) } else { write(database, space, entries) }
}

/// All entries of a space, in no order.
pub(super) fn all(database: &Database, space: Space) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for run in runs(database, space)? {
        read(database, run, &mut entries)?;
    }
    Ok(entries)
}

fn write(database: &Database, space: Space, mut entries: Vec<Entry>) -> Result<()> {
    entries.sort_unstable();
    entries.dedup();
    let bits = (entries.len() / PAGE_ENTRIES).checked_ilog2().unwrap_or(0).min(BUCKET_BITS);
    let id = database.number("next_run")? as i64;
    let run = Run { id, bits, entries: entries.len() };
    database.set_number("next_run", id as u64 + 1)?;
    let params = (id, space as u8, bits, entries.len() as i64);
    database.run("INSERT INTO run (id, space, bits, entries) VALUES (?1, ?2, ?3, ?4)", params)?;
    for page in entries.chunk_by(|left, right| run.page(left.0) == run.page(right.0)) {
        let mut data = Vec::with_capacity(page.len() * 12);
        data.extend(page.iter().flat_map(|(hash, _)| hash.to_le_bytes()));
        data.extend(page.iter().flat_map(|(_, number)| number.to_le_bytes()));
        database.run("INSERT INTO run_page (id, data) VALUES (?1, ?2)", (run.page(page[0].0), data))?;
    }
    Ok(())
}

fn read(database: &Database, run: Run, entries: &mut Vec<Entry>) -> Result<()> {
    let (first, last) = run.pages();
    database.each("SELECT data FROM run_page WHERE id BETWEEN ?1 AND ?2", [first, last], |row| {
        let page = Page::of(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
        entries.extend((0..page.len()).map(|at| (page.hash(at), page.number(at))));
        Ok(())
    })
}

fn drop_run(database: &Database, run: Run) -> Result<()> {
    let (first, last) = run.pages();
    database.run("DELETE FROM run_page WHERE id BETWEEN ?1 AND ?2", [first, last])?;
    database.run("DELETE FROM run WHERE id = ?1", [run.id]).map(drop)
}

/// The packed entries of a page.
struct Page<'bytes> {
    hashes: &'bytes [[u8; 8]],
    numbers: &'bytes [[u8; 4]],
}

impl<'bytes> Page<'bytes> {
    fn of(data: &'bytes [u8]) -> Self {
        let (hashes, numbers) = data.split_at(data.len() / 12 * 8);
        Self { hashes: hashes.as_chunks().0, numbers: numbers.as_chunks().0 }
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn hash(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.hashes[at])
    }

    fn number(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.numbers[at])
    }

    fn first_at_least(&self, hash: u64) -> usize {
        self.hashes.partition_point(|entry| u64::from_le_bytes(*entry) < hash)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use rusqlite::OpenFlags;

    use super::*;
    use crate::migrate;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Few and many entries a batch, spread evenly or crowded under few hashes.
        #[test]
        fn runs_equal_a_plain_map(
            batches in proptest::collection::vec((1usize..3_000, 0u32..60, any::<u64>()), 1..8),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let database = Database::connect(&dir.path().join("index.db"), None, OpenFlags::default()).unwrap();
            database.script("PRAGMA synchronous = OFF").unwrap();
            migrate::migrate(&database, 0).unwrap();
            let mut model: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for (number, (length, shift, seed)) in (0u32..).zip(batches) {
                let hash = |at: usize| (seed.wrapping_add(at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) << shift;
                let entries: Vec<Entry> = (0..length).map(|at| (hash(at), number * 10_000 + at as u32)).collect();
                for (hash, number) in &entries {
                    model.entry(*hash).or_default().insert(*number);
                }
                add(&database, Space::Symbol, entries).unwrap();
            }
            let runs = runs(&database, Space::Symbol).unwrap();
            prop_assert!(runs.windows(2).all(|pair| pair[0].entries >= RATIO * pair[1].entries), "{runs:?}");
            for hash in model.keys().copied().chain([0, 1, u64::MAX]) {
                let mut found = Vec::new();
                look_up(&database, &runs, hash, &mut found).unwrap();
                let expected = model.get(&hash).cloned().unwrap_or_default();
                prop_assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected);
            }
            let stored = all(&database, Space::Symbol).unwrap().len();
            prop_assert_eq!(stored, model.values().map(BTreeSet::len).sum::<usize>());
        }
    }
}
