//! Cursor: translates its events, and writes the answers that it reads. Only the start of a session takes context reliably.

use serde_json::{Value, json};

use super::super::event::{HookEvent, Payload, Source, Wants, keyed, message, notice, or, record, text_of};
use super::super::text::{count, trimmed};
use super::super::tool_use::{ToolUse, bounded, changes_of, member, tool_records};

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    let session = text_of(payload, &["conversation_id", "session_id"]);
    if session.is_empty() {
        return None;
    }
    let roots = member(payload, "workspace_roots").as_array();
    let root = roots.and_then(|roots| roots.iter().find_map(Value::as_str)).unwrap_or_default();
    let source = Source {
        session: session.to_owned(),
        parent: text_of(payload, &["parent_conversation_id"]).to_owned(),
        folder: or(text_of(payload, &["cwd"]), root).to_owned(),
        model: text_of(payload, &["model"]).to_owned(),
    };
    match event {
        "sessionStart" => {
            let records = vec![notice("session started", "SessionStart")];
            Some(HookEvent { wants: Some(Wants::Static), is_opening: true, ..HookEvent::of(source, records) })
        }
        "beforeSubmitPrompt" => prompt(event, payload, source),
        "afterFileEdit" => file_edit(event, payload, source),
        "afterShellExecution" => Some(shell(event, payload, source)),
        "afterMCPExecution" => server_call(event, payload, source),
        "afterAgentResponse" => answer(event, payload, source),
        "stop" => {
            let is_repeated = is_truthy(member(payload, "loop_count"));
            let is_done = text_of(payload, &["status"]) == "completed" && !is_repeated && source.parent.is_empty();
            is_done.then(|| HookEvent { is_turn_end: true, ..HookEvent::of(source, Vec::new()) })
        }
        "preCompact" => {
            let title = format!("context is being compacted: {}", text_of(payload, &["trigger"]));
            Some(HookEvent::of(source, vec![notice(&title, event)]))
        }
        "subagentStart" | "subagentStop" => Some(subagent(event, payload, source)),
        "sessionEnd" => {
            let title = format!("session ended: {}", or(text_of(payload, &["reason"]), "other"));
            Some(HookEvent { is_closing: true, ..HookEvent::of(source, vec![notice(&title, "SessionEnd")]) })
        }
        _ => None,
    }
}

pub(super) fn reply(event: &str, context: &str) -> Value {
    match event {
        "beforeSubmitPrompt" => json!({"continue": true}),
        "stop" if !context.is_empty() => json!({"followup_message": context}),
        "sessionStart" if !context.is_empty() => json!({"additional_context": context}),
        _ => json!({}),
    }
}

fn prompt(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let prompt = text_of(payload, &["prompt"]).to_owned();
    if trimmed(&prompt).is_empty() {
        return None;
    }
    let record = keyed(message("user", &prompt, event), &source.session, "prompt", turn(payload));
    Some(HookEvent { prompt, ..HookEvent::of(source, vec![record]) })
}

fn file_edit(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let path = text_of(payload, &["file_path"]);
    if path.is_empty() {
        return None;
    }
    let body = bounded(&changes_of(member(payload, "edits")));
    let edit = record([("hook", event), ("role", "tool"), ("tool", "edit"), ("path", path), ("body", &body)]);
    Some(HookEvent::of(source, vec![edit]))
}

fn shell(event: &str, payload: &Payload, source: Source) -> HookEvent {
    let result = json!({"output": member(payload, "output"), "exit_code": member(payload, "exit_code")});
    let given = Value::Object(payload.clone());
    let call = ToolUse { tool: "shell", given: &given, result: &result, hook: event, error: "", has_passed: false };
    HookEvent::of(source, tool_records(call))
}

fn server_call(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    if text_of(payload, &["server_name", "server", "command", "url"]).contains("codecairn") {
        return None;
    }
    let tool = text_of(payload, &["tool_name"]);
    if tool.is_empty() {
        return None;
    }
    let records = tool_records(ToolUse {
        tool: &format!("mcp:{tool}"),
        given: member(payload, "tool_input"),
        result: member(payload, "result_json"),
        hook: event,
        error: "",
        has_passed: false,
    });
    (!records.is_empty()).then(|| HookEvent::of(source, records))
}

fn answer(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let answer = text_of(payload, &["text"]);
    if trimmed(answer).is_empty() {
        return None;
    }
    let turn = turn(payload);
    let number = if turn.is_empty() { String::new() } else { format!("{turn}.{}", count(answer)) };
    let record = keyed(message("assistant", answer, event), &source.session, "answer", &number);
    Some(HookEvent::of(source, vec![record]))
}

fn subagent(event: &str, payload: &Payload, source: Source) -> HookEvent {
    let kind = or(text_of(payload, &["subagent_type", "agent_type"]), "subagent");
    let word = if event == "subagentStart" { "started" } else { "finished" };
    let mut record = notice(&format!("{kind} {word}"), event);
    let body = bounded(text_of(payload, &["task", "summary", "result", "text"]));
    record.insert("body".to_owned(), Value::from(body));
    HookEvent::of(source, vec![record])
}

fn turn(payload: &Payload) -> &str {
    text_of(payload, &["generation_id"])
}

/// Whether a count is given that is not 0.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}
