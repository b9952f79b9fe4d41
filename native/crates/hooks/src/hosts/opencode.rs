//! `OpenCode`: translates the events of our plugin file, and writes the answers that it reads; the format is our own.
//!
//! Every event has `session`, and `parent` in a session that another session started.

use serde_json::{Value, json};

use super::super::event::{HookEvent, Payload, Source, Wants, keyed, keyed_each, message, notice, text_of};
use super::super::text::trimmed;
use super::super::tool_use::{ToolUse, member, path_of, tool_records};

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    let session = text_of(payload, &["session"]);
    if session.is_empty() {
        return None;
    }
    let source = Source {
        session: session.to_owned(),
        parent: text_of(payload, &["parent"]).to_owned(),
        folder: text_of(payload, &["folder"]).to_owned(),
        model: text_of(payload, &["model"]).to_owned(),
    };
    let number = text_of(payload, &["id"]);
    match event {
        "session-start" => {
            let records = vec![keyed(notice("session started", event), session, "start", "1")];
            let is_opening = source.parent.is_empty();
            Some(HookEvent { wants: Some(Wants::Static), is_opening, ..HookEvent::of(source, records) })
        }
        "prompt" => {
            let prompt = text_of(payload, &["prompt"]).to_owned();
            let record = keyed(message("user", &prompt, event), session, "prompt", number);
            let is_empty = trimmed(&prompt).is_empty();
            let wants = Some(Wants::Volatile);
            (!is_empty).then(|| HookEvent { wants, prompt, ..HookEvent::of(source, vec![record]) })
        }
        "tool" => tool_use(event, payload, source),
        "answer" => {
            let answer = text_of(payload, &["text"]);
            let record = keyed(message("assistant", answer, event), session, "answer", number);
            let is_turn_end = source.parent.is_empty();
            let is_empty = trimmed(answer).is_empty();
            (!is_empty).then(|| HookEvent { is_turn_end, ..HookEvent::of(source, vec![record]) })
        }
        "compacting" => {
            let records = vec![notice("context is being compacted", "PreCompact")];
            let wants = Some(Wants::Compaction);
            Some(HookEvent { wants, loses_context: true, ..HookEvent::of(source, records) })
        }
        "compacted" => {
            let mut record = message("assistant", text_of(payload, &["summary"]), "PostCompact");
            record.insert("title".to_owned(), Value::from("context was compacted"));
            let records = vec![keyed(record, session, "compacted", number)];
            Some(HookEvent::of(source, records))
        }
        "session-end" => {
            let records = vec![keyed(notice("session ended", "SessionEnd"), session, "end", "1")];
            Some(HookEvent { is_closing: true, ..HookEvent::of(source, records) })
        }
        _ => None,
    }
}

pub(super) fn reply(_event: &str, context: &str) -> Value {
    if context.is_empty() { json!({}) } else { json!({"context": context}) }
}

fn tool_use(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let given = member(payload, "input");
    let records = tool_records(ToolUse {
        tool: text_of(payload, &["tool"]),
        given,
        result: member(payload, "result"),
        hook: event,
        error: text_of(payload, &["error"]),
        has_passed: false,
    });
    if records.is_empty() {
        return None;
    }
    let records = keyed_each(records, &source.session, text_of(payload, &["id"]));
    let path = path_of(given);
    let wants = (!path.is_empty()).then_some(Wants::Anchored);
    Some(HookEvent { wants, path, ..HookEvent::of(source, records) })
}
