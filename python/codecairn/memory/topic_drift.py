"""Detects a change of topic in a session: by the similarity of meaning, or by a path that is new in it.

Shared words are no evidence: two prompts about one topic share few of them. The prompt is compared with the recent text of the
session.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from codecairn.core.types.memory import Event

MIN_LIKENESS = 0.25
"""Less alike to its session than this is another matter; measured by `benches.memory.devmembench`."""

_AROUND_PATHS = "`'\"()[]{}<>,;:!?.*"
_ENDING_LETTERS = 5
_SAID_CHARACTERS = 6_000


def has_drifted(
    prompt: str, events: "Sequence[Event]", likeness: "Callable[[str, str], float]"
) -> bool:
    """Whether a prompt is of another matter than the session's `events` (newest first); true if there are none."""
    said = ""
    for event in events:
        if event.role in ("user", "assistant") and event.body.strip() != prompt.strip():
            said = f"{event.body}\n{said}"
        if len(said) > _SAID_CHARACTERS:
            break
    if not said.strip():
        return True
    known = said + " ".join(event.path for event in events)
    if any(path not in known for path in _paths(prompt)):
        return True
    return likeness(prompt, said) < MIN_LIKENESS


def _paths(text: str) -> list[str]:
    """The words of a text that look like paths or names of files."""
    found = []
    for word in text.split():
        path = word.strip(_AROUND_PATHS)
        stem, _, ending = path.rpartition(".")
        is_file = bool(stem) and ending[:1].islower() and ending.isalnum()
        if "/" in path or (is_file and len(ending) <= _ENDING_LETTERS):
            found.append(path)
    return found
