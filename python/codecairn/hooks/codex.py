"""Codex: the events and answers of Claude Code, without the keys that Codex rejects. An unknown key in an answer fails."""

from codecairn.hooks import claude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import HookEvent, Payload

_OTHERS = ("PermissionRequest", "PostToolUseFailure", "PostToolBatch")
"""What Codex does not have, or what is no news."""


def translate(event: str, payload: "Payload") -> "HookEvent | None":
    """Translates an event; `None` if it is of no interest."""
    return None if event in _OTHERS else claude.translate(event, payload)


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that injects a context; an empty one injects nothing."""
    return claude.reply(event, context)
