"""Cursor: translates its events, and writes the answers that it reads. Only the start of a session takes context reliably."""

from codecairn.hooks.event import STATIC, HookEvent, Source, keyed, noted, said, text_of
from codecairn.hooks.tool_use import bounded, changes_of, tool_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import Payload, Record


def translate(event: str, payload: "Payload") -> HookEvent | None:
    """Translates an event; `None` if it is of no interest."""
    session = text_of(payload, "conversation_id", "session_id")
    reader = _READERS.get(event)
    if not session or reader is None:
        return None
    roots = payload.get("workspace_roots")
    folders = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    known = Source(
        session=session,
        parent=text_of(payload, "parent_conversation_id"),
        folder=text_of(payload, "cwd") or (folders[0] if folders else ""),
        model=text_of(payload, "model"),
    )
    return reader(event, payload, known)


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that injects a context; an empty one injects nothing."""
    if event == "beforeSubmitPrompt":
        return {"continue": True}
    if context and event == "stop":
        return {"followup_message": context}
    return {"additional_context": context} if context and event == "sessionStart" else {}


def _started(event: str, payload: "Payload", known: Source) -> HookEvent:
    record = noted("session started", hook="SessionStart")
    return HookEvent(known, records=[record], wants=STATIC, is_opening=True)


def _prompted(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    prompt = text_of(payload, "prompt")
    if not prompt.strip():
        return None
    record = keyed(said("user", prompt, hook=event), known.session, "prompt", _turn(payload))
    return HookEvent(known, records=[record], prompt=prompt)


def _edited(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    path = text_of(payload, "file_path")
    body = bounded(changes_of(payload.get("edits")))
    record: Record = {"hook": event, "role": "tool", "tool": "edit", "path": path, "body": body}
    return HookEvent(known, records=[record]) if path else None


def _ran(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    result = {name: payload.get(name) for name in ("output", "exit_code")}
    records = tool_records("shell", payload, result, hook=event)
    return HookEvent(known, records=records)


def _called(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    server = text_of(payload, "server_name", "server", "command", "url")
    if "codecairn" in server:
        return None
    tool = text_of(payload, "tool_name")
    given, result = payload.get("tool_input"), payload.get("result_json")
    records = tool_records(tool and f"mcp:{tool}", given, result, hook=event)
    return HookEvent(known, records=records) if records else None


def _answered(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    answer = text_of(payload, "text")
    if not answer.strip():
        return None
    turn = _turn(payload)
    number = turn and f"{turn}.{len(answer)}"
    record = keyed(said("assistant", answer, hook=event), known.session, "answer", number)
    return HookEvent(known, records=[record])


def _stopped(_event: str, payload: "Payload", known: Source) -> HookEvent | None:
    is_done = text_of(payload, "status") == "completed" and not payload.get("loop_count")
    return HookEvent(known, is_turn_end=True) if is_done and not known.parent else None


def _compacting(event: str, payload: "Payload", known: Source) -> HookEvent:
    trigger = text_of(payload, "trigger")
    return HookEvent(known, records=[noted(f"context is being compacted: {trigger}", hook=event)])


def _child(event: str, payload: "Payload", known: Source) -> HookEvent:
    kind = text_of(payload, "subagent_type", "agent_type") or "subagent"
    word = "started" if event == "subagentStart" else "finished"
    body = text_of(payload, "task", "summary", "result", "text")
    record = {**noted(f"{kind} {word}", hook=event), "body": bounded(body)}
    return HookEvent(known, records=[record])


def _ended(event: str, payload: "Payload", known: Source) -> HookEvent:
    reason = text_of(payload, "reason") or "other"
    record = noted(f"session ended: {reason}", hook="SessionEnd")
    return HookEvent(known, records=[record], is_closing=True)


def _turn(payload: "Payload") -> str:
    return text_of(payload, "generation_id")


_READERS = {
    "sessionStart": _started,
    "beforeSubmitPrompt": _prompted,
    "afterFileEdit": _edited,
    "afterShellExecution": _ran,
    "afterMCPExecution": _called,
    "afterAgentResponse": _answered,
    "stop": _stopped,
    "preCompact": _compacting,
    "subagentStart": _child,
    "subagentStop": _child,
    "sessionEnd": _ended,
}
