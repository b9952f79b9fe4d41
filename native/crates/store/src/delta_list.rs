//! Packs lists of document numbers by delta coding: varints (LEB128) of zigzag differences.
//!
//! Chunks of one blob mostly have consecutive `DocId`s, so a list costs about a byte an entry.

use codecairn_base::id::DocId;

/// Packs `docs` in their order.
pub(super) fn pack_docs(docs: &[DocId]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(docs.len() + 4);
    let mut previous = 0i64;
    for doc in docs {
        let difference = i64::from(doc.0) - previous;
        let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
        while rest >= 0x80 {
            packed.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        packed.push(rest as u8);
        previous = i64::from(doc.0);
    }
    packed
}

/// Appends the packed list to `docs`; `None` if the bytes are no such list.
pub(super) fn unpack_docs(packed: &[u8], docs: &mut Vec<DocId>) -> Option<()> {
    docs.reserve(packed.len());
    let (mut previous, mut value, mut shift) = (0i64, 0u64, 0u32);
    for &byte in packed {
        // A difference of two u32 has at most 33 bits, so five bytes of seven are enough.
        if shift > 28 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            previous += (value >> 1) as i64 ^ -((value & 1) as i64);
            docs.push(DocId(u32::try_from(previous).ok()?));
            (value, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(())
}

/// How many documents a packed list has.
pub(super) fn count_docs(packed: &[u8]) -> u64 {
    packed.iter().filter(|byte| **byte < 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacked(packed: &[u8]) -> Option<Vec<DocId>> {
        let mut docs = Vec::new();
        unpack_docs(packed, &mut docs).map(|()| docs)
    }

    #[test]
    fn consecutive_numbers_take_a_byte_each() {
        let docs: Vec<DocId> = (70_000..70_100).map(DocId).collect();
        assert_eq!(pack_docs(&docs).len(), 102);
    }

    #[test]
    fn cut_list_is_refused() {
        let packed = pack_docs(&[DocId(u32::MAX)]);
        assert_eq!(unpacked(&packed[..packed.len() - 1]), None);
        assert_eq!(unpacked(&[0x03]), None, "a number below zero");
    }

    proptest! {
        #[test]
        fn lists_lead_back(numbers in proptest::collection::vec(any::<u32>(), 0..200)) {
            let docs: Vec<DocId> = numbers.into_iter().map(DocId).collect();
            prop_assert_eq!(unpacked(&pack_docs(&docs)), Some(docs));
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = unpacked(&bytes);
        }
    }
}
