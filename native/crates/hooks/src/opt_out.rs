//! The marks by which a user excludes prompts and sessions from the memory.
//!
//! `codecairn:skip` in a prompt excludes that prompt and everything up to the next one, `codecairn:off` the rest of the
//! session; `codecairn:on` ends either. Between backticks the marks have no effect.

use std::io;

use super::event::HookEvent;
use super::state::{State, name_of};
use super::text::words;

const SUB: &str = "sessions";
const PREFIX: &str = "codecairn:";

/// Characters that may surround a mark.
const PUNCTUATION: [char; 16] = ['"', '\'', '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>'];

/// A mark in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Up to the next prompt.
    Skip,
    /// For the rest of the session.
    Off,
    /// From now on nothing is excluded.
    On,
}

impl Mark {
    /// All marks.
    pub(crate) const ALL: [Self; 3] = [Self::Skip, Self::Off, Self::On];

    /// The word in a prompt.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Skip => "codecairn:skip",
            Self::Off => "codecairn:off",
            Self::On => "codecairn:on",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.word() == word)
    }
}

/// Whether an event is excluded; a mark in its prompt changes what holds from then on.
pub(crate) fn is_off(state: &State, event: &HookEvent) -> io::Result<bool> {
    let source = &event.source;
    let name = name_of(&[if source.parent.is_empty() { &source.session } else { &source.parent }]);
    let current = state.read(SUB, &name);
    match last_mark(&event.prompt) {
        Some(Mark::On) => {
            state.remove(SUB, &name);
            Ok(false)
        }
        Some(mark) => {
            state.write(SUB, &name, mark.word())?;
            Ok(true)
        }
        None if current.as_deref() == Some(Mark::Skip.word()) && !event.prompt.is_empty() => {
            state.remove(SUB, &name);
            Ok(false)
        }
        None => Ok(current.is_some()),
    }
}

/// The last of the marks in a prompt.
pub(crate) fn last_mark(prompt: &str) -> Option<Mark> {
    if !prompt.contains(PREFIX) {
        return None;
    }
    words(prompt).rev().find_map(|word| Mark::of(word.trim_matches(PUNCTUATION)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use codecairn_base::clock::FixedClock;

    use super::super::environment::Environment;
    use super::super::event::Source;
    use super::*;

    #[test]
    fn the_last_mark_of_a_prompt_counts() {
        assert_eq!(last_mark("please (codecairn:skip), thanks"), Some(Mark::Skip));
        assert_eq!(last_mark("codecairn:off or \"codecairn:on\"."), Some(Mark::On));
        for prompt in ["", "what does `codecairn:off` do?", "Xcodecairn:offX", "codecairn: off", "codecairn:Off"] {
            assert_eq!(last_mark(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn marks_hold_for_their_session_and_its_subagents() {
        let folder = tempfile::tempdir().unwrap();
        let variables = [("CODECAIRN_HOME".into(), folder.path().into())].into();
        let environment = Environment { variables, ..Environment::default() };
        let state = State::of(&environment, Arc::new(FixedClock(0)));
        let is_off = |session: &str, parent: &str, prompt: &str| {
            let source = Source { session: session.to_owned(), parent: parent.to_owned(), ..Source::default() };
            let event = HookEvent { prompt: prompt.to_owned(), ..HookEvent::of(source, Vec::new()) };
            is_off(&state, &event).unwrap()
        };
        assert!(!is_off("s", "", ""));
        assert!(is_off("s", "", "codecairn:skip this"));
        assert!(is_off("s", "", "") && is_off("s/a", "s", ""));
        assert!(!is_off("t", "", ""));
        assert!(!is_off("s", "", "the next") && !is_off("s", "", ""));
        assert!(is_off("s", "", "codecairn:off"));
        assert!(is_off("s", "", "the next"));
        assert!(!is_off("s", "", "codecairn:on again") && !is_off("s", "", "more"));
    }
}
