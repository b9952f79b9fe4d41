//! Nothing private or secret reaches the disk, whatever kind of record carries it.

use super::*;

/// Made here, so that no scanner trips over this file.
fn secret(seed: usize) -> String {
    let body: String = (0..36).map(|at| char::from(b"a8Zq3Rk7Xw2Tb5Ym"[(at * 7 + seed * 5 + at * at) % 16])).collect();
    format!("{}{}{body}", "gh", "p_")
}

#[test]
fn no_field_of_any_kind_of_record_carries_a_secret_to_the_disk() {
    let home = Home::new();
    let memory = home.open();
    let fill = |event: NewEvent| {
        let text = |at: usize| format!("x {} <private>hidden {at}</private>", secret(at));
        NewEvent {
            title: text(0),
            body: format!("{}\n{}", text(1), "line of output\n".repeat(600)),
            command: text(2),
            path: format!("a/{}", secret(3)),
            tags: vec![secret(4)],
            tool: format!("{} {}", event.tool, secret(5)),
            branch: secret(6),
            commit: secret(0),
            meta: [("note".to_owned(), text(7)), (secret(8), "<private>hidden 9".to_owned())].into(),
            key: Some(format!("{} {}", event.hook, secret(9))),
            ..event
        }
    };
    for event in [prompt("s", ""), answer("s", ""), command("s", "", "", 1), edit("s", "")] {
        memory.record(fill(event)).unwrap();
    }
    let fact = NewFact {
        title: secret(0),
        subject: secret(1),
        tags: vec![secret(2)],
        meta: [("k".to_owned(), secret(3))].into(),
        ..told(&format!("keep this, not {} <private>hidden 1</private>", secret(4)), FactType::Note)
    };
    let id = memory.add(fact).unwrap().id;
    let text = format!("and not {}", secret(5));
    memory.update(&id, &FactChange { text: Some(text), reason: secret(6), ..FactChange::default() }).unwrap();
    memory.forget(&id, &secret(7)).unwrap();
    // Where the database can't be written, the spool is as clean.
    memory.close();
    std::fs::write(home.path(), "this is no database at all, and long enough to be seen as none").unwrap();
    let waiting = home.open().record(fill(prompt("s", ""))).unwrap();
    assert!(waiting.is_waiting);
    for seed in 0..10 {
        assert!(!home.holds(&secret(seed)), "{seed}");
    }
    assert!(!home.holds("hidden"));
}

#[test]
fn tags_block_hide_and_lower_the_bar() {
    let (home, memory) = Home::new().open_kept();
    let tagged = |tag: &str, text: &str| NewEvent { privacy_tags: vec![tag.into()], ..prompt("s", text) };
    assert!(!memory.record(tagged("no_mem", "never kept at all")).unwrap().is_kept);
    assert!(!home.path().exists());
    memory.record(tagged("private", "We decided to sell the company.")).unwrap();
    assert!(memory.events(None, None, false, 10).unwrap().is_empty());
    assert!(memory.recall("sell company", &everything(5)).unwrap().is_empty());
    let options = RecallOptions { filter: FactFilter { with_private: true, ..FactFilter::default() }, ..everything(5) };
    assert!(!memory.recall("sell company", &options).unwrap().is_empty());
    assert!(!memory.export(false).unwrap().contains("sell"));
}

#[test]
fn what_is_wholly_private_is_no_event_and_no_fact() {
    let (home, memory) = Home::new().open_kept();
    assert!(!memory.record(prompt("s", "<private>all of it</private>")).unwrap().is_kept);
    let error = memory.add(told("<private>all of it", FactType::Note)).unwrap_err();
    assert!(error.to_string().contains("nothing is left"), "{error}");
    assert!(!home.path().exists());
}

#[test]
fn what_we_injected_is_not_captured_again() {
    let (_home, memory) = Home::new().open_kept();
    memory
        .record(prompt("s", "<codecairn-memory>\n- We decided to use Redis.\n</codecairn-memory>\nfix the queue"))
        .unwrap();
    let event = &memory.events(None, None, false, 1).unwrap()[0];
    assert_eq!(event.body, "fix the queue");
    assert!(memory.list(&FactFilter::default(), 10).unwrap().is_empty());
}
