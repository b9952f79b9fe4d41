//! In which documents of a segment a term occurs, and how often: a list for most terms, and a byte a document for those
//! that occur in many, which is then both smaller to read and faster to add up.

use crate::packed::{PackedReader, put_number};

/// BM25's letters.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A term in at least one of so many documents has a byte for each.
const DENSE: usize = 6;

/// How a posting begins, by its form.
const LIST: u8 = 0;
const BYTES: u8 = 1;

/// A term's documents: their numbers in the segment, ascending, with how often it occurs there.
#[derive(Debug, Default)]
pub(super) struct Posting {
    /// As it is stored; empty for none.
    data: Vec<u8>,
    docs: u32,
}

impl Posting {
    /// The posting of these documents, in a segment of `members`.
    pub(super) fn of(places: &[(u32, u16)], members: u32) -> Self {
        let docs = places.len() as u32;
        let fits = places.iter().all(|(_, count)| u8::try_from(*count).is_ok());
        if fits && places.len() * DENSE >= members as usize {
            let mut data = vec![0; members as usize + 1];
            data[0] = BYTES;
            for (place, count) in places {
                data[*place as usize + 1] = *count as u8;
            }
            return Self { data, docs };
        }
        let mut data = Vec::with_capacity(places.len() * 2 + 1);
        data.push(LIST);
        let mut last = 0;
        for (place, count) in places {
            put_number(&mut data, place - last);
            put_number(&mut data, u32::from(*count));
            last = *place;
        }
        Self { data, docs }
    }

    /// A posting as it was stored.
    pub(super) fn stored(data: &[u8], docs: u32) -> Self {
        Self { data: data.to_vec(), docs }
    }

    pub(super) fn data(&self) -> &[u8] {
        &self.data
    }

    /// In how many documents the term occurs.
    pub(super) fn docs(&self) -> u32 {
        self.docs
    }

    /// Visits the documents in order.
    pub(super) fn each(&self, mut visit: impl FnMut(u32, u16)) {
        match self.data.split_first() {
            Some((&BYTES, counts)) => {
                for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                    visit(place as u32, u16::from(*count));
                }
            }
            Some((_, list)) => {
                let mut reader = PackedReader::new(list);
                let mut last = 0;
                while let (Ok(step), Ok(count)) = (reader.number(), reader.number()) {
                    last += step;
                    visit(last, count as u16);
                }
            }
            None => {}
        }
    }

    /// Adds the term's part of BM25 to the scores of the segment's documents, whose [`norms`] are given.
    pub(super) fn add_to(&self, scores: &mut [f32], norms: &[f32], weight: f32) {
        let part = |count: f32, norm: f32| weight * count * (K1 + 1.0) / (count + norm);
        match self.data.split_first() {
            // Without a condition this is done for several documents at once.
            Some((&BYTES, counts)) => {
                for ((score, norm), count) in scores.iter_mut().zip(norms).zip(counts) {
                    *score += part(f32::from(*count), *norm);
                }
            }
            _ => self.each(|place, count| {
                if let (Some(score), Some(norm)) = (scores.get_mut(place as usize), norms.get(place as usize)) {
                    *score += part(f32::from(count), *norm);
                }
            }),
        }
    }
}

/// What BM25 makes of the documents' lengths.
pub(super) fn norms(docs: &[(i64, u32)], average: f32) -> Vec<f32> {
    docs.iter().map(|(_, length)| K1 * (1.0 - B + B * *length as f32 / average)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of(posting: &Posting) -> Vec<(u32, u16)> {
        let mut found = Vec::new();
        posting.each(|place, count| found.push((place, count)));
        found
    }

    proptest::proptest! {
        #[test]
        fn both_forms_say_the_same(counts in proptest::collection::vec(0_u16..4, 1..200), members in 0_u32..5000) {
            let places: Vec<(u32, u16)> =
                counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, count)| (at as u32, *count)).collect();
            let lengths: Vec<(i64, u32)> = (0..counts.len()).map(|at| (at as i64, 5 + at as u32 % 7)).collect();
            let norms = norms(&lengths, 7.0);
            let mut all = Vec::new();
            for members in [counts.len() as u32, counts.len() as u32 + members] {
                let posting = Posting::of(&places, members);
                proptest::prop_assert_eq!(&places_of(&posting), &places);
                proptest::prop_assert_eq!(posting.docs() as usize, places.len());
                let mut scores = vec![0.0; counts.len()];
                posting.add_to(&mut scores, &norms, 1.5);
                all.push(scores);
            }
            proptest::prop_assert_eq!(&all[0], &all[1]);
        }
    }

    #[test]
    fn a_term_that_fills_a_document_is_counted_in_full() {
        let posting = Posting::of(&[(0, 4000), (1, 1)], 2);
        assert_eq!(places_of(&posting), [(0, 4000), (1, 1)]);
    }
}
