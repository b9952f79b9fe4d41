//! Stores the rows of the index: a tail of new documents, and merged segments.
//!
//! A segment's documents are numbered from 0 in the order of their ids; postings speak of these numbers.

use std::collections::BTreeMap;

use rusqlite::params;

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::document::unpack;
use super::posting::Posting;
use super::{Document, Space};

/// Documents in the tail at which it becomes a segment.
const TAIL: i64 = 256;
/// Segments of one level at which they become one of the next.
const FANOUT: usize = 8;
/// The highest level that is merged while recording; higher ones take longer than a writer should wait.
const INLINE_LEVEL: i64 = 1;
/// Bytes of a member: its id, its length, and its session.
const MEMBER_BYTES: usize = 16;

/// A document of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) doc: i64,
    /// Its terms.
    pub(super) length: u32,
    /// The number of its session; 0 for a fact.
    pub(super) session: u32,
}

/// The session of each document in the tail, in SQL.
pub(super) fn session_column(space: Space) -> &'static str {
    if space.is_facts() { "0" } else { "coalesce((SELECT session FROM event WHERE seq = doc), 0)" }
}

/// Adds a document. Runs inside the transaction that stores its event or fact.
pub(crate) fn put(database: &Database, space: Space, doc: i64, document: &Document, sketch: &[u8]) -> Result<()> {
    database.run(
        "INSERT OR REPLACE INTO text_tail (space, doc, length, terms, sketch) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![space.number(), doc, document.length, document.pack(), sketch],
    )?;
    // Counting the tail would cost more, and the merge need not be exactly on time.
    if doc % 32 == 0 {
        let sql = "SELECT count(*) FROM text_tail WHERE space = ?1";
        if database.only(sql, [space.number()], |row| Ok(row.get::<_, i64>(0)?))? >= TAIL {
            flush(database, space)?;
            merge(database, space, INLINE_LEVEL)?;
        }
    }
    Ok(())
}

/// Merges segments that recording left unmerged. Returns whether there were any. Runs inside a transaction.
pub(crate) fn merge_largest(database: &Database) -> Result<bool> {
    let sql = "SELECT space FROM text_segment GROUP BY space, level HAVING count(*) >= ?1 LIMIT 1";
    let Some(space) = database.first(sql, [FANOUT as i64], |row| Ok(Space(row.get(0)?)))? else { return Ok(false) };
    merge(database, space, i64::MAX)?;
    Ok(true)
}

/// Documents and their postings on the way into a segment.
#[derive(Default)]
struct Content {
    members: Vec<u8>,
    sketches: Vec<u8>,
    docs: u32,
    length: u64,
    postings: BTreeMap<i64, Vec<(u32, u16)>>,
}

impl Content {
    fn add_member(&mut self, member: Member, sketch: &[u8]) -> u32 {
        self.members.extend(member.doc.to_le_bytes());
        self.members.extend(member.length.to_le_bytes());
        self.members.extend(member.session.to_le_bytes());
        self.sketches.extend(sketch);
        self.length += u64::from(member.length);
        self.docs += 1;
        self.docs - 1
    }

    fn write(&self, database: &Database, space: Space, level: i64) -> Result<()> {
        if self.docs == 0 {
            return Ok(());
        }
        database.run(
            "INSERT INTO text_segment (space, level, docs, length, members, sketches) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![space.number(), level, self.docs, self.length as i64, self.members, self.sketches],
        )?;
        let segment = database.last_row();
        for (term, places) in &self.postings {
            let posting = Posting::of(places, self.docs);
            database.run(
                "INSERT OR REPLACE INTO text_posting (segment, term, docs, data) VALUES (?1, ?2, ?3, ?4)",
                params![segment, term, posting.docs(), posting.data()],
            )?;
        }
        Ok(())
    }
}

/// The documents of a posting: number in the segment, and how often the term occurs.
pub(super) fn decode_postings(data: &[u8]) -> Vec<(u32, u16)> {
    let mut found = Vec::new();
    Posting::each_stored(data, |place, count| found.push((place, count)));
    found
}

/// The documents of a segment.
pub(super) fn members(bytes: &[u8]) -> impl Iterator<Item = Member> + '_ {
    bytes.as_chunks::<MEMBER_BYTES>().0.iter().map(|bytes| {
        let (doc, rest) = bytes.split_first_chunk::<8>().expect("invariant: sixteen bytes");
        let (length, rest) = rest.split_first_chunk::<4>().expect("invariant: eight bytes");
        let session = rest.first_chunk::<4>().expect("invariant: four bytes");
        Member {
            doc: i64::from_le_bytes(*doc),
            length: u32::from_le_bytes(*length),
            session: u32::from_le_bytes(*session),
        }
    })
}

/// Makes the tail a segment.
fn flush(database: &Database, space: Space) -> Result<()> {
    let mut content = Content::default();
    let session = session_column(space);
    let sql = format!("SELECT doc, length, terms, sketch, {session} FROM text_tail WHERE space = ?1 ORDER BY doc");
    database.each(&sql, [space.number()], |row| {
        let (terms, sketch): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
        let member = Member { doc: row.get(0)?, length: row.get(1)?, session: row.get(4)? };
        let place = content.add_member(member, &sketch);
        for (term, count) in unpack(&terms) {
            content.postings.entry(term).or_default().push((place, count));
        }
        Ok(())
    })?;
    content.write(database, space, 0)?;
    database.run("DELETE FROM text_tail WHERE space = ?1", [space.number()]).map(drop)
}

/// Merges full levels up to `highest`, the lowest first.
fn merge(database: &Database, space: Space, highest: i64) -> Result<()> {
    let mut level = 0;
    while level < highest {
        let sql = "SELECT number FROM text_segment WHERE space = ?1 AND level = ?2 ORDER BY number";
        let segments = database.all(sql, [space.number(), level], |row| Ok(row.get::<_, i64>(0)?))?;
        if segments.len() >= FANOUT {
            join(database, space, &segments, level + 1)?;
        } else if segments.is_empty() && level > 8 {
            break;
        }
        level += 1;
    }
    Ok(())
}

fn join(database: &Database, space: Space, segments: &[i64], level: i64) -> Result<()> {
    let mut content = Content::default();
    for segment in segments {
        let offset = content.docs;
        let (bytes, sketches) =
            database.only("SELECT members, sketches FROM text_segment WHERE number = ?1", [segment], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            })?;
        let width = sketches.len() / (bytes.len() / MEMBER_BYTES).max(1);
        for (at, member) in members(&bytes).enumerate() {
            content.add_member(member, &sketches[at * width..(at + 1) * width]);
        }
        database.each("SELECT term, data FROM text_posting WHERE segment = ?1", [segment], |row| {
            let found = decode_postings(&row.get::<_, Vec<u8>>(1)?);
            let joined = content.postings.entry(row.get(0)?).or_default();
            joined.extend(found.into_iter().map(|(place, count)| (place + offset, count)));
            Ok(())
        })?;
        drop_segment(database, *segment)?;
    }
    content.write(database, space, level)
}

fn drop_segment(database: &Database, segment: i64) -> Result<()> {
    database.run("DELETE FROM text_posting WHERE segment = ?1", [segment])?;
    database.run("DELETE FROM text_segment WHERE number = ?1", [segment]).map(drop)
}

/// Removes documents without a trace: their segments are rewritten. Runs inside a transaction.
pub(crate) fn remove(database: &Database, space: Space, docs: &[i64]) -> Result<()> {
    for doc in docs {
        database.run("DELETE FROM text_tail WHERE space = ?1 AND doc = ?2", [space.number(), *doc])?;
    }
    let sql = "SELECT number, level, members, sketches FROM text_segment WHERE space = ?1";
    let segments = database.all(sql, [space.number()], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?, row.get::<_, Vec<u8>>(3)?))
    })?;
    for (segment, level, bytes, sketches) in segments {
        if !members(&bytes).any(|member| docs.contains(&member.doc)) {
            continue;
        }
        let width = sketches.len() / (bytes.len() / MEMBER_BYTES).max(1);
        let mut content = Content::default();
        let mut renumbered: Vec<Option<u32>> = Vec::new();
        for (at, member) in members(&bytes).enumerate() {
            let keeps = !docs.contains(&member.doc);
            let place = keeps.then(|| content.add_member(member, &sketches[at * width..(at + 1) * width]));
            renumbered.push(place);
        }
        database.each("SELECT term, data FROM text_posting WHERE segment = ?1", [segment], |row| {
            let kept: Vec<(u32, u16)> = decode_postings(&row.get::<_, Vec<u8>>(1)?)
                .into_iter()
                .filter_map(|(place, count)| Some((renumbered.get(place as usize).copied()??, count)))
                .collect();
            if !kept.is_empty() {
                content.postings.insert(row.get(0)?, kept);
            }
            Ok(())
        })?;
        drop_segment(database, segment)?;
        content.write(database, space, level)?;
    }
    Ok(())
}
