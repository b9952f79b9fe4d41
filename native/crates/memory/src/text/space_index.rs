//! Reads a space of the index for a search: its segments as one run of documents, with their neighbours in their sessions,
//! and the postings of the query's terms.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use codecairn_base::database::Database;
use codecairn_base::error::Result;
use codecairn_lexical::{FrequencyList, PackedSegment, Posting};

use super::document::{Term, key};
use super::question::Question;
use super::segment::SegmentRow;
use super::{Space, marks};

/// No document.
pub(super) const NONE: u32 = u32::MAX;

/// A document of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) doc: i64,
    /// Its terms.
    pub(super) length: u32,
    /// The number of its session; 0 for a fact.
    pub(super) session: u32,
}

/// The documents of a space, ascending, as its segments have them.
#[derive(Debug, Default)]
pub(super) struct SpaceHead {
    pub(super) docs: Vec<Member>,
    pub(super) sketches: Vec<u8>,
    /// For each document, the one before it in its session,
    pub(super) before: Vec<u32>,
    /// and the one after it.
    pub(super) after: Vec<u32>,
    /// All documents, cut where another session begins, or where a stretch would become long.
    pub(super) stretches: Vec<SessionRange>,
    /// The terms in all documents.
    pub(super) length: u64,
    segments: Vec<HeadSegment>,
    frequencies: Mutex<FrequencyCache>,
}

/// A segment whose documents and sketches are copied to the head.
#[derive(Debug)]
struct HeadSegment {
    number: i64,
    /// Its documents, by place.
    docs: Range<usize>,
    /// Its bytes of the sketches.
    sketches: Range<usize>,
    postings: Arc<PackedSegment>,
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

/// A cache of spaces as they were last read. A segment is immutable and its number is never reused.
#[derive(Debug, Default)]
pub(crate) struct SegmentCache {
    heads: Mutex<BTreeMap<Space, Arc<SpaceHead>>>,
}

/// The documents of a space by term; also for terms that none has.
#[derive(Debug, Default)]
struct FrequencyCache {
    known: BTreeMap<Term, Arc<FrequencyList>>,
    bytes: usize,
}

/// A space as one query sees it.
pub(super) struct SpaceIndex {
    pub(super) space: Space,
    pub(super) head: Arc<SpaceHead>,
    /// The postings of each query term.
    pub(super) postings: Vec<Arc<FrequencyList>>,
    /// For each query term, the documents whose speaker has that name.
    pub(super) speakers: Vec<Arc<FrequencyList>>,
    /// The documents that are questions.
    pub(super) asks: Arc<FrequencyList>,
    /// The documents that name a time, if the query asks for one.
    pub(super) times: Arc<FrequencyList>,
}

impl SpaceIndex {
    /// Reads a space with the postings of a query.
    pub(super) fn read(database: &Database, cache: &SegmentCache, space: Space, question: &Question) -> Result<Self> {
        let head = cache.head(database, space)?;
        let has_speakers = !head.frequencies(marks::by_somebody())?.is_empty();
        let of_speaker = |mark: Term| if has_speakers { head.frequencies(mark) } else { Ok(Arc::default()) };
        Ok(Self {
            space,
            postings: question.terms.iter().map(|term| head.frequencies(term.hash)).collect::<Result<_>>()?,
            speakers: question.terms.iter().map(|term| of_speaker(term.speaker)).collect::<Result<_>>()?,
            asks: head.frequencies(marks::asks())?,
            times: if question.asks_when { head.frequencies(marks::times())? } else { Arc::default() },
            head,
        })
    }
}

impl SpaceHead {
    /// Reads the segments with these numbers, but those that `cached` has.
    fn read(database: &Database, numbers: &[i64], cached: Option<&Self>) -> Result<Self> {
        let known: BTreeMap<i64, (&Self, &HeadSegment)> = cached
            .iter()
            .flat_map(|head| head.segments.iter().map(|segment| (segment.number, (*head, segment))))
            .collect();
        let sql = "SELECT members, sketches, postings FROM text_segment WHERE number = ?1";
        let mut head = Self::default();
        for number in numbers {
            if let Some((cached, segment)) = known.get(number) {
                let docs = cached.docs[segment.docs.clone()].iter().copied();
                head.add(*number, docs, &cached.sketches[segment.sketches.clone()], Arc::clone(&segment.postings));
            } else {
                database.only(sql, [number], |row| {
                    let row = SegmentRow::read(row)?;
                    let (members, postings) = (row.members(), Arc::new(row.postings));
                    let docs = members.zip(postings.lengths()).map(|(member, length)| Member {
                        doc: member.doc,
                        length,
                        session: member.session,
                    });
                    head.add(*number, docs, row.sketches, Arc::clone(&postings));
                    Ok(())
                })?;
            }
        }
        (head.before, head.after) = neighbours(&head.docs);
        head.stretches = stretches(&head.docs);
        head.length = head.docs.iter().map(|member| u64::from(member.length)).sum();
        Ok(head)
    }

    /// Adds a segment behind the others.
    fn add(&mut self, number: i64, docs: impl Iterator<Item = Member>, sketches: &[u8], postings: Arc<PackedSegment>) {
        let (first, start) = (self.docs.len(), self.sketches.len());
        self.docs.extend(docs);
        self.sketches.extend_from_slice(sketches);
        let (docs, sketches) = (first..self.docs.len(), start..self.sketches.len());
        self.segments.push(HeadSegment { number, docs, sketches, postings });
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

    /// The documents that a term occurs in.
    pub(super) fn frequencies(&self, term: Term) -> Result<Arc<FrequencyList>> {
        let mut cache = self.frequencies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = cache.known.get(&term) {
            return Ok(Arc::clone(found));
        }
        let mut list = Vec::new();
        for segment in &self.segments {
            let first = segment.docs.start as u32;
            segment.postings.for_each_posting(&key(term), |Posting { doc, body, names, .. }| {
                list.push((first + doc.0, body.saturating_add(names.into())));
            })?;
        }
        let found = Arc::new(FrequencyList::new(list, self.docs.len()));
        if cache.bytes >= FrequencyCache::MAX_BYTES {
            *cache = FrequencyCache::default();
        }
        cache.bytes += FrequencyCache::ENTRY_BYTES + found.byte_size();
        cache.known.insert(term, Arc::clone(&found));
        Ok(found)
    }
}

impl FrequencyCache {
    const MAX_BYTES: usize = 16 << 20;
    /// An upper bound for the key and the tree.
    const ENTRY_BYTES: usize = 64;
}

/// For each document, the one before it and the one after it in its session.
fn neighbours(docs: &[Member]) -> (Vec<u32>, Vec<u32>) {
    let (mut before, mut after) = (vec![NONE; docs.len()], vec![NONE; docs.len()]);
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
    (before, after)
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

impl SegmentCache {
    /// Empties the cache, when another database has replaced this one.
    pub(crate) fn clear(&self) {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The documents of a space. Segments that were read before are not read again.
    fn head(&self, database: &Database, space: Space) -> Result<Arc<SpaceHead>> {
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let sql = "SELECT number FROM text_segment WHERE space = ?1 ORDER BY first";
        let numbers = database.all(sql, [space.number()], |row| Ok(row.get::<_, i64>(0)?))?;
        let cached = heads.get(&space);
        if let Some(head) = cached
            && head.segments.iter().map(|segment| segment.number).eq(numbers.iter().copied())
        {
            return Ok(Arc::clone(head));
        }
        let head = Arc::new(SpaceHead::read(database, &numbers, cached.map(|head| &**head))?);
        heads.insert(space, Arc::clone(&head));
        Ok(head)
    }
}
