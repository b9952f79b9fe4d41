//! Records that wait: while the database is busy, or can't be written.

use std::sync::Barrier;

use super::*;

#[test]
fn a_busy_database_makes_nobody_wait_and_loses_nothing() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "before")).unwrap();
    let other = home.open();
    memory
        .write(|_| {
            for number in 0..40 {
                assert!(other.record(prompt("s", &format!("meanwhile {number}")))?.is_waiting);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(other.waiting(), 40);
    // More wait than one writer takes along: it joins the line, so that order is kept.
    assert!(other.record(prompt("s", "after")).unwrap().is_waiting);
    let bodies: Vec<_> =
        memory.events(None, None, false, 99).unwrap().into_iter().rev().map(|event| event.body).collect();
    let expected: Vec<_> = ["before".to_owned()]
        .into_iter()
        .chain((0..40).map(|number| format!("meanwhile {number}")))
        .chain(["after".to_owned()])
        .collect();
    assert_eq!(bodies, expected);
    assert_eq!(memory.waiting(), 0);
}

#[test]
fn a_database_that_cannot_be_read_loses_nothing() {
    let home = Home::new();
    std::fs::create_dir_all(home.path().parent().unwrap()).unwrap();
    std::fs::write(home.path(), "no database, but long enough to be seen as something else entirely").unwrap();
    let memory = home.open();
    assert!(memory.record(prompt("s", "We decided to wait.")).unwrap().is_waiting);
    let added = memory.add(told("A fact that waits", FactType::Note)).unwrap();
    assert!(added.is_waiting);
    assert_eq!(memory.waiting(), 2);
    std::fs::remove_file(home.path()).unwrap();
    let memory = home.open();
    assert_eq!(memory.fact(&added.id).unwrap()[0].text, "A fact that waits");
    assert_eq!((memory.events(None, None, false, 9).unwrap().len(), memory.waiting()), (1, 0));
}

#[test]
fn half_a_record_is_passed_over_and_one_taken_in_before_is_not_stored_twice() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "first")).unwrap();
    let other = home.open();
    memory.write(|_| other.record(prompt("s", "second"))).unwrap();
    let spool = home.dir.path().join("data/memory.db.spool").join(std::process::id().to_string());
    let file = std::fs::read_dir(&spool).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 2);
    // As if the process had died between its commit and the removal of the file.
    std::fs::write(&file, &whole).unwrap();
    std::fs::write(spool.join("0-half.json"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 2);
    assert!(!file.exists());
}

#[test]
fn many_threads_record_at_once() {
    let home = Home::new();
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (home, barrier) = (&home, &barrier);
            scope.spawn(move || {
                let memory = home.open();
                barrier.wait();
                for number in 0..25 {
                    let recorded =
                        memory.record(prompt(&format!("s{thread}"), &format!("event {thread} {number}"))).unwrap();
                    assert!(recorded.is_kept);
                }
            });
        }
    });
    let memory = home.open();
    for thread in 0..8 {
        let events = memory.events(Some(&format!("s{thread}")), None, false, 99).unwrap();
        let bodies: Vec<_> = events.into_iter().rev().map(|event| event.body).collect();
        assert_eq!(bodies, (0..25).map(|number| format!("event {thread} {number}")).collect::<Vec<_>>());
    }
}
