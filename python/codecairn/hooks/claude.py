"""Claude Code: translates its events, and writes the answers that it reads."""

from codecairn.hooks.event import (
    ANCHORED,
    COMPACTION,
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
    from typing import TypeGuard

    from codecairn.hooks.event import Payload, Record

INJECTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "SubagentStart",
)
"""The events whose answer may hold context."""

_ALONE = ("bash", "powershell", "edit", "multiedit", "write", "notebookedit")
"""The tools whose success is `PostToolUse`. A batch has only the text that the model is shown, in which a refusal is like any output."""

_NOTIFICATION = "<task-notification>"
"""What opens a prompt of the host's own: a command in the background has ended."""

_REFUSED = "<tool_use_error>"
"""What opens the text of a call that did not get as far as the tool; there is no other event of it."""


def translate(event: str, payload: "Payload") -> HookEvent | None:
    """Translates an event; `None` if it is of no interest."""
    root = text_of(payload, "session_id")
    if not root:
        return None
    agent = text_of(payload, "agent_id")
    known = Source(
        session=f"{root}/{agent}" if agent else root,
        parent=root if agent else "",
        folder=text_of(payload, "cwd"),
        model=text_of(payload, "model"),
    )
    reader = _READERS.get(event)
    return reader(event, payload, known) if reader is not None else None


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that injects a context, or has a turn go on with it; an empty one does nothing."""
    if context and event == "Stop":
        return {"decision": "block", "reason": context}
    if not context or event not in INJECTS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}


def _started(event: str, payload: "Payload", known: Source) -> HookEvent:
    source = text_of(payload, "source") or "startup"
    records = [noted(f"session started: {source}", hook=event)]
    wants = COMPACTION if source == "compact" else STATIC
    return HookEvent(
        known,
        records=records,
        wants=wants,
        is_opening=source != "compact",
        is_resumed=source == "resume",
    )


def _prompted(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    prompt = text_of(payload, "prompt")
    if not prompt.strip() or prompt.startswith(_NOTIFICATION):
        return None
    number = text_of(payload, "prompt_id", "turn_id")
    record = keyed(said("user", prompt, hook=event), known.session, "prompt", number)
    return HookEvent(known, records=[record], wants=VOLATILE, prompt=prompt)


def _using(_event: str, payload: "Payload", known: Source) -> HookEvent | None:
    path = path_of(payload.get("tool_input"))
    return HookEvent(known, wants=ANCHORED, path=path) if path else None


def _used(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    records = _of_tool(event, payload, known.session)
    return HookEvent(known, records=records) if records else None


def _used_batch(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    calls = payload.get("tool_calls")
    records: list[Record] = []
    for call in calls if isinstance(calls, list) else []:
        if not isinstance(call, dict):
            continue
        text = text_of(call, "tool_response")
        if text.startswith(_REFUSED):
            error = text.removeprefix(_REFUSED).partition("</tool_use_error>")[0]
            records += _of_tool(event, call | {"error": error}, known.session)
        elif text_of(call, "tool_name").lower() not in _ALONE:
            records += _of_tool(event, call, known.session)
    return HookEvent(known, records=records) if records else None


def _of_tool(event: str, call: "Payload", session: str) -> "list[Record]":
    error, response = text_of(call, "error"), call.get("tool_response")
    if not error and _has_passed(response):
        response = {**response, "exit_code": 0}
    given = call.get("tool_input")
    records = tool_records(text_of(call, "tool_name"), given, response, hook=event, error=error)
    number = text_of(call, "tool_use_id")
    return [
        keyed(record, session, "tool", number and f"{number}.{place}")
        for place, record in enumerate(records)
    ]


def _has_passed(response: object) -> "TypeGuard[Payload]":
    """Whether a shell command ended well: one that fails is reported as an error.

    One that was interrupted, goes on in the background, or ended with a code that means something else than failure (`grep`
    without a match) has neither passed nor failed.
    """
    return (
        isinstance(response, dict)
        and response.get("interrupted") is False
        and not {"backgroundTaskId", "returnCodeInterpretation"} & set(response)
    )


def _compacting(event: str, payload: "Payload", known: Source) -> HookEvent:
    trigger = text_of(payload, "trigger")
    record = noted(f"context is being compacted: {trigger}", hook=event)
    return HookEvent(known, records=[record], loses_context=True)


def _compacted(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    summary = text_of(payload, "compact_summary")
    record = said("assistant", summary, hook=event, title="context was compacted")
    return HookEvent(known, records=[record])


def _answered(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    answer = text_of(payload, "last_assistant_message")
    if not answer.strip():
        return None
    turn = text_of(payload, "prompt_id", "turn_id")
    number = turn and f"{turn}.{len(answer)}"  # a turn that is not let end has several
    record = keyed(said("assistant", answer, hook=event), known.session, "answer", number)
    may_go_on = payload.get("stop_hook_active") is not True and not known.parent
    return HookEvent(known, records=[record], is_turn_end=may_go_on)


def _child_started(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    if not known.parent:
        return None
    kind = text_of(payload, "agent_type") or "subagent"
    return HookEvent(known, records=[noted(f"{kind} started", hook=event)], wants=STATIC)


def _child_stopped(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    kind = text_of(payload, "agent_type")
    answer = text_of(payload, "last_assistant_message")
    if not kind:  # the host's own, such as the one that compacts a context
        return None
    record = said(
        "assistant", answer, hook=event, title=f"{kind} finished", category="subagent-finish"
    )
    return HookEvent(known, records=[record])


def _ended(event: str, payload: "Payload", known: Source) -> HookEvent:
    reason = text_of(payload, "reason") or "other"
    return HookEvent(
        known, records=[noted(f"session ended: {reason}", hook=event)], is_closing=True
    )


_READERS = {
    "SessionStart": _started,
    "UserPromptSubmit": _prompted,
    "PreToolUse": _using,
    "PostToolUse": _used,
    "PostToolUseFailure": _used,
    "PostToolBatch": _used_batch,
    "PreCompact": _compacting,
    "PostCompact": _compacted,
    "Stop": _answered,
    "SubagentStart": _child_started,
    "SubagentStop": _child_stopped,
    "SessionEnd": _ended,
}
