//! Records that wait: while the database is busy, or can't be written.

use std::sync::Barrier;
use std::time::{Duration, UNIX_EPOCH};

use super::*;

#[test]
fn a_busy_database_makes_nobody_wait_and_loses_nothing() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "before")).unwrap();
    let other = home.open();
    memory
        .write(|_| {
            for number in 0..80 {
                assert!(other.record(prompt("s", &format!("meanwhile {number}")))?.is_waiting);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(other.waiting(), 80);
    // More wait than one writer takes along: it joins the line, so that order is kept.
    assert!(other.record(prompt("s", "after")).unwrap().is_waiting);
    let bodies: Vec<_> =
        memory.events(None, None, false, 99).unwrap().into_iter().rev().map(|event| event.body).collect();
    let expected: Vec<_> = ["before".to_owned()]
        .into_iter()
        .chain((0..80).map(|number| format!("meanwhile {number}")))
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
    let file = spool_file(&home);
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 2);
    assert!(file.exists(), "its process may go on appending");
    // As if marks were lost, and a process had died in the middle of a record.
    memory.write(|database| database.script("DELETE FROM spool_mark")).unwrap();
    std::fs::write(file.with_file_name("0-1-1.log"), [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 2);
    assert!(!file.with_file_name("0-1-1.log").exists());
    drop(other);
    memory.events(None, None, false, 9).unwrap();
    memory.settle().unwrap();
    assert!(!file.exists());
}

#[test]
fn records_of_several_processes_come_in_by_their_time() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "first")).unwrap();
    let clock: Arc<dyn codecairn_base::clock::Clock> = Arc::new(TickingClock::default());
    let others: Vec<Memory> = (0..3).map(|_| home.open_with(&clock)).collect();
    memory
        .write(|_| {
            for number in 0..9 {
                others[number % 3].record(prompt("s", &format!("meanwhile {number}")))?;
            }
            Ok(())
        })
        .unwrap();
    let bodies: Vec<_> =
        memory.events(None, None, false, 99).unwrap().into_iter().rev().map(|event| event.body).collect();
    assert_eq!(bodies[1..], (0..9).map(|number| format!("meanwhile {number}")).collect::<Vec<_>>());
}

#[test]
fn while_many_write_an_event_is_left_without_asking_and_taken_in_beside() {
    let home = Home::new();
    let clock: Arc<dyn codecairn_base::clock::Clock> =
        Arc::new(codecairn_base::clock::FixedClock(1_800_000_000_000_000_000));
    let (memory, other) = (home.open_with(&clock), home.open_with(&clock));
    memory.record(prompt("s", "first")).unwrap();
    memory.write(|_| other.record(prompt("s", "busy"))).unwrap();
    for number in 0..63 {
        assert!(other.record(prompt("s", &format!("event {number}"))).unwrap().is_waiting);
    }
    assert_eq!(other.waiting(), 64);
    assert!(other.record(prompt("s", "enough")).unwrap().is_waiting);
    (0..1000).take_while(|_| other.waiting() > 0).for_each(|_| std::thread::sleep(Duration::from_millis(20)));
    assert_eq!((other.waiting(), other.events(None, None, false, 99).unwrap().len()), (0, 66));
}

#[test]
fn what_comes_without_a_pause_is_taken_in_when_it_ends() {
    let home = Home::new();
    let clock: Arc<dyn codecairn_base::clock::Clock> =
        Arc::new(codecairn_base::clock::FixedClock(1_800_000_000_000_000_000));
    let (memory, other) = (home.open_with(&clock), home.open_with(&clock));
    memory.record(prompt("s", "first")).unwrap();
    memory.write(|_| other.record(prompt("s", "busy"))).unwrap();
    for number in 0..64 {
        other.record(prompt("s", &format!("event {number}"))).unwrap();
    }
    // Longer than it would wait for more, and too few for it to begin again.
    for number in 0..45 {
        std::thread::sleep(Duration::from_millis(30));
        other.record(prompt("s", &format!("later {number}"))).unwrap();
    }
    (0..1000).take_while(|_| other.waiting() > 0).for_each(|_| std::thread::sleep(Duration::from_millis(20)));
    assert_eq!(other.waiting(), 0);
}

#[test]
fn whoever_comes_new_to_a_storm_does_not_ask_for_the_database() {
    let home = Home::new();
    // Files have the time of the machine.
    let made = home.dir.path().metadata().unwrap().modified().unwrap();
    let now = made.duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64;
    let at = |ns: i64| -> Arc<dyn codecairn_base::clock::Clock> { Arc::new(codecairn_base::clock::FixedClock(ns)) };
    let (memory, other) = (home.open_with(&at(now)), home.open_with(&at(now)));
    memory.record(prompt("s", "first")).unwrap();
    memory.write(|_| other.record(prompt("s", "busy"))).unwrap();
    assert!(!other.busy_spool.is_used_by_others(now - 50_000_000), "one process alone is no storm");
    assert!(home.open_with(&at(now)).record(prompt("t", "comes new")).unwrap().is_waiting);
    assert_eq!(memory.waiting(), 2);
    let later = home.open_with(&at(now + 30_000_000_000));
    assert!(!later.record(prompt("t", "after the storm")).unwrap().is_waiting);
}

#[test]
fn whoever_finds_more_than_one_call_takes_in_leaves_it_to_others_for_a_while() {
    let home = Home::new();
    let clock: Arc<dyn codecairn_base::clock::Clock> =
        Arc::new(codecairn_base::clock::FixedClock(1_800_000_000_000_000_000));
    let (memory, third) = (home.open_with(&clock), home.open_with(&clock));
    let others = [home.open_with(&clock), home.open_with(&clock)];
    memory.record(prompt("s", "first")).unwrap();
    let leave = |number: usize| others[number % 2].record(prompt("s", &format!("{number}"))).map(drop);
    memory.write(|_| (0..80).try_for_each(leave)).unwrap();
    assert_eq!(third.waiting(), 80);
    assert!(third.record(prompt("t", "finds much")).unwrap().is_waiting);
    assert_eq!(third.waiting(), 80 - 64 + 1);
    assert!(third.record(prompt("t", "asks for nothing")).unwrap().is_waiting);
    assert_eq!(third.waiting(), 80 - 64 + 2);
}

#[test]
fn whoever_leaves_events_helps_once_much_waits() {
    let home = Home::new();
    let clock: Arc<dyn codecairn_base::clock::Clock> =
        Arc::new(codecairn_base::clock::FixedClock(1_800_000_000_000_000_000));
    let (memory, third) = (home.open_with(&clock), home.open_with(&clock));
    let others = [home.open_with(&clock), home.open_with(&clock)];
    memory.record(prompt("s", "first")).unwrap();
    let body = "word ".repeat(6000);
    let leave = |number: usize| others[number % 2].record(answer("s", &format!("{number} {body}"))).map(drop);
    memory.write(|_| (0..80).try_for_each(leave)).unwrap();
    // Somebody else has the task, and does nothing.
    let task = third.busy_spool.claim();
    assert!(task.is_some());
    memory.write(|_| third.record(prompt("t", "busy"))).unwrap();
    for number in 0..63 {
        third.record(prompt("t", &format!("event {number}"))).unwrap();
    }
    assert_eq!(third.waiting(), 80 + 64);
    third.record(prompt("t", "enough")).unwrap();
    assert_eq!(third.waiting(), 80 + 64 + 1 - 128);
}

#[test]
fn a_process_that_leaves_more_than_one_record_leaves_room_for_the_next_and_nothing_is_lost_in_it() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "first")).unwrap();
    let other = home.open();
    let mut sizes = Vec::new();
    memory
        .write(|_| {
            for number in 0..4 {
                other.record(prompt("s", &format!("meanwhile {number}")))?;
                sizes.push(std::fs::metadata(spool_file(&home)).unwrap().len());
            }
            Ok(())
        })
        .unwrap();
    assert!(sizes[0] < sizes[1] && sizes[1] == sizes[2] && sizes[2] == sizes[3], "{sizes:?}");
    assert_eq!((other.waiting(), memory.events(None, None, false, 9).unwrap().len()), (4, 5));
    memory.write(|_| other.record(prompt("s", "later"))).unwrap();
    // Its process died in the middle of a record, and the room behind it stays.
    let file = spool_file(&home);
    let whole = std::fs::read(&file).unwrap();
    let written = whole.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let torn = [&whole[..written], &whole[..written / 3], &vec![0; 9000]].concat();
    drop(other);
    std::fs::write(file.with_file_name("0-1-1.log"), torn).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 6);
    memory.settle().unwrap();
    assert!(!file.exists() && !file.with_file_name("0-1-1.log").exists());
}

#[test]
fn what_was_purged_is_in_no_file_that_its_process_still_appends_to() {
    let (home, memory) = Home::new().open_kept();
    let other = home.open();
    memory.record(prompt("s", "first")).unwrap();
    memory.write(|_| other.record(prompt("s", "the zanzibar plan"))).unwrap();
    memory.write(|_| other.record(prompt("s", "something else"))).unwrap();
    assert_eq!(memory.purge(&Selection::Containing("zanzibar".into())).unwrap().events, 1);
    assert!(!home.holds("zanzibar"));
    memory.write(|_| other.record(prompt("s", "later"))).unwrap();
    assert_eq!(memory.events(None, None, false, 9).unwrap().len(), 3);
}

#[test]
fn a_memory_of_an_older_format_is_brought_up_to_date_by_reading_it() {
    let (home, memory) = Home::new().open_kept();
    memory.add(told("kept from before", FactType::Note)).unwrap();
    let older = "DROP TABLE spool_mark; DROP TABLE anchor; DROP INDEX event_by_time; DROP TABLE snapshot; \
                 DROP TABLE outbox_cursor; DROP TABLE tombstone; DROP TABLE hidden; \
                 DROP TABLE project_folder; PRAGMA user_version = 1";
    memory.write(|database| database.script(older)).unwrap();
    drop(memory);
    assert_eq!(home.open().list(&FactFilter::default(), 9).unwrap().len(), 1);
}

#[test]
fn what_an_older_format_held_is_found_again_and_whoever_records_meanwhile_does_not_wait() {
    let (home, memory) = Home::new().open_kept();
    memory.add(told("Deployments go out on Fridays", FactType::Rule)).unwrap();
    for number in 0..300 {
        memory.record(prompt("s", &format!("the lighthouse keeper counted ship number{number}"))).unwrap();
    }
    let found = |memory: &Memory| {
        ["number7", "lighthouse keeper", "deployments on fridays"].map(|query| {
            let hits = memory.recall(query, &everything(9)).unwrap();
            hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
        })
    };
    let expected = found(&memory);
    // Full text of a form that nobody reads any more.
    let older = "DROP INDEX event_by_time; DROP TABLE snapshot; DROP TABLE text_segment; \
                 DROP TABLE outbox_cursor; DROP TABLE tombstone; DROP TABLE hidden; DROP TABLE project_folder; \
                 CREATE TABLE text_tail (doc); CREATE TABLE text_segment (number); CREATE TABLE text_posting (term); \
                 DELETE FROM meta WHERE key = 'text_version'; PRAGMA user_version = 2";
    memory.write(|database| database.script(older)).unwrap();
    drop(memory);
    let memory = home.open();
    assert!(memory.record(prompt("other", "recorded in haste")).unwrap().is_waiting);
    assert_eq!(found(&memory), expected);
    assert_eq!(memory.events(Some("other"), None, false, 9).unwrap().len(), 1);
}

/// The only file in the spool of a busy database.
fn spool_file(home: &Home) -> PathBuf {
    let entries = std::fs::read_dir(home.dir.path().join("data/memory.db.spool")).unwrap();
    let mut files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some());
    files.next().unwrap()
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
