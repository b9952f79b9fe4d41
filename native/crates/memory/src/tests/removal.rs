//! A purge leaves no byte.

use std::time::Duration;

use super::*;

#[test]
fn what_is_purged_is_in_no_byte_of_any_file() {
    let (home, memory) = Home::new().open_kept();
    for number in 0..600 {
        let text =
            if number % 200 == 7 { "the zanzibar plan is to merge".to_owned() } else { format!("remark {number}") };
        memory.record(prompt("s", &text)).unwrap();
    }
    let id = memory.add(told("Zanzibar is the code name", FactType::Note)).unwrap().id;
    memory.update(&id, &FactChange { text: Some("It has no name".into()), ..FactChange::default() }).unwrap();
    assert!(home.holds("zanzibar") && home.holds("Zanzibar"));
    let purged = memory.purge(&Selection::Containing("zanzibar".into())).unwrap();
    assert_eq!((purged.events, purged.facts, purged.left_in.len()), (3, 1, 0));
    assert!(purged.scanned_bytes > 0);
    assert!(!home.holds("zanzibar") && !home.holds("Zanzibar"));
    assert!(
        memory
            .recall("zanzibar plan", &RecallOptions { facts: false, ..everything(9) })
            .unwrap()
            .iter()
            .all(|each| each.lexical == 0.0)
    );
    assert!(texts(&memory.recall("333 remark", &everything(1)).unwrap())[0].ends_with("333"));
}

#[test]
fn items_sessions_and_projects_go_with_all_that_hangs_on_them() {
    let (home, memory) = Home::new().open_kept();
    memory
        .record(prompt("gone", "We decided to use Quetzal for queues, because Postgres locks up under load."))
        .unwrap();
    memory.record(prompt("kept", "We decided to use Heron for queues, because Postgres locks up under load.")).unwrap();
    let purged = memory.purge(&Selection::Session("gone".into())).unwrap();
    assert_eq!((purged.events, purged.facts), (1, 1));
    assert!(!home.holds("Quetzal") && home.holds("Heron"));
    assert!(!memory.sessions(9).unwrap()[0].title.is_empty());
    let event = memory.events(None, None, false, 1).unwrap()[0].id();
    assert_eq!(memory.purge(&Selection::Items(vec![event])).unwrap().events, 1);
    assert_eq!(memory.sessions(9).unwrap()[0].title, "");
    // Facts drawn from it go with it.
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap().len(), 0);
    assert!(!home.holds("Heron"));
    memory.add(told("Ibis is the code name", FactType::Note)).unwrap();
    assert_eq!(memory.purge(&Selection::Project).unwrap().facts, 1);
    for selection in
        [Selection::Items(vec!["E99".into()]), Selection::Containing("x".into()), Selection::Session("no".into())]
    {
        assert!(memory.purge(&selection).is_err(), "{selection:?}");
    }
}

/// The connection is shared with records, which leave it without patience where they meet a lock.
#[test]
fn a_purge_waits_for_another_process() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "one")).unwrap();
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(memory.try_write(Duration::ZERO, |_| Ok(())).unwrap().is_none());
    std::thread::scope(|scope| {
        let scrubbing = scope.spawn(|| memory.scrub());
        std::thread::sleep(Duration::from_millis(200));
        other.execute_batch("COMMIT").unwrap();
        scrubbing.join().unwrap().unwrap();
    });
}

#[test]
fn numbers_are_never_given_twice() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "one")).unwrap();
    let last = memory.record(prompt("s", "two")).unwrap().seq.unwrap();
    memory.purge(&Selection::Items(vec![format!("E{last}")])).unwrap();
    assert!(memory.record(prompt("s", "three")).unwrap().seq.unwrap() > last);
}

#[test]
fn a_project_without_memories_removes_none_of_another() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "We decided to use Heron for queues, because Postgres locks up under load.")).unwrap();
    memory.add(NewFact { scope: Some(Scope::User), ..told("I write British English", FactType::Preference) }).unwrap();
    let other = home.open_as("empty");
    assert!(other.purge(&Selection::Session("s".into())).is_err());
    let purged = other.purge(&Selection::Project).unwrap();
    assert_eq!((purged.events, purged.facts), (0, 0));
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 1);
    assert_eq!(memory.sessions(9).unwrap().len(), 1);
    memory.purge(&Selection::Project).unwrap();
    assert_eq!(memory.sessions(9).unwrap().len(), 0);
    // What belongs to the user rather than to a project stays.
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap().len(), 1);
}

#[test]
fn a_file_that_cant_be_read_is_no_proof() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "the zanzibar plan")).unwrap();
    let journal = home.path().with_file_name("memory.db-journal");
    std::fs::create_dir(&journal).unwrap();
    let purged = memory.purge(&Selection::Containing("zanzibar".into()));
    assert!(matches!(purged, Err(codecairn_base::error::Error::Io { .. })), "{purged:?}");
}
