use proptest::prelude::*;

use super::*;
use crate::scip::test_index::{document, index, name};

fn read(bytes: &[u8]) -> Result<Index, Malformed> {
    Index::read(&mut &bytes[..]).expect("reading from memory never fails")
}

#[test]
fn names_are_joined_to_definitions_over_documents() {
    let call = document("b.ts", 0, None, &[name(&[3, 0, 4], "npm a 1 `a.ts`/make().", 0)]);
    let made = document("a.ts", 0, None, &[name(&[0, 9, 13], "npm a 1 `a.ts`/make().", 1)]);
    let found = read(&index("scip-test", "1.2", &[call, made])).unwrap();
    assert_eq!((found.tool(), found.len()), ("scip-test 1.2", 2));
    let used = found.documents()[1].names[0];
    assert_eq!(found.definitions(used.symbol).collect::<Vec<_>>(), [(DocumentNumber(0), 0)]);
    assert_eq!(found.written(used.symbol), name_hash("make"));
    assert_eq!(found.naming(used.symbol).collect::<Vec<_>>(), [DocumentNumber(0), DocumentNumber(1)]);
}

#[test]
fn local_symbols_belong_to_their_document() {
    let one = document("a.ts", 0, None, &[name(&[0, 0, 1], "local 1", 1)]);
    let other = document("b.ts", 0, None, &[name(&[0, 0, 1], "local 1", 0)]);
    let found = read(&index("", "", &[one, other])).unwrap();
    assert_eq!(found.definitions(found.documents()[1].names[0].symbol).count(), 0);
}

#[test]
fn ranges_over_several_lines_are_no_names() {
    let names = [name(&[0, 0, 2, 1], "a/b.", 1), name(&[4, 1, 4, 3], "a/c.", 1), name(&[5, 9, 2], "a/d.", 0)];
    let found = read(&index("", "", &[document("a.py", 2, None, &names)])).unwrap();
    let kept: Vec<_> = found.documents()[0].names.iter().map(|name| (name.line, name.start, name.end)).collect();
    assert_eq!(kept, [(4, 1, 3)]);
}

#[test]
fn file_that_stands_in_it_twice_is_left_out() {
    let twice = || document("a.py", 0, None, &[name(&[0, 0, 1], "a/b.", 1)]);
    let found = read(&index("", "", &[twice(), document("b.py", 0, None, &[]), twice()])).unwrap();
    assert_eq!(found.documents().iter().map(|document| document.path.as_str()).collect::<Vec<_>>(), ["b.py"]);
}

#[test]
fn every_beginning_of_an_index_is_malformed_or_an_index() {
    let whole = index("scip-test", "1", &[document("a.py", 1, Some("b\n"), &[name(&[0, 0, 1], "a/b.", 1)])]);
    for end in 0..whole.len() {
        if let Ok(found) = read(&whole[..end]) {
            assert!(found.is_empty(), "cut to {end}");
        }
    }
    assert_eq!(read(&whole).unwrap().len(), 1);
}

#[test]
fn promised_length_takes_no_memory() {
    assert_eq!(read(b"\x0a\x00\x12\xff\xff\xff\x7f").unwrap_err(), Malformed);
    assert_eq!(read(b"\x0a\x00\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f").unwrap_err(), Malformed);
}

#[test]
fn other_files_are_no_index() {
    for bytes in [&b""[..], b"{\"version\": 1}", b"# text\n", b"\x7fELF\x02\x01\x01", b"\x12\x00"] {
        assert_eq!(read(bytes).unwrap_err(), Malformed, "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_an_index_or_malformed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = read(&[b"\x0a\x00", bytes.as_slice()].concat());
    }

    #[test]
    fn damaged_index_has_definitions_that_are_there(
        at in any::<prop::sample::Index>(),
        mask in 1u8..,
    ) {
        let names = [name(&[0, 4, 5], "s p n 1 a/b().", 1), name(&[1, 0, 1], "s p n 1 a/b().", 0)];
        let mut bytes = index("t", "1", &[document("a.py", 1, None, &names), document("b.py", 3, None, &names)]);
        let at = at.index(bytes.len());
        bytes[at] ^= mask;
        let Ok(found) = read(&bytes) else { return Ok(()) };
        for name in found.documents().iter().flat_map(|document| &document.names) {
            for (document, at) in found.definitions(name.symbol) {
                prop_assert!(found.document(document).names[at as usize].is_definition);
            }
        }
    }
}
