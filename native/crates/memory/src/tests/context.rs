//! What an agent is shown.

use super::*;
use crate::context::{Audience, Budget, Context, ContextBuilder, Form, NoLookup};

const BUDGET: Budget = Budget { total: 1500, static_part: 600 };

fn fact(text: &str, fact_type: FactType) -> NewFact {
    NewFact::told(text, fact_type, Origin::User)
}

/// Builds with a memory in its own folder as the workspace.
fn with_builder<T>(home: &Home, memory: &Memory, budget: Budget, work: impl FnOnce(&ContextBuilder<'_>) -> T) -> T {
    let audience = Audience { trusts: true, host: "claude".to_owned() };
    work(&ContextBuilder::new(memory, home.dir.path(), &audience, budget, Form::Markdown, &NoLookup))
}

fn shown(memory: &Memory, context: Context) -> String {
    for note in &context.notes {
        assert!(memory.note_injection(note).unwrap());
    }
    context.text
}

#[test]
fn a_budget_is_kept_and_descriptions_have_their_share() {
    let (home, budget) = (Home::new(), Budget { total: 1500, static_part: 800 });
    let memory = home.open();
    for number in 0..60 {
        memory.add(fact(&format!("decision {number} {}", "word ".repeat(40)), FactType::Decision)).unwrap();
    }
    memory.add(fact("It is a shop", FactType::ProjectBrief)).unwrap();
    memory.add(fact("Use tabs", FactType::Preference)).unwrap();
    let context = with_builder(&home, &memory, budget, |builder| builder.static_part("a", false)).unwrap();
    assert!((700..=880).contains(&context.tokens), "{}", context.tokens);
    for title in ["Project Brief", "Decisions", "User Preferences"] {
        assert!(context.text.contains(&format!("## {title}\n")), "{title}");
    }
}

#[test]
fn pinned_facts_come_first_and_old_ones_are_not_lost_to_new_ones() {
    let home = Home::new();
    let memory = home.open();
    memory.add(NewFact { is_pinned: true, ..fact("Auth uses cookies", FactType::Decision) }).unwrap();
    for number in 0..100 {
        memory.add(fact(&"lamp ".repeat(number + 2), FactType::Decision)).unwrap();
    }
    let context = with_builder(&home, &memory, BUDGET, |builder| builder.static_part("a", false)).unwrap();
    let first = context.text.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(first.starts_with("- Auth uses cookies"), "{first}");
}

#[test]
fn statements_share_the_budget_by_their_confidence_whatever_their_type() {
    let (home, budget) = (Home::new(), Budget { total: 1500, static_part: 200 });
    let memory = home.open();
    for number in 0..8 {
        let text = |what: &str| {
            format!(
                "{what} {number} of {}",
                ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"][number].repeat(12)
            )
        };
        let doubtful = NewFact { confidence: 0.6, maker: "rule".to_owned(), ..fact(&text("rule"), FactType::Rule) };
        memory.add(NewFact { origin: Origin::Agent, ..doubtful }).unwrap();
        let sure = NewFact { confidence: 0.9, maker: "rule".to_owned(), ..fact(&text("fact"), FactType::Note) };
        memory.add(NewFact { origin: Origin::Agent, ..sure }).unwrap();
    }
    let context = with_builder(&home, &memory, budget, |builder| builder.static_part("a", false)).unwrap();
    assert!(context.text.contains("## Notes") && !context.text.contains("## Rules"), "{}", context.text);
}

#[test]
fn the_same_words_are_shown_once_whatever_their_type() {
    let home = Home::new();
    let memory = home.open();
    memory.add(fact("不要用 SQLite", FactType::Rule)).unwrap();
    memory.add(fact("请用 SQLite 存储", FactType::Rule)).unwrap();
    memory.add(fact("不要用SQLite。", FactType::Decision)).unwrap();
    let context = with_builder(&home, &memory, BUDGET, |builder| builder.static_part("a", false)).unwrap();
    assert_eq!(context.items.len(), 2, "{}", context.text);
}

#[test]
fn of_two_facts_that_may_contradict_each_other_the_newer_is_shown_marked() {
    let home = Home::new();
    let memory = home.open();
    let older = memory.add(fact("The retry limit is three", FactType::Decision)).unwrap();
    let newer = memory.add(fact("The retry limit is five", FactType::Decision)).unwrap();
    assert_eq!(newer.may_contradict.join(" "), older.id);
    let context = with_builder(&home, &memory, BUDGET, |builder| builder.static_part("a", false)).unwrap();
    assert!(context.text.contains(&format!("differs from {}", older.id)), "{}", context.text);
    assert!(!context.text.contains("is three"));
}

#[test]
fn after_a_compaction_the_state_of_the_session_comes_first() {
    let home = Home::new();
    let memory = home.open();
    memory.add(fact("[open] write docs", FactType::Task)).unwrap();
    memory.add(fact("[done] write code", FactType::Task)).unwrap();
    memory.record(prompt("a", "Move the cache to Redis")).unwrap();
    memory.record(edit("a", "src/cache.py")).unwrap();
    memory.record(command("a", "make test", "E: assert failed", 2)).unwrap();
    memory.record(command("a", "make lint", "E: unused", 1)).unwrap();
    memory.record(command("a", "make lint", "ok", 0)).unwrap();
    memory.record(prompt("a", "yes, go ahead")).unwrap();
    let text = shown(&memory, with_builder(&home, &memory, BUDGET, |builder| builder.compaction("a")).unwrap());
    let request = text.split("## ").nth(1).unwrap();
    assert!(request.starts_with("Last Request\n- Move the cache to Redis"), "{text}");
    for part in ["[open] write docs", "src/cache.py", "make test: E: assert failed"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("[done]") && !text.contains("E: unused"), "{text}");
}

#[test]
fn the_prompt_after_a_lost_context_brings_the_state_of_the_session_once() {
    let home = Home::new();
    let memory = home.open();
    memory.add(fact("The harbour mistress is Ann", FactType::Note)).unwrap();
    memory.record(prompt("a", "Move the cache to Redis")).unwrap();
    with_builder(&home, &memory, BUDGET, |builder| {
        assert!(shown(&memory, builder.prompt("a", "Move the cache to Redis").unwrap()).contains("Ann"));
        assert_eq!(shown(&memory, builder.prompt("a", "who is the harbour mistress?").unwrap()), "");
        memory.note_injection(&builder.context_lost("a").unwrap()).unwrap();
        let text = shown(&memory, builder.prompt("a", "go on with it").unwrap());
        assert!(text.contains("## Last Request\n- Move the cache") && text.contains("Ann"), "{text}");
        assert_eq!(shown(&memory, builder.prompt("a", "go on with it").unwrap()), "");
    });
}

#[test]
fn a_resumed_agent_is_shown_its_start_once() {
    let home = Home::new();
    let memory = home.open();
    memory.add(fact("The harbour mistress is Ann", FactType::Note)).unwrap();
    with_builder(&home, &memory, BUDGET, |builder| {
        let first = shown(&memory, builder.opening("a", true).unwrap());
        assert!(first.contains("Ann"), "the agent of another host may have begun without hooks");
        assert_eq!(shown(&memory, builder.opening("a", true).unwrap()), "");
        assert_eq!(shown(&memory, builder.opening("a", false).unwrap()), first);
    });
}

#[test]
fn facts_from_the_session_itself_are_no_answers_in_it() {
    let home = Home::new();
    let memory = home.open();
    memory.record(prompt("a", "We decided to keep sessions in Redis because it expires them itself.")).unwrap();
    with_builder(&home, &memory, BUDGET, |builder| {
        assert_eq!(shown(&memory, builder.volatile("a", "where do we keep sessions?").unwrap()), "");
        assert!(shown(&memory, builder.volatile("b", "where do we keep sessions?").unwrap()).contains("Redis"));
    });
}

#[test]
fn a_file_brings_the_facts_about_it_once_and_no_private_ones() {
    let home = Home::new();
    let memory = home.open();
    let about = |path: &str| vec![Anchor { path: path.to_owned(), kind: "file".to_owned(), ..Anchor::default() }];
    let private = vec!["private".to_owned()];
    for (text, path, privacy_tags) in [
        ("Retries are counted upwards", "net.py", Vec::new()),
        ("The key of the vault is blue", "net.py", private),
        ("Lamps are lit at dusk", "lamp.py", Vec::new()),
    ] {
        memory.add(NewFact { anchors: about(path), privacy_tags, ..fact(text, FactType::Note) }).unwrap();
    }
    with_builder(&home, &memory, BUDGET, |builder| {
        let text = shown(&memory, builder.anchored("a", "net.py").unwrap());
        assert!(text.contains("## About net.py\n- Retries are counted upwards"), "{text}");
        assert!(!text.contains("vault") && !text.contains("dusk"), "{text}");
        assert_eq!(shown(&memory, builder.anchored("a", "net.py").unwrap()), "");
        assert_eq!(shown(&memory, builder.anchored("a", "other.py").unwrap()), "");
    });
}

#[test]
fn a_short_word_asks_nothing() {
    let home = Home::new();
    let memory = home.open();
    memory.record(answer("old", "Lamps are lit at dusk, done by Ann.")).unwrap();
    with_builder(&home, &memory, BUDGET, |builder| {
        for prompt in ["done", "lamps?", "…", ""] {
            assert_eq!(builder.volatile("a", prompt).unwrap().text, "", "{prompt}");
        }
    });
}
