//! The outbox: what is derived from the log, how rows move, and what purges leave.

use super::*;

const SINK: &str = "graph";

fn take(memory: &Memory, is_from_start: bool) -> u64 {
    let categories = vec!["prompt".to_owned(), "intent".to_owned(), "decision".to_owned()];
    let place = "shop".to_owned();
    let command = OutboxCommand::Take { categories, since_ms: 0, is_from_start, place, has_session: false };
    match memory.outbox(SINK, &command).unwrap() {
        OutboxAnswer::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

fn rows(memory: &Memory, states: &[OutboxState]) -> Vec<OutboxRow> {
    found(memory, &OutboxCommand::Rows { states: states.to_vec(), due_ms: None, after: None, limit: 1000 })
}

fn found(memory: &Memory, command: &OutboxCommand) -> Vec<OutboxRow> {
    match memory.outbox(SINK, command).unwrap() {
        OutboxAnswer::Rows(rows) => rows,
        other => panic!("{other:?}"),
    }
}

/// Claims waiting rows, as a run does before it sends them; the bodies of those that it got.
fn claim(memory: &Memory, numbers: &[i64]) -> Vec<String> {
    let states = vec![OutboxState::Waiting];
    let command = OutboxCommand::Claim { numbers: numbers.to_vec(), states, place: Some("shop".into()), sent_ms: 5 };
    found(memory, &command).into_iter().filter_map(|row| row.event).map(|event| event.body).collect()
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
    assert_eq!((status.unread, status.waiting), (0, 1203));
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
        place: String::new(),
        has_session: false,
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
    assert_eq!(claim(&memory, &[1]), ["One remark"]);
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
fn a_purge_takes_back_what_was_sent_or_found_and_leaves_no_text() {
    let (home, memory) = Home::new().open_kept();
    for text in ["The quetzal remark", "The heron remark", "The finch remark", "The wren remark"] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    assert_eq!(claim(&memory, &[1, 2]).len(), 2);
    mark(&memory, r#"{"number": 1, "state": "stored", "remote": "u-1"}"#);
    // Found there without having been sent from here: another machine sent it.
    mark(&memory, r#"{"number": 3, "state": "stored", "remote": "u-3"}"#);
    memory.purge(&Selection::Items(["E1", "E2", "E3", "E4"].map(Into::into).to_vec())).unwrap();
    assert_eq!(rows(&memory, &OPEN), []);
    let removing = rows(&memory, &[OutboxState::Removing]);
    assert_eq!(removing.iter().map(|row| row.remote.as_str()).collect::<Vec<_>>(), ["u-1", "", "u-3", ""]);
    assert!(removing.iter().all(|row| row.event.is_none() && row.place == "shop" && row.key.contains(":cc-")));
    assert!(["quetzal", "heron", "finch", "wren"].iter().all(|word| !home.holds(word)));
    // A run that read the row before the purge can't undo it.
    mark(&memory, r#"{"number": 2, "state": "stored", "remote": "u-2"}"#);
    assert_eq!(rows(&memory, &[OutboxState::Removing]).len(), 4);
    assert_eq!(run(&memory, r#"{"removed": [2, 4]}"#), 2);
    assert_eq!(rows(&memory, &[OutboxState::Removing]).len(), 2);
}

#[test]
fn an_event_of_which_a_part_is_hidden_is_taken_back_and_sent_again_as_it_is_shown() {
    let (_home, memory) = Home::new().open_kept();
    let hidden = "The quetzal is the mascot of the team.";
    for text in [&format!("{hidden} The heron is not."), hidden] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    assert_eq!(claim(&memory, &[1, 2]).len(), 2);
    let id = memory.add(told(hidden, FactType::Note)).unwrap().id;
    memory.forget(&id, "").unwrap();
    assert_eq!(rows(&memory, &[OutboxState::Removing]).len(), 2);
    assert_eq!(run(&memory, r#"{"removed": [1, 2]}"#), 2);
    assert_eq!(rows(&memory, &[OutboxState::Waiting]).len(), 1, "nothing of the other one is shown");
    assert_eq!(claim(&memory, &[1]), ["[…] The heron is not."]);
    memory.restore(&id, "").unwrap();
    assert_eq!(run(&memory, r#"{"removed": [1]}"#), 1);
    assert_eq!(claim(&memory, &[1, 2]), [&format!("{hidden} The heron is not."), hidden]);
}

#[test]
fn what_was_purged_or_dropped_after_it_was_read_is_not_claimed() {
    let (_home, memory) = Home::new().open_kept();
    for text in ["The quetzal remark", "The heron remark", "The finch remark"] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    assert_eq!(rows(&memory, &[OutboxState::Waiting]).len(), 3);
    memory.purge(&Selection::Items(vec!["E1".into()])).unwrap();
    assert_eq!(run(&memory, r#"{"drop": [2]}"#), 1);
    assert_eq!(claim(&memory, &[1, 2, 3]), ["The finch remark"]);
    assert_eq!(claim(&memory, &[3]), [""; 0], "it is claimed already");
}

#[test]
fn only_rows_that_a_purge_marked_are_deleted_as_removed() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "One remark")).unwrap();
    take(&memory, false);
    assert_eq!(run(&memory, r#"{"removed": [1]}"#), 0);
    assert_eq!(rows(&memory, &[OutboxState::Waiting]).len(), 1);
}

#[test]
fn the_purge_of_what_was_dropped_after_it_had_been_sent_is_followed() {
    let (_home, memory) = Home::new().open_kept();
    for text in ["One remark", "Another remark"] {
        memory.record(prompt("s", text)).unwrap();
    }
    take(&memory, false);
    assert_eq!(claim(&memory, &[1]), ["One remark"]);
    mark(&memory, r#"{"number": 1, "state": "waiting", "error": "lost"}"#);
    assert_eq!(run(&memory, r#"{"drop": []}"#), 2);
    assert_eq!((rows(&memory, &OPEN).len(), take(&memory, false)), (0, 0));
    assert_eq!(take(&memory, true), 2, "the whole log is what was dropped, too");
    assert_eq!(run(&memory, r#"{"drop": []}"#), 2);
    memory.purge(&Selection::Items(vec!["E1".into(), "E2".into()])).unwrap();
    let removing = rows(&memory, &[OutboxState::Removing]);
    assert_eq!(removing.iter().map(|row| (row.number, row.sends)).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn rows_are_read_in_pages_by_their_number() {
    let (_home, memory) = Home::new().open_kept();
    for number in 0..5 {
        memory.record(prompt("s", &format!("Remark number {number}"))).unwrap();
    }
    take(&memory, false);
    mark(&memory, r#"{"number": 2, "state": "waiting", "failures": 2}"#);
    let page = |after| {
        let states = vec![OutboxState::Waiting];
        let command = OutboxCommand::Rows { states, due_ms: None, after: Some(after), limit: 2 };
        found(&memory, &command).iter().map(|row| row.number).collect::<Vec<_>>()
    };
    assert_eq!([page(0), page(2), page(4)], [vec![1, 2], vec![3, 4], vec![5]]);
}

#[test]
fn what_a_purged_project_left_elsewhere_is_removed_by_the_run_of_any_other() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "One remark")).unwrap();
    take(&memory, false);
    assert_eq!(claim(&memory, &[1]).len(), 1);
    memory.purge(&Selection::Project).unwrap();
    let other = home.open_as("garden");
    other.record(prompt("s", "A remark")).unwrap();
    let removing = rows(&other, &[OutboxState::Removing]);
    assert_eq!(removing.iter().map(|row| row.place.as_str()).collect::<Vec<_>>(), ["shop"]);
    assert_eq!(status(&other).removing, 1);
}

#[test]
fn a_row_knows_its_place_from_the_beginning_with_its_root_session_where_that_is_asked_for() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("root", "A remark")).unwrap();
    memory
        .record(NewEvent { parent_session: Some("root".into()), ..prompt("child", "A remark of the child") })
        .unwrap();
    let categories = vec!["prompt".to_owned(), "intent".to_owned()];
    let place = "group".to_owned();
    let command = OutboxCommand::Take { categories, since_ms: 0, is_from_start: false, place, has_session: true };
    assert_eq!(memory.outbox(SINK, &command).unwrap(), OutboxAnswer::Count(2));
    let places: Vec<String> = rows(&memory, &OPEN).into_iter().map(|row| row.place).collect();
    assert_eq!(places, ["group/root"; 2]);
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
