//! Gemini CLI: translates its events, and writes the answers that it reads.

use serde_json::{Map, Value, json};

use super::super::event::{
    HookEvent, Payload, Source, Wants, keyed, keyed_each, message, notice, or, text_in, text_of,
};
use super::super::text::{self, trimmed};
use super::super::tool_use::{ToolUse, member, path_of, tool_records};
use super::injection;

/// The marks around what hooks put before the first prompt.
const CONTEXT: [&str; 2] = ["<hook_context>", "</hook_context>"];

/// The marks around a command's output.
const QUOTE: [&str; 2] = ["<untrusted_context>\n", "\n</untrusted_context>"];

const NONE: &str = "(none)";
const SHELL: &str = "run_shell_command";
const OUTPUT: &str = "\nOutput: ";

/// The lines that follow a command's output; one without a value is left out.
const OUTCOMES: [&str; 5] = ["Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"];

/// What a shell adds to the number of the signal that ended a command.
const SIGNALLED: i64 = 128;

/// The events whose answer may hold context.
const INJECTS: [&str; 3] = ["SessionStart", "BeforeAgent", "AfterTool"];

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    let session = text_of(payload, &["session_id"]).to_owned();
    if session.is_empty() {
        return None;
    }
    let source = Source { session, folder: text_of(payload, &["cwd"]).to_owned(), ..Source::default() };
    match event {
        "SessionStart" => {
            let reason = or(text_of(payload, &["source"]), "startup");
            let records = vec![notice(&format!("session started: {reason}"), event)];
            let (wants, is_resumed) = (Some(Wants::Static), reason == "resume");
            Some(HookEvent { wants, is_opening: true, is_resumed, ..HookEvent::of(source, records) })
        }
        "BeforeAgent" => prompt(event, payload, source),
        "AfterAgent" => answer(event, payload, source),
        "AfterTool" => tool_use(event, payload, source),
        "PreCompress" => {
            let trigger = text_of(payload, &["trigger"]);
            let record = notice(&format!("context is being compacted: {trigger}"), "PreCompact");
            // `auto` is announced at every turn, whether or not there is anything to compact.
            let is_compacted = trigger != "auto";
            is_compacted.then(|| HookEvent { loses_context: true, ..HookEvent::of(source, vec![record]) })
        }
        "SessionEnd" => {
            let title = format!("session ended: {}", or(text_of(payload, &["reason"]), "other"));
            Some(HookEvent { is_closing: true, ..HookEvent::of(source, vec![notice(&title, event)]) })
        }
        _ => None,
    }
}

pub(super) fn reply(event: &str, context: &str) -> Value {
    if !context.is_empty() && event == "AfterAgent" {
        return json!({"decision": "deny", "reason": context});
    }
    injection(event, context, &INJECTS)
}

fn prompt(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let prompt = without_context(text_of(payload, &["prompt"])).to_owned();
    if trimmed(&prompt).is_empty() {
        return None;
    }
    let record = keyed(message("user", &prompt, event), &source.session, "prompt", moment(payload));
    Some(HookEvent { wants: Some(Wants::Volatile), prompt, ..HookEvent::of(source, vec![record]) })
}

fn answer(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let answer = text_of(payload, &["prompt_response"]);
    if trimmed(answer).is_empty() {
        return None;
    }
    let record = keyed(message("assistant", answer, event), &source.session, "answer", moment(payload));
    let is_turn_end = member(payload, "stop_hook_active") != &Value::Bool(true);
    Some(HookEvent { is_turn_end, ..HookEvent::of(source, vec![record]) })
}

fn tool_use(event: &str, payload: &Payload, source: Source) -> Option<HookEvent> {
    let response = member(payload, "tool_response");
    let problem = response.get("error").unwrap_or(&Value::Null);
    let error = problem.as_str().unwrap_or_else(|| text_in(problem, &["message"]));
    let (tool, given) = (text_of(payload, &["tool_name"]), member(payload, "tool_input"));
    let outcome = (tool == SHELL).then(|| command_outcome(text_in(response, &["llmContent"])));
    let result = outcome.as_ref().unwrap_or(response);
    let records = tool_records(ToolUse { tool, given, result, hook: event, error, has_passed: false });
    if records.is_empty() {
        return None;
    }
    let records = keyed_each(records, &source.session, moment(payload));
    let path = if error.is_empty() { path_of(given) } else { String::new() };
    let wants = (!path.is_empty()).then_some(Wants::Anchored);
    Some(HookEvent { wants, path, ..HookEvent::of(source, records) })
}

/// A command's output and exit code.
///
/// The code is given only if it is not 0. A command that was cancelled, or goes on in the background, has neither an output's
/// mark nor a code.
fn command_outcome(text: &str) -> Value {
    let text = text.strip_prefix(QUOTE[0]).unwrap_or(text);
    let text = text.strip_suffix(QUOTE[1]).unwrap_or(text);
    let whole = format!("\n{text}");
    let Some((_, rest)) = whole.split_once(OUTPUT) else {
        return json!({"output": text});
    };
    let mut lines: Vec<&str> = rest.split('\n').collect();
    let mut outcomes: Map<String, Value> = Map::new();
    while let Some((name, value)) = lines.last().and_then(|line| line.split_once(": ")) {
        if !OUTCOMES.contains(&name) || outcomes.contains_key(name) {
            break;
        }
        outcomes.insert(name.to_owned(), Value::from(value));
        lines.pop();
    }
    let outcome = |name: &str| outcomes.get(name).and_then(Value::as_str);
    let is_ended = ["Error", "Signal"].iter().all(|name| outcome(name).is_none_or(|value| value == NONE));
    let code = match outcome("Signal").and_then(number) {
        Some(signal) => Some(SIGNALLED + signal),
        None if is_ended => number(outcome("Exit Code").unwrap_or("0")),
        None => None,
    };
    json!({"output": lines.join("\n"), "exit_code": code})
}

/// The number that a text of digits alone is.
fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    if is_number { text.parse::<i32>().ok().map(i64::from) } else { None }
}

/// A prompt without what hooks put before it at the session's start, which the host makes a part of the first one.
fn without_context(prompt: &str) -> &str {
    match prompt.split_once(CONTEXT[1]) {
        Some((before, after)) if before.starts_with(CONTEXT[0]) => after.trim_start_matches(text::is_blank),
        _ => prompt,
    }
}

/// When the event was made: the same in every delivery.
fn moment(payload: &Payload) -> &str {
    text_of(payload, &["timestamp"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_an_output_are_read() {
        let cases = [
            ("Output: (empty)\nProcess Group PGID: 7", "(empty)", json!(0)),
            ("Output: a\nExit Code: 1\nb\nProcess Group PGID: 7", "a\nExit Code: 1\nb", json!(0)),
            ("Output: a\nError: spawn failed\nProcess Group PGID: 7", "a", json!(null)),
            ("Output: a\nSignal: SIGTERM\nProcess Group PGID: 7", "a", json!(null)),
            ("Output: a\nSignal: 9\nProcess Group PGID: 7", "a", json!(137)),
            ("Command: x\nOutput: a\nError: (none)\nExit Code: 2\nSignal: (none)", "a", json!(2)),
        ];
        for (text, output, code) in cases {
            let text = format!("<untrusted_context>\n{text}\n</untrusted_context>");
            assert_eq!(command_outcome(&text), json!({"output": output, "exit_code": code}), "{text}");
        }
        assert_eq!(command_outcome("cancelled"), json!({"output": "cancelled"}));
    }

    #[test]
    fn what_hooks_put_before_a_prompt_is_not_the_users_word() {
        let prompt = "<hook_context>[MEMORY]\nnote\n[/MEMORY]\n</hook_context>\n\nwho checks tokens?";
        assert_eq!(without_context(prompt), "who checks tokens?");
        assert_eq!(without_context("what is </hook_context>?"), "what is </hook_context>?");
    }
}
