//! Encodes postings: one term in one document.
//!
//! A posting is the gap to the document before as a varint, one byte with the frequencies of all fields, and a varint
//! for each frequency that does not fit there. In a frequent term that is two bytes, and decoding them takes no branch
//! that is hard to predict.

use super::score::Field;
use super::varint;

/// A decoded value, or the reason why the bytes are damaged.
pub(super) type Decoded<T> = Result<T, &'static str>;

/// The term frequency in each field of a document; it saturates at the type's maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Frequencies {
    pub(super) body: u16,
    pub(super) names: u8,
    pub(super) comments: u8,
}

impl Frequencies {
    /// The frequency in one field.
    pub(super) fn in_field(self, field: Field) -> u32 {
        match field {
            Field::Body => self.body.into(),
            Field::Names => self.names.into(),
            Field::Comments => self.comments.into(),
        }
    }
}

/// Frequencies from these values on take bytes of their own: the fields have 3, 2 and 3 bits.
const MANY_BODY: u8 = 7;
const MANY_NAMES: u8 = 3;
const MANY_COMMENTS: u8 = 7;

/// Appends the posting of `document`; `expected` is one past the document before, zero at first.
pub(super) fn put(bytes: &mut Vec<u8>, document: u32, expected: u32, found: Frequencies) {
    debug_assert!(document >= expected, "documents rise");
    varint::put(bytes, document - expected);
    let body = found.body.min(MANY_BODY.into()) as u8;
    let (names, comments) = (found.names.min(MANY_NAMES), found.comments.min(MANY_COMMENTS));
    bytes.push(body | names << 3 | comments << 5);
    if body == MANY_BODY {
        varint::put(bytes, u32::from(found.body) - u32::from(MANY_BODY));
    }
    if names == MANY_NAMES {
        varint::put(bytes, (found.names - MANY_NAMES).into());
    }
    if comments == MANY_COMMENTS {
        varint::put(bytes, (found.comments - MANY_COMMENTS).into());
    }
}

/// Reads the postings of one term in a segment of `count` documents.
#[derive(Debug)]
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    at: usize,
    count: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8], count: u32) -> Self {
        Self { bytes, at: 0, count }
    }

    /// An upper bound for the number of postings: each takes at least two bytes.
    pub(super) fn at_most(&self) -> usize {
        self.bytes.len() / 2
    }

    /// Calls `each` with the documents, which rise and are below the count, and their frequencies.
    #[inline]
    pub(super) fn for_each(mut self, mut each: impl FnMut(u32, Frequencies)) -> Decoded<()> {
        let mut expected = 0u32;
        while self.at < self.bytes.len() {
            let distance = varint::get(self.bytes, &mut self.at).ok_or("a posting ends early")?;
            let document = expected.checked_add(distance).filter(|document| *document < self.count);
            let document = document.ok_or("a posting of a document beyond the last")?;
            expected = document + 1;
            let code = *self.bytes.get(self.at).ok_or("a posting ends early")?;
            self.at += 1;
            let mut found = Frequencies { body: (code & 7).into(), names: code >> 3 & 3, comments: code >> 5 };
            if found.body == u16::from(MANY_BODY) || found.names == MANY_NAMES || found.comments == MANY_COMMENTS {
                found = self.complete(found)?;
            }
            each(document, found);
        }
        Ok(())
    }

    #[cold]
    fn complete(&mut self, mut found: Frequencies) -> Decoded<Frequencies> {
        let mut more = |limit: u32, largest: u32| {
            let value = varint::get(self.bytes, &mut self.at).and_then(|value| value.checked_add(limit));
            value.filter(|value| *value <= largest).ok_or("a frequency that can't be")
        };
        if found.body == u16::from(MANY_BODY) {
            found.body = more(MANY_BODY.into(), u16::MAX.into())? as u16;
        }
        if found.names == MANY_NAMES {
            found.names = more(MANY_NAMES.into(), u8::MAX.into())? as u8;
        }
        if found.comments == MANY_COMMENTS {
            found.comments = more(MANY_COMMENTS.into(), u8::MAX.into())? as u8;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frequencies() -> impl Strategy<Value = Frequencies> {
        let small = (0u16..10, 0u8..5, 0u8..10);
        let any = (any::<u16>(), any::<u8>(), any::<u8>());
        prop_oneof![small, any].prop_map(|(body, names, comments)| Frequencies { body, names, comments })
    }

    proptest! {
        #[test]
        fn what_is_put_is_read(list in proptest::collection::btree_map(0u32..100_000, frequencies(), 0..200)) {
            let (mut bytes, mut expected) = (Vec::new(), 0);
            for (&document, &found) in &list {
                put(&mut bytes, document, expected, found);
                expected = document + 1;
            }
            let postings = Postings::new(&bytes, 100_000);
            prop_assert!(postings.at_most() >= list.len());
            let mut read = std::collections::BTreeMap::new();
            postings.for_each(|document, found| { read.insert(document, found); }).unwrap();
            prop_assert_eq!(read, list);
        }

        #[test]
        fn any_bytes_give_postings_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60), count: u32) {
            let mut documents = Vec::new();
            let _ = Postings::new(&bytes, count).for_each(|document, _| documents.push(document));
            prop_assert!(documents.is_sorted_by(|a, b| a < b) && documents.iter().all(|document| *document < count));
        }
    }
}
