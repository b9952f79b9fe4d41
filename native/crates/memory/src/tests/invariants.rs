//! What holds after any sequence of changes.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Add { text: String, fact_type: FactType, keyed: bool, origin: Origin, pinned: bool },
    Update { which: usize, text: String, pinned: Option<bool> },
    Forget { which: usize },
    Supersede { which: usize, by: usize },
}

fn text() -> impl Strategy<Value = String> {
    let subject = prop::sample::select(vec!["api", "worker", "cache", "billing service", "queue"]);
    let rest = prop::sample::select(vec![
        "listens on port 8080",
        "listens on port 9090",
        "uses Redis",
        "uses Redis for sessions",
        "never retries",
        "retries",
        "switched from Redis to Valkey",
        "has a timeout of 30 s",
        "has a timeout of 10 s",
    ]);
    (subject, rest).prop_map(|(subject, rest)| format!("The {subject} {rest}"))
}

fn step() -> impl Strategy<Value = Step> {
    let types = vec![
        FactType::Decision,
        FactType::Note,
        FactType::ProjectConfig,
        FactType::Progress,
        FactType::ActiveContext,
        FactType::SessionSummary,
    ];
    let origins = vec![Origin::User, Origin::Agent, Origin::Tool, Origin::External];
    let add =
        (text(), prop::sample::select(types), any::<bool>(), prop::sample::select(origins), prop::bool::weighted(0.1))
            .prop_map(|(text, fact_type, keyed, origin, pinned)| Step::Add { text, fact_type, keyed, origin, pinned });
    prop_oneof![
        6 => add,
        2 => (0_usize..20, text(), prop::option::of(any::<bool>()))
            .prop_map(|(which, text, pinned)| Step::Update { which, text, pinned }),
        1 => (0_usize..20).prop_map(|which| Step::Forget { which }),
        1 => (0_usize..20, 0_usize..20).prop_map(|(which, by)| Step::Supersede { which, by }),
    ]
}

fn live_facts(memory: &Memory, filter: &FactFilter) -> Vec<(String, u32, String)> {
    let mut all: Vec<_> =
        memory.list(filter, 999).unwrap().into_iter().map(|fact| (fact.id, fact.version, fact.text)).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn nothing_disappears_and_the_past_stays_as_it_was(steps in prop::collection::vec(step(), 1..30)) {
        let home = Home::new();
        let clock: Arc<dyn codecairn_base::clock::Clock> = Arc::new(TickingClock::default());
        let memory = home.open_with(&clock);
        let mut ids: Vec<String> = Vec::new();
        let mut told_texts = Vec::new();
        let mut guarded: Vec<(String, String)> = Vec::new();
        let mut past = Vec::new();
        for step in steps {
            let is_human = !matches!(&step, Step::Add { origin, .. } if *origin != Origin::User);
            match step {
                Step::Add { text, fact_type, keyed, origin, pinned } => {
                    let fact = NewFact {
                        subject: if keyed { text.split(' ').nth(1).unwrap().to_owned() } else { String::new() },
                        origin,
                        is_pinned: pinned,
                        ..told(&text, fact_type)
                    };
                    // A machine can't add a statement that was forgotten.
                    let Ok(added) = memory.add(fact) else { continue };
                    told_texts.push((added.id.clone(), text));
                    ids.push(added.id);
                }
                Step::Update { which, text, pinned } if !ids.is_empty() => {
                    let id = ids[which % ids.len()].clone();
                    let change = FactChange { text: Some(text.clone()), is_pinned: pinned, ..FactChange::default() };
                    if memory.update(&id, &change).is_ok() {
                        told_texts.push((id, text));
                    }
                }
                Step::Forget { which } if !ids.is_empty() => {
                    memory.forget(&ids[which % ids.len()], "wrong").unwrap();
                }
                Step::Supersede { which, by } if !ids.is_empty() => {
                    let older = ids[which % ids.len()].clone();
                    memory.supersede(&ids[by % ids.len()], &[older], "read both").unwrap();
                }
                _ => {}
            }
            if !is_human {
                for (id, text) in &guarded {
                    let now = &memory.fact(id).unwrap()[0];
                    prop_assert_eq!((now.state, &now.text), (State::Live, text), "a machine changed {}", id);
                }
            }
            let live = memory.list(&FactFilter::default(), 999).unwrap();
            guarded = live
                .iter()
                .filter(|fact| fact.is_pinned || fact.origin == Origin::User)
                .map(|fact| (fact.id.clone(), fact.text.clone()))
                .collect();
            let singles = live.iter().filter(|fact| fact.fact_type == FactType::ActiveContext && fact.subject.is_empty());
            let free = singles.filter(|fact| !fact.is_pinned && fact.origin != Origin::User).count();
            prop_assert!(free <= 1, "{} contexts at once", free);
            let now_ms = memory.now_ms();
            past.push((now_ms, live_facts(&memory, &FactFilter::default())));
        }
        for (then, was) in past {
            let filter = FactFilter { as_of_ms: Some(then), ..FactFilter::default() };
            prop_assert_eq!(live_facts(&memory, &filter), was, "as of {}", then);
        }
        for (id, text) in told_texts {
            let versions = memory.fact(&id).unwrap();
            prop_assert!(versions.iter().any(|fact| fact.text == text), "{} is nowhere in {}", text, id);
        }
        for id in ids {
            let mut versions = memory.fact(&id).unwrap();
            versions.reverse();
            for (at, fact) in versions.iter().enumerate() {
                prop_assert_eq!(fact.version as usize, at + 1);
                let next = versions.get(at + 1);
                prop_assert_eq!(fact.state == State::Replaced, next.is_some());
                if let Some(next) = next {
                    prop_assert_eq!(fact.retracted_ms, Some(next.recorded_ms));
                }
                prop_assert_eq!(fact.state == State::Superseded, fact.superseded_by.is_some() && fact.retracted_ms.is_none());
                if let Some(by) = &fact.superseded_by {
                    prop_assert!(!memory.fact(by).unwrap().is_empty(), "{} was ended by nothing", id);
                }
            }
        }
    }
}
