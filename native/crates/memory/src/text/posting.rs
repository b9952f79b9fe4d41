//! Encodes the postings of a term in a segment: a list for most terms, and a byte per document for frequent ones, which
//! is smaller then.

use codecairn_base::leb128::{PackedReader, put_number};

/// A term in at least one of this many documents has a byte per document.
const DENSE: usize = 6;

/// The first byte of a posting, by its form.
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

    pub(super) fn data(&self) -> &[u8] {
        &self.data
    }

    /// In how many documents the term occurs.
    pub(super) fn docs(&self) -> u32 {
        self.docs
    }

    /// Visits the documents of a posting as it was stored, in order.
    pub(super) fn each_stored(data: &[u8], mut visit: impl FnMut(u32, u16)) {
        match data.split_first() {
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
}

/// The counts of a posting as it was stored, by document; `None` if it is a list.
pub(super) fn counts(data: &[u8]) -> Option<&[u8]> {
    data.split_first().filter(|(form, _)| **form == BYTES).map(|(_, counts)| counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of(posting: &Posting) -> Vec<(u32, u16)> {
        let mut found = Vec::new();
        Posting::each_stored(&posting.data, |place, count| found.push((place, count)));
        found
    }

    proptest::proptest! {
        #[test]
        fn both_forms_say_the_same(counts in proptest::collection::vec(0_u16..4, 1..200), members in 0_u32..5000) {
            let places: Vec<(u32, u16)> =
                counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, count)| (at as u32, *count)).collect();
            for members in [counts.len() as u32, counts.len() as u32 + members] {
                let posting = Posting::of(&places, members);
                proptest::prop_assert_eq!(&places_of(&posting), &places);
                proptest::prop_assert_eq!(posting.docs() as usize, places.len());
            }
        }
    }

    #[test]
    fn a_term_that_fills_a_document_is_counted_in_full() {
        let posting = Posting::of(&[(0, 4000), (1, 1)], 2);
        assert_eq!(places_of(&posting), [(0, 4000), (1, 1)]);
    }
}
