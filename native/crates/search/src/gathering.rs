//! Postings of a word become places.

use rayon::prelude::*;

use codecairn_base::parallel::on_all_threads;
use codecairn_index::view::{ChunkIndex, Postings};
use codecairn_lexical::{Posting, Written};

use super::chunk_postings::Place;

/// Postings that are looked at together: where their documents stand is asked of memory for all at once, and not for
/// each when the one before is done.
pub(super) const BATCH: usize = 64;
/// Postings of a part; from two of them on it pays to wake threads.
const PART: usize = 16_384;

/// In how many documents of the branch a word is.
#[derive(Debug, Default)]
pub(super) struct Frequency {
    pub(super) exact: usize,
    pub(super) body: usize,
    pub(super) names: usize,
    pub(super) comments: usize,
}

/// The places of a word in the order of chunks, and in how many documents it is, from its postings in the order of
/// documents.
pub(super) fn gather(postings: &[(Posting, Written)], columns: Postings<'_>) -> (Vec<Place>, Frequency) {
    let part = |postings| Part::of(postings, columns);
    let all = if postings.len() < 2 * PART {
        part(postings)
    } else {
        let parts: Vec<Part> = on_all_threads(|| postings.par_chunks(PART).map(part).collect());
        Part::joined(&parts)
    };
    let Part { mut by_chunk, mut further, found } = all;
    // Documents are numbered as they are met, so most of it is in order, and what is not comes in runs.
    further.sort_unstable_by_key(|place| place.chunk);
    by_chunk.append(&mut further);
    if !by_chunk.is_sorted_by_key(|place| place.chunk) {
        by_chunk.sort_by_key(|place| place.chunk);
    }
    by_chunk.shrink_to_fit();
    (by_chunk, found)
}

/// What some of the postings become.
#[derive(Default)]
struct Part {
    /// The first place of each document, and all others.
    by_chunk: Vec<Place>,
    further: Vec<Place>,
    found: Frequency,
}

impl Part {
    fn of(postings: &[(Posting, Written)], columns: Postings<'_>) -> Self {
        let mut part = Self { by_chunk: Vec::with_capacity(postings.len()), ..Self::default() };
        let Self { by_chunk, further, found } = &mut part;
        let mut batch = Vec::with_capacity(BATCH);
        for postings in postings.chunks(BATCH) {
            batch.extend(postings.iter().map(|(posting, _)| columns.occurrences(posting.doc)));
            for (mut chunks, &(posting, written)) in batch.drain(..).zip(postings) {
                // Who stands nowhere on this branch does not count.
                let Some(first) = chunks.next() else { continue };
                let Posting { body, names, comments, .. } = posting;
                let Written { body: exact, is_name } = written;
                found.exact += usize::from(exact > 0);
                found.body += usize::from(body > 0);
                found.names += usize::from(names > 0);
                found.comments += usize::from(comments > 0);
                let length = columns.lengths[first.0 as usize][0];
                let place = |chunk: ChunkIndex| Place { chunk: chunk.0, body, exact, names, comments, is_name, length };
                by_chunk.push(place(first));
                further.extend(chunks.map(place));
            }
        }
        part
    }

    fn joined(parts: &[Self]) -> Self {
        let of = |places: fn(&Self) -> &[Place]| parts.iter().map(places).collect::<Vec<_>>().concat();
        let sum = |count: fn(&Frequency) -> usize| parts.iter().map(|part| count(&part.found)).sum();
        Self {
            by_chunk: of(|part| &part.by_chunk),
            further: of(|part| &part.further),
            found: Frequency {
                exact: sum(|found| found.exact),
                body: sum(|found| found.body),
                names: sum(|found| found.names),
                comments: sum(|found| found.comments),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codecairn_base::id::DocId;
    use codecairn_index::view::TestPostings;

    #[test]
    fn many_postings_are_gathered_as_few_are() {
        let count = PART as u32 * 5 / 2;
        // Every third document is not there, and some stand behind all others once more.
        let once = (0..count).filter(|doc| doc % 3 > 0);
        let chunks: Vec<u32> = once.clone().chain(once.filter(|doc| doc % 21 == 1)).collect();
        let made = TestPostings::new(count as usize, &chunks);
        let posting = |doc: u32| Posting { doc: DocId(doc), body: doc as u16, names: doc as u8 % 2, comments: 0 };
        let postings: Vec<(Posting, Written)> = (0..count).map(|doc| (posting(doc), Written::default())).collect();
        let (places, found) = gather(&postings, made.columns());
        let as_expected = |(place, (chunk, &doc)): (&Place, (u32, &u32))| {
            place.chunk == chunk && place.body == doc as u16 && place.length == doc as u8
        };
        assert_eq!(places.len(), chunks.len());
        assert!(places.iter().zip((0..).zip(&chunks)).all(as_expected));
        assert_eq!(found.names, (0..count).filter(|doc| doc % 3 > 0 && doc % 2 > 0).count());
        assert_eq!((found.exact, found.comments), (0, 0));
    }
}
