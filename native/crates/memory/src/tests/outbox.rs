//! The outbox: what is derived from the log, how rows move, and what purges leave.

use super::*;

const SINK: &str = "graph";

fn take(memory: &Memory, is_from_start: bool) -> u64 {
    let categories = vec!["prompt".to_owned(), "intent".to_owned(), "decision".to_owned()];
    let command = OutboxCommand::Take { categories, since_ms: 0, is_from_start };
    match memory.outbox(SINK, &command).unwrap() {
        OutboxAnswer::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

fn rows(memory: &Memory, states: &[OutboxState]) -> Vec<OutboxRow> {
    let command = OutboxCommand::Rows { states: states.to_vec(), due_ms: None, limit: 1000 };
    match memory.outbox(SINK, &command).unwrap() {
        OutboxAnswer::Rows(rows) => rows,
        other => panic!("{other:?}"),
    }
}

fn status(memory: &Memory) -> OutboxStatus {
    match memory.outbox(SINK, &OutboxCommand::Status).unwrap() {
        OutboxAnswer::Status(status) => status,
        other => panic!("{other:?}"),
    }
}

fn run(memory: &Memory, command: &str) -> u64 {
    match memory.outbox(SINK, &serde_json::from_str(command).unwrap()).unwrap() {
        OutboxAnswer::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

fn mark(memory: &Memory, change: &str) {
    assert_eq!(run(memory, &format!("{{\"mark\": [{change}]}}")), 1);
}

const OPEN: [OutboxState; 3] = [OutboxState::Waiting, OutboxState::Sent, OutboxState::Dead];

#[test]
fn every_event_is_taken_once_in_the_order_of_the_log() {
    let (_home, memory) = Home::new().open_kept();
    assert_eq!((take(&memory, false), status(&memory)), (0, OutboxStatus::default()));
    for number in 0..1203 {
        memory.record(prompt("s", &format!("Remark number {number}"))).unwrap();
    }
    memory.record(command("s", "ls", "a b c", 0)).unwrap();
    memory.record(NewEvent { privacy_tags: vec!["private".into()], ..prompt("s", "Hidden remark") }).unwrap();
    assert_eq!(status(&memory).unread, 1205);
    assert_eq!((take(&memory, false), take(&memory, false)), (1203, 0));
    let found = rows(&memory, &[OutboxState::Waiting]);
    assert_eq!(found.len(), 1000);
    assert!(found.iter().map(|row| row.number).is_sorted());
    assert_eq!(found[7].event.as_ref().unwrap().body, "Remark number 7");
    let keys: std::collections::BTreeSet<&str> = found.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(keys.len(), 1000);
    let status = status(&memory);
    assert_eq!((status.unread, status.waiting, status.is_begun), (0, 1203, true));
}

#[test]
fn the_log_is_taken_from_a_moment_or_from_its_beginning() {
    let (_home, memory) = Home::new().open_kept();
    for number in 0..620 {
        memory.record(prompt("s", &format!("Remark number {number}"))).unwrap();
    }
    let command = |is_from_start| OutboxCommand::Take {
        categories: vec!["prompt".to_owned(), "intent".to_owned()],
        since_ms: i64::MAX,
        is_from_start,
    };
    assert_eq!(memory.outbox(SINK, &command(false)).unwrap(), OutboxAnswer::Count(0));
    memory.record(prompt("s", "Later remark")).unwrap();
    assert_eq!(memory.outbox(SINK, &command(false)).unwrap(), OutboxAnswer::Count(1));
    assert_eq!(memory.outbox(SINK, &command(true)).unwrap(), OutboxAnswer::Count(620));
    assert_eq!(status(&memory).waiting, 621);
}

#[test]
fn rows_move_only_as_they_are_marked_and_dead_ones_wait_for_a_person() {
    let (_home, memory) = Home::new().open_kept();
    for text in ["One remark", "Another remark", "A third remark"] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    mark(&memory, r#"{"number": 1, "state": "sent", "place": "shop", "sent_ms": 5}"#);
    mark(&memory, r#"{"number": 1, "state": "stored", "remote": "u-1"}"#);
    mark(&memory, r#"{"number": 2, "state": "dead", "failures": 3, "error": "refused"}"#);
    let found = rows(&memory, &[OutboxState::Stored]);
    assert_eq!((found[0].sends, found[0].place.as_str(), found[0].remote.as_str()), (1, "shop", "u-1"));
    assert_eq!(status(&memory).processed_ms, [("shop".to_owned(), 5)]);
    assert_eq!(rows(&memory, &[OutboxState::Dead])[0].error, "refused");
    run(&memory, r#"{"note": {"failures": 2, "due_ms": 77, "error": "no answer"}}"#);
    let seen = status(&memory);
    assert_eq!((seen.failures, seen.due_ms, seen.error.as_str(), seen.stored, seen.dead), (2, 77, "no answer", 1, 1));
    assert_eq!((run(&memory, r#"{"retry": [9]}"#), run(&memory, r#"{"retry": []}"#)), (0, 1));
    assert_eq!((rows(&memory, &[OutboxState::Waiting]).len(), status(&memory).due_ms), (2, 0));
    assert_eq!((run(&memory, r#"{"drop": [2]}"#), run(&memory, r#"{"drop": []}"#)), (1, 1));
    assert_eq!(rows(&memory, &OPEN), []);
    assert_eq!(take(&memory, false), 0, "what was dropped stays so");
}

#[test]
fn a_purge_takes_back_what_was_sent_and_leaves_no_text() {
    let (home, memory) = Home::new().open_kept();
    for text in ["The quetzal remark", "The heron remark", "The finch remark"] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    for number in [1, 2] {
        mark(&memory, &format!(r#"{{"number": {number}, "state": "sent", "place": "shop", "sent_ms": 5}}"#));
    }
    mark(&memory, r#"{"number": 1, "state": "stored", "remote": "u-1"}"#);
    memory.purge(&Selection::Items(vec!["E1".into(), "E2".into(), "E3".into()])).unwrap();
    assert_eq!(rows(&memory, &OPEN), []);
    let removing = rows(&memory, &[OutboxState::Removing]);
    assert_eq!(removing.iter().map(|row| row.remote.as_str()).collect::<Vec<_>>(), ["u-1", ""]);
    assert!(removing.iter().all(|row| row.event.is_none() && row.place == "shop" && row.key.contains(":cc-")));
    assert!(!home.holds("quetzal") && !home.holds("heron"));
    // A run that read the row before the purge can't undo it.
    mark(&memory, r#"{"number": 2, "state": "stored", "remote": "u-2"}"#);
    assert_eq!(rows(&memory, &[OutboxState::Removing]).len(), 2);
    mark(&memory, r#"{"number": 2, "state": null}"#);
    assert_eq!(rows(&memory, &[OutboxState::Removing]).len(), 1);
}

#[test]
fn what_a_purged_project_left_elsewhere_is_removed_by_the_run_of_any_other() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "One remark")).unwrap();
    take(&memory, false);
    mark(&memory, r#"{"number": 1, "state": "sent", "place": "shop", "sent_ms": 5}"#);
    memory.purge(&Selection::Project).unwrap();
    let other = home.open_as("garden");
    other.record(prompt("s", "A remark")).unwrap();
    assert_eq!(rows(&other, &[OutboxState::Removing]).len(), 1);
    assert_eq!(status(&other).removing, 1);
}

#[test]
fn an_event_has_one_name_wherever_the_project_is_recorded() {
    let key = |home: &Home| {
        let memory = home.open();
        memory.record(prompt("other", "Only here")).unwrap();
        memory.record(NewEvent { key: Some("host-7".into()), ..prompt("s", "Said once") }).unwrap();
        take(&memory, false);
        rows(&memory, &OPEN).into_iter().find(|row| row.event.as_ref().unwrap().body == "Said once").unwrap().key
    };
    let (first, second) = (Home::new(), Home::new());
    second.open_as("garden").record(prompt("s", "Another project's")).unwrap();
    assert_eq!(key(&first), key(&second));
}

#[test]
fn a_childs_events_belong_to_the_root_of_its_line() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("root", "A remark of the root")).unwrap();
    memory.record(NewEvent { parent_session: Some("root".into()), ..prompt("child", "A remark") }).unwrap();
    memory.record(NewEvent { parent_session: Some("child".into()), ..prompt("grandchild", "A remark") }).unwrap();
    memory.record(NewEvent { parent_session: Some("grandchild".into()), ..prompt("root", "A cycle") }).unwrap();
    take(&memory, false);
    let roots: Vec<String> = rows(&memory, &OPEN).into_iter().map(|row| row.root_session).collect();
    assert_eq!(roots, ["root"; 4]);
}
