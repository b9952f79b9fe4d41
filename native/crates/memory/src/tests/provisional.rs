//! What rules drew from talk ends by itself, unless it is used or confirmed, and when a model reads the same talk.

use super::*;

const RULE: &str = "From now on every migration must have a down script, because we had to roll back twice last year.";
const DAY_MS: i64 = 86_400_000;

fn rule_of(memory: &Memory) -> Fact {
    let facts = memory.list(&FactFilter::default(), 10).unwrap();
    facts.into_iter().find(|fact| fact.maker == "rule").unwrap()
}

fn with_rule() -> (Home, Memory, Fact) {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("a", RULE)).unwrap();
    let fact = rule_of(&memory);
    (home, memory, fact)
}

fn shown(id: &str, placement: &str) -> NewInjection {
    NewInjection {
        session: "b".into(),
        placement: placement.into(),
        form: "markdown".into(),
        body: RULE.into(),
        items: vec![ShownVersion { id: id.into(), version: 1 }],
        tokens: 20,
        seq: 1,
        is_kept: placement == "static",
    }
}

fn read_by_model(text: &str, seq: i64) -> NewFact {
    NewFact { maker: "model".into(), sources: vec![seq], ..NewFact::told(text, FactType::Rule, Origin::Agent) }
}

#[test]
fn a_fact_of_a_rule_has_an_end_and_one_that_is_told_has_none() {
    let (_home, memory, fact) = with_rule();
    assert_eq!(fact.expires_ms, Some(fact.recorded_ms + 90 * DAY_MS));
    let told = memory.add(told("The API listens on port 8080", FactType::ProjectConfig)).unwrap();
    assert_eq!(memory.fact(&told.id).unwrap()[0].expires_ms, None);
}

#[test]
fn being_shown_with_a_prompt_prolongs_it_and_opening_a_session_does_not() {
    let (_home, memory, fact) = with_rule();
    memory.note_injection(&shown(&fact.id, "static")).unwrap();
    memory.note_injection(&shown(&fact.id, "compaction")).unwrap();
    assert_eq!(rule_of(&memory).expires_ms, fact.expires_ms);
    memory.note_injection(&shown(&fact.id, "volatile")).unwrap();
    assert!(rule_of(&memory).expires_ms > fact.expires_ms);
}

#[test]
fn a_person_who_says_or_edits_it_takes_its_end_away() {
    let (_home, memory, fact) = with_rule();
    let change = FactChange { is_pinned: Some(false), ..FactChange::default() };
    assert_eq!(memory.update(&fact.id, &change).unwrap().expires_ms, None);
    let (_home, memory, fact) = with_rule();
    memory.add(NewFact::told(&fact.text, fact.fact_type, Origin::User)).unwrap();
    assert!(memory.list(&FactFilter::default(), 10).unwrap().iter().all(|fact| fact.expires_ms.is_none()));
}

#[test]
fn a_fact_that_was_told_gets_no_end_when_it_is_said_again() {
    let (_home, memory) = Home::new().open_kept();
    let told = memory.add(told(RULE, FactType::Rule)).unwrap();
    memory.record(prompt("a", RULE)).unwrap();
    assert_eq!(memory.fact(&told.id).unwrap()[0].expires_ms, None);
}

#[test]
fn a_model_that_read_the_same_talk_replaces_it() {
    let (_home, memory, fact) = with_rule();
    memory.record(prompt("a", "We settled on PostgreSQL, because MySQL lost writes under load.")).unwrap();
    let other = memory.list(&FactFilter::default(), 10).unwrap().into_iter().find(|each| each.id != fact.id).unwrap();
    let new = memory.add(read_by_model("Each migration needs a down script.", fact.sources[0])).unwrap();
    let events = [fact.sources[0], other.sources[0]];
    let mut ended = memory.replace_provisional(&events, std::slice::from_ref(&new.id)).unwrap();
    ended.sort();
    let mut both = vec![fact.id.clone(), other.id.clone()];
    both.sort();
    assert_eq!(ended, both);
    let superseded = &memory.fact(&fact.id).unwrap()[0];
    assert_eq!((superseded.state, superseded.superseded_by.as_ref()), (State::Superseded, Some(&new.id)));
    assert_eq!(memory.fact(&other.id).unwrap()[0].state, State::Forgotten);
}

#[test]
fn what_was_confirmed_or_drawn_from_other_talk_too_stays() {
    let (_home, memory, fact) = with_rule();
    assert!(memory.replace_provisional(&[fact.sources[0] + 1], &[]).unwrap().is_empty());
    memory.update(&fact.id, &FactChange { is_pinned: Some(true), ..FactChange::default() }).unwrap();
    assert!(memory.replace_provisional(&fact.sources, &[]).unwrap().is_empty());
}
