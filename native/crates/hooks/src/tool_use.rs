//! Makes records of tool calls, in one form for all hosts.
//!
//! Of a file that is read only the name is recorded, as its text is in the project; of an edit, the change. Results of our own
//! server are not recorded, because a memory must not feed on itself.

use serde_json::Value;

use super::event::{Payload, Record, record, text_in};
use super::text;

const PATHS: [&str; 6] = ["file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path"];
const COMMANDS: [&str; 7] = ["command", "cmd", "pattern", "query", "url", "prompt", "description"];
const READS: [&str; 7] = ["read", "view", "read_file", "read_many_files", "notebookread", "ls", "list_directory"];
const OUTPUTS: [&str; 7] = ["llmContent", "output", "content", "text", "result", "returnDisplay", "message"];
const EXIT_CODES: [&str; 3] = ["exit_code", "exitCode", "exit"];

/// Tools of hosts that do nothing to the project.
const PASSING: [&str; 2] = ["waitformcpservers", "toolsearch"];

/// Characters that are recorded of each end of a long text.
const END_CHARACTERS: usize = 60_000;

/// The beginning of an error that is searched for an exit code, in characters.
const ERROR_HEAD: usize = 400;

const PATCH_BEGIN: &str = "*** Begin Patch";
const PATCH_MARKS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
const CODE_MARKS: [&str; 3] = ["exit code ", "exit code: ", "exited with code "];
const MAX_CODE_DIGITS: usize = 9;

static NOTHING: Value = Value::Null;

/// A tool's use as its host reports it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolUse<'a> {
    /// The tool's name.
    pub(crate) tool: &'a str,
    /// Its input.
    pub(crate) given: &'a Value,
    /// Its result.
    pub(crate) result: &'a Value,
    /// The host's hook.
    pub(crate) hook: &'a str,
    /// Why it failed; empty if it did not.
    pub(crate) error: &'a str,
    /// Whether a command is known to have ended with 0.
    pub(crate) has_passed: bool,
}

/// A member of an object, or null.
pub(crate) fn member<'a>(payload: &'a Payload, name: &str) -> &'a Value {
    payload.get(name).unwrap_or(&NOTHING)
}

/// What to record of a tool's use; nothing of our own.
pub(crate) fn tool_records(call: ToolUse<'_>) -> Vec<Record> {
    let ToolUse { tool, given, result, hook, error, has_passed } = call;
    let name = tool.to_lowercase();
    if tool.is_empty() || name.contains("codecairn") || PASSING.contains(&name.as_str()) {
        return Vec::new();
    }
    if let Some(patch) = patch_of(given) {
        return patch_records(tool, &patch, hook, error);
    }
    let mut found = record([("hook", hook), ("role", "tool"), ("tool", tool)]);
    let mut put = |name: &str, value: String| {
        if !value.is_empty() {
            found.insert(name.to_owned(), Value::from(value));
        }
    };
    put("command", command(given));
    put("path", path_of(given));
    if !error.is_empty() {
        put("body", bounded(error));
        put("category", "error".to_owned());
    } else if !READS.contains(&name.as_str()) {
        let change = replaced(given);
        put("body", bounded(&if change.is_empty() { output_of(result) } else { change }));
    }
    if let Some(code) = if has_passed { Some(0) } else { exit_code(result, error) } {
        found.insert("exit_code".to_owned(), Value::from(code));
    }
    vec![found]
}

/// The file that a tool was asked to use; empty if it names none.
pub(crate) fn path_of(given: &Value) -> String {
    let found = text_in(given, &PATHS);
    if !found.is_empty() {
        return found.to_owned();
    }
    patch_of(given).and_then(|patch| patched_files(&patch).into_iter().next()).map(|(path, _)| path).unwrap_or_default()
}

/// A tool's output as text, however its host wraps it.
pub(crate) fn output_of(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Array(parts) => joined(parts.iter().map(output_of)),
        Value::Object(members) => {
            let streams = joined(["stdout", "stderr"].map(|name| text_in(result, &[name]).to_owned()));
            if !streams.is_empty() {
                return streams;
            }
            let inner = OUTPUTS.iter().filter_map(|name| members.get(*name)).map(output_of);
            inner.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// A very long text without its middle: both ends are more informative, and processing all of it takes too long.
pub(crate) fn bounded(text: &str) -> String {
    if text.len() <= 2 * END_CHARACTERS {
        return text.to_owned();
    }
    let count = text::count(text);
    if count <= 2 * END_CHARACTERS {
        return text.to_owned();
    }
    let (head, tail) = (text::head(text, END_CHARACTERS), text::tail(text, END_CHARACTERS));
    format!("{head}\n[... {} characters ...]\n{tail}", count - 2 * END_CHARACTERS)
}

/// What edits replaced by what, as lines of a diff.
pub(crate) fn changes_of(edits: &Value) -> String {
    let edits = edits.as_array().map(Vec::as_slice).unwrap_or_default();
    let pairs = edits.iter().map(|edit| (text_in(edit, &["old_string"]), text_in(edit, &["new_string"])));
    diff(pairs)
}

fn diff<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut changed: Vec<String> = Vec::new();
    for (old, new) in pairs {
        changed.extend(text::lines(old).map(|line| format!("-{line}")));
        changed.extend(text::lines(new).map(|line| format!("+{line}")));
    }
    changed.join("\n")
}

/// The patch that a tool was asked to apply, in the form of `apply_patch`.
fn patch_of(given: &Value) -> Option<String> {
    let text = match given {
        Value::String(text) => text.clone(),
        Value::Object(_) => {
            let command = command(given);
            if command.is_empty() { text_in(given, &["input", "patch"]).to_owned() } else { command }
        }
        _ => return None,
    };
    let patch = &text[text.find(PATCH_BEGIN)?..];
    (!patched_files(patch).is_empty()).then(|| patch.to_owned())
}

fn command(given: &Value) -> String {
    let lists = ["command", "cmd"].iter().filter_map(|name| given.get(*name)?.as_array());
    if let Some(words) = lists.into_iter().next() {
        return words.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(" ");
    }
    text_in(given, &COMMANDS).to_owned()
}

fn replaced(given: &Value) -> String {
    let several = given.get("edits").map(changes_of).unwrap_or_default();
    if !several.is_empty() {
        return several;
    }
    let old = text_in(given, &["old_string", "oldString"]);
    let new = text_in(given, &["new_string", "newString"]);
    diff(std::iter::once((old, new)))
}

/// How a command ended: by its host, or by the first or last line of its output.
fn exit_code(result: &Value, error: &str) -> Option<i32> {
    if result.is_object() {
        let codes = EXIT_CODES.iter().filter_map(|name| result.get(*name)?.as_i64());
        if let Some(code) = codes.into_iter().find_map(|code| i32::try_from(code).ok()) {
            return Some(code);
        }
        if let Some(code) = exit_code(result.get("metadata").unwrap_or(&NOTHING), "") {
            return Some(code);
        }
    }
    if !error.is_empty() {
        return code_in(text::head(error, ERROR_HEAD));
    }
    // What a program prints may speak of other programs' exit codes: only a whole line at an end of it is the host's.
    let output = output_of(result);
    let mut lines = text::lines(text::trimmed(&output));
    let first = lines.next()?;
    let is_code = |line: &&str| {
        let starts = line.to_lowercase().starts_with("exit code");
        starts && line.trim_end_matches(text::is_blank).ends_with(|last: char| last.is_ascii_digit())
    };
    [Some(first), lines.last()].into_iter().flatten().find(is_code).and_then(code_in)
}

fn code_in(text: &str) -> Option<i32> {
    let text = text.to_lowercase();
    CODE_MARKS.iter().find_map(|mark| {
        let (_, rest) = text.split_once(mark)?;
        let end = rest.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end.min(MAX_CODE_DIGITS)].parse().ok()
    })
}

fn patch_records(tool: &str, patch: &str, hook: &str, error: &str) -> Vec<Record> {
    let category = if error.is_empty() { "file-edit" } else { "error" };
    let files = patched_files(patch).into_iter();
    files
        .map(|(path, body)| {
            let body = if error.is_empty() { body } else { format!("{error}\n{body}") };
            let body = bounded(&body);
            record([
                ("hook", hook),
                ("role", "tool"),
                ("tool", tool),
                ("path", &path),
                ("category", category),
                ("body", &body),
            ])
        })
        .collect()
}

/// The files of a patch, each with its part.
fn patched_files(patch: &str) -> Vec<(String, String)> {
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text::lines(patch) {
        if let Some(path) = PATCH_MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
            files.push((text::trimmed(path), Vec::new()));
        } else if let Some((_, lines)) = files.last_mut()
            && !line.starts_with("*** ")
        {
            lines.push(line);
        }
    }
    files.into_iter().map(|(path, lines)| (path.to_owned(), lines.join("\n"))).collect()
}

fn joined(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests;
