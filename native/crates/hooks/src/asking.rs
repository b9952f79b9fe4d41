//! Asks an agent at the end of a turn for what is worth remembering, by its host's own means, once in so many prompts.
//!
//! The agent that took part knows best what a session has settled. A request costs a turn, so it is off by default.

use std::io;

use super::event::{HookEvent, REQUESTED};
use super::state::{State, name_of};

/// The folder of the prompts that each session had since it was asked.
const SUB: &str = "asked";

/// The rest of the request to the agent, which hosts pass on as if the user had typed it.
const REQUEST: &str = ": did anything since you were last asked settle what a later session needs? That is a
decision with its reason, a rule or preference of the user, a value, limit or name, a cause with its fix, something left to do.
If so, call `memory_add` once for each: one sentence of at most 25 words that stands for itself, its type, in `anchor` the
code that it is about, in `supersedes` the ids of memories that it replaces. Leave out what the code says, what was only
proposed, and what was true for a moment only. If there is nothing, answer OK. Do not go on with the work, and ask nothing.";

/// The request for an agent at the end of a turn, if it was not asked for `every` prompts; empty if it was. Counts prompts.
pub(crate) fn request(state: &State, event: &HookEvent, every: u64) -> io::Result<String> {
    let name = name_of(&[&event.source.session]);
    let mut prompts = state.read(SUB, &name).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    if !event.prompt.is_empty() {
        prompts += 1;
        state.write(SUB, &name, &prompts.to_string())?;
    }
    if !event.is_turn_end || prompts < every {
        return Ok(String::new());
    }
    state.write(SUB, &name, "0")?;
    Ok(format!("{REQUESTED}{REQUEST}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use codecairn_base::clock::FixedClock;

    use super::super::environment::Environment;
    use super::super::event::Source;
    use super::*;

    #[test]
    fn an_agent_is_asked_once_in_so_many_prompts() {
        let folder = tempfile::tempdir().unwrap();
        let variables = [("CODECAIRN_HOME".into(), folder.path().into())].into();
        let environment = Environment { variables, ..Environment::default() };
        let state = State::of(&environment, Arc::new(FixedClock(0)));
        let asked = |prompt: &str, is_turn_end: bool| {
            let source = Source { session: "s".to_owned(), ..Source::default() };
            let event = HookEvent { prompt: prompt.to_owned(), is_turn_end, ..HookEvent::of(source, Vec::new()) };
            request(&state, &event, 2).unwrap()
        };
        let turns: Vec<bool> = (0..5).map(|_| [asked("go on", false), asked("", true)].concat().is_empty()).collect();
        assert_eq!(turns, [true, false, true, false, true]);
        asked("go on", false);
        assert!(asked("", true).starts_with(REQUESTED));
    }
}
