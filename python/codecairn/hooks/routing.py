"""Recommends the codecairn tool that fits a prompt best: one line for the agent, once per session and tool.

Agents rarely choose tools that they were not trained with, however well these are described; one line next to the prompt that
recommends a tool changes that. The words of the prompt decide. Where they are ambiguous, nothing is recommended.
"""

from codecairn.hooks import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import HookEvent

SENT = "hints"
"""The folder of hints per session, in the hooks' folder."""

_MAX_CHARACTERS = 600
"""Only the beginning of a prompt is matched: pasted logs contain no request."""

_EXACT = (
    "every occurrence",
    "all occurrences",
    "grep",
    "ripgrep",
    "search exactly",
    "exact string",
)
"""What a search for exact strings does best."""

_KINDS = (
    (
        "memory",
        "`memory_search` knows what was said and decided here before; `ask` puts it together with the code.",
        (
            "did we decide", "have we decided", "what was decided", "last time", "last session", "do you remember", "as before",
            "have we tried", "did we try", "why did we", "previous session",
        ),
    ),
    (
        "impact",
        "`codecairn impact [BRANCH]` (tool `pr_impact`, where it is offered) says what a change reaches, its tests and its risk.",
        (
            "pull request", "blast radius", "impact of", "what breaks", "what would break", "could break", "review the branch",
            "review this branch", "review my changes", "affected by",
        ),
    ),
    (
        "graph",
        "`call_graph` lists who uses a symbol, or what it uses, and keeps facts and guesses apart.",
        (
            "who calls", "what calls", "callers", "called by", "calls to", "call graph", "call sites", "callees", "who uses",
            "what uses", "used by", "usages of", "depends on", "dependents",
        ),
    ),
    (
        "edit",
        "`codebase_edit_context` shows a symbol with its callers, types, tests and memories: ask it before the change.",
        (
            "refactor", "rename", "change the signature", "extract a method", "extract a function", "deprecate", "rewrite the",
            "add a parameter", "remove the parameter",
        ),
    ),
    (
        "definition",
        "`implementation_lookup` shows where a symbol is defined, with its code.",
        ("defined", "definition of", "declaration of", "implementation of", "go to definition"),
    ),
    (
        "search",
        "`codebase_search` finds code by what it does, in words: ask it before you read many files.",
        (
            "where is", "where are", "where do", "where does", "where's", "how does", "how is", "how are", "how do we",
            "which file", "which code", "which module", "what handles", "what happens when", "find the code", "find code",
            "look for the code", "locate",
        ),
    ),
)  # fmt: skip


def hint_for(prompt: str) -> "tuple[str, str]":
    """The kind of a prompt and the line for it; both empty if none of our tools is meant."""
    said = " ".join(prompt[:_MAX_CHARACTERS].lower().split())
    if not said or said[0] in "/!#" or "codecairn" in said or any(each in said for each in _EXACT):
        return "", ""
    for kind, text, phrases in _KINDS:
        if any(each in said for each in phrases) and text.split("`")[1] not in said:
            return kind, f"[codecairn] {text}"
    return "", ""


def hint(hook_event: "HookEvent") -> str:
    """The line to inject with a prompt, unless its session was given it before."""
    kind, text = hint_for(hook_event.prompt)
    if not text:
        return ""
    name = state.name_of(hook_event.session)
    told = (state.read(SENT, name) or "").split()
    if kind in told:
        return ""
    state.write(" ".join([*told, kind]), SENT, name)
    return text
