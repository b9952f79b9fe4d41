"""OpenCode: translates the events of our plugin file, and writes the answers that it reads; the format is our own.

Every event has `session`, and `parent` in a session that another session started.
"""

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
    from codecairn.hooks.event import Payload


def translate(event: str, payload: "Payload") -> HookEvent | None:
    """Translates an event; `None` if it is of no interest."""
    session = text_of(payload, "session")
    reader = _READERS.get(event)
    if not session or reader is None:
        return None
    known = Source(
        session=session,
        parent=text_of(payload, "parent"),
        folder=text_of(payload, "folder"),
        model=text_of(payload, "model"),
    )
    return reader(event, payload, known)


def reply(event: str, context: str) -> "dict[str, object]":
    """The answer that gives the plugin a context; an empty one injects nothing."""
    return {"context": context} if context else {}


def _started(event: str, payload: "Payload", known: Source) -> HookEvent:
    record = keyed(noted("session started", hook=event), known.session, "start", "1")
    return HookEvent(known, records=[record], wants=STATIC, is_opening=not known.parent)


def _prompted(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    prompt = text_of(payload, "prompt")
    if not prompt.strip():
        return None
    number = text_of(payload, "id")
    record = keyed(said("user", prompt, hook=event), known.session, "prompt", number)
    return HookEvent(known, records=[record], wants=VOLATILE, prompt=prompt)


def _used(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    given = payload.get("input")
    records = tool_records(
        text_of(payload, "tool"),
        given,
        payload.get("result"),
        hook=event,
        error=text_of(payload, "error"),
    )
    number = text_of(payload, "id")
    for place, record in enumerate(records):
        keyed(record, known.session, "tool", number and f"{number}.{place}")
    path = path_of(given) if records else ""
    wants = ANCHORED if path else ""
    return HookEvent(known, records=records, wants=wants, path=path) if records else None


def _answered(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    answer = text_of(payload, "text")
    if not answer.strip():
        return None
    number = text_of(payload, "id")
    record = keyed(said("assistant", answer, hook=event), known.session, "answer", number)
    return HookEvent(known, records=[record], is_turn_end=not known.parent)


def _compacting(event: str, payload: "Payload", known: Source) -> HookEvent:
    record = noted("context is being compacted", hook="PreCompact")
    return HookEvent(known, records=[record], wants=COMPACTION, loses_context=True)


def _compacted(event: str, payload: "Payload", known: Source) -> HookEvent:
    summary = text_of(payload, "summary")
    record = said("assistant", summary, hook="PostCompact", title="context was compacted")
    keyed(record, known.session, "compacted", text_of(payload, "id"))
    return HookEvent(known, records=[record])


def _ended(event: str, payload: "Payload", known: Source) -> HookEvent:
    record = keyed(noted("session ended", hook="SessionEnd"), known.session, "end", "1")
    return HookEvent(known, records=[record], is_closing=True)


_READERS = {
    "session-start": _started,
    "prompt": _prompted,
    "tool": _used,
    "answer": _answered,
    "compacting": _compacting,
    "compacted": _compacted,
    "session-end": _ended,
}
