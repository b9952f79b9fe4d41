//! Recall: words in every script, meaning, neighbours, scopes and times.

use super::*;
use crate::text::{EventFilter, Question, Search, Space, search};
use crate::vector;

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
fn neither_the_question_itself_nor_a_start_of_a_session_answers() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("a", "which queue broker did we pick?")).unwrap();
    memory.record(answer("a", "We picked RabbitMQ as the queue broker.")).unwrap();
    memory.record(NewEvent { role: Some(Role::System), ..prompt("b", "session started: which queue broker") }).unwrap();
    for number in 0..20 {
        memory.record(prompt(&format!("again {number}"), "Which queue broker did we pick?")).unwrap();
    }
    let found = memory.recall("Which queue broker did we pick? ", &everything(5)).unwrap();
    assert_eq!(texts(&found), ["We picked RabbitMQ as the queue broker."]);
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
fn what_is_passed_over_is_never_among_the_best() {
    const BEST: usize = 10;
    let (_home, memory) = Home::new().open_kept();
    let words =
        ["ferry", "harbour", "tide", "lamp", "rope", "engine", "signal", "gull", "anchor", "crew", "mast", "keel"];
    let mut lots = 7_usize;
    let mut lot = |most: usize| {
        lots = lots.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (lots >> 33) % most
    };
    for _ in 0..800 {
        let text: Vec<&str> = (0..lot(9) + 2).map(|_| lot(words.len())).map(|at| words[at]).collect();
        memory.record(prompt(&format!("s{}", lot(25)), &text.join(" "))).unwrap();
    }
    for query in ["ferry lamp", "keel of the mast", "crew anchor gull signal", "harbour", "a sailor's rope"] {
        let question = Question::of(query);
        let sketch = vector::sketch(&vector::of_query(memory.model.as_ref(), query).unwrap());
        let found = |limit: usize| {
            let wanted = Search { question: &question, sketch: &sketch, limit, only: &EventFilter::default() };
            let work =
                |database: &_, project| search(database, &memory.segment_cache, &[Space::events(project)], &wanted);
            memory.read(work).unwrap().unwrap()
        };
        let (few, all) = (found(BEST), found(1000));
        assert!(few.is_full && !all.is_full, "{query}");
        assert_eq!(few.found, all.found[..BEST], "{query}");
    }
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

#[test]
fn what_its_session_speaks_of_speaks_for_an_event() {
    let (_home, memory) = Home::new().open_kept();
    for (session, subject) in [("a", "the ferry engine"), ("b", "the harbour lamp")] {
        memory.record(prompt(session, &format!("Let us look at {subject} today"))).unwrap();
        for number in 0..4 {
            memory.record(answer(session, &format!("step {number} is done"))).unwrap();
        }
        memory.record(answer(session, "It was broken, so we replaced the gasket.")).unwrap();
    }
    let found = memory.recall("ferry engine gasket", &everything(2)).unwrap();
    assert_eq!(found.iter().map(|each| each.event.as_ref().unwrap().session.as_str()).next(), Some("a"));
}

#[test]
fn a_compound_that_nobody_wrote_is_the_words_that_it_joins() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("a", "The lamp is tested every night")).unwrap();
    memory.record(prompt("b", "The ferry has choices")).unwrap();
    let first = |question: &str| texts(&memory.recall(question, &everything(1)).unwrap())[0].to_owned();
    assert_eq!(first("lamp-test choices"), "The lamp is tested every night");
    let found = memory.recall("lamp-test", &everything(1)).unwrap();
    assert!((found[0].known - 1.0).abs() < 1e-6, "{}", found[0].known);
}

#[test]
fn what_upkeep_noted_for_itself_is_no_answer() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("a", "Where is the harbour lamp kept?")).unwrap();
    memory.record(NewEvent { hook: "codecairn.summarised".into(), ..answer("a", "") }).unwrap();
    let found = memory.recall("harbour lamp", &RecallOptions { facts: false, ..everything(9) }).unwrap();
    assert_eq!(texts(&found), ["Where is the harbour lamp kept?"]);
}

#[test]
fn a_question_that_names_a_speaker_asks_for_what_they_said() {
    let (_home, memory) = Home::new().open_kept();
    for (speaker, text) in [("Ann", "I like the green lamp best."), ("Bea", "I like the red lamp best, dear Ann.")] {
        let meta = [("speaker".to_owned(), speaker.to_owned())].into();
        memory.record(NewEvent { meta, ..prompt("a", text) }).unwrap();
    }
    for (question, start) in [("Which lamp does Ann like?", "I like the green"), ("lamp of Bea", "I like the red")] {
        let found = memory.recall(question, &everything(1)).unwrap();
        assert!(texts(&found)[0].starts_with(start), "{question}: {:?}", texts(&found));
    }
}

#[test]
fn what_is_unknown_has_little_evidence() {
    let (_home, memory) = Home::new().open_kept();
    for text in ["The tide table is in data/tides.csv", "Lamps are lit at dusk", "The ferry leaves at nine"] {
        memory.record(answer("a", text)).unwrap();
    }
    let evidence = |question: &str| {
        let found = memory.recall(question, &everything(1)).unwrap();
        found.first().map_or(0.0, |each| each.evidence)
    };
    let known = evidence("where is the tide table");
    assert!(known > 0.5, "{known}");
    for question in ["Which GraphQL client has the table", "what does the lawyer's invoice at Lloyds say"] {
        assert!(evidence(question) < known / 2.0, "{question}: {}", evidence(question));
    }
    let strict = RecallOptions { least_evidence: 0.5, ..everything(5) };
    assert!(memory.recall("Which GraphQL client has the table", &strict).unwrap().is_empty());
    assert!(!memory.recall("where is the tide table", &strict).unwrap().is_empty());
}

#[test]
fn conditions_that_few_meet_still_find_them() {
    let (_home, memory) = Home::new().open_kept();
    for number in 0..400 {
        let ts_ms = Some(1_000_000 + number);
        memory.record(NewEvent { ts_ms, ..prompt(&format!("s{number}"), "the harbour lamp is green") }).unwrap();
    }
    memory.add(told("the harbour lamp is on the mole", FactType::Rule)).unwrap();
    let rules = FactFilter { types: vec![FactType::Rule], ..FactFilter::default() };
    let found = memory.recall("harbour lamp green", &RecallOptions { filter: rules, events: false, ..everything(5) });
    assert_eq!(found.unwrap().len(), 1);
    let within = RecallOptions { since_ms: Some(1_000_010), until_ms: Some(1_000_012), facts: false, ..everything(9) };
    assert_eq!(memory.recall("harbour lamp", &within).unwrap().len(), 3);
    let around = RecallOptions { around_ms: Some((1_000_200, 1_000_200)), facts: false, ..everything(1) };
    assert_eq!(memory.recall("harbour lamp", &around).unwrap()[0].event.as_ref().unwrap().ts_ms, 1_000_200);
    let private = NewEvent { privacy_tags: vec!["private".into()], ..prompt("p", "zebra stable") };
    memory.record(private).unwrap();
    assert!(memory.recall("zebra stable", &everything(1)).unwrap().iter().all(|each| each.lexical == 0.0));
}

#[test]
fn an_overview_comes_from_many_sessions_and_the_present_from_the_newest() {
    let (_home, memory) = Home::new().open_kept();
    for session in ["a", "b", "c"] {
        for number in 0..3 {
            let ts_ms = Some(i64::from(session.as_bytes()[0]) * 86_400_000);
            let text = format!("the cache port is number {number} of {session}");
            memory.record(NewEvent { ts_ms, ..prompt(session, &text) }).unwrap();
        }
    }
    let sessions = |options: RecallOptions| {
        let found = memory.recall("cache port", &options).unwrap();
        found.into_iter().map(|each| each.event.unwrap().session).collect::<Vec<_>>()
    };
    let mut first = sessions(RecallOptions { is_overview: true, facts: false, ..everything(3) });
    first.sort();
    assert_eq!(first, ["a", "b", "c"]);
    assert_eq!(sessions(RecallOptions { prefers_new: true, facts: false, ..everything(1) }), ["c"]);
}

#[test]
fn what_was_shown_is_noted_and_kept_texts_stay_until_their_items_are_purged() {
    let (_home, memory) = Home::new().open_kept();
    let fact = memory.add(told("lamps are green", FactType::Rule)).unwrap().id;
    let shown = vec![ShownVersion { id: fact.clone(), version: 1 }];
    let new = NewInjection {
        session: "a".into(),
        placement: "static".into(),
        form: "xml".into(),
        body: "<lamps/>".into(),
        items: shown.clone(),
        tokens: 3,
        seq: 0,
        is_kept: true,
    };
    assert!(memory.note_injection(&new).unwrap());
    assert_eq!(memory.injections("a").unwrap()[0].items, shown);
    assert!(memory.injections("b").unwrap().is_empty());
    assert_eq!(memory.kept_text("a", "static", "xml").unwrap().unwrap().body, "<lamps/>");
    assert!(memory.kept_text("a", "static", "json").unwrap().is_none());
    memory.purge(&Selection::Items(vec![fact])).unwrap();
    assert!(memory.kept_text("a", "static", "xml").unwrap().is_none());
}

#[test]
fn an_agent_holds_what_it_was_shown_since_its_context_was_compacted() {
    let (_home, memory) = Home::new().open_kept();
    let show = |placement: &str, seq, items: &[(&str, u32)]| {
        let items = items.iter().map(|(id, version)| ShownVersion { id: (*id).into(), version: *version }).collect();
        let (session, form, placement) = ("a".into(), "xml".into(), placement.into());
        let new = NewInjection { session, placement, form, body: String::new(), items, tokens: 0, seq, is_kept: false };
        assert!(memory.note_injection(&new).unwrap());
    };
    assert_eq!(memory.injected_items("a").unwrap(), InjectedItems::default());
    show("static", 1, &[("E2", 1)]);
    show("volatile", 2, &[("b", 3), ("E2", 1)]);
    let injected = |items: &[(&str, u32)], lost_seq| InjectedItems {
        ids: items.iter().map(|(id, _)| (*id).to_owned()).collect(),
        versions: items.iter().map(|(_, version)| *version).collect(),
        lost_seq,
    };
    assert_eq!(memory.injected_items("a").unwrap(), injected(&[("E2", 1), ("b", 3)], 0));
    show("compaction", 7, &[("c", 1)]);
    show("volatile", 9, &[("b", 4)]);
    assert_eq!(memory.injected_items("a").unwrap(), injected(&[("b", 4), ("c", 1)], 7));
    assert_eq!(memory.injected_items("other").unwrap(), InjectedItems::default());
}
