//! Translates the events of each host, and writes the answers that it reads: one row of [`HOSTS`] for each.

mod claude;
mod codex;
mod cursor;
mod gemini;
mod hermes;
mod opencode;

use serde_json::{Value, json};

use super::event::{HookEvent, Payload};

pub use codex::{CommandEnd, TranscriptReader};

/// A host whose events are understood.
#[derive(Debug)]
pub struct Host {
    /// Its name on the command line.
    pub name: &'static str,
    translate: fn(&str, &Payload) -> Option<HookEvent>,
    reply: fn(&str, &str) -> Value,
}

/// All hosts.
pub const HOSTS: [Host; 6] = [
    Host { name: "claude", translate: claude::translate, reply: claude::reply },
    Host { name: "codex", translate: codex::translate, reply: claude::reply },
    Host { name: "opencode", translate: opencode::translate, reply: opencode::reply },
    Host { name: "gemini", translate: gemini::translate, reply: gemini::reply },
    Host { name: "cursor", translate: cursor::translate, reply: cursor::reply },
    Host { name: "hermes", translate: hermes::translate, reply: hermes::reply },
];

impl Host {
    /// The host with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        HOSTS.iter().find(|host| host.name == name)
    }

    /// Translates an event; `None` if it is of no interest.
    ///
    /// Codex does not report how a command ended: `transcript` is asked for it.
    pub fn translate(&self, event: &str, payload: &Payload, transcript: &TranscriptReader<'_>) -> Option<HookEvent> {
        if self.name == "codex"
            && let Some(payload) = codex::with_exit_code(event, payload, transcript)
        {
            return (self.translate)(event, &payload);
        }
        (self.translate)(event, payload)
    }

    /// The answer that injects a context, or has a turn go on with it; an empty one does nothing.
    pub fn reply(&self, event: &str, context: &str) -> Value {
        (self.reply)(event, context)
    }
}

/// The answer of hosts that take Claude Code's form, if the event takes a context.
fn injection(event: &str, context: &str, events: &[&str]) -> Value {
    if context.is_empty() || !events.contains(&event) {
        return json!({});
    }
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
}

#[cfg(test)]
mod tests;
