"""Translates events of Gemini CLI to `HookEvent`s, and formats the replies that it expects."""

from codecairn.hooks.event import (
    ANCHORED,
    STATIC,
    VOLATILE,
    HookEvent,
    Source,
    keyed,
    noted,
    said,
    text_of,
)
from codecairn.hooks.tool_use import path_of, tool_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import Payload

_BEGIN, _END = "<hook_context>", "</hook_context>"
_QUOTE, _UNQUOTE = "<untrusted_context>\n", "\n</untrusted_context>"

_NONE = "(none)"
_SHELL = "run_shell_command"
_OUTPUT = "Output: "
_OUTCOMES = ("Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID")
"""The lines that follow a command's output; one that has nothing to say is left out."""

INJECTS = ("SessionStart", "BeforeAgent", "AfterTool")
"""The events whose answer may hold context."""


def translate(event: str, payload: "Payload") -> HookEvent | None:
    """Translates an event; `None` if it is of no interest."""
    session = text_of(payload, "session_id")
    reader = _READERS.get(event)
    if not session or reader is None:
        return None
    known = Source(session=session, folder=text_of(payload, "cwd"))
    return reader(event, payload, known)


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that injects a context, or has a turn go on with it; an empty one does nothing."""
    if context and event == "AfterAgent":
        return {"decision": "deny", "reason": context}
    if not context or event not in INJECTS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}


def _started(event: str, payload: "Payload", known: Source) -> HookEvent:
    source = text_of(payload, "source") or "startup"
    return HookEvent(
        known,
        records=[noted(f"session started: {source}", hook=event)],
        wants=STATIC,
        is_opening=True,
        is_resumed=source == "resume",
    )


def _asked(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    prompt = _said_by_user(text_of(payload, "prompt"))
    if not prompt.strip():
        return None
    record = keyed(said("user", prompt, hook=event), known.session, "prompt", _moment(payload))
    return HookEvent(known, records=[record], wants=VOLATILE, prompt=prompt)


def _answered(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    answer = text_of(payload, "prompt_response")
    if not answer.strip():
        return None
    record = keyed(said("assistant", answer, hook=event), known.session, "answer", _moment(payload))
    may_go_on = payload.get("stop_hook_active") is not True
    return HookEvent(known, records=[record], is_turn_end=may_go_on)


def _used(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    response = payload.get("tool_response")
    problem = response.get("error") if isinstance(response, dict) else None
    error = problem if isinstance(problem, str) else text_of(problem, "message")
    tool, given = text_of(payload, "tool_name"), payload.get("tool_input")
    if tool == _SHELL:
        response = _outcome(text_of(response, "llmContent"))
    records = tool_records(tool, given, response, hook=event, error=error)
    moment = _moment(payload)
    for place, record in enumerate(records):
        keyed(record, known.session, "tool", moment and f"{moment}.{place}")
    path = path_of(given) if records and not error else ""
    wants = ANCHORED if path else ""
    return HookEvent(known, records=records, wants=wants, path=path) if records else None


def _outcome(text: str) -> "Payload":
    """A command's output and exit code.

    The code is given only if it is not 0. A command that was cancelled, or goes on in the background, has neither an output's
    mark nor a code.
    """
    text = text.removeprefix(_QUOTE).removesuffix(_UNQUOTE)
    _, found, rest = f"\n{text}".partition(f"\n{_OUTPUT}")
    if not found:
        return {"output": text}
    lines, said = rest.split("\n"), {}
    while lines:
        name, found, value = lines[-1].partition(": ")
        if not found or name not in _OUTCOMES or name in said:
            break
        said[name] = value
        lines.pop()
    code, signal = said.get("Exit Code", "0"), said.get("Signal", "")
    result: Payload = {"output": "\n".join(lines)}
    if signal.isdigit():
        result["exit_code"] = 128 + int(signal)
    elif code.isdigit() and not any(said.get(name, _NONE) != _NONE for name in ("Error", "Signal")):
        result["exit_code"] = int(code)
    return result


def _compacting(_event: str, payload: "Payload", known: Source) -> HookEvent | None:
    trigger = text_of(payload, "trigger")
    if trigger == "auto":  # said at every turn, whether or not there is anything to compact
        return None
    record = noted(f"context is being compacted: {trigger}", hook="PreCompact")
    return HookEvent(known, records=[record], loses_context=True)


def _ended(event: str, payload: "Payload", known: Source) -> HookEvent:
    reason = text_of(payload, "reason") or "other"
    return HookEvent(
        known, records=[noted(f"session ended: {reason}", hook=event)], is_closing=True
    )


def _said_by_user(prompt: str) -> str:
    """A prompt without what hooks put before it at the session's start, which the host makes a part of the first one."""
    before, found, after = prompt.partition(_END)
    return after.lstrip() if found and before.startswith(_BEGIN) else prompt


def _moment(payload: "Payload") -> str:
    """When the event was made: the same in every delivery."""
    return text_of(payload, "timestamp")


_READERS = {
    "SessionStart": _started,
    "BeforeAgent": _asked,
    "AfterAgent": _answered,
    "AfterTool": _used,
    "PreCompress": _compacting,
    "SessionEnd": _ended,
}
