//! Recall: words in every script, meaning, neighbours, scopes and times.

use super::*;

#[test]
fn words_are_found_in_their_forms_and_parts_in_every_script() {
    let (_home, memory) = Home::new().open_kept();
    for text in [
        "Tokens are verified in verify_token, called by SessionStore.refresh",
        "我们决定使用 PostgreSQL 作为主数据库",
        "Кэш очищается каждую ночь",
        "The colour picker lives in the toolbar",
    ] {
        memory.add(told(text, FactType::Note)).unwrap();
    }
    for (query, start) in
        [("verifying token", "Tokens"), ("session store", "Tokens"), ("数据库", "我们"), ("кэш", "Кэш")]
    {
        let found = memory.recall(query, &everything(1)).unwrap();
        assert!(texts(&found)[0].starts_with(start), "{query}: {:?}", texts(&found));
    }
    assert!(memory.recall("zebra", &RecallOptions { facts: false, ..everything(3) }).unwrap().is_empty());
    assert!(memory.recall("?!", &everything(3)).is_err());
}

#[test]
fn an_answer_is_found_by_the_question_before_it() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("a", "Which queue broker did we pick for invoices?")).unwrap();
    memory.record(answer("a", "RabbitMQ, version 3.13.")).unwrap();
    for number in 0..30 {
        memory.record(prompt("b", &format!("unrelated remark number {number} about colours"))).unwrap();
    }
    let found = memory.recall("invoices queue broker", &everything(2)).unwrap();
    assert_eq!(texts(&found), ["Which queue broker did we pick for invoices?", "RabbitMQ, version 3.13."]);
}

#[test]
fn full_text_is_the_same_before_and_after_segments_are_made() {
    let (_home, memory) = Home::new().open_kept();
    let words = ["ferry", "harbour", "tide", "lamp", "rope", "engine", "signal", "gull"];
    for number in 0_usize..700 {
        let text = format!("{} {} {} note {number}", words[number % 8], words[number / 8 % 8], words[number / 64 % 8]);
        memory.record(prompt(&format!("s{}", number % 5), &text)).unwrap();
    }
    let found = memory.recall("ferry lamp note 603", &RecallOptions { facts: false, ..everything(10) }).unwrap();
    assert!(texts(&found)[0].ends_with("note 603"), "{:?}", texts(&found));
    let before: Vec<_> = found.into_iter().map(|each| each.id).collect();
    while memory.tidy().unwrap() {}
    let found = memory.recall("ferry lamp note 603", &RecallOptions { facts: false, ..everything(10) }).unwrap();
    assert_eq!(found.into_iter().map(|each| each.id).collect::<Vec<_>>(), before);
}

#[test]
fn conditions_narrow() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(NewEvent { ts_ms: Some(1_000), ..prompt("a", "the harbour lamp is green") }).unwrap();
    memory.record(NewEvent { ts_ms: Some(9_000), ..prompt("b", "the harbour lamp is red") }).unwrap();
    memory.add(told("The harbour lamp has a spare", FactType::Note)).unwrap();
    let count = |options: &RecallOptions| memory.recall("harbour lamp", options).unwrap().len();
    assert_eq!(count(&everything(9)), 3);
    assert_eq!(count(&RecallOptions { facts: false, ..everything(9) }), 2);
    assert_eq!(count(&RecallOptions { facts: false, session: Some("a".into()), ..everything(9) }), 1);
    assert_eq!(count(&RecallOptions { facts: false, since_ms: Some(2_000), ..everything(9) }), 1);
    assert_eq!(count(&RecallOptions { facts: false, until_ms: Some(2_000), ..everything(9) }), 1);
    let rules = FactFilter { types: vec![FactType::Rule], ..FactFilter::default() };
    assert_eq!(count(&RecallOptions { events: false, filter: rules, ..everything(9) }), 0);
    assert_eq!(count(&everything(1)), 1);
}

#[test]
fn an_event_that_says_no_more_than_its_fact_is_not_shown_beside_it() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "We decided to keep SQLite.")).unwrap();
    let found = memory.recall("SQLite", &everything(5)).unwrap();
    assert_eq!((found.len(), found[0].fact.is_some()), (1, true));
}

#[test]
fn an_empty_memory_answers_nothing_and_makes_no_file() {
    let (home, memory) = Home::new().open_kept();
    assert!(memory.recall("anything", &everything(5)).unwrap().is_empty());
    assert!(memory.list(&FactFilter::default(), 5).unwrap().is_empty());
    assert_eq!(memory.status().unwrap().events, 0);
    assert!(!home.path().exists());
}
