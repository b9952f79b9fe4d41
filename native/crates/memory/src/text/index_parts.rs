//! Reads the parts of a space for a search: segments and the tail, with the postings of the query's terms.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::database::Database;
use codecairn_base::error::Result;

use super::document::count_in;
use super::document_frequencies::DocumentFrequencies;
use super::question::Question;
use super::segment::{Member, members, session_column};
use super::{Space, marks};

/// No document.
pub(super) const NONE: u32 = u32::MAX;

/// The documents of a segment, which are immutable and cached between searches.
#[derive(Debug, Default)]
pub(super) struct SegmentHead {
    pub(super) docs: Vec<Member>,
    pub(super) sketches: Vec<u8>,
    /// For each document, the one before it in its session,
    pub(super) before: Vec<u32>,
    /// and the one after it.
    pub(super) after: Vec<u32>,
    /// All documents, cut where another session begins, or where a stretch would become long.
    pub(super) stretches: Vec<SessionRange>,
}

/// Adjacent documents of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionRange {
    /// 0 for facts.
    pub(super) session: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Terms in all of them,
    pub(super) length: u64,
    /// and in the longest.
    pub(super) longest: u32,
}

/// The maximum length of a range: short enough for its upper bound to be tight.
const MAX_STRETCH: usize = 16;

/// A cache of segments by number. A segment is immutable and its number is never reused.
#[derive(Debug, Default)]
pub(crate) struct SegmentCache {
    heads: Mutex<BTreeMap<i64, Arc<SegmentHead>>>,
    /// By segment and term; also for terms that a segment lacks.
    places: Mutex<FrequencyCache>,
}

#[derive(Debug, Default)]
struct FrequencyCache {
    known: BTreeMap<(i64, i64), Arc<DocumentFrequencies>>,
    bytes: usize,
}

/// A part of a space: its tail, or a segment.
pub(super) struct Part {
    pub(super) space: Space,
    pub(super) head: Arc<SegmentHead>,
    /// Terms in all its documents.
    pub(super) length: u64,
    /// The postings of each query term.
    pub(super) postings: Vec<Arc<DocumentFrequencies>>,
    /// For each query term, the documents whose speaker has that name.
    pub(super) speakers: Vec<Arc<DocumentFrequencies>>,
    /// The documents that are questions.
    pub(super) asks: Arc<DocumentFrequencies>,
    /// The documents that name a time, if the query asks for one.
    pub(super) times: Arc<DocumentFrequencies>,
}

/// All parts of a space.
pub(super) fn index_parts(
    database: &Database,
    heads: &SegmentCache,
    space: Space,
    question: &Question,
) -> Result<Vec<Part>> {
    let mut parts = segments(database, heads, space, question)?;
    parts.push(tail(database, space, question)?);
    Ok(parts)
}

impl SegmentHead {
    fn new(docs: Vec<Member>, sketches: Vec<u8>) -> Self {
        let mut before = vec![NONE; docs.len()];
        let mut after = vec![NONE; docs.len()];
        let first = docs.iter().map(|member| member.session).filter(|session| *session > 0).min().unwrap_or(0);
        let last = docs.iter().map(|member| member.session).max().unwrap_or(0);
        let mut latest = vec![NONE; (last - first) as usize + 1];
        for (place, member) in docs.iter().enumerate().filter(|(_, member)| member.session > 0) {
            let latest = &mut latest[(member.session - first) as usize];
            before[place] = *latest;
            if let Some(after) = after.get_mut(*latest as usize) {
                *after = place as u32;
            }
            *latest = place as u32;
        }
        let stretches = stretches(&docs);
        Self { docs, sketches, before, after, stretches }
    }

    pub(super) fn step(place: u32, direction: &[u32]) -> u32 {
        direction.get(place as usize).copied().unwrap_or(NONE)
    }

    /// A document, the two before it and the two after it in its session.
    pub(super) fn around(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let (before, after) = (Self::step(place, &self.before), Self::step(place, &self.after));
        let (long_before, long_after) = (Self::step(before, &self.before), Self::step(after, &self.after));
        [place, before, after, long_before, long_after].into_iter().filter(|place| *place != NONE)
    }

    /// The two documents before a stretch and the two after it in its session: with its own, all that surround its own.
    pub(super) fn neighbours(&self, stretch: &SessionRange) -> impl Iterator<Item = u32> + '_ {
        let before = Self::step(stretch.start as u32, &self.before);
        let after = Self::step(stretch.end as u32 - 1, &self.after);
        let neighbours = [before, Self::step(before, &self.before), after, Self::step(after, &self.after)];
        neighbours.into_iter().filter(|place| *place != NONE)
    }
}

/// The documents in stretches.
fn stretches(docs: &[Member]) -> Vec<SessionRange> {
    let mut found: Vec<SessionRange> = Vec::new();
    for (place, member) in docs.iter().enumerate() {
        let length = u64::from(member.length);
        match found.last_mut() {
            Some(last) if last.session == member.session && place - last.start < MAX_STRETCH => {
                last.end = place + 1;
                last.length += length;
                last.longest = last.longest.max(member.length);
            }
            _ => found.push(SessionRange {
                session: member.session,
                start: place,
                end: place + 1,
                length,
                longest: member.length,
            }),
        }
    }
    found
}

fn segments(database: &Database, heads: &SegmentCache, space: Space, question: &Question) -> Result<Vec<Part>> {
    let sql = "SELECT number, length FROM text_segment WHERE space = ?1 ORDER BY number";
    let rows = database.all(sql, [space.number()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)? as u64)))?;
    let segment = |(number, length): (i64, u64)| {
        let posting = |term: i64| heads.frequencies(database, number, term);
        let has_speakers = !posting(marks::by_somebody())?.is_empty();
        let of_speaker = |mark: i64| if has_speakers { posting(mark) } else { Ok(Arc::default()) };
        Ok(Part {
            space,
            head: heads.get(database, number)?,
            length,
            postings: question.terms.iter().map(|term| posting(term.hash)).collect::<Result<_>>()?,
            speakers: question.terms.iter().map(|term| of_speaker(term.speaker)).collect::<Result<_>>()?,
            asks: posting(marks::asks())?,
            times: if question.asks_when { posting(marks::times())? } else { Arc::default() },
        })
    };
    rows.into_iter().map(segment).collect()
}

impl SegmentCache {
    /// The maximum number of cached segments; there are fewer, except for merged ones.
    const MAX_SEGMENTS: usize = 256;
    /// The maximum bytes of cached postings.
    const MAX_BYTES: usize = 16 << 20;

    /// Empties the cache, when another database has replaced this one.
    pub(crate) fn clear(&self) {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = FrequencyCache::default();
    }

    fn get(&self, database: &Database, number: i64) -> Result<Arc<SegmentHead>> {
        let mut known = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = known.get(&number) {
            return Ok(Arc::clone(head));
        }
        let sql = "SELECT members, sketches FROM text_segment WHERE number = ?1";
        let (bytes, sketches) =
            database.only(sql, [number], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
        let head = Arc::new(SegmentHead::new(members(&bytes).collect(), sketches));
        if known.len() >= Self::MAX_SEGMENTS {
            known.clear();
        }
        known.insert(number, Arc::clone(&head));
        Ok(head)
    }

    /// The documents of a segment that a term occurs in.
    fn frequencies(&self, database: &Database, segment: i64, term: i64) -> Result<Arc<DocumentFrequencies>> {
        let mut kept = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = kept.known.get(&(segment, term)) {
            return Ok(Arc::clone(places));
        }
        let sql = "SELECT data FROM text_posting WHERE segment = ?1 AND term = ?2";
        let found = database.first(sql, [segment, term], |row| {
            Ok(DocumentFrequencies::stored(row.get_ref(0)?.as_blob().unwrap_or_default()))
        })?;
        let places = Arc::new(found.unwrap_or_default());
        if kept.bytes >= Self::MAX_BYTES {
            *kept = FrequencyCache::default();
        }
        kept.bytes += places.bytes();
        kept.known.insert((segment, term), Arc::clone(&places));
        Ok(places)
    }
}

fn tail(database: &Database, space: Space, question: &Question) -> Result<Part> {
    let (mut docs, mut sketches, mut length) = (Vec::new(), Vec::new(), 0_u64);
    let count = question.terms.len();
    let (mut postings, mut speakers) =
        (vec![DocumentFrequencies::default(); count], vec![DocumentFrequencies::default(); count]);
    let (mut asks, mut times) = (DocumentFrequencies::default(), DocumentFrequencies::default());
    let session = session_column(space);
    let sql = format!("SELECT doc, length, terms, sketch, {session} FROM text_tail WHERE space = ?1 ORDER BY doc");
    database.each(&sql, [space.number()], |row| {
        let place = docs.len() as u32;
        let member = Member { doc: row.get(0)?, length: row.get(1)?, session: row.get(4)? };
        docs.push(member);
        length += u64::from(member.length);
        sketches.extend(row.get_ref(3)?.as_blob().unwrap_or_default());
        let terms = row.get_ref(2)?.as_blob().unwrap_or_default();
        let note = |places: &mut DocumentFrequencies, term: i64| {
            if let Some(count) = count_in(terms, term) {
                places.push(place, count);
            }
        };
        for (at, term) in question.terms.iter().enumerate() {
            note(&mut postings[at], term.hash);
            note(&mut speakers[at], term.speaker);
        }
        note(&mut asks, marks::asks());
        if question.asks_when {
            note(&mut times, marks::times());
        }
        Ok(())
    })?;
    let shared = |places: Vec<DocumentFrequencies>| places.into_iter().map(Arc::new).collect();
    let head = Arc::new(SegmentHead::new(docs, sketches));
    let (postings, speakers) = (shared(postings), shared(speakers));
    Ok(Part { space, head, length, postings, speakers, asks: Arc::new(asks), times: Arc::new(times) })
}
