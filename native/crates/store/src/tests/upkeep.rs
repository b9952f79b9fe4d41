//! Verification, repair, collection and renumbering.

use codecairn_base::cancel::CancelToken;
use codecairn_base::id::DocId;

use super::*;

/// A store whose branches have segments that cover all documents.
struct FilledStore {
    fixture: Fixture,
    embedder: EmbedderId,
}

impl FilledStore {
    fn new() -> Self {
        let fixture = Fixture::new();
        let embedder = fixture.lock().embedder("fake-8", 8, WIDTH).unwrap();
        Self { fixture, embedder }
    }

    /// Publishes a branch with exactly these texts, and segments for all documents.
    fn index(&self, branch: &str, files: &[(&str, &str)]) {
        let mut guard = self.fixture.lock();
        let worktree = guard.worktree("/root").unwrap();
        let mut batch = guard.begin().unwrap();
        let mut delta = CatalogDelta::new();
        for path in self.fixture.read().catalog(branch).unwrap().unwrap_or_default().into_keys() {
            delta.insert(path, None);
        }
        let mut stats = StatDelta::default();
        for (path, text) in files {
            let blob = add(&mut batch, text, Some(self.embedder));
            delta.insert((*path).to_owned(), Some(blob));
            let path = (*path).to_owned();
            stats.recorded.push(StatEntry {
                path,
                size: 1,
                mtime_ns: 2,
                ctime_ns: 2,
                inode: 3,
                recorded_ns: 4,
                blob: Some(blob),
            });
        }
        batch.commit().unwrap();
        let segments = self.segments(guard.next_generation().unwrap());
        let publication = Publication {
            branch,
            head: None,
            base: None,
            delta: &delta,
            worktree: Some((worktree, &stats, &[])),
            segments: &segments,
            notes: &[],
        };
        guard.publish(&publication).unwrap();
    }

    fn segments(&self, generation: Generation) -> Segments {
        let count = self.fixture.read().next_doc().unwrap().0;
        segments_for(&self.fixture.store, generation, count, self.embedder)
    }

    fn problems(&self) -> Vec<(ProblemCode, String)> {
        let problems = self.fixture.read().verify(Depth::Full, &CancelToken::default()).unwrap();
        problems.into_iter().map(|problem| (problem.code, problem.detail)).collect()
    }

    /// Spoils the database by `sql`, and checks what is found and that a repair leaves nothing to be found.
    fn spoil(&self, sql: &str, expected: &[ProblemCode]) -> Repair {
        self.fixture.lock().database().script(sql).unwrap();
        let problems = self.fixture.read().verify(Depth::Full, &CancelToken::default()).unwrap();
        let codes: Vec<ProblemCode> = problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, expected, "{sql}: {problems:?}");
        let first = self.fixture.lock().repair(&problems).unwrap();
        let mut rest = self.fixture.read().verify(Depth::Full, &CancelToken::default()).unwrap();
        let mut rounds = 0;
        while !rest.is_empty() && rounds < 3 {
            self.fixture.lock().repair(&rest).unwrap();
            rest = self.fixture.read().verify(Depth::Full, &CancelToken::default()).unwrap();
            rounds += 1;
            rest.retain(|problem| problem.code != ProblemCode::Segment);
        }
        assert_eq!(rest, [], "{sql}");
        first
    }
}

fn segments_for(store: &Store, generation: Generation, count: u32, embedder: EmbedderId) -> Segments {
    let file = |name: &str| {
        let file = format!("{name}-{}", generation.0);
        std::fs::write(store.segments_dir().join(&file), b"").unwrap();
        vec![Segment { first: DocId(0), count, file, generation }]
    };
    Segments::from([(SegmentKind::Lexical, file("lexical")), (SegmentKind::Vector(embedder), file("vector"))])
}

const FILES: &[(&str, &str)] = &[("a", "one\ntwo\n"), ("b", "three\n"), ("c", "")];

fn filled() -> FilledStore {
    let kept = FilledStore::new();
    kept.index("main", FILES);
    kept
}

#[test]
fn sound_store_has_no_problems() {
    let kept = filled();
    assert_eq!(kept.problems(), []);
    kept.index("main", &[("a", "one\n")]);
    kept.index("other", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn cancelled_verification_stops() {
    let kept = filled();
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(kept.fixture.read().verify(Depth::Quick, &cancel), Err(codecairn_base::Error::Cancelled)));
}

#[test]
fn dropped_blobs_are_indexed_again() {
    use ProblemCode::{BlobIncomplete, BlobMissing, Orphan};
    for (sql, expected) in [
        ("DELETE FROM blob WHERE id = 1", &[Orphan, Orphan, Orphan, BlobMissing][..]),
        ("DELETE FROM blob_chunks WHERE blob = 1", &[BlobIncomplete]),
        ("DELETE FROM blob_syntax WHERE blob = 1", &[BlobIncomplete]),
        ("UPDATE blob_chunks SET docs = x'ff' WHERE blob = 1", &[BlobIncomplete]),
        ("UPDATE blob_syntax SET data = x'28b52ffd' WHERE blob = 1", &[BlobIncomplete]),
    ] {
        let kept = filled();
        kept.spoil(sql, expected);
        assert_eq!(kept.fixture.texts("main").len(), 2, "{sql}");
        let worktree = codecairn_base::id::WorktreeId(1);
        assert_eq!(
            kept.fixture.read().stats(worktree).unwrap().len(),
            2,
            "what is read again isn't known as unchanged"
        );
        kept.index("main", FILES);
        assert_eq!(kept.problems(), []);
        assert_eq!(kept.fixture.texts("main").len(), 3);
    }
}

#[test]
fn documents_of_dropped_blobs_are_numbered_anew() {
    let kept = filled();
    kept.spoil("DELETE FROM blob_syntax WHERE blob = 1", &[ProblemCode::BlobIncomplete]);
    assert_eq!(kept.fixture.read().chunks(DocId(0)..DocId(9)).unwrap().len(), 2, "only those of `a` are left");
    kept.index("main", FILES);
    assert_eq!(kept.fixture.read().next_doc().unwrap(), DocId(4), "segments made in between have nothing under 2");
    assert_eq!(kept.problems(), []);
}

#[test]
fn lost_text_takes_all_its_blobs_along() {
    use ProblemCode::{BlobIncomplete, TextUnreadable};
    let kept = filled();
    kept.spoil("DELETE FROM frame", &[BlobIncomplete, BlobIncomplete, TextUnreadable, TextUnreadable]);
    assert_eq!(kept.fixture.texts("main"), [("c".to_owned(), String::new())]);
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn lost_numbers_are_given_anew() {
    let kept = filled();
    // Document 1 gets a text that was never numbered.
    let spoil = "UPDATE chunk_page SET data = CAST(substr(data, 1, 36) || x'ffff0000' || substr(data, 41) AS BLOB)";
    kept.spoil(spoil, &[ProblemCode::DocIncomplete]);
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn look_ups_are_derived_again() {
    let kept = filled();
    let repair = kept.spoil(
        "DELETE FROM run_page WHERE id >> 20 IN (SELECT id FROM run WHERE space < 2)",
        &[ProblemCode::LookUpIncomplete, ProblemCode::LookUpIncomplete],
    );
    assert_eq!((repair.fixed.len(), repair.remaining.len()), (2, 0));
    let hash = ContentHash::of(b"two");
    let mut guard = kept.fixture.lock();
    assert_eq!(guard.begin().unwrap().doc_for(ChunkId::new(hash, "", &[], 1)).unwrap(), Some(DocId(1)));
}

#[test]
fn lost_vectors_wait_to_be_embedded_again() {
    let kept = filled();
    kept.spoil("UPDATE vector_block SET present = 0, data = x''", &[ProblemCode::VectorMissing]);
    assert_eq!(kept.fixture.read().pending(kept.embedder).unwrap(), [TextId(0), TextId(1), TextId(2)]);
    let kept = filled();
    kept.spoil("UPDATE vector_block SET data = x'00'", &[ProblemCode::VectorsUnreadable]);
    assert_eq!(kept.fixture.read().pending(kept.embedder).unwrap().len(), 3);
}

#[test]
fn damaged_catalog_is_dropped_whole() {
    let kept = filled();
    kept.spoil("DELETE FROM layer", &[ProblemCode::Orphan, ProblemCode::Catalog]);
    assert_eq!(kept.fixture.read().branches().unwrap(), []);
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn segments_that_dont_fit_are_built_again() {
    let kept = filled();
    std::fs::remove_file(kept.fixture.store.segments_dir().join("lexical-1")).unwrap();
    let vector = SegmentKind::Vector(kept.embedder);
    let spoil = format!("UPDATE segment SET first = 1, generation = 9 WHERE kind = '{vector}'");
    kept.fixture.lock().database().script(&spoil).unwrap();
    let problems = kept.fixture.read().verify(Depth::Quick, &CancelToken::default()).unwrap();
    assert_eq!(problems.len(), 3, "{problems:?}");
    let repair = kept.fixture.lock().repair(&problems).unwrap();
    assert_eq!(repair.rebuild, [SegmentKind::Lexical, vector].into());
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn garbage_is_counted_then_deleted() {
    let kept = filled();
    kept.index("other", &[("x", "only here\nand here\n"), ("a", "one\ntwo\n")]);
    let other = MissingRefs { branches: vec!["other".into()], ..MissingRefs::default() };
    assert_eq!(kept.fixture.read().unreached(&other.branches).unwrap(), (4, 1));
    assert_eq!(kept.fixture.read().unreached(&[]).unwrap(), (4, 0));
    let mut guard = kept.fixture.lock();
    let dry = guard.collect(&other, true).unwrap();
    assert_eq!((dry.blobs, dry.docs, dry.texts, dry.vectors, dry.live_docs), (1, 2, 2, 2, 3));
    assert_eq!(kept.fixture.read().counts().unwrap().blobs, 4);
    assert_eq!(guard.collect(&other, false).unwrap(), dry);
    let again = guard.collect(&MissingRefs::default(), false).unwrap();
    assert_eq!(again, Garbage { live_docs: 3, numbered_docs: 5, ..Garbage::default() });
    assert!(again.wants_renumbering());
    drop(guard);
    assert_eq!(kept.problems(), []);
    assert_eq!(kept.fixture.read().blobs_defining("here").unwrap(), []);
    assert_eq!(text_id(&kept.fixture.read(), "only here"), None);
    assert_eq!(kept.fixture.texts("main")[0].1, "one\ntwo\n");
    kept.index("other", &[("x", "only here\n")]);
    assert_eq!(kept.problems(), []);
    assert_eq!(text_id(&kept.fixture.read(), "only here"), Some(TextId(5)), "numbers aren't given again");
}

#[test]
fn renumbering_closes_the_gaps() {
    let kept = FilledStore::new();
    kept.index("main", &[("x", "gone\nfor good\n"), ("a", "one\n"), ("b", "two\n")]);
    kept.index("main", &[("a", "one\n"), ("b", "two\nthree\n")]);
    let mut guard = kept.fixture.lock();
    guard.collect(&MissingRefs::default(), false).unwrap();
    let before = kept.fixture.read();
    let refused = guard.renumber(|_| Err(codecairn_base::Error::Cancelled));
    assert!(matches!(refused, Err(codecairn_base::Error::Cancelled)));
    guard
        .renumber(|renumbering| {
            assert_eq!(renumbering.live, 3);
            assert_eq!(renumbering.new, [None, None, Some(DocId(0)), Some(DocId(1)), Some(DocId(2))]);
            Ok(segments_for(&kept.fixture.store, renumbering.generation, renumbering.live, kept.embedder))
        })
        .unwrap();
    drop(guard);
    assert_eq!(before.next_doc().unwrap(), DocId(5), "who reads meanwhile sees the old numbers");
    drop(before);
    assert_eq!(kept.fixture.read().next_doc().unwrap(), DocId(3));
    assert_eq!(kept.problems(), []);
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
}

#[test]
fn nearly_empty_frames_are_packed_together() {
    let kept = FilledStore::new();
    for number in 0..30 {
        kept.index("main", &[("a", &format!("text {number}\n")), ("b", "stays\n")]);
        kept.index(&format!("branch-{number}"), &[("a", &format!("branch {number}\n"))]);
    }
    let frames = |kept: &FilledStore| {
        let guard = kept.fixture.lock();
        guard.database().only("SELECT count(*) FROM frame", [], |row| Ok(row.get::<_, i64>(0)?)).unwrap()
    };
    assert_eq!(frames(&kept), 60);
    kept.fixture.lock().collect(&MissingRefs::default(), false).unwrap();
    assert_eq!(frames(&kept), 1);
    assert_eq!(kept.problems(), []);
    assert_eq!(kept.fixture.texts("branch-7"), [("a".to_owned(), "branch 7\n".to_owned())]);
    assert_eq!(kept.fixture.texts("main")[1].1, "stays\n");
}

#[test]
fn unused_files_go_after_their_time() {
    let kept = filled();
    kept.index("main", FILES);
    let mut guard = kept.fixture.lock();
    assert_eq!(guard.remove_unused_files(0).unwrap(), [] as [&str; 0], "they are newer than the clock");
    let store = Store::open(&kept.fixture.path(), OpenOptions::new(Arc::new(FixedClock(i64::MAX)))).unwrap();
    drop(guard);
    let mut guard = store.lock("x").unwrap();
    assert_eq!(guard.remove_unused_files(i64::MAX).unwrap(), [] as [&str; 0]);
    assert_eq!(guard.remove_unused_files(60_000_000_000).unwrap(), ["lexical-1", "vector-1"]);
    drop(guard);
    assert_eq!(kept.problems(), []);
}

#[test]
fn rescued_store_has_all_that_was_readable() {
    let kept = filled();
    kept.index("other", &[("x", "only here\n")]);
    let (dir, texts) = (kept.fixture.path(), kept.fixture.texts("main"));
    let frames = kept.fixture.lock().database().only("SELECT count(*) FROM frame", [], |row| Ok(row.get::<_, i64>(0)?));
    kept.fixture.lock().database().script("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    kept.fixture.store.let_go();
    let clock: Arc<dyn codecairn_base::clock::Clock> = Arc::new(FixedClock(7));
    let rescue = super::super::rescue(&dir, true, &clock, &CancelToken::default()).unwrap();
    assert_eq!(rescue.aside, dir.join("damaged-7"));
    assert!(rescue.aside.join("index.db").is_file() && rescue.aside.join("segments").is_dir());
    assert!(rescue.rows > frames.unwrap() as u64);
    let problems = kept.problems();
    assert_eq!(problems.iter().filter(|(code, _)| *code != ProblemCode::Segment).count(), 0, "{problems:?}");
    assert_eq!(kept.fixture.texts("main"), texts);
    assert_eq!(kept.fixture.texts("other").len(), 1);
    kept.index("main", FILES);
    assert_eq!(kept.problems(), []);
    kept.fixture.store.let_go();
    let clock: Arc<dyn codecairn_base::clock::Clock> = Arc::new(FixedClock(8));
    assert_eq!(super::super::rescue(&dir, false, &clock, &CancelToken::default()).unwrap().rows, 0);
    assert!(!dir.join("index.db").exists());
}
