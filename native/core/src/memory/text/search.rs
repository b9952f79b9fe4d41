//! BM25 over some spaces, and the sketches nearest to a question's.

use super::Space;
use super::document::count_in;
use super::segment::{members, places};
use crate::database::Database;
use crate::error::Result;
use crate::memory::vector::agreement;

/// BM25's letters.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What is looked for.
pub(in crate::memory) struct Search<'a> {
    pub(in crate::memory) terms: &'a [i64],
    /// The sketch of the question's vector; empty for none.
    pub(in crate::memory) sketch: &'a [u8],
    /// How many of each list are wanted.
    pub(in crate::memory) limit: usize,
}

/// A document that may answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::memory) struct Found {
    pub(in crate::memory) space: Space,
    pub(in crate::memory) doc: i64,
    /// Its BM25; 0 if it was found by its sketch alone.
    pub(in crate::memory) lexical: f32,
}

/// A part of a space: the tail's documents one by one, or a segment.
struct Part {
    space: Space,
    docs: Vec<(i64, u32)>,
    sketches: Vec<u8>,
    /// For each term of the question, its documents here.
    postings: Vec<Vec<(u32, u16)>>,
}

/// The best documents by words, and then those that only their sketches speak for.
pub(in crate::memory) fn search(database: &Database, spaces: &[Space], search: &Search<'_>) -> Result<Vec<Found>> {
    let mut parts = Vec::new();
    for space in spaces {
        parts.extend(segments(database, *space, search)?);
        parts.push(tail(database, *space, search)?);
    }
    let docs: usize = parts.iter().map(|part| part.docs.len()).sum();
    if docs == 0 {
        return Ok(Vec::new());
    }
    let length: u64 = parts.iter().flat_map(|part| &part.docs).map(|doc| u64::from(doc.1)).sum();
    let average = (length as f32 / docs as f32).max(1.0);
    let weights: Vec<f32> = (0..search.terms.len())
        .map(|term| {
            let holding: usize = parts.iter().map(|part| part.postings[term].len()).sum();
            let (docs, holding) = (docs as f32, holding as f32);
            (1.0 + (docs - holding + 0.5) / (holding + 0.5)).ln()
        })
        .collect();
    let mut by_words: Vec<Found> = Vec::new();
    let mut by_sketch: Vec<(u32, Space, i64)> = Vec::new();
    for part in &parts {
        let mut scores = vec![0.0_f32; part.docs.len()];
        for (weight, posting) in weights.iter().zip(&part.postings) {
            for (place, count) in posting {
                let (count, place) = (f32::from(*count), *place as usize);
                let norm = K1 * (1.0 - B + B * part.docs[place].1 as f32 / average);
                scores[place] += weight * count * (K1 + 1.0) / (count + norm);
            }
        }
        let scored = scores.iter().zip(&part.docs).filter(|(score, _)| **score > 0.0);
        by_words.extend(scored.map(|(score, doc)| Found { space: part.space, doc: doc.0, lexical: *score }));
        nearest(part, search, &mut by_sketch);
    }
    keep_best(&mut by_words, search.limit, |found| (found.lexical, found.doc));
    keep_best(&mut by_sketch, search.limit, |found| (found.0 as f32, found.2));
    for (_, space, doc) in by_sketch {
        if !by_words.iter().any(|found| found.space == space && found.doc == doc) {
            by_words.push(Found { space, doc, lexical: 0.0 });
        }
    }
    Ok(by_words)
}

fn nearest(part: &Part, search: &Search<'_>, found: &mut Vec<(u32, Space, i64)>) {
    let width = search.sketch.len();
    if width == 0 || part.sketches.len() != part.docs.len() * width {
        return;
    }
    // Below three fifths two vectors have nothing to do with each other.
    let floor = (width * 8 * 3 / 5) as u32;
    for (sketch, doc) in part.sketches.chunks_exact(width).zip(&part.docs) {
        let agreement = agreement(search.sketch, sketch);
        if agreement > floor {
            found.push((agreement, part.space, doc.0));
        }
    }
}

/// The highest by score, then the newest, in order.
fn keep_best<T>(found: &mut Vec<T>, limit: usize, key: impl Fn(&T) -> (f32, i64)) {
    let order = |left: &T, right: &T| {
        let (left, right) = (key(left), key(right));
        right.0.total_cmp(&left.0).then(right.1.cmp(&left.1))
    };
    if found.len() > limit && limit > 0 {
        found.select_nth_unstable_by(limit - 1, order);
    }
    found.truncate(limit);
    found.sort_by(order);
}

fn segments(database: &Database, space: Space, search: &Search<'_>) -> Result<Vec<Part>> {
    let sql = "SELECT number, members, sketches FROM text_segment WHERE space = ?1 ORDER BY number";
    let rows = database.all(sql, [space.number()], |row| {
        let sketches = if search.sketch.is_empty() { Vec::new() } else { row.get(2)? };
        Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, sketches))
    })?;
    let mut parts = Vec::with_capacity(rows.len());
    for (number, bytes, sketches) in rows {
        let mut postings = Vec::with_capacity(search.terms.len());
        for term in search.terms {
            let sql = "SELECT data FROM text_posting WHERE segment = ?1 AND term = ?2";
            let found = database.first(sql, [number, *term], |row| Ok(places(&row.get::<_, Vec<u8>>(0)?)))?;
            postings.push(found.unwrap_or_default());
        }
        parts.push(Part { space, docs: members(&bytes).collect(), sketches, postings });
    }
    Ok(parts)
}

fn tail(database: &Database, space: Space, search: &Search<'_>) -> Result<Part> {
    let mut part =
        Part { space, docs: Vec::new(), sketches: Vec::new(), postings: vec![Vec::new(); search.terms.len()] };
    let sql = "SELECT doc, length, terms, sketch FROM text_tail WHERE space = ?1 ORDER BY doc";
    database.each(sql, [space.number()], |row| {
        let (terms, sketch): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
        let place = part.docs.len() as u32;
        part.docs.push((row.get(0)?, row.get(1)?));
        part.sketches.extend(sketch);
        for (term, posting) in search.terms.iter().zip(&mut part.postings) {
            if let Some(count) = count_in(&terms, *term) {
                posting.push((place, count));
            }
        }
        Ok(())
    })?;
    Ok(part)
}
