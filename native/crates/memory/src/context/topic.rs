//! Detects a change of topic in a session: by the likeness of meaning, or by a path that is new in it.
//!
//! Shared words are no evidence: two prompts about one topic share few of them. The prompt is compared with the recent
//! text of the session.

use codecairn_base::error::Result;

use crate::event::Event;
use crate::memory::Memory;
use crate::words::Role;

/// Less alike to its session than this, a prompt has another topic; measured by `benches.memory.devmembench`.
const MIN_LIKENESS: f32 = 0.25;
/// Signs that stand around paths in prose.
const AROUND_PATHS: &[char] =
    &['`', '\'', '"', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '!', '?', '.', '*'];
/// The most letters of a file's extension.
const MAX_EXTENSION: usize = 5;
/// Events of a session that its topic is read from.
const RECENT_EVENTS: usize = 60;
/// Bytes of talk that the prompt is compared with, the newest first.
const MAX_TALK_BYTES: usize = 6_000;

impl Memory {
    /// Whether a prompt has another topic than its session, or than that was before the event `before`; true if nothing
    /// was talked about yet.
    pub fn has_drifted(&self, session: &str, prompt: &str, before: Option<i64>) -> Result<bool> {
        let events = match before {
            Some(_) => self.events(Some(session), before, false, RECENT_EVENTS)?,
            None => self.line_events(session, false, RECENT_EVENTS)?,
        };
        let is_talk = |event: &&Event| matches!(event.role, Role::User | Role::Assistant);
        let mut talk: Vec<&str> = Vec::new();
        let mut bytes = 0;
        for event in events.iter().filter(is_talk).filter(|event| event.body.trim() != prompt.trim()) {
            talk.push(&event.body);
            bytes += event.body.len();
            if bytes > MAX_TALK_BYTES {
                break;
            }
        }
        talk.reverse();
        let talk = talk.join("\n");
        if talk.trim().is_empty() {
            return Ok(true);
        }
        let is_known = |path: &str| talk.contains(path) || events.iter().any(|event| event.path.contains(path));
        if paths_in(prompt).any(|path| !is_known(path)) {
            return Ok(true);
        }
        Ok(self.likeness(prompt, &talk)? < MIN_LIKENESS)
    }
}

/// The words of a text that look like paths or names of files.
fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(AROUND_PATHS)).filter(|word| {
        let is_file = word.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && extension.chars().next().is_some_and(char::is_lowercase)
                && extension.chars().all(char::is_alphanumeric)
                && extension.chars().count() <= MAX_EXTENSION
        });
        word.contains('/') || is_file
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_words() {
        let text = "Look at `src/net.rs`, (main.py) and e.g. v1.2 or Foo.Bar; done.";
        assert_eq!(paths_in(text).collect::<Vec<_>>(), ["src/net.rs", "main.py", "e.g"]);
    }
}
