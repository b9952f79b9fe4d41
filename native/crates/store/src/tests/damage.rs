//! Damaged files are answered with errors that name them.

use proptest::prelude::*;

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Error;

use super::*;

/// A store with some of everything, all of it in the database file.
fn filled() -> Fixture {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let embedder = guard.embedder("fake-8", 8, WIDTH).unwrap();
    let worktree = guard.worktree("/root").unwrap();
    let mut batch = guard.begin().unwrap();
    let mut delta = CatalogDelta::new();
    let mut stats = StatDelta::default();
    for number in 0..60 {
        let lines: Vec<String> = (0..40).map(|line| format!("line {line} of file {number}")).collect();
        let text = lines.join("\n");
        let blob = add(&mut batch, &text, Some(embedder));
        delta.insert(format!("file-{number}"), Some(blob));
        let path = format!("file-{number}");
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
    let (segments, worktree) = (Segments::new(), Some((worktree, &stats, &[][..])));
    let publication = Publication {
        branch: "main",
        head: None,
        base: None,
        delta: &delta,
        worktree,
        segments: &segments,
        notes: &[],
    };
    guard.publish(&publication).unwrap();
    guard.database().script("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(guard);
    fixture
}

/// Uses a store in every way; whatever it answers, it doesn't panic.
fn exercise(dir: &std::path::Path) -> codecairn_base::Result<()> {
    let store = open(dir)?;
    let read = || -> codecairn_base::Result<()> {
        let snapshot = store.reader()?;
        snapshot.counts()?;
        let catalog = snapshot.catalog("main")?.unwrap_or_default();
        for blob in catalog.values() {
            let _ = (snapshot.blob_text(*blob), snapshot.blob_syntax(*blob), snapshot.blob_chunks(*blob));
        }
        let _ = (snapshot.blob_texts(&catalog.values().copied().collect::<Vec<_>>()), snapshot.blobs());
        let _ =
            (snapshot.blobs_defining("line"), snapshot.stats(codecairn_base::id::WorktreeId(1)), snapshot.branches());
        for embedder in snapshot.embedders()? {
            let _ = snapshot.pending(embedder.id);
            snapshot.each_vector(&embedder, &(0..99).map(TextId).collect::<Vec<_>>(), |_, _| Ok(()))?;
        }
        Ok(())
    };
    let seen = read();
    let problems = store.reader()?.verify(Depth::Full, &CancelToken::default())?;
    let mut guard = store.lock("x")?;
    let _ = (guard.repair(&problems), guard.collect(&MissingRefs::default(), false));
    let mut batch = guard.begin()?;
    let hash = ContentHash::of(b"line 3 of file 7");
    batch.intern_chunk(ChunkId::new(hash, "", &[], 3), hash, false)?;
    batch.commit()?;
    let delta = CatalogDelta::from([("file-1".to_owned(), None)]);
    let (segments, branch) = (Segments::new(), "main");
    let publication =
        Publication { branch, head: None, base: None, delta: &delta, worktree: None, segments: &segments, notes: &[] };
    guard.publish(&publication)?;
    seen
}

#[test]
fn file_that_is_no_database_is_named() {
    let fixture = Fixture::new();
    let path = fixture.path().join("index.db");
    drop(fixture.store);
    std::fs::write(&path, b"this is not a database, and long enough to be taken for one if it were".repeat(100))
        .unwrap();
    let _ = std::fs::remove_file(fixture.dir.path().join("store/index.db-wal"));
    let Err(Error::StoreDamaged { path: named, .. }) = open(path.parent().unwrap()) else { panic!() };
    assert_eq!(named, path);
}

/// A disk with room for `pages` more pages.
fn fill_disk(guard: &WriteGuard, pages: i64) {
    let count = guard.database().only("PRAGMA page_count", [], |row| Ok(row.get::<_, i64>(0)?)).unwrap();
    let sql = format!("PRAGMA max_page_count = {}", count + pages);
    guard.database().only(&sql, [], |_| Ok(())).unwrap();
}

/// One more publication with `files` files of a kilobyte each that compress badly.
fn grow(guard: &mut WriteGuard, files: u32) -> codecairn_base::Result<Generation> {
    let mut batch = guard.begin()?;
    let mut delta = CatalogDelta::new();
    for number in 0..files {
        let words: Vec<String> = (0..32u32)
            .map(|word| ContentHash::of(&[number.to_le_bytes(), word.to_le_bytes()].concat()).to_string())
            .collect();
        let text = words.join("\n");
        let hash = ContentHash::of(text.as_bytes());
        let doc = batch.intern_chunk(ChunkId::new(hash, "", &[], 0), hash, true)?.doc;
        let blob = NewBlob {
            hash,
            language: "text",
            class: "source",
            encoding: "utf-8",
            extractor_version: 1,
            text: &text,
            line_count: 32,
            flags: 0,
            docs: &[doc],
            tables: &PackedTables::new(b"chunks", b"syntax"),
            names: &[NameHash::of("name")],
        };
        delta.insert(format!("new-{number}"), Some(batch.add_blob(&blob)?));
    }
    batch.commit()?;
    let (segments, branch) = (Segments::new(), "main");
    guard.publish(&Publication {
        branch,
        head: None,
        base: None,
        delta: &delta,
        worktree: None,
        segments: &segments,
        notes: &[],
    })
}

#[test]
fn full_disk_is_named_and_leaves_the_old_state() {
    let fixture = filled();
    let mut guard = fixture.lock();
    fill_disk(&guard, 2);
    let Err(Error::DiskFull { path }) = grow(&mut guard, 100) else { panic!() };
    assert_eq!(path, fixture.path().join("index.db"));
    assert_eq!(fixture.read().generation(), Generation(1));
    fill_disk(&guard, 1_000_000);
    assert_eq!(grow(&mut guard, 100).unwrap(), Generation(2));
}

#[test]
fn batch_that_failed_takes_nothing_more() {
    let fixture = filled();
    let mut guard = fixture.lock();
    fill_disk(&guard, 0);
    let mut batch = guard.begin().unwrap();
    let text = "x".repeat(1 << 20);
    let tables = PackedTables::new(&text.as_bytes()[..10_000], &[]);
    let mut failed = false;
    for number in 0..200u32 {
        let hash = ContentHash::of(&number.to_le_bytes());
        let interned = batch.intern_chunk(ChunkId::new(hash, "", &[], 0), hash, true);
        let now = interned.is_err();
        assert!(now || !failed, "{interned:?}");
        failed = now;
        if !failed {
            let docs = [interned.unwrap().doc];
            let blob = NewBlob {
                hash,
                language: "text",
                class: "source",
                encoding: "utf-8",
                extractor_version: 1,
                text: &text,
                line_count: 1,
                flags: 0,
                docs: &docs,
                tables: &tables,
                names: &[],
            };
            failed = batch.add_blob(&blob).is_err();
        }
    }
    assert!(failed);
    assert!(batch.commit().is_err());
    assert_eq!(fixture.read().counts().unwrap().blobs, 60);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn flipped_and_cut_bytes_never_panic(
        flips in proptest::collection::vec((0.0..1.0f64, 1u8..=255), 0..24),
        cut in proptest::option::weighted(0.3, 0.0..1.0f64),
    ) {
        let fixture = filled();
        let path = fixture.path();
        drop(fixture.store);
        let file = path.join("index.db");
        let mut bytes = std::fs::read(&file).unwrap();
        let length = bytes.len() as f64;
        for (at, mask) in flips {
            bytes[(at * length) as usize] ^= mask;
        }
        if let Some(cut) = cut {
            bytes.truncate((cut * length) as usize);
        }
        std::fs::write(&file, bytes).unwrap();
        let _ = exercise(&path);
    }

    /// Wherever the room ends, nothing is half there, and with room again the same run succeeds.
    #[test]
    fn full_disk_never_spoils_the_store(pages in 0i64..60, files in 1u32..120) {
        let fixture = filled();
        let mut guard = fixture.lock();
        fill_disk(&guard, pages);
        let grown = grow(&mut guard, files);
        if let Err(error) = &grown {
            prop_assert!(matches!(error, Error::DiskFull { .. }), "{error:?}");
        }
        let check = |store: &Store| {
            let problems = store.reader().unwrap().verify(Depth::Full, &CancelToken::default()).unwrap();
            problems.into_iter().filter(|problem| problem.code != ProblemCode::Segment).collect::<Vec<_>>()
        };
        prop_assert_eq!(check(&fixture.store), []);
        fill_disk(&guard, 1_000_000);
        grow(&mut guard, files).unwrap();
        prop_assert_eq!(check(&fixture.store), []);
        prop_assert_eq!(fixture.texts("main").len(), 60 + files as usize);
    }
}
