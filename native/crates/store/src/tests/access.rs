//! Who may open, read and write.

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Error;

use super::*;

#[test]
fn folder_is_for_its_owner_alone() {
    let fixture = Fixture::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(fixture.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    assert!(fixture.store.segments_dir().is_dir());
    assert!(fixture.store.notes().is_empty());
}

#[test]
fn second_writer_is_told_who_writes() {
    let fixture = Fixture::new();
    let guard = fixture.store.lock("codecairn index").unwrap();
    let Err(Error::Locked { owner }) = open(&fixture.path()).unwrap().lock("codecairn watch") else { panic!() };
    assert!(owner.starts_with("codecairn index (process "), "{owner}");
    drop(guard);
    fixture.store.lock("codecairn watch").unwrap();
}

#[test]
fn read_only_store_is_never_written() {
    let fixture = Fixture::new();
    publish(&mut fixture.lock(), "main", None, &[("a", Some("one"))]);
    let reader = Store::open(&fixture.path(), options().read_only()).unwrap();
    assert!(matches!(reader.lock("x"), Err(Error::StoreReadOnly { .. })));
    assert_eq!(reader.reader().unwrap().catalog("main").unwrap().unwrap().len(), 1);
    let nowhere = Store::open(&fixture.dir.path().join("nowhere"), options().read_only());
    assert!(matches!(nowhere, Err(Error::NotIndexed { .. })));
    assert!(!fixture.dir.path().join("nowhere").exists());
}

/// As root, permissions do not apply; the reads are checked all the same.
#[test]
#[cfg(unix)]
fn folder_that_cant_be_written_is_read_with_and_without_a_log() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    publish(&mut guard, "main", None, &[("a", Some("one"))]);
    let path = fixture.path();
    let copy = fixture.dir.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    // A log without its shared memory, as a copy of a live store has it.
    for name in ["index.db", "index.db-wal"] {
        std::fs::copy(path.join(name), copy.join(name)).unwrap();
    }
    assert!(std::fs::metadata(copy.join("index.db-wal")).unwrap().len() > 0);
    guard.database().script("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(guard);
    let Fixture { dir: _dir, store } = fixture;
    drop(store);
    for name in ["index.db-wal", "index.db-shm"] {
        std::fs::remove_file(path.join(name)).unwrap();
    }

    for dir in [&path, &copy] {
        std::fs::set_permissions(dir, PermissionsExt::from_mode(0o500)).unwrap();
        let root = std::fs::write(dir.join("probe"), b"").is_ok();
        let store = Store::open(dir, options().read_only()).unwrap();
        let snapshot = store.reader().unwrap();
        let blob = snapshot.catalog("main").unwrap().unwrap()["a"];
        assert_eq!(snapshot.blob_text(blob).unwrap(), "one");
        drop(snapshot);
        if !root {
            assert!(matches!(
                Store::open(dir, options()).and_then(|store| store.lock("x")),
                Err(Error::StoreReadOnly { .. })
            ));
        }
        std::fs::set_permissions(dir, PermissionsExt::from_mode(0o700)).unwrap();
    }
}

#[test]
fn rollback_journal_serves_where_a_log_cant() {
    let dir = tempfile::tempdir().unwrap();
    let with = |journal| Store::open(dir.path(), OpenOptions { journal: Some(journal), ..options() }).unwrap();
    for (journal, name) in [(Journal::Truncate, "a"), (Journal::Wal, "b"), (Journal::Truncate, "c")] {
        let store = with(journal);
        let mut guard = store.lock("x").unwrap();
        publish(&mut guard, "main", None, &[(name, Some(name))]);
        assert_eq!(dir.path().join("index.db-wal").exists(), journal == Journal::Wal);
    }
    assert_eq!(with(Journal::Truncate).reader().unwrap().catalog("main").unwrap().unwrap().len(), 3);
}

#[test]
fn what_a_dead_writer_began_without_a_log_is_undone_by_the_next_reader() {
    let dir = tempfile::tempdir().unwrap();
    let with_journal = || OpenOptions { journal: Some(Journal::Truncate), ..options() };
    let store = Store::open(&dir.path().join("store"), with_journal()).unwrap();
    let mut guard = store.lock("x").unwrap();
    publish(&mut guard, "main", None, &[("a", Some("one"))]);
    // A small cache, so that half a transaction is in the file.
    let half = "PRAGMA cache_size = 2; BEGIN IMMEDIATE; CREATE TABLE half AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL \
                SELECT i + 1 FROM n LIMIT 500) SELECT i, randomblob(2000) FROM n;";
    guard.database().script(half).unwrap();
    let copy = dir.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for name in ["index.db", "index.db-journal"] {
        std::fs::copy(store.dir().join(name), copy.join(name)).unwrap();
    }
    guard.database().roll_back();
    let died = Store::open(&copy, with_journal()).unwrap();
    assert_eq!(died.reader().unwrap().catalog("main").unwrap().unwrap().len(), 1);
    let damage = died.reader().unwrap().verify(Depth::Full, &CancelToken::default()).unwrap();
    assert!(damage.iter().all(|problem| problem.code == ProblemCode::Segment), "{damage:?}");
}

#[test]
fn removed_folder_of_derived_files_is_made_again_by_the_next_writer() {
    let fixture = Fixture::new();
    std::fs::remove_dir_all(fixture.store.segments_dir()).unwrap();
    drop(fixture.lock());
    assert!(fixture.store.segments_dir().is_dir());
}

#[test]
fn newer_format_is_refused() {
    let fixture = Fixture::new();
    let guard = fixture.lock();
    guard.database().script(&format!("PRAGMA user_version = {}", FORMAT + 1)).unwrap();
    drop(guard);
    for options in [options(), options().read_only()] {
        let refused = Store::open(&fixture.path(), options);
        let Err(Error::StoreTooNew { found, supported, .. }) = refused else { panic!() };
        assert_eq!((found, supported), (FORMAT + 1, FORMAT));
    }
}

#[test]
fn stores_and_snapshots_go_between_threads() {
    fn check<T: Send>() {}
    fn check_shared<T: Send + Sync>() {}
    check::<Snapshot>();
    check::<WriteGuard>();
    check_shared::<Store>();
}
