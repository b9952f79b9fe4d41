"""Hermes: translates the events of our memory provider, and writes the answers that it reads.

The provider is ours (`codecairn.integrations.hermes`), so the format is, too: `context` is the text to inject.
"""

from codecairn.hooks.event import STATIC, VOLATILE, HookEvent, Source, keyed, noted, said, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecairn.hooks.event import Payload

EVENTS = (
    "SessionStart",
    "Prompt",
    "Turn",
    "PreCompress",
    "Delegation",
    "MemoryWrite",
    "SessionEnd",
)
"""The events of the provider."""

_PASSING = ("ok", "okay", "yes", "no", "go on", "continue", "thanks", "thank you", "done", "next")
"""Prompts that ask nothing."""


def translate(event: str, payload: "Payload") -> HookEvent | None:
    """Translates an event; `None` if it is of no interest."""
    session = text_of(payload, "session_id")
    reader = _READERS.get(event)
    if not session or reader is None:
        return None
    known = Source(
        session=session,
        parent=text_of(payload, "parent_session_id"),
        folder=text_of(payload, "cwd"),
    )
    return reader(event, payload, known)


def reply(event: str, context: str) -> "dict[str, object]":
    """The text to put before the agent, if there is any."""
    return {"context": context} if context and event in {"SessionStart", "Prompt"} else {}


def _started(event: str, _payload: "Payload", known: Source) -> HookEvent:
    record = keyed(noted("session started", hook=event), known.session, "start", "1")
    return HookEvent(known, records=[record], wants=STATIC, is_opening=True)


def _asked(_event: str, payload: "Payload", known: Source) -> HookEvent | None:
    """What is asked is recorded with the answer, at the end of the turn."""
    prompt = text_of(payload, "prompt")
    if prompt.strip().strip(".!").lower() in {"", *_PASSING}:
        return None
    return HookEvent(known, wants=VOLATILE, prompt=prompt)


def _turned(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    prompt, answer = text_of(payload, "prompt"), text_of(payload, "answer")
    records = [said("user", prompt, hook=event)] if prompt.strip() else []
    records += [said("assistant", answer, hook=event)] if answer.strip() else []
    return HookEvent(known, records=records, prompt=prompt) if records else None


def _compressing(_event: str, _payload: "Payload", known: Source) -> HookEvent:
    record = noted("context is being compacted", hook="PreCompact")
    return HookEvent(known, records=[record], loses_context=True)


def _delegated(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    result = text_of(payload, "result")
    record = said(
        "tool", result, hook=event, tool="delegate_task", command=text_of(payload, "task")
    )
    return HookEvent(known, records=[record]) if result.strip() else None


def _written(event: str, payload: "Payload", known: Source) -> HookEvent | None:
    """What Hermes writes into its own memory is remembered here as well."""
    content = text_of(payload, "content")
    if not content.strip() or text_of(payload, "action") == "remove":
        return None
    record = said("assistant", content, hook=event, title="written to memory")
    return HookEvent(known, records=[record])


def _ended(event: str, _payload: "Payload", known: Source) -> HookEvent:
    return HookEvent(known, records=[noted("session ended", hook=event)], is_closing=True)


_READERS = {
    "SessionStart": _started,
    "Prompt": _asked,
    "Turn": _turned,
    "PreCompress": _compressing,
    "Delegation": _delegated,
    "MemoryWrite": _written,
    "SessionEnd": _ended,
}
