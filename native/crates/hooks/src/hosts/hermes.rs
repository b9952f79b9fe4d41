//! Hermes: translates the events of our memory provider, and writes the answers that it reads.
//!
//! The provider is ours (`codecairn.integrations.hermes`), so the format is, too: `context` is the text to inject.

use serde_json::{Value, json};

use super::super::event::{HookEvent, Payload, Source, Wants, keyed, message, notice, text_of};
use super::super::text::trimmed;

/// Prompts that ask nothing.
const PASSING: [&str; 11] = ["", "ok", "okay", "yes", "no", "go on", "continue", "thanks", "thank you", "done", "next"];

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    let session = text_of(payload, &["session_id"]);
    if session.is_empty() {
        return None;
    }
    let source = Source {
        session: session.to_owned(),
        parent: text_of(payload, &["parent_session_id"]).to_owned(),
        folder: text_of(payload, &["cwd"]).to_owned(),
        model: String::new(),
    };
    match event {
        "SessionStart" => {
            let records = vec![keyed(notice("session started", event), session, "start", "1")];
            Some(HookEvent { wants: Some(Wants::Static), is_opening: true, ..HookEvent::of(source, records) })
        }
        "Prompt" => prompt(payload, source),
        "Turn" => turn(event, payload, source),
        "PreCompress" => {
            let records = vec![notice("context is being compacted", "PreCompact")];
            Some(HookEvent { loses_context: true, ..HookEvent::of(source, records) })
        }
        "Delegation" => delegation(event, payload, source),
        "MemoryWrite" => memory_write(event, payload, source),
        "SessionEnd" => {
            Some(HookEvent { is_closing: true, ..HookEvent::of(source, vec![notice("session ended", event)]) })
        }
        _ => None,
    }
}

pub(super) fn reply(event: &str, context: &str) -> Value {
    if context.is_empty() || !["SessionStart", "Prompt"].contains(&event) {
        return json!({});
    }
    json!({"context": context})
}

/// A prompt is recorded with its answer, at the end of the turn.
fn prompt(payload: &Payload, source: Source) -> Option<HookEvent> {
    let prompt = text_of(payload, &["prompt"]).to_owned();
    if PASSING.contains(&trimmed(&prompt).trim_matches(['.', '!']).to_lowercase().as_str()) {
        return None;
    }
    Some(HookEvent { wants: Some(Wants::Volatile), prompt, ..HookEvent::of(source, Vec::new()) })
}

fn turn(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let (prompt, answer) = (text_of(payload, &["prompt"]), text_of(payload, &["answer"]));
    let mut records = Vec::new();
    for (role, text) in [("user", prompt), ("assistant", answer)] {
        if !trimmed(text).is_empty() {
            records.push(message(role, text, event));
        }
    }
    (!records.is_empty()).then(|| HookEvent { prompt: prompt.to_owned(), ..HookEvent::of(source, records) })
}

fn delegation(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let result = text_of(payload, &["result"]);
    let mut record = message("tool", result, event);
    record.insert("tool".to_owned(), Value::from("delegate_task"));
    record.insert("command".to_owned(), Value::from(text_of(payload, &["task"])));
    (!trimmed(result).is_empty()).then(|| HookEvent::of(source, vec![record]))
}

/// What Hermes writes into its own memory is remembered here as well.
fn memory_write(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let content = text_of(payload, &["content"]);
    if trimmed(content).is_empty() || text_of(payload, &["action"]) == "remove" {
        return None;
    }
    let mut record = message("assistant", content, event);
    record.insert("title".to_owned(), Value::from("written to memory"));
    Some(HookEvent::of(source, vec![record]))
}
