//! What readers see, and when.

use codecairn_base::error::Error;
use codecairn_base::id::DocId;

use super::*;

#[test]
fn readers_see_publications_only() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let before = fixture.read();
    assert_eq!(publish(&mut guard, "main", None, &[("a.rs", Some("one"))]), Generation(1));
    assert_eq!(before.catalog("main").unwrap(), None);
    assert_eq!(before.generation(), Generation(0));
    assert_eq!(fixture.texts("main"), [("a.rs".to_owned(), "one".to_owned())]);
    assert_eq!(fixture.read().generation(), Generation(1));
    assert_eq!(fixture.read().branch("main").unwrap().unwrap().indexed_at_ns, 1_000);
}

#[test]
fn dropped_batch_leaves_nothing() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let mut batch = guard.begin().unwrap();
    let lost = add(&mut batch, "lost", None);
    drop(batch);
    assert_eq!(fixture.read().counts().unwrap().blobs, 0);
    let mut batch = guard.begin().unwrap();
    let kept = add(&mut batch, "kept", None);
    batch.commit().unwrap();
    assert_eq!(kept, lost, "numbers of a batch that never was are given again");
    assert_eq!(fixture.read().blob_text(kept).unwrap(), "kept");
    assert_eq!(fixture.read().blobs_defining("lost").unwrap(), []);
}

#[test]
fn cancelled_run_leaves_its_batches_and_the_old_catalog() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    publish(&mut guard, "main", None, &[("a.rs", Some("one"))]);
    let mut batch = guard.begin().unwrap();
    let early = add(&mut batch, "two", None);
    batch.commit().unwrap();
    drop(guard);
    assert_eq!(fixture.texts("main"), [("a.rs".to_owned(), "one".to_owned())]);
    let mut guard = fixture.lock();
    assert_eq!(guard.find_blob(ContentHash::of(b"two"), "text", 1).unwrap(), Some(early));
    publish(&mut guard, "main", None, &[("a.rs", Some("two"))]);
    assert_eq!(fixture.read().catalog("main").unwrap().unwrap()["a.rs"], early);
}

#[test]
fn failed_publication_changes_nothing() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    publish(&mut guard, "main", None, &[("a.rs", Some("one"))]);
    let delta = CatalogDelta::from([("a.rs".into(), None), ("b.rs".into(), Some(BlobId(77)))]);
    let refused = |guard: &mut WriteGuard, base, delta: &CatalogDelta, segments: &Segments| {
        let branch = if base == Some("main") { "main" } else { "new" };
        let publication = Publication { branch, head: None, base, delta, worktree: None, segments, notes: &[] };
        assert!(matches!(guard.publish(&publication), Err(Error::InvalidArgument(_))));
    };
    refused(&mut guard, Some("main"), &delta, &Segments::new());
    refused(&mut guard, Some("unknown"), &CatalogDelta::new(), &Segments::new());
    let segment =
        |first, file: &str| Segment { first: DocId(first), count: 1, file: file.to_owned(), generation: Generation(1) };
    std::fs::write(fixture.store.segments_dir().join("here"), b"").unwrap();
    let missing = Segments::from([(SegmentKind::Lexical, vec![segment(0, "gone")])]);
    refused(&mut guard, None, &CatalogDelta::new(), &missing);
    let gap = Segments::from([(SegmentKind::Lexical, vec![segment(0, "here"), segment(2, "here")])]);
    refused(&mut guard, None, &CatalogDelta::new(), &gap);
    assert_eq!(fixture.read().generation(), Generation(1));
    assert_eq!(fixture.texts("main"), [("a.rs".to_owned(), "one".to_owned())]);
}

#[test]
fn stats_skips_segments_and_notes_are_published_together() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let worktree = guard.worktree("/src/here").unwrap();
    assert_eq!(guard.worktree("/src/here").unwrap(), worktree);
    let mut batch = guard.begin().unwrap();
    let blob = add(&mut batch, "x", None);
    batch.commit().unwrap();
    let stat = |path: &str, size| StatEntry {
        path: path.into(),
        size,
        mtime_ns: -5,
        ctime_ns: -4,
        inode: u64::MAX,
        recorded_ns: 9,
        blob: Some(blob),
    };
    let stats = StatDelta { recorded: vec![stat("a", 1), stat("b", 2)], removed: vec![] };
    let skips = [SkipEntry { path: "c".into(), reason: "binary".into(), detail: "a zero byte".into() }];
    std::fs::write(fixture.store.segments_dir().join("lexical-1"), b"").unwrap();
    let live = Segment { first: DocId(0), count: 1, file: "lexical-1".into(), generation: Generation(1) };
    let segments = Segments::from([(SegmentKind::Lexical, vec![live.clone()])]);
    let delta = CatalogDelta::from([("a".into(), Some(blob))]);
    let mut publication = Publication {
        branch: "main",
        head: Some("abc"),
        base: None,
        delta: &delta,
        worktree: Some((worktree, &stats, &skips)),
        segments: &segments,
        notes: &[("rules", "v1")],
    };
    guard.publish(&publication).unwrap();
    let snapshot = fixture.read();
    assert_eq!(snapshot.stats(worktree).unwrap(), stats.recorded);
    assert_eq!(snapshot.skips(worktree).unwrap(), skips);
    assert_eq!(snapshot.segments(SegmentKind::Lexical).unwrap(), std::slice::from_ref(&live));
    assert_eq!(snapshot.note("rules").unwrap().as_deref(), Some("v1"));
    assert_eq!(snapshot.branches().unwrap()[0].head.as_deref(), Some("abc"));

    let (none, gone) = (Segments::new(), StatDelta { recorded: vec![stat("b", 3)], removed: vec!["a".into()] });
    (publication.segments, publication.worktree) = (&none, Some((worktree, &gone, &[][..])));
    guard.publish(&publication).unwrap();
    let snapshot = fixture.read();
    assert_eq!(snapshot.stats(worktree).unwrap(), [stat("b", 3)]);
    assert_eq!(snapshot.skips(worktree).unwrap(), []);
    assert_eq!(snapshot.all_segments().unwrap(), segments, "kinds that aren't named stay");
    guard.record_stats(worktree, &StatDelta { recorded: vec![stat("b", 4)], removed: vec![] }).unwrap();
    assert_eq!(fixture.read().generation(), Generation(2), "readers needn't notice");
    guard.collect(&MissingRefs { worktrees: vec![worktree], ..MissingRefs::default() }, false).unwrap();
    assert_eq!(fixture.read().worktrees().unwrap(), []);
}

#[test]
fn new_branch_shares_layers_until_it_changes() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let files: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
    let all: Vec<(&str, Option<&str>)> = files.iter().map(|file| (file.as_str(), Some(file.as_str()))).collect();
    publish(&mut guard, "main", None, &all);
    publish(&mut guard, "topic", Some("main"), &[("f1", None), ("f2", Some("changed"))]);
    let entries = |guard: &WriteGuard| {
        let sql = "SELECT count(*) FROM layer_entry";
        guard.database().only(sql, [], |row| Ok(row.get::<_, i64>(0)?)).unwrap()
    };
    assert_eq!(entries(&guard), 22);
    publish(&mut guard, "main", None, &[("f1", Some("later"))]);
    assert_eq!(entries(&guard), 23, "the shared layer stays as it was");
    assert_eq!(fixture.texts("topic").len(), 19);
    assert_eq!(fixture.texts("main")[1], ("f1".to_owned(), "later".to_owned()));
    let topic = MissingRefs { branches: vec!["topic".into()], ..MissingRefs::default() };
    assert_eq!(guard.collect(&topic, false).unwrap().branches, 1);
    assert_eq!(guard.collect(&topic, false).unwrap().branches, 0);
    assert_eq!(entries(&guard), 21, "what only the topic had is gone");
}

#[cfg(unix)]
#[test]
fn writer_of_a_database_that_was_removed_publishes_nothing() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    publish(&mut guard, "main", None, &[("a.rs", Some("one"))]);
    std::fs::remove_dir_all(fixture.path()).unwrap();
    let made_again = open(&fixture.path()).unwrap();
    let (delta, segments) = (CatalogDelta::new(), Segments::new());
    let publication = Publication {
        branch: "main",
        head: None,
        base: None,
        delta: &delta,
        worktree: None,
        segments: &segments,
        notes: &[],
    };
    assert!(matches!(guard.publish(&publication), Err(Error::StoreDamaged { .. })));
    assert!(matches!(guard.next_generation(), Err(Error::StoreDamaged { .. })));
    drop(guard);
    publish(&mut made_again.lock("another").unwrap(), "main", None, &[("b.rs", Some("two"))]);
    let files = made_again.reader().unwrap().catalog("main").unwrap().unwrap();
    assert_eq!(files.into_keys().collect::<Vec<_>>(), ["b.rs"]);
}
