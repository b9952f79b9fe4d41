//! Stores the segments of the index as rows, and merges them.
//!
//! A document is a segment of its own when it is recorded, and [`FANOUT`] segments of one level become one of the next, as
//! in a log-structured merge tree. Within a space the segments are in the order of their documents.

use std::collections::BTreeSet;

use rusqlite::{Row, params};

use codecairn_base::database::Database;
use codecairn_base::error::{Error, Result};
use codecairn_lexical::PackedSegment;

use super::{Document, Space};

/// Segments of one level at which they become one of the next.
const FANOUT: usize = 8;
/// The highest level that is made while recording, of 4,096 documents, in some 10 ms. Higher ones are made by maintenance.
const MAX_INLINE_LEVEL: i64 = 4;
/// Bytes of a member: its document and its session.
const MEMBER_BYTES: usize = 12;

/// A document of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) doc: i64,
    /// The number of its session; 0 for a fact.
    pub(super) session: u32,
}

impl Member {
    fn to_bytes(self) -> [u8; MEMBER_BYTES] {
        let mut bytes = [0; MEMBER_BYTES];
        bytes[..8].copy_from_slice(&self.doc.to_le_bytes());
        bytes[8..].copy_from_slice(&self.session.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; MEMBER_BYTES]) -> Self {
        let (doc, session) = bytes.split_first_chunk::<8>().expect("invariant: twelve bytes");
        let session = session.first_chunk::<4>().expect("invariant: four bytes");
        Self { doc: i64::from_le_bytes(*doc), session: u32::from_le_bytes(*session) }
    }
}

/// A segment with its documents.
#[derive(Debug)]
struct Segment {
    members: Vec<Member>,
    /// A sketch for each document, all of one length.
    sketches: Vec<u8>,
    postings: PackedSegment,
}

/// The columns of a row, before they are copied.
pub(super) struct SegmentRow<'a> {
    members: &'a [[u8; MEMBER_BYTES]],
    pub(super) sketches: &'a [u8],
    pub(super) postings: PackedSegment,
}

impl<'a> SegmentRow<'a> {
    /// The columns `members, sketches, postings`.
    pub(super) fn read(row: &'a Row<'_>) -> Result<Self> {
        let bytes = |column| row.get_ref(column).map(|value| value.as_blob().unwrap_or_default());
        let (members, sketches) = (bytes(0)?.as_chunks::<MEMBER_BYTES>().0, bytes(1)?);
        let (postings, docs) = (PackedSegment::open(bytes(2)?.to_vec())?, members.len());
        if docs == 0 || postings.document_count() as usize != docs || !sketches.len().is_multiple_of(docs) {
            let detail = "the documents of a segment are not those of its postings".to_owned();
            return Err(Error::StoreDamaged { path: "text_segment".into(), detail });
        }
        Ok(Self { members, sketches, postings })
    }

    /// The documents, one for each of the postings.
    pub(super) fn members(&self) -> impl Iterator<Item = Member> + use<'a> {
        self.members.iter().map(Member::from_bytes)
    }
}

impl Segment {
    /// A segment from the columns `members, sketches, postings`.
    fn read(row: &Row<'_>) -> Result<Self> {
        let read = SegmentRow::read(row)?;
        Ok(Self { members: read.members().collect(), sketches: read.sketches.to_vec(), postings: read.postings })
    }

    fn sketch(&self, at: usize) -> &[u8] {
        let width = self.sketches.len() / self.members.len();
        &self.sketches[at * width..(at + 1) * width]
    }

    /// One segment of those documents of adjacent ones that are kept.
    fn merge(segments: &[Self], keeps: impl Fn(i64) -> bool) -> Result<Self> {
        let all =
            segments.iter().flat_map(|segment| segment.members.iter().enumerate().map(move |each| (segment, each)));
        let (mut members, mut sketches) = (Vec::new(), Vec::new());
        for (segment, (at, member)) in all.filter(|(_, (_, member))| keeps(member.doc)) {
            members.push(*member);
            sketches.extend(segment.sketch(at));
        }
        let postings: Vec<&PackedSegment> = segments.iter().map(|segment| &segment.postings).collect();
        let postings =
            PackedSegment::merge(&postings, |segment, at| keeps(segments[segment].members[at as usize].doc))?;
        Ok(Self { members, sketches, postings })
    }

    fn store(&self, database: &Database, space: Space, level: i64) -> Result<()> {
        let Some(first) = self.members.first() else { return Ok(()) };
        let members: Vec<u8> = self.members.iter().flat_map(|member| member.to_bytes()).collect();
        database
            .run(
                "INSERT INTO text_segment (space, first, level, members, sketches, postings) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![space.number(), first.doc, level, members, self.sketches, self.postings.bytes()],
            )
            .map(drop)
    }
}

/// Adds a document, whose number is higher than those of the others. Runs inside the transaction that stores its event
/// or fact.
pub(crate) fn put(
    database: &Database,
    space: Space,
    doc: i64,
    session: i64,
    document: &Document,
    sketch: &[u8],
) -> Result<()> {
    let member = Member { doc, session: u32::try_from(session).unwrap_or(0) };
    let segment = Segment { members: vec![member], sketches: sketch.to_vec(), postings: document.pack()? };
    segment.store(database, space, 0)?;
    let mut level = 0;
    while level < MAX_INLINE_LEVEL && merge_level(database, space, level)? {
        level += 1;
    }
    Ok(())
}

/// Merges a level that recording left unmerged. Returns whether there was any. Runs inside a transaction.
pub(crate) fn merge_largest(database: &Database) -> Result<bool> {
    let sql = "SELECT space, level FROM text_segment GROUP BY space, level HAVING count(*) >= ?1 LIMIT 1";
    let found = database.first(sql, [FANOUT as i64], |row| Ok((Space(row.get(0)?), row.get(1)?)))?;
    found.map_or(Ok(false), |(space, level)| merge_level(database, space, level))
}

/// Makes the segments of a level one of the next, if there are enough of them.
fn merge_level(database: &Database, space: Space, level: i64) -> Result<bool> {
    let sql = "SELECT number FROM text_segment WHERE space = ?1 AND level = ?2 ORDER BY first";
    let numbers = database.all(sql, [space.number(), level], |row| Ok(row.get::<_, i64>(0)?))?;
    if numbers.len() < FANOUT {
        return Ok(false);
    }
    let segments = numbers.iter().map(|number| take(database, *number)).collect::<Result<Vec<_>>>()?;
    Segment::merge(&segments, |_| true)?.store(database, space, level + 1)?;
    Ok(true)
}

/// Removes documents without a trace: their segments are rewritten. Runs inside a transaction.
pub(crate) fn remove(database: &Database, space: Space, docs: &[i64]) -> Result<()> {
    let docs: BTreeSet<i64> = docs.iter().copied().collect();
    let sql = "SELECT members, sketches, postings, number, level FROM text_segment WHERE space = ?1";
    let stored = database
        .all(sql, [space.number()], |row| Ok((Segment::read(row)?, row.get::<_, i64>(3)?, row.get::<_, i64>(4)?)))?;
    for (segment, number, level) in stored {
        if segment.members.iter().any(|member| docs.contains(&member.doc)) {
            database.run("DELETE FROM text_segment WHERE number = ?1", [number])?;
            Segment::merge(&[segment], |doc| !docs.contains(&doc))?.store(database, space, level)?;
        }
    }
    Ok(())
}

/// Puts other terms in the place of those of a document, at its place among the others. A document that is not there yet
/// is added. Runs inside a transaction.
pub(crate) fn replace(
    database: &Database,
    space: Space,
    doc: i64,
    session: i64,
    document: &Document,
    sketch: &[u8],
) -> Result<()> {
    let sql = "SELECT members, sketches, postings, number, level FROM text_segment WHERE space = ?1 AND first <= ?2";
    let stored = database.all(sql, params![space.number(), doc], |row| {
        Ok((Segment::read(row)?, row.get::<_, i64>(3)?, row.get::<_, i64>(4)?))
    })?;
    let holder = stored.into_iter().find(|(segment, ..)| segment.members.iter().any(|member| member.doc == doc));
    let Some((segment, number, level)) = holder else { return put(database, space, doc, session, document, sketch) };
    database.run("DELETE FROM text_segment WHERE number = ?1", [number])?;
    let member = Member { doc, session: u32::try_from(session).unwrap_or(0) };
    let new = Segment { members: vec![member], sketches: sketch.to_vec(), postings: document.pack()? };
    let segment = std::slice::from_ref(&segment);
    let sides = [Segment::merge(segment, |other| other < doc)?, new, Segment::merge(segment, |other| other > doc)?];
    let sides: Vec<Segment> = sides.into_iter().filter(|side| !side.members.is_empty()).collect();
    Segment::merge(&sides, |_| true)?.store(database, space, level)
}

/// The segments that can't be read, a line each. Reads all of them.
pub(crate) fn problems(database: &Database) -> Result<Vec<String>> {
    let mut found = Vec::new();
    database.each("SELECT members, sketches, postings, number FROM text_segment", [], |row| {
        if let Err(error) = Segment::read(row).and_then(|segment| segment.postings.verify()) {
            found.push(format!("segment {} of the full text: {error}", row.get::<_, i64>(3)?));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads a segment and deletes its row.
fn take(database: &Database, number: i64) -> Result<Segment> {
    let sql = "SELECT members, sketches, postings FROM text_segment WHERE number = ?1";
    let segment = database.only(sql, [number], Segment::read)?;
    database.run("DELETE FROM text_segment WHERE number = ?1", [number])?;
    Ok(segment)
}
