//! Codex: the events and answers of Claude Code, without the keys that Codex rejects. An unknown key in an answer fails.
//!
//! Of a command Codex reports the output only. Its exit code is in the session's transcript, which Codex writes at the same
//! time.

use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::event::{HookEvent, Payload, text_of};
use super::super::{foreign_file, json as lenient};
use super::claude;

/// Finds how a command ended.
pub type TranscriptReader<'a> = dyn Fn(&CommandEnd<'_>) -> Option<i32> + 'a;

/// The end of a command that Codex has run.
#[derive(Debug, Clone, Copy)]
pub struct CommandEnd<'a> {
    /// The file of the session's transcript.
    pub transcript: &'a Path,
    /// Codex's id of the call.
    pub call: &'a str,
}

/// The events that Codex does not have, or that are no news.
const OTHERS: [&str; 3] = ["PermissionRequest", "PostToolUseFailure", "PostToolBatch"];

/// Times to wait for a line of the transcript: a command that Codex polls may be reported before the line is written.
const WAITS: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(20), Duration::from_millis(20), Duration::from_millis(40)];

pub(super) fn translate(event: &str, payload: &Payload) -> Option<HookEvent> {
    if OTHERS.contains(&event) {
        return None;
    }
    claude::translate(event, payload)
}

/// The payload of a command's use with its exit code; `None` for other events.
pub(super) fn with_exit_code(event: &str, payload: &Payload, transcript: &TranscriptReader<'_>) -> Option<Payload> {
    let is_command = event == "PostToolUse" && payload.get("tool_name")?.as_str() == Some("Bash");
    let output = payload.get("tool_response").filter(|output| is_command && output.is_string())?;
    let (file, call) = (text_of(payload, &["transcript_path"]), text_of(payload, &["tool_use_id"]));
    let is_known = !file.is_empty() && !call.is_empty();
    let code = if is_known { transcript(&CommandEnd { transcript: Path::new(file), call }) } else { None };
    let mut payload = payload.clone();
    payload.insert("tool_response".to_owned(), json!({"output": output, "exit_code": code}));
    Some(payload)
}

impl CommandEnd<'_> {
    /// The exit code, by the call's line in the transcript; `None` if there is none. Waits 80 ms for the line at most.
    pub fn exit_code(&self) -> Option<i32> {
        let id = format!("\"id\":\"{}\"", self.call);
        for wait in WAITS {
            thread::sleep(wait);
            let tail = foreign_file::tail(self.transcript)?;
            let is_end = |line: &&[u8]| contains(line, id.as_bytes()) && contains(line, b"\"exit_code\":");
            if let Some(line) = tail.rsplit(|byte| *byte == b'\n').find(is_end) {
                return code_of(line);
            }
        }
        None
    }
}

fn code_of(line: &[u8]) -> Option<i32> {
    let row: Value = lenient::parse(line).ok()?;
    let code = row.pointer("/payload/item/exit_code")?.as_i64()?;
    // A command that the session's end has stopped has -1.
    i32::try_from(code).ok().filter(|code| *code >= 0)
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(transcript: Option<&str>) -> Option<i32> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("transcript.jsonl");
        if let Some(text) = transcript {
            std::fs::write(&file, text).unwrap();
        }
        CommandEnd { transcript: &file, call: "call-1" }.exit_code()
    }

    #[test]
    fn the_last_line_of_a_call_has_its_exit_code() {
        let line = |code: i32| json!({"payload": {"item": {"id": "call-1", "exit_code": code}}}).to_string();
        assert_eq!(code(Some(&format!("{}\n{}\n{}\n", line(3), line(2), "{}"))), Some(2));
        assert_eq!(code(Some(&format!("{}\n{}\n", "x".repeat(3_000_000), line(2)))), Some(2));
        assert_eq!(code(Some(&line(-1))), None);
    }

    #[test]
    fn a_transcript_that_is_not_understood_has_none() {
        let broken = [r#"{"id":"call-1","exit_code":2}"#, r#"{"id":"call-1","exit_code":2"#, "", "{", "[1]\n2"];
        for text in broken {
            assert_eq!(code(Some(text)), None, "{text}");
        }
        assert_eq!(code(None), None);
    }
}
