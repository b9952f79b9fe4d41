//! Stores a column of fixed-width entries over dense numbers in pages of 512.
//!
//! Entries are appended; one that is all zeros was collected as garbage. A look-up reads one page.

use codecairn_base::error::Result;

use codecairn_base::database::Database;

/// Entries in a page.
const PAGE: u32 = 512;

/// The maximum of entries when a column is opened for appending; the rest of 32 bits suffices for one lease.
const LONGEST: u32 = u32::MAX - (1 << 28);

/// The columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// `DocId` → chunk id (16 bytes), text (4 bytes).
    Chunk,
    /// Text → hash (16 bytes).
    Text,
}

impl Column {
    /// Bytes of an entry.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Chunk => 20,
            Self::Text => 16,
        }
    }

    /// The key of its length in `meta`.
    pub(super) fn length_key(self) -> &'static str {
        match self {
            Self::Chunk => "next_doc",
            Self::Text => "next_text",
        }
    }

    fn select(self) -> &'static str {
        match self {
            Self::Chunk => "SELECT data FROM chunk_page WHERE id = ?1",
            Self::Text => "SELECT data FROM text_page WHERE id = ?1",
        }
    }

    fn select_range(self) -> &'static str {
        match self {
            Self::Chunk => "SELECT id, data FROM chunk_page WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
            Self::Text => "SELECT id, data FROM text_page WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        }
    }

    fn replace(self) -> &'static str {
        match self {
            Self::Chunk => "INSERT OR REPLACE INTO chunk_page (id, data) VALUES (?1, ?2)",
            Self::Text => "INSERT OR REPLACE INTO text_page (id, data) VALUES (?1, ?2)",
        }
    }

    /// Calls `read` with the entry `number`; `None` if there is none.
    pub(super) fn entry<T>(self, database: &Database, number: u32, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
        let at = (number % PAGE) as usize * self.width();
        let found = database.first(self.select(), [number / PAGE], |row| {
            let page = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            Ok(page.get(at..at + self.width()).map(read))
        })?;
        Ok(found.flatten())
    }

    /// Visits the entries `first..end` in order, as (number, bytes). Missing pages are passed over.
    pub(super) fn each(
        self,
        database: &Database,
        first: u32,
        end: u32,
        mut visit: impl FnMut(u32, &[u8]),
    ) -> Result<()> {
        if first >= end {
            return Ok(());
        }
        database.each(self.select_range(), (first / PAGE, (end - 1) / PAGE), |row| {
            let page: u32 = row.get(0)?;
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            for (number, entry) in (u64::from(page) * u64::from(PAGE)..).zip(data.chunks_exact(self.width())) {
                if (u64::from(first)..u64::from(end)).contains(&number) {
                    visit(number as u32, entry);
                }
            }
            Ok(())
        })
    }

    /// Fills lost pages with zeros: their entries count as collected.
    pub(super) fn fill_gaps(self, database: &Database) -> Result<()> {
        let mut entries = Vec::new();
        let pages = database.all(&self.select_range().replace("BETWEEN ?1 AND ?2", ">= ?1"), [0], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        })?;
        let page_bytes = PAGE as usize * self.width();
        // A number that is far beyond what is there is damage itself.
        let most = 2 * pages.len() + 64;
        for (page, data) in pages {
            let Some(page) = usize::try_from(page).ok().filter(|page| *page <= most) else { continue };
            entries.resize(page * page_bytes, 0);
            let whole = data.len().min(page_bytes) / self.width() * self.width();
            entries.extend_from_slice(&data[..whole]);
        }
        let known = database.number(self.length_key())?.min(u64::from(LONGEST)) as usize;
        if known * self.width() > entries.len() && known * self.width() <= most * page_bytes {
            entries.resize(known * self.width(), 0);
        }
        self.rewrite(database, &entries)
    }

    /// Rewrites the whole column.
    pub(super) fn rewrite(self, database: &Database, entries: &[u8]) -> Result<()> {
        match self {
            Self::Chunk => database.run("DELETE FROM chunk_page", [])?,
            Self::Text => database.run("DELETE FROM text_page", [])?,
        };
        for (page, data) in (0u32..).zip(entries.chunks(PAGE as usize * self.width())) {
            database.run(self.replace(), (page, data))?;
        }
        database.set_number(self.length_key(), (entries.len() / self.width()) as u64)
    }
}

/// Appends to a column.
#[derive(Debug)]
pub(super) struct ColumnWriter {
    column: Column,
    /// The written part of the last page, and all entries after it.
    tail: Vec<u8>,
    tail_page: u32,
}

impl ColumnWriter {
    /// Opens the column for appending at its end.
    pub(super) fn open(database: &Database, column: Column) -> Result<Self> {
        let length = database.number(column.length_key())?;
        let length = u32::try_from(length)
            .ok()
            .filter(|length| *length <= LONGEST)
            .ok_or_else(|| database.damaged(format!("`{}` is out of range", column.length_key())))?;
        let tail_page = length / PAGE;
        let used = (length % PAGE) as usize * column.width();
        let mut tail = Vec::new();
        if used > 0 {
            let stored = database.first(column.select(), [tail_page], |row| Ok(row.get::<_, Vec<u8>>(0)?))?;
            tail = stored.filter(|page| page.len() >= used).ok_or_else(|| {
                database.damaged(format!("the last page of the column of {} is missing", column.length_key()))
            })?;
            tail.truncate(used);
        }
        Ok(Self { column, tail, tail_page })
    }

    /// The number of entries, which is the next entry's number.
    pub(super) fn len(&self) -> u32 {
        self.tail_page * PAGE + (self.tail.len() / self.column.width()) as u32
    }

    /// Appends an entry.
    pub(super) fn push(&mut self, entry: &[&[u8]]) {
        for part in entry {
            self.tail.extend_from_slice(part);
        }
        debug_assert_eq!(self.tail.len() % self.column.width(), 0, "an entry has the column's width");
    }

    /// Calls `read` with the entry `number`, written or not.
    pub(super) fn entry<T>(
        &self,
        database: &Database,
        number: u32,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        let Some(at) = number.checked_sub(self.tail_page * PAGE) else {
            return self.column.entry(database, number, read);
        };
        let at = at as usize * self.column.width();
        Ok(self.tail.get(at..at + self.column.width()).map(read))
    }

    /// Writes the new entries.
    pub(super) fn flush(&mut self, database: &Database) -> Result<()> {
        let page_bytes = PAGE as usize * self.column.width();
        for (page, data) in (self.tail_page..).zip(self.tail.chunks(page_bytes)) {
            database.run(self.column.replace(), (page, data))?;
        }
        database.set_number(self.column.length_key(), u64::from(self.len()))?;
        let full = self.tail.len() / page_bytes;
        self.tail.drain(..full * page_bytes);
        self.tail_page += full as u32;
        Ok(())
    }
}
