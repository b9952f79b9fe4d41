//! Blobs, texts, chunks, vectors and symbols come back as they were given.

use proptest::prelude::*;

use codecairn_base::error::Error;
use codecairn_base::id::DocId;
use codecairn_base::span::ByteSpan;

use super::*;

#[test]
fn blob_comes_back_whole() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let id = add(&mut batch, "fn main\nlet x\n", None);
    batch.commit().unwrap();

    let snapshot = fixture.read();
    let blob = snapshot.blob(id).unwrap();
    assert_eq!((blob.language.as_str(), blob.byte_len, blob.line_count), ("text", 14, 2));
    assert_eq!(snapshot.find_blob(blob.hash, "text", 1).unwrap(), Some(id));
    assert_eq!(snapshot.find_blob(blob.hash, "text", 2).unwrap(), None);
    assert_eq!(snapshot.find_blob(blob.hash, "rust", 1).unwrap(), None);
    assert_eq!(snapshot.blob_text(id).unwrap(), "fn main\nlet x\n");
    assert_eq!(snapshot.blob_text_range(id, ByteSpan::new(3, 7)).unwrap(), "main");
    assert_eq!(snapshot.blob_chunks(id).unwrap(), (vec![DocId(0), DocId(1)], b"chunks".to_vec()));
    assert_eq!(snapshot.blob_syntax(id).unwrap(), b"fn main\nlet x\n");
    assert_eq!(snapshot.blobs_defining("MAIN").unwrap(), [id]);
    assert_eq!(snapshot.blobs_defining("other").unwrap(), []);
    assert!(matches!(snapshot.blob_text_range(id, ByteSpan::new(3, 15)), Err(Error::InvalidArgument(_))));
}

#[test]
fn cut_character_is_the_callers_fault() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let id = add(&mut batch, "äö", None);
    batch.commit().unwrap();
    let cut = fixture.read().blob_text_range(id, ByteSpan::new(1, 3));
    assert!(matches!(cut, Err(Error::InvalidArgument(_))), "{cut:?}");
}

#[test]
fn equal_content_is_stored_once_and_apart_by_language() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let first = add(&mut batch, "int x;", None);
    assert_eq!(add(&mut batch, "int x;", None), first);
    let hash = ContentHash::of(b"int x;");
    let other = NewBlob {
        hash,
        language: "cpp",
        class: "source",
        encoding: "utf-8",
        extractor_version: 1,
        text: "int x;",
        line_count: 1,
        flags: 7,
        docs: &[],
        tables: &PackedTables::new(&[], &[]),
        names: &[],
    };
    let second = batch.add_blob(&other).unwrap();
    batch.commit().unwrap();
    assert_ne!(second, first);
    let snapshot = fixture.read();
    let (first, second) = (snapshot.blob(first).unwrap(), snapshot.blob(second).unwrap());
    assert_eq!(first.place, second.place);
    assert_eq!(snapshot.blob_text(second.id).unwrap(), "int x;");
}

#[test]
fn chunk_keeps_its_document_across_batches_and_leases() {
    let fixture = Fixture::new();
    let hash = ContentHash::of(b"line");
    let chunk = ChunkId::new(hash, "f", &[], 0);
    for lease in 0..3 {
        let mut guard = fixture.lock();
        for round in 0..2 {
            let mut batch = guard.begin().unwrap();
            let interned = batch.intern_chunk(chunk, hash, false).unwrap();
            assert_eq!((interned.doc, interned.is_new), (DocId(0), (lease, round) == (0, 0)));
            assert_eq!(interned.new_text, ((lease, round) == (0, 0)).then_some(TextId(0)));
            batch.commit().unwrap();
        }
    }
    let same_text = ChunkId::new(hash, "g", &[], 0);
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let interned = batch.intern_chunk(same_text, hash, false).unwrap();
    assert_eq!(interned, ChunkNumbers { doc: DocId(1), is_new: true, new_text: None });
    batch.commit().unwrap();
    assert_eq!(
        fixture.read().chunks(DocId(0)..DocId(9)).unwrap(),
        [(DocId(0), chunk, TextId(0)), (DocId(1), same_text, TextId(0))]
    );
}

#[test]
fn many_chunks_are_found_by_runs_and_by_memory_alike() {
    let fixture = Fixture::new();
    let chunk = |number: u32| {
        let hash = ContentHash::of(&number.to_le_bytes());
        (ChunkId::new(hash, "", &[], 0), hash)
    };
    let mut guard = fixture.lock();
    for part in 0..40u32 {
        let mut batch = guard.begin().unwrap();
        for number in part * 50..(part + 1) * 50 {
            let (id, hash) = chunk(number);
            assert_eq!(batch.intern_chunk(id, hash, false).unwrap().doc, DocId(number));
        }
        batch.commit().unwrap();
    }
    drop(guard);
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    for number in 0..2_100 {
        let (id, _) = chunk(number);
        assert_eq!(batch.doc_for(id).unwrap(), (number < 2_000).then_some(DocId(number)));
    }
}

#[test]
fn text_that_was_lexical_only_is_asked_for_once_it_needs_a_vector() {
    let fixture = Fixture::new();
    let hash = ContentHash::of(b"1, 2, 3");
    let mut guard = fixture.lock();
    let mut intern = |name: &str, lexical_only| {
        let mut batch = guard.begin().unwrap();
        let interned = batch.intern_chunk(ChunkId::new(hash, name, &[], 0), hash, lexical_only).unwrap();
        batch.commit().unwrap();
        interned.new_text
    };
    assert_eq!(intern("a", true), None);
    assert_eq!(intern("b", true), None);
    assert_eq!(intern("a", false), Some(TextId(0)));
    assert_eq!(intern("b", false), None);
    assert_eq!(intern("c", true), None);
}

#[test]
fn vectors_and_pending_texts_exclude_each_other() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let embedder = guard.embedder("fake-8", 8, WIDTH).unwrap();
    let mut batch = guard.begin().unwrap();
    let texts: Vec<TextId> = (0..200u32)
        .map(|number| {
            let hash = ContentHash::of(&number.to_le_bytes());
            batch.intern_chunk(ChunkId::new(hash, "", &[], 0), hash, false).unwrap().new_text.unwrap()
        })
        .collect();
    batch.add_pending(embedder, texts.iter().copied()).unwrap();
    batch.commit().unwrap();
    assert_eq!(fixture.read().pending(embedder).unwrap(), texts);

    // Backwards and over a block's end, so that vectors are put between others.
    let mut batch = guard.begin().unwrap();
    for text in texts[10..150].iter().rev().step_by(2) {
        batch.put_vectors(embedder, [(*text, &u64::from(text.0).to_le_bytes()[..])]).unwrap();
    }
    batch.add_pending(embedder, texts.iter().copied()).unwrap();
    batch.commit().unwrap();
    let snapshot = fixture.read();
    let kept = &snapshot.embedders().unwrap()[0];
    let pending = snapshot.pending(embedder).unwrap();
    assert_eq!(pending.len(), 130);
    let visit = |text: TextId, vector: Option<&[u8]>| {
        assert_eq!(vector.is_none(), pending.contains(&text));
        assert!(vector.is_none_or(|vector| vector == u64::from(text.0).to_le_bytes()));
        Ok(())
    };
    snapshot.each_vector(kept, &texts, visit).unwrap();
}

#[test]
fn wrong_vectors_are_refused() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let embedder = guard.embedder("fake-8", 8, WIDTH).unwrap();
    assert_eq!(guard.embedder("fake-8", 8, WIDTH).unwrap(), embedder);
    assert!(matches!(guard.embedder("fake-8", 9, WIDTH), Err(Error::InvalidArgument(_))));
    let mut batch = guard.begin().unwrap();
    let unknown_text = batch.put_vectors(embedder, [(TextId(0), &[0; 8][..])]);
    assert!(matches!(unknown_text, Err(Error::InvalidArgument(_))));
    let hash = ContentHash::of(b"x");
    let text = batch.intern_chunk(ChunkId::new(hash, "", &[], 0), hash, false).unwrap().new_text.unwrap();
    assert!(matches!(batch.put_vectors(embedder, [(text, &[0; 7][..])]), Err(Error::InvalidArgument(_))));
    assert!(matches!(batch.add_pending(EmbedderId(9), [text]), Err(Error::InvalidArgument(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Lengths around nothing, one frame and several frames, in batches of any size.
    #[test]
    fn texts_lead_back_through_frames(
        batches in proptest::collection::vec(proptest::collection::vec((0usize..400_000, 0u8..4), 0..5), 1..4),
        cuts in proptest::collection::vec((0.0..1.0f64, 0.0..1.0f64), 4),
    ) {
        let fixture = Fixture::new();
        let mut guard = fixture.lock();
        let mut stored = Vec::new();
        for (round, lengths) in batches.iter().enumerate() {
            let mut batch = guard.begin().unwrap();
            for (number, (length, shrink)) in lengths.iter().enumerate() {
                let length = length >> (shrink * 5);
                let text: String = format!("{round}.{number} ").chars().cycle().take(length).collect();
                stored.push((add(&mut batch, &text, None), text));
            }
            batch.commit().unwrap();
        }
        let snapshot = fixture.read();
        let ids: Vec<BlobId> = stored.iter().map(|(id, _)| *id).collect();
        let together = snapshot.blob_texts(&ids).unwrap();
        for ((id, text), bulk) in stored.iter().zip(&together) {
            prop_assert_eq!(&snapshot.blob_text(*id).unwrap(), text);
            prop_assert_eq!(bulk, text);
            for (from, to) in &cuts {
                let (from, to) = ((from * text.len() as f64) as usize, (to * text.len() as f64) as usize);
                let (start, end) = (from.min(to), from.max(to));
                let part = snapshot.blob_text_range(*id, ByteSpan::new(start, end)).unwrap();
                prop_assert_eq!(&part, &text[start..end]);
            }
        }
    }
}
