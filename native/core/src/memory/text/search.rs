//! BM25 over some spaces, and the sketches nearest to a question's.

use super::Space;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::document::count_in;
use super::posting::{Posting, norms};
use super::segment::members;
use crate::database::Database;
use crate::error::Result;
use crate::memory::vector::agreement;

/// What is looked for.
pub(in crate::memory) struct Search<'a> {
    pub(in crate::memory) terms: &'a [i64],
    /// The sketch of the question's vector; empty for none.
    pub(in crate::memory) sketch: &'a [u8],
    /// How many are wanted by their words,
    pub(in crate::memory) limit: usize,
    /// and how many by their sketches.
    pub(in crate::memory) alike: usize,
}

/// A document that may answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::memory) struct Found {
    pub(in crate::memory) space: Space,
    pub(in crate::memory) doc: i64,
    /// Its BM25; 0 if it was found by its sketch alone.
    pub(in crate::memory) lexical: f32,
}

/// The documents of a segment, which never change: what searches keep from one to the next.
#[derive(Debug)]
struct Head {
    docs: Vec<(i64, u32)>,
    sketches: Vec<u8>,
}

/// Segments that were read before, by number. A number is never given to another segment.
#[derive(Debug, Default)]
pub(in crate::memory) struct Heads(Mutex<BTreeMap<i64, Arc<Head>>>);

/// A part of a space: its tail, or a segment.
struct Part {
    space: Space,
    head: Arc<Head>,
    /// Terms in all its documents.
    length: u64,
    /// For each term of the question, its documents here.
    postings: Vec<Posting>,
}

/// The best documents by words, and then those that only their sketches speak for.
pub(in crate::memory) fn search(
    database: &Database,
    heads: &Heads,
    spaces: &[Space],
    search: &Search<'_>,
) -> Result<Vec<Found>> {
    let mut parts = Vec::new();
    for space in spaces {
        segments(database, heads, *space, search, &mut parts)?;
        parts.push(tail(database, *space, search)?);
    }
    let docs: usize = parts.iter().map(|part| part.head.docs.len()).sum();
    if docs == 0 {
        return Ok(Vec::new());
    }
    let length: u64 = parts.iter().map(|part| part.length).sum();
    let average = (length as f32 / docs as f32).max(1.0);
    let weights: Vec<f32> = (0..search.terms.len())
        .map(|term| {
            let holding: u32 = parts.iter().map(|part| part.postings[term].docs()).sum();
            let (docs, holding) = (docs as f32, holding as f32);
            (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln()
        })
        .collect();
    let mut by_words = Best::new(search.limit);
    let mut by_sketch = Best::new(search.alike);
    for part in &parts {
        let docs = &part.head.docs;
        let (mut scores, norms) = (vec![0.0_f32; docs.len()], norms(docs, average));
        for (weight, posting) in weights.iter().zip(&part.postings) {
            posting.add_to(&mut scores, &norms, *weight);
        }
        for (score, doc) in scores.iter().zip(docs) {
            by_words.offer(*score, part.space, doc.0);
        }
        nearest(part, search, &mut by_sketch);
    }
    let mut found: Vec<Found> =
        by_words.into_sorted().into_iter().map(|(lexical, space, doc)| Found { space, doc, lexical }).collect();
    for (_, space, doc) in by_sketch.into_sorted() {
        if !found.iter().any(|each| each.space == space && each.doc == doc) {
            found.push(Found { space, doc, lexical: 0.0 });
        }
    }
    Ok(found)
}

fn nearest(part: &Part, search: &Search<'_>, best: &mut Best) {
    let (width, head) = (search.sketch.len(), &part.head);
    if width == 0 || head.sketches.len() != head.docs.len() * width {
        return;
    }
    // Below three fifths two vectors have nothing to do with each other.
    let floor = (width * 8 * 3 / 5) as u32;
    for (sketch, doc) in head.sketches.chunks_exact(width).zip(&head.docs) {
        let agreement = agreement(search.sketch, sketch);
        if agreement > floor {
            best.offer(agreement as f32, part.space, doc.0);
        }
    }
}

/// The highest scores seen so far.
struct Best {
    limit: usize,
    floor: f32,
    kept: Vec<(f32, Space, i64)>,
}

impl Best {
    fn new(limit: usize) -> Self {
        Self { limit, floor: 0.0, kept: Vec::with_capacity(limit * 4) }
    }

    fn offer(&mut self, score: f32, space: Space, doc: i64) {
        // Equal scores are kept until they are cut, where the newest wins.
        if score <= 0.0 || score < self.floor {
            return;
        }
        self.kept.push((score, space, doc));
        if self.kept.len() >= self.limit * 4 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.kept.len() > self.limit && self.limit > 0 {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, Self::order);
            self.floor = last.0;
            self.kept.truncate(self.limit);
        }
    }

    fn into_sorted(mut self) -> Vec<(f32, Space, i64)> {
        self.cut();
        self.kept.sort_by(Self::order);
        self.kept
    }

    /// The higher score, then the newer document.
    fn order(left: &(f32, Space, i64), right: &(f32, Space, i64)) -> std::cmp::Ordering {
        right.0.total_cmp(&left.0).then(right.2.cmp(&left.2)).then(right.1.cmp(&left.1))
    }
}

fn segments(
    database: &Database,
    heads: &Heads,
    space: Space,
    search: &Search<'_>,
    parts: &mut Vec<Part>,
) -> Result<()> {
    let sql = "SELECT number, length FROM text_segment WHERE space = ?1 ORDER BY number";
    let rows = database.all(sql, [space.number()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)? as u64)))?;
    for (number, length) in rows {
        let head = heads.get(database, number)?;
        let mut postings = Vec::with_capacity(search.terms.len());
        for term in search.terms {
            let sql = "SELECT docs, data FROM text_posting WHERE segment = ?1 AND term = ?2";
            let found = database.first(sql, [number, *term], |row| {
                Ok(Posting::stored(row.get_ref(1)?.as_blob().unwrap_or_default(), row.get(0)?))
            })?;
            postings.push(found.unwrap_or_default());
        }
        parts.push(Part { space, head, length, postings });
    }
    Ok(())
}

impl Heads {
    /// Segments kept at once; more than there ever are, but for what others have merged away.
    const MOST: usize = 256;

    fn get(&self, database: &Database, number: i64) -> Result<Arc<Head>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = known.get(&number) {
            return Ok(Arc::clone(head));
        }
        let sql = "SELECT members, sketches FROM text_segment WHERE number = ?1";
        let (bytes, sketches) =
            database.only(sql, [number], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
        let head = Arc::new(Head { docs: members(&bytes).collect(), sketches });
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(number, Arc::clone(&head));
        Ok(head)
    }
}

fn tail(database: &Database, space: Space, search: &Search<'_>) -> Result<Part> {
    let mut head = Head { docs: Vec::new(), sketches: Vec::new() };
    let mut postings = vec![Vec::new(); search.terms.len()];
    let sql = "SELECT doc, length, terms, sketch FROM text_tail WHERE space = ?1 ORDER BY doc";
    database.each(sql, [space.number()], |row| {
        let place = head.docs.len() as u32;
        head.docs.push((row.get(0)?, row.get(1)?));
        head.sketches.extend(row.get_ref(3)?.as_blob().unwrap_or_default());
        let terms = row.get_ref(2)?.as_blob().unwrap_or_default();
        for (term, posting) in search.terms.iter().zip(&mut postings) {
            if let Some(count) = count_in(terms, *term) {
                posting.push((place, count));
            }
        }
        Ok(())
    })?;
    let length = head.docs.iter().map(|doc| u64::from(doc.1)).sum();
    let members = head.docs.len() as u32;
    let postings = postings.iter().map(|places: &Vec<(u32, u16)>| Posting::of(places, members)).collect();
    Ok(Part { space, head: Arc::new(head), length, postings })
}
