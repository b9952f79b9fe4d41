//! Facts: verbatim, versioned, superseded, and as they were.

use super::*;

#[test]
fn a_fact_is_kept_word_for_word_with_its_type_and_a_real_id() {
    let (_home, memory) = Home::new().open_kept();
    let text = "Auth uses JWT in httpOnly cookies; `$&` and {{x}} stay.";
    let added = memory.add(told(text, FactType::Architecture)).unwrap();
    let fact = &memory.fact(&added.id).unwrap()[0];
    assert_eq!(
        (fact.text.as_str(), fact.fact_type, fact.version, added.is_new),
        (text, FactType::Architecture, 1, true)
    );
    assert_eq!(memory.fact(&added.id[..5]).unwrap()[0].id, added.id);
    assert!(memory.fact("fffff").unwrap().is_empty());
}

#[test]
fn the_same_statement_is_held_once() {
    let (_home, memory) = Home::new().open_kept();
    let first = memory.add(told("The API listens on port 8080", FactType::ProjectConfig)).unwrap();
    let again = memory.add(told("The API listens on port 8080", FactType::ProjectConfig)).unwrap();
    assert_eq!((again.id, again.is_new), (first.id, false));
}

#[test]
fn a_newer_value_ends_the_older_and_the_past_stays_readable() {
    let (_home, memory) = Home::new().open_kept();
    let port = |value: &str| NewFact {
        subject: "API".into(),
        predicate: "port".into(),
        ..told(&format!("The API listens on port {value}"), FactType::ProjectConfig)
    };
    let old = memory.add(port("8080")).unwrap();
    let between = memory.fact(&old.id).unwrap()[0].recorded_ms;
    let new = memory.add(port("9090")).unwrap();
    let now = memory.list(&FactFilter::default(), 10).unwrap();
    assert_eq!(now.iter().map(|fact| &fact.id).collect::<Vec<_>>(), [&new.id]);
    let ended = &memory.fact(&old.id).unwrap()[0];
    assert_eq!((ended.state, ended.superseded_by.as_ref()), (State::Superseded, Some(&new.id)));
    let then = memory.list(&FactFilter { as_of_ms: Some(between), ..FactFilter::default() }, 10).unwrap();
    assert_eq!(then.iter().map(|fact| &fact.id).collect::<Vec<_>>(), [&old.id]);
}

#[test]
fn a_machine_does_not_end_what_a_person_said_nor_what_is_pinned() {
    let (_home, memory) = Home::new().open_kept();
    let port = |value: &str, origin, is_pinned| NewFact {
        subject: "api".into(),
        predicate: "port".into(),
        origin,
        is_pinned,
        ..told(&format!("port {value} it is"), FactType::ProjectConfig)
    };
    memory.add(port("1", Origin::User, false)).unwrap();
    memory.add(port("2", Origin::Agent, true)).unwrap();
    memory.add(port("3", Origin::Agent, false)).unwrap();
    assert_eq!(memory.list(&FactFilter::default(), 10).unwrap().len(), 3);
    memory.add(port("4", Origin::User, false)).unwrap();
    let left: Vec<_> = memory.list(&FactFilter::default(), 10).unwrap().into_iter().map(|fact| fact.text).collect();
    assert_eq!(left, ["port 4 it is", "port 2 it is"]);
}

#[test]
fn an_update_is_a_version_and_is_found_by_its_new_words_only() {
    let (_home, memory) = Home::new().open_kept();
    let id = memory.add(told("Deploys run on Jenkins", FactType::TechContext)).unwrap().id;
    let change =
        FactChange { text: Some("Deploys run on Buildkite".into()), reason: "moved".into(), ..FactChange::default() };
    let updated = memory.update(&id, &change).unwrap();
    assert_eq!((updated.version, updated.title.as_str()), (2, "Deploys run on Buildkite"));
    let versions = memory.fact(&id).unwrap();
    assert_eq!(
        versions.iter().map(|fact| (fact.version, fact.state)).collect::<Vec<_>>(),
        [(2, State::Live), (1, State::Replaced)]
    );
    assert_eq!(texts(&memory.recall("buildkite", &everything(5)).unwrap()), ["Deploys run on Buildkite"]);
    assert_eq!(texts(&memory.recall("jenkins deploys", &everything(5)).unwrap()), ["Deploys run on Buildkite"]);
    assert!(memory.update("f000000", &change).is_err());
}

#[test]
fn what_is_forgotten_is_neither_listed_nor_recalled_but_known_as_it_was() {
    let (_home, memory) = Home::new().open_kept();
    let id = memory.add(told("The staging password rotates weekly", FactType::Note)).unwrap().id;
    let then = memory.fact(&id).unwrap()[0].recorded_ms;
    memory.forget(&id, "wrong").unwrap();
    assert!(memory.list(&FactFilter::default(), 10).unwrap().is_empty());
    assert!(memory.recall("staging rotates", &everything(5)).unwrap().is_empty());
    assert_eq!(memory.list(&FactFilter { as_of_ms: Some(then), ..FactFilter::default() }, 10).unwrap().len(), 1);
    assert!(memory.update(&id, &FactChange { text: Some("new".into()), ..FactChange::default() }).is_err());
}

#[test]
fn what_was_forgotten_can_be_restored_with_its_history_and_sources() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "We decided to use Redis for queues.")).unwrap();
    let made = memory.list(&FactFilter::default(), 10).unwrap().remove(0);
    assert!(memory.restore(&made.id, "").is_err());
    memory.forget(&made.id, "wrong").unwrap();
    let forgotten = || memory.list(&FactFilter { is_forgotten: true, ..FactFilter::default() }, 10).unwrap();
    assert_eq!(forgotten().len(), 1);
    let restored = memory.restore(&made.id, "it was right").unwrap();
    assert_eq!((restored.version, restored.reason.as_str()), (2, "it was right"));
    assert_eq!((&restored.text, &restored.sources), (&made.text, &made.sources));
    assert!(!restored.sources.is_empty());
    let versions = memory.fact(&made.id).unwrap();
    assert_eq!(versions.iter().map(|version| version.state).collect::<Vec<_>>(), [State::Live, State::Forgotten]);
    assert_eq!(memory.list(&FactFilter::default(), 10).unwrap().len(), 1);
    assert!(texts(&memory.recall("redis queues", &everything(5)).unwrap()).concat().contains(&made.text));
    assert!(forgotten().is_empty());
    assert!(memory.restore(&made.id, "").is_err());
    assert!(memory.restore("fnothing", "").is_err());
}

#[test]
fn restored_value_ends_the_one_that_took_its_place() {
    let (_home, memory) = Home::new().open_kept();
    let port = |text: &str| {
        let mut fact = told(text, FactType::ProjectConfig);
        (fact.subject, fact.predicate) = ("api".into(), "port".into());
        fact
    };
    let old = memory.add(port("The port of the api is 8000")).unwrap().id;
    memory.forget(&old, "").unwrap();
    let new = memory.add(port("The port of the api is 8080")).unwrap().id;
    memory.restore(&old, "").unwrap();
    assert_eq!(memory.fact(&new).unwrap()[0].state, State::Superseded);
    assert_eq!(memory.list(&FactFilter::default(), 10).unwrap().len(), 1);
}

#[test]
fn what_was_exported_comes_in_once() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "We decided to use Redis for queues.")).unwrap();
    memory.add(told("Ports are documented in the README", FactType::Note)).unwrap();
    let json = memory.export(false).unwrap();
    let (_other, other) = Home::new().open_kept();
    assert_eq!(other.import(&json).unwrap(), ImportReport { events: 1, facts: 2, skipped: 0 });
    assert_eq!(other.import(&json).unwrap(), ImportReport { events: 0, facts: 0, skipped: 3 });
    let words = |memory: &Memory| texts(&memory.recall("redis queues", &everything(1)).unwrap()).concat();
    assert_eq!(words(&other), words(&memory));
    assert!(other.import("{\"schema\": \"x\"}").is_err());
    assert!(other.import("nonsense").is_err());
}

#[test]
fn no_moment_knows_two_versions_of_a_fact_or_none() {
    let (_home, memory) = Home::new().open_kept();
    let by_agent = NewFact { origin: Origin::Agent, ..told("The worker uses Redis for sessions", FactType::Decision) };
    let first = memory.add(by_agent).unwrap();
    let again = memory.add(told("The worker uses Redis", FactType::Decision)).unwrap();
    assert_eq!((&again.id, again.is_version), (&first.id, true));
    let versions = memory.fact(&first.id).unwrap();
    assert_eq!(versions[1].retracted_ms, Some(versions[0].recorded_ms));
    for moment in (versions[1].recorded_ms..=memory.now_ms()).step_by(500) {
        let filter = FactFilter { as_of_ms: Some(moment), ..FactFilter::default() };
        assert_eq!(memory.list(&filter, 9).unwrap().len(), 1, "as of {moment}");
    }
}
