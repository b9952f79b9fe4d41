//! Claude Code: translates its events, and writes the answers that it reads.

use serde_json::{Value, json};

use super::super::event::{HookEvent, Payload, Record, Source, Wants, keyed, keyed_each, message, notice, or, text_of};
use super::super::text::{count, trimmed};
use super::super::tool_use::{ToolUse, member, path_of, tool_records};
use super::injection;

/// The events whose answer may hold context.
const INJECTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"];

/// The tools whose success is `PostToolUse`. A batch has only the text that the model is shown, in which a refusal is like
/// any output.
const REPORTED_ALONE: [&str; 6] = ["bash", "powershell", "edit", "multiedit", "write", "notebookedit"];

/// The beginning of a prompt of the host's own: a command in the background has ended.
const NOTIFICATION: &str = "<task-notification>";

/// The marks around the text of a call that did not get as far as the tool; there is no other event of it.
const REFUSED: [&str; 2] = ["<tool_use_error>", "</tool_use_error>"];

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    let root = text_of(payload, &["session_id"]);
    if root.is_empty() {
        return None;
    }
    let agent = text_of(payload, &["agent_id"]);
    let is_child = !agent.is_empty();
    let source = Source {
        session: if is_child { format!("{root}/{agent}") } else { root.to_owned() },
        parent: if is_child { root.to_owned() } else { String::new() },
        folder: text_of(payload, &["cwd"]).to_owned(),
        model: text_of(payload, &["model"]).to_owned(),
    };
    match event {
        "SessionStart" => Some(session_start(payload, source)),
        "UserPromptSubmit" => prompt(payload, source),
        "PreToolUse" => before_tool(payload, source),
        "PostToolUse" | "PostToolUseFailure" => {
            let records = records_of_call(event, payload, None, &source.session);
            (!records.is_empty()).then(|| HookEvent::of(source, records))
        }
        "PostToolBatch" => batch(payload, source),
        "PreCompact" => {
            let title = format!("context is being compacted: {}", text_of(payload, &["trigger"]));
            Some(HookEvent { loses_context: true, ..HookEvent::of(source, vec![notice(&title, event)]) })
        }
        "PostCompact" => {
            let mut record = message("assistant", text_of(payload, &["compact_summary"]), event);
            record.insert("title".to_owned(), Value::from("context was compacted"));
            Some(HookEvent::of(source, vec![record]))
        }
        "Stop" => answer(payload, source),
        "SubagentStart" => {
            let title = format!("{} started", or(text_of(payload, &["agent_type"]), "subagent"));
            let event = HookEvent { wants: Some(Wants::Static), ..HookEvent::of(source, vec![notice(&title, event)]) };
            is_child.then_some(event)
        }
        "SubagentStop" => subagent_stop(payload, source),
        "SessionEnd" => {
            let title = format!("session ended: {}", or(text_of(payload, &["reason"]), "other"));
            Some(HookEvent { is_closing: true, ..HookEvent::of(source, vec![notice(&title, event)]) })
        }
        _ => None,
    }
}

pub(super) fn reply(event: &str, context: &str) -> Value {
    if !context.is_empty() && event == "Stop" {
        return json!({"decision": "block", "reason": context});
    }
    injection(event, context, &INJECTS)
}

fn session_start(payload: &Payload, source: Source) -> HookEvent {
    let reason = or(text_of(payload, &["source"]), "startup");
    let is_compacted = reason == "compact";
    HookEvent {
        wants: Some(if is_compacted { Wants::Compaction } else { Wants::Static }),
        is_opening: !is_compacted,
        is_resumed: reason == "resume",
        ..HookEvent::of(source, vec![notice(&format!("session started: {reason}"), "SessionStart")])
    }
}

fn prompt(payload: &Payload, source: Source) -> Option<HookEvent> {
    let prompt = text_of(payload, &["prompt"]);
    if trimmed(prompt).is_empty() || prompt.starts_with(NOTIFICATION) {
        return None;
    }
    let number = text_of(payload, &["prompt_id", "turn_id"]);
    let record = keyed(message("user", prompt, "UserPromptSubmit"), &source.session, "prompt", number);
    let prompt = prompt.to_owned();
    Some(HookEvent { wants: Some(Wants::Volatile), prompt, ..HookEvent::of(source, vec![record]) })
}

fn before_tool(payload: &Payload, source: Source) -> Option<HookEvent> {
    let path = path_of(member(payload, "tool_input"));
    let event = HookEvent { wants: Some(Wants::Anchored), path, ..HookEvent::of(source, Vec::new()) };
    (!event.path.is_empty()).then_some(event)
}

fn batch(payload: &Payload, source: Source) -> Option<HookEvent> {
    let mut records = Vec::new();
    for call in member(payload, "tool_calls").as_array()?.iter().filter_map(Value::as_object) {
        let text = text_of(call, &["tool_response"]);
        let tool = text_of(call, &["tool_name"]).to_lowercase();
        let refusal = text.strip_prefix(REFUSED[0]).map(|rest| rest.split(REFUSED[1]).next().unwrap_or_default());
        if refusal.is_some() || !REPORTED_ALONE.contains(&tool.as_str()) {
            records.extend(records_of_call("PostToolBatch", call, refusal, &source.session));
        }
    }
    (!records.is_empty()).then(|| HookEvent::of(source, records))
}

/// The records of a call; `refusal` takes the place of its error.
fn records_of_call(event: &str, call: &Payload, refusal: Option<&str>, session: &str) -> Vec<Record> {
    let error = refusal.unwrap_or_else(|| text_of(call, &["error"]));
    let result = member(call, "tool_response");
    let records = tool_records(ToolUse {
        tool: text_of(call, &["tool_name"]),
        given: member(call, "tool_input"),
        result,
        hook: event,
        error,
        has_passed: error.is_empty() && has_passed(result),
    });
    keyed_each(records, session, text_of(call, &["tool_use_id"]))
}

/// Whether a shell command ended well: one that fails is reported as an error.
///
/// One that was interrupted, goes on in the background, or ended with a code that means something else than failure (`grep`
/// without a match) has neither passed nor failed.
fn has_passed(response: &Value) -> bool {
    let is_uncertain = ["backgroundTaskId", "returnCodeInterpretation"].iter().any(|name| response.get(name).is_some());
    response.get("interrupted") == Some(&Value::Bool(false)) && !is_uncertain
}

fn answer(payload: &Payload, source: Source) -> Option<HookEvent> {
    let answer = text_of(payload, &["last_assistant_message"]);
    if trimmed(answer).is_empty() {
        return None;
    }
    let turn = text_of(payload, &["prompt_id", "turn_id"]);
    // A turn that is not let end has several answers.
    let number = if turn.is_empty() { String::new() } else { format!("{turn}.{}", count(answer)) };
    let record = keyed(message("assistant", answer, "Stop"), &source.session, "answer", &number);
    let is_continued = member(payload, "stop_hook_active") == &Value::Bool(true);
    let is_turn_end = !is_continued && source.parent.is_empty();
    Some(HookEvent { is_turn_end, ..HookEvent::of(source, vec![record]) })
}

fn subagent_stop(payload: &Payload, source: Source) -> Option<HookEvent> {
    let kind = text_of(payload, &["agent_type"]);
    if kind.is_empty() {
        return None; // the host's own, such as the one that compacts a context
    }
    let mut record = message("assistant", text_of(payload, &["last_assistant_message"]), "SubagentStop");
    record.insert("title".to_owned(), Value::from(format!("{kind} finished")));
    record.insert("category".to_owned(), Value::from("subagent-finish"));
    Some(HookEvent::of(source, vec![record]))
}
