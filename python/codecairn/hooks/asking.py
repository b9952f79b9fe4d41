"""Asks an agent at the end of a turn for what is worth remembering, by its host's own means, once in so many prompts.

The agent that took part knows best what a session has settled. A request costs a turn, so it is off by default.
"""

from codecairn.hooks import state
from codecairn.hooks.event import REQUESTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import HookEvent

ASKED = "asked"
"""The folder of the prompts that each session had since it was asked, in the hooks' folder."""

REQUEST = f"""\
{REQUESTED}: did anything since you were last asked settle what a later session needs? That is a
decision with its reason, a rule or preference of the user, a value, limit or name, a cause with its fix, something left to do.
If so, call `memory_add` once for each: one sentence of at most 25 words that stands for itself, its type, in `anchor` the
code that it is about, in `supersedes` the ids of memories that it replaces. Leave out what the code says, what was only
proposed, and what was true for a moment only. If there is nothing, answer OK. Do not go on with the work, and ask nothing."""
"""The request to the agent, which hosts pass on as if the user had typed it."""


def count(hook_event: "HookEvent") -> None:
    """Count a prompt of the user's."""
    name = state.name_of(hook_event.session)
    state.write(str(_prompts(name) + 1), ASKED, name)


def request(hook_event: "HookEvent", *, every: int) -> str:
    """What to ask the agent for, if it was not asked for so many prompts; empty if it was."""
    name = state.name_of(hook_event.session)
    if _prompts(name) < every:
        return ""
    state.write("0", ASKED, name)
    return REQUEST


def _prompts(name: str) -> int:
    text = state.read(ASKED, name) or ""
    return int(text) if text.isdigit() else 0
