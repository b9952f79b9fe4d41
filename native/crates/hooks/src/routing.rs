//! Recommends the codecairn tool that fits a prompt best: one line for the agent, once per session and tool.
//!
//! Agents rarely choose tools that they were not trained with, however well these are described; one line next to the prompt
//! that recommends a tool changes that. The words of the prompt decide. Where they are ambiguous, nothing is recommended.

use std::io;

use super::event::HookEvent;
use super::state::{State, name_of};
use super::text::{head, words};

/// The folder of hints per session.
const SUB: &str = "hints";

/// Only the beginning of a prompt is matched: pasted logs contain no request.
const MAX_CHARACTERS: usize = 600;

/// A search for exact strings serves these prompts best.
const EXACT: [&str; 6] = ["every occurrence", "all occurrences", "grep", "ripgrep", "search exactly", "exact string"];

/// A kind of prompts, and the tool for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hint {
    /// Its name.
    pub(crate) kind: &'static str,
    /// The line for the agent, with the tool's name between its first backticks.
    pub(crate) text: &'static str,
    phrases: &'static [&'static str],
}

/// All hints; the first that fits is given.
pub(crate) const HINTS: [Hint; 6] = [
    Hint {
        kind: "memory",
        text: "[codecairn] `memory_search` knows what was said and decided here before; `ask` puts it together with the code.",
        phrases: &[
            "did we decide",
            "have we decided",
            "what was decided",
            "last time",
            "last session",
            "do you remember",
            "as before",
            "have we tried",
            "did we try",
            "why did we",
            "previous session",
        ],
    },
    Hint {
        kind: "impact",
        text: "[codecairn] `codecairn impact [BRANCH]` (tool `pr_impact`, where it is offered) says what a change reaches, its tests and its risk.",
        phrases: &[
            "pull request",
            "blast radius",
            "impact of",
            "what breaks",
            "what would break",
            "could break",
            "review the branch",
            "review this branch",
            "review my changes",
            "affected by",
        ],
    },
    Hint {
        kind: "graph",
        text: "[codecairn] `call_graph` lists who uses a symbol, or what it uses, and keeps facts and guesses apart.",
        phrases: &[
            "who calls",
            "what calls",
            "callers",
            "called by",
            "calls to",
            "call graph",
            "call sites",
            "callees",
            "who uses",
            "what uses",
            "used by",
            "usages of",
            "depends on",
            "dependents",
        ],
    },
    Hint {
        kind: "edit",
        text: "[codecairn] `codebase_edit_context` shows a symbol with its callers, types, tests and memories: ask it before the change.",
        phrases: &[
            "refactor",
            "rename",
            "change the signature",
            "extract a method",
            "extract a function",
            "deprecate",
            "rewrite the",
            "add a parameter",
            "remove the parameter",
        ],
    },
    Hint {
        kind: "definition",
        text: "[codecairn] `implementation_lookup` shows where a symbol is defined, with its code.",
        phrases: &["defined", "definition of", "declaration of", "implementation of", "go to definition"],
    },
    Hint {
        kind: "search",
        text: "[codecairn] `codebase_search` finds code by what it does, in words: ask it before you read many files.",
        phrases: &[
            "where is",
            "where are",
            "where do",
            "where does",
            "where's",
            "how does",
            "how is",
            "how are",
            "how do we",
            "which file",
            "which code",
            "which module",
            "what handles",
            "what happens when",
            "find the code",
            "find code",
            "look for the code",
            "locate",
        ],
    },
];

/// The hint for a prompt, if one of our tools is meant.
pub(crate) fn hint_for(prompt: &str) -> Option<&'static Hint> {
    let lower = head(prompt, MAX_CHARACTERS).to_lowercase();
    let prompt = words(&lower).collect::<Vec<&str>>().join(" ");
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| prompt.contains(phrase));
    if prompt.is_empty() || prompt.starts_with(['/', '!', '#']) || has(&["codecairn"]) || has(&EXACT) {
        return None;
    }
    HINTS
        .iter()
        .find(|hint| has(hint.phrases) && !hint.text.split('`').nth(1).is_some_and(|tool| prompt.contains(tool)))
}

/// The line to inject with a prompt, unless its session was given it before; empty for none.
pub(crate) fn hint(state: &State, event: &HookEvent) -> io::Result<&'static str> {
    let Some(hint) = hint_for(&event.prompt) else { return Ok("") };
    let name = name_of(&[&event.source.session]);
    let given = state.read(SUB, &name).unwrap_or_default();
    let mut kinds: Vec<&str> = words(&given).collect();
    if kinds.contains(&hint.kind) {
        return Ok("");
    }
    kinds.push(hint.kind);
    state.write(SUB, &name, &kinds.join(" "))?;
    Ok(hint.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_prompt_decide() {
        let long = format!("{} where is it", "x".repeat(700));
        for (prompt, kind) in [
            ("Where are session tokens verified?", "search"),
            ("how  does\nthe basket sum prices", "search"),
            ("who calls verify_token?", "graph"),
            ("Rename Basket to Cart everywhere", "edit"),
            ("where is Basket defined?", "definition"),
            ("what would break if I drop sign()?", "impact"),
            ("which currency did we decide to use?", "memory"),
            ("find every occurrence of retry_after in src", ""),
            ("grep for where is", ""),
            ("say hello", ""),
            ("/search where is it", ""),
            ("use call_graph: who calls sign?", ""),
            ("Use codecairn: where is the basket?", ""),
            ("", ""),
            (&long, ""),
        ] {
            assert_eq!(hint_for(prompt).map_or("", |hint| hint.kind), kind, "{prompt:.40}");
        }
    }
}
