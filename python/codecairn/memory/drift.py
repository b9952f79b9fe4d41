"""Whether a prompt leaves the matter that a session was about: by its meaning, or by a path that nobody named before.

Words shared with the prompt before tell nothing: two prompts about one matter share few of them. What is compared is the
prompt and all that was said in the session lately.
"""

import re
from collections.abc import Callable, Sequence

from codecairn.records import Event

LEAST_LIKENESS = 0.25
"""Less alike to its session than this is another matter; measured by `benches.memory.devmembench`."""

_PATH = re.compile(r"(?:[\w.-]+/)+[\w.-]+|\b[\w-]+\.[a-z]\w{0,4}\b")
_SAID_CHARACTERS = 6_000


def has_drifted(
    prompt: str, events: Sequence[Event], likeness: Callable[[str, str], float]
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
    if any(path not in known for path in _PATH.findall(prompt)):
        return True
    return likeness(prompt, said) < LEAST_LIKENESS
