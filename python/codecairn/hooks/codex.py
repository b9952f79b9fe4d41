"""Codex: the events and answers of Claude Code, without the keys that Codex rejects. An unknown key in an answer fails.

Of a command Codex reports the output only. Its exit code is in the session's transcript, which Codex writes at the same time.
"""

import time

from codecairn.hooks import claude, state
from codecairn.hooks.event import text_of
from codecairn.hooks.fast_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import HookEvent, Payload

_OTHERS = ("PermissionRequest", "PostToolUseFailure", "PostToolBatch")
"""What Codex does not have, or what is no news."""

_WAITS_S = (0.0, 0.02, 0.02, 0.04)
"""Times to wait for a line of the transcript: a command that Codex polls may be reported before the line is written."""


def translate(event: str, payload: "Payload") -> "HookEvent | None":
    """Translates an event; `None` if it is of no interest."""
    if event in _OTHERS:
        return None
    if event == "PostToolUse" and payload.get("tool_name") == "Bash":
        output = payload.get("tool_response")
        if isinstance(output, str):
            code = _exit_code(text_of(payload, "transcript_path"), text_of(payload, "tool_use_id"))
            payload = payload | {"tool_response": {"output": output, "exit_code": code}}
    return claude.translate(event, payload)


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that injects a context; an empty one injects nothing."""
    return claude.reply(event, context)


def _exit_code(transcript: str, call: str) -> int | None:
    """How a command ended, by its line in the transcript; `None` if there is none."""
    if not transcript or not call or not state.tail_of(transcript):
        return None
    marks = (f'"id":"{call}"'.encode("utf-8", "replace"), b'"exit_code":')
    for wait_s in _WAITS_S:
        time.sleep(wait_s)
        for line in reversed(state.tail_of(transcript).split(b"\n")):
            if all(mark in line for mark in marks):
                return _code_of(line)
    return None


def _code_of(line: bytes) -> int | None:
    try:
        row = loads(line.decode("utf-8", "replace"))
        code = row["payload"]["item"]["exit_code"]
    except (ValueError, KeyError, TypeError):
        return None
    # A command that the session's end has stopped has -1.
    return code if isinstance(code, int) and code >= 0 else None
