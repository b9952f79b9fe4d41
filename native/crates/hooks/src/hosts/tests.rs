//! Tests of what all hosts promise: whatever they send, it is translated or of no interest.

use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// Events of any host, by their names.
const EVENTS: [&str; 24] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolBatch",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "AfterTool",
    "PreCompress",
    "Prompt",
    "Turn",
    "Delegation",
    "tool",
    "prompt",
    "answer",
    "afterFileEdit",
    "afterShellExecution",
    "afterMCPExecution",
];

/// Members that hosts read.
const MEMBERS: [&str; 20] = [
    "session_id",
    "session",
    "conversation_id",
    "agent_id",
    "cwd",
    "source",
    "prompt",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_calls",
    "error",
    "edits",
    "file_path",
    "command",
    "text",
    "metadata",
    "exit_code",
    "llmContent",
    "workspace_roots",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\n*: äÄ😀]{0,12}".prop_map(Value::from),
        Just(Value::from("*** Begin Patch\n*** Update File: a\n+x")),
        Just(Value::from("Exit code 3")),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let member = (proptest::sample::select(&MEMBERS), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..3).prop_map(Value::from),
            proptest::collection::vec(member, 0..4).prop_map(object),
        ]
    })
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

proptest! {
    #[test]
    fn members_of_any_kind_harm_nothing(
        event in proptest::sample::select(&EVENTS),
        members in proptest::collection::vec((proptest::sample::select(&MEMBERS), value()), 0..8),
    ) {
        let Value::Object(mut payload) = object(members) else { unreachable!("it is an object") };
        for session in ["session_id", "session", "conversation_id"] {
            payload.entry(session).or_insert_with(|| Value::from("s"));
        }
        for host in &HOSTS {
            let translated = host.translate(event, &payload, &|_| None);
            for record in translated.iter().flat_map(|event| &event.records) {
                prop_assert!(record["hook"].as_str().is_some_and(|hook| !hook.is_empty()));
                prop_assert!(record.iter().all(|(name, value)| value.is_string() || name == "exit_code"));
            }
        }
    }
}

#[test]
fn unknown_events_and_events_without_a_session_mean_nothing() {
    let Value::Object(known) = json!({"session_id": "s", "session": "s"}) else { unreachable!("it is an object") };
    for host in &HOSTS {
        assert_eq!(host.translate("Whatever", &known, &|_| None), None);
        assert_eq!(host.translate("SessionStart", &Map::new(), &|_| None), None);
        assert_eq!(host.reply("Whatever", ""), json!({}));
    }
    assert!(Host::named("../claude").is_none());
}

#[test]
fn codex_is_answered_with_the_keys_that_it_knows() {
    let codex = Host::named("codex").unwrap();
    assert_eq!(codex.reply("Stop", "text"), json!({"decision": "block", "reason": "text"}));
    for event in ["PreCompact", "PostCompact", "SessionEnd", "SubagentStop"] {
        assert_eq!(codex.reply(event, "text"), json!({}), "it takes no context there");
    }
}
