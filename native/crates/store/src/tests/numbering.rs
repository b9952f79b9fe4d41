//! Documents of one store in another one.

use std::path::Path;

use codecairn_base::error::{Error, Result};
use codecairn_base::id::DocId;

use super::*;

const LINES: [&str; 4] = ["one", "two", "three", "four"];

/// Chunks of [`LINES`], of which the third was collected, as another store would number them.
fn numbered() -> Vec<Option<NumberedChunk>> {
    let chunk = |(ordinal, line): (u32, &str)| {
        let text_hash = ContentHash::of(line.as_bytes());
        let chunk = ChunkId::new(text_hash, "", &[], ordinal);
        (ordinal != 2).then_some(NumberedChunk { chunk, text_hash, is_plain: ordinal == 1 })
    };
    (0..).zip(LINES).map(chunk).collect()
}

/// A file that is listed as the only lexical segment.
fn segments(dir: &Path, count: u32) -> Segments {
    let file = "lexical.seg".to_owned();
    std::fs::write(dir.join("segments").join(&file), b"terms").unwrap();
    let segment = Segment { first: DocId(0), count, file, generation: Generation(1) };
    Segments::from([(SegmentKind::Lexical, vec![segment])])
}

fn adopt(fixture: &Fixture, chunks: &[Option<NumberedChunk>], count: u32) -> Result<Generation> {
    fixture.lock().adopt(chunks, &segments(&fixture.path(), count))
}

#[test]
fn adopted_documents_have_the_numbers_of_the_other_store() {
    let fixture = Fixture::new();
    assert_eq!(adopt(&fixture, &numbered(), 4).unwrap(), Generation(1));
    let read = fixture.read();
    assert_eq!((read.next_doc().unwrap(), read.branches().unwrap().len()), (DocId(4), 0));
    let here = read.numbered_chunks(DocId(0)..DocId(4)).unwrap();
    assert_eq!((here[0], here[1], here[3]), (numbered()[0], numbered()[1], numbered()[3]));
    assert!(here[2].is_some_and(|collected| collected.is_plain), "a collected document keeps its number");
    assert_eq!(read.segments(SegmentKind::Lexical).unwrap().len(), 1);
    drop(read);
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let hash = ContentHash::of(b"four");
    let known = batch.intern_chunk(ChunkId::new(hash, "", &[], 3), hash, false).unwrap();
    assert_eq!((known.doc, known.is_new), (DocId(3), false));
    batch.commit().unwrap();
    drop(guard);
    let read = fixture.read();
    assert_eq!(read.numbered_chunks(DocId(1)..DocId(2)).unwrap(), numbered()[1..2]);
    let plain = |line| read.plain_texts().unwrap().contains(&text_id(&read, line).unwrap());
    assert!(plain("two") && !plain("four"));
}

#[test]
fn adopted_documents_come_with_their_segments_or_not_at_all() {
    let twice = [numbered(), numbered()].concat();
    for (chunks, count) in [(numbered(), 3), (numbered(), 5), (twice, 8)] {
        let fixture = Fixture::new();
        assert!(matches!(adopt(&fixture, &chunks, count), Err(Error::InvalidArgument(_))));
        let read = fixture.read();
        assert_eq!((read.next_doc().unwrap(), read.generation()), (DocId(0), Generation(0)));
        assert!(read.all_segments().unwrap().is_empty());
        adopt(&fixture, &numbered(), 4).unwrap();
    }
}

#[test]
fn only_a_store_without_documents_adopts_any() {
    let fixture = Fixture::new();
    publish(&mut fixture.lock(), "main", None, &[("a.rs", Some("one"))]);
    let refused = adopt(&fixture, &numbered(), 4).unwrap_err();
    assert_eq!(refused.to_string(), "the store has documents already");
    assert_eq!(fixture.texts("main"), [("a.rs".to_owned(), "one".to_owned())]);
    assert!(fixture.read().all_segments().unwrap().is_empty());
}

#[test]
fn documents_without_text_are_forgotten_and_others_keep_their_numbers() {
    let fixture = Fixture::new();
    adopt(&fixture, &numbered(), 4).unwrap();
    publish(&mut fixture.lock(), "main", None, &[("a.rs", Some("one\ntwo"))]);
    let mut guard = fixture.lock();
    assert_eq!(guard.forget_documents_without_text(DocId(3)).unwrap(), 1);
    assert_eq!(guard.forget_documents_without_text(DocId(0)).unwrap(), 1);
    assert_eq!(guard.forget_documents_without_text(DocId(0)).unwrap(), 0);
    let mut batch = guard.begin().unwrap();
    let doc = |batch: &mut Batch<'_>, line: &str, ordinal| {
        batch.doc_for(ChunkId::new(ContentHash::of(line.as_bytes()), "", &[], ordinal)).unwrap()
    };
    assert_eq!((doc(&mut batch, "one", 0), doc(&mut batch, "two", 1)), (Some(DocId(0)), Some(DocId(1))));
    assert_eq!((doc(&mut batch, "four", 3), batch.next_doc()), (None, DocId(4)));
}

#[test]
fn documents_are_found_in_any_order() {
    const COUNT: u32 = 3_000;
    let fixture = Fixture::new();
    let chunk = |number: u32| {
        let text_hash = ContentHash::of(&number.to_le_bytes());
        NumberedChunk { chunk: ChunkId::new(text_hash, "", &[], 0), text_hash, is_plain: false }
    };
    let chunks: Vec<Option<NumberedChunk>> = (0..COUNT).map(|number| Some(chunk(number))).collect();
    adopt(&fixture, &chunks, COUNT).unwrap();
    let in_order: Vec<u32> = (0..COUNT).collect();
    let with_repeats: Vec<u32> = in_order.iter().flat_map(|&number| [number, number / 7, number]).collect();
    let reversed: Vec<u32> = in_order.iter().rev().copied().collect();
    for order in [in_order, with_repeats, reversed] {
        let mut guard = fixture.lock();
        let mut batch = guard.begin().unwrap();
        for number in order {
            assert_eq!(batch.doc_for(chunk(number).chunk).unwrap(), Some(DocId(number)));
            assert_eq!(batch.doc_for(chunk(number + COUNT).chunk).unwrap(), None);
        }
    }
    let known = fixture.read().chunk_set().unwrap();
    let mut cursor = Cursor::default();
    for number in (0..COUNT).chain((0..COUNT).rev()) {
        assert!(known.has(chunk(number).chunk, &mut cursor));
        assert!(!known.has(chunk(number + COUNT).chunk, &mut cursor));
    }
}
