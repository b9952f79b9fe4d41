use super::*;
use crate::scip::test_index::{document, index, name};

const TEXT: &str = "def make():\n    pass\n\n\nmake()  # é\n";

fn read(encoding: u64, text: Option<&str>, names: &[(&[u64], &str, u64)]) -> Index {
    let names: Vec<Vec<u8>> = names.iter().map(|(range, symbol, roles)| name(range, symbol, *roles)).collect();
    let bytes = index("t", "1", &[document("a.py", encoding, text, &names)]);
    Index::read(&mut bytes.as_slice()).unwrap().unwrap()
}

/// The text at the names of an index of one document in a text; nothing if it does not hold.
fn valid_names(index: &Index, text: &str) -> Option<Vec<String>> {
    let names = ScipNames::of(&index.documents()[0], text, |symbol| index.written(symbol))?;
    Some(names.spans.iter().map(|span| text[span.range()].to_owned()).collect())
}

fn made() -> Index {
    read(1, None, &[(&[0, 4, 8], "s p n 1 a/make().", 1), (&[4, 0, 4], "s p n 1 a/make().", 0)])
}

#[test]
fn index_holds_for_the_text_that_it_was_made_of() {
    assert_eq!(valid_names(&made(), TEXT).unwrap(), ["make", "make"]);
    let quoted = TEXT.replace("pass", "return");
    assert_eq!(valid_names(&made(), &quoted).unwrap(), ["make", "make"]);
}

#[test]
fn index_holds_for_no_text_in_which_its_names_stand_elsewhere() {
    for changed in [
        TEXT.replace("make", "build"),
        TEXT.replace("def make", "def  make"),
        TEXT.replace("\n\n\nmake", "\n\nmake"),
        TEXT.replace("\nmake()", "\nremake()"),
        String::new(),
    ] {
        assert_eq!(valid_names(&made(), &changed), None, "{changed:?}");
    }
}

#[test]
fn index_with_its_text_holds_for_that_alone() {
    let names: [(&[u64], &str, u64); 1] = [(&[0, 4, 8], "s p n 1 a/other_name().", 1)];
    assert_eq!(valid_names(&read(1, Some(TEXT), &names), TEXT).unwrap(), ["make"]);
    assert_eq!(valid_names(&read(1, Some(TEXT), &names), &format!("{TEXT}\n")), None);
}

#[test]
fn places_are_counted_in_the_units_of_the_document() {
    let text = "a = '🧾'; b = a\n";
    let at = |encoding: u64, start: u64| read(encoding, None, &[(&[0, start, start + 1], "local 1", 1)]);
    assert_eq!(valid_names(&at(1, 12), text).unwrap(), ["b"]);
    assert_eq!(valid_names(&at(2, 10), text).unwrap(), ["b"]);
    assert_eq!(valid_names(&at(3, 9), text).unwrap(), ["b"]);
}

#[test]
fn place_that_is_not_known_is_no_name_and_keeps_the_others_in_order() {
    let text = "a = '🧾'; b = a\nc\n";
    let names: [(&[u64], &str, u64); 3] =
        [(&[0, 0, 1], "local 1", 1), (&[0, 8, 9], "local 2", 1), (&[1, 0, 1], "local 3", 1)];
    assert_eq!(valid_names(&read(0, None, &names), text).unwrap(), ["a", "", "c"]);
}
