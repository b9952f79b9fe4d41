"""The event of a host, in one form for all hosts."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Payload: TypeAlias = dict[str, Any]
    """The JSON on standard input."""
    Record: TypeAlias = dict[str, Any]
    """An event as the memory takes it, less what is the same for all of a call."""

STATIC, VOLATILE, COMPACTION, ANCHORED = "static", "volatile", "compaction", "anchored"
"""The placements of injected context: at the start of a session, with a prompt, after a compaction, before a file is used."""

REQUESTED = "[codecairn] Before you end this turn"
"""How our own request to an agent begins, which some hosts report as a prompt of the user's."""


class Source:
    """Whose event it is.

    Attributes:
        session: The host's id of the session, that of a subagent included.
        parent: The session that started it, if another one did.
        folder: Where the agent works; empty for the current folder.
        model: What it runs on.
    """

    __slots__ = ("folder", "model", "parent", "session")

    def __init__(
        self, *, session: str, parent: str = "", folder: str = "", model: str = ""
    ) -> None:
        self.session = session
        self.parent = parent
        self.folder = folder
        self.model = model


class HookEvent:
    """One event of a host, with the attributes of its `Source`.

    Attributes:
        records: What is to be recorded.
        wants: What may be put before the agent; empty for nothing.
        prompt: What the user says.
        path: The file that is about to be used.
        is_opening: Whether a session begins.
        is_closing: Whether a session ends.
        is_turn_end: Whether a turn ends in which the agent may be asked for more.
        is_resumed: Whether the agent still has what it was shown at the session's start.
        loses_context: Whether the agent is about to forget what it was shown. What it must know afterwards is made in the
            background; an event that also `wants` it waits for that.
        notes: What is about to be shown, as the memory's ledger takes it.
    """

    __slots__ = (
        "folder",
        "host",
        "is_closing",
        "is_opening",
        "is_resumed",
        "is_turn_end",
        "loses_context",
        "model",
        "notes",
        "parent",
        "path",
        "prompt",
        "records",
        "session",
        "wants",
    )

    def __init__(
        self,
        source: Source,
        *,
        records: "tuple[Record, ...] | list[Record]" = (),
        wants: str = "",
        prompt: str = "",
        path: str = "",
        is_opening: bool = False,
        is_closing: bool = False,
        is_turn_end: bool = False,
        is_resumed: bool = False,
        loses_context: bool = False,
    ) -> None:
        self.session = source.session
        self.parent = source.parent
        self.folder = source.folder
        self.host = ""
        self.model = source.model
        self.records = tuple(records)
        self.wants = wants
        self.prompt = prompt
        self.path = path
        self.is_opening = is_opening
        self.is_closing = is_closing
        self.is_turn_end = is_turn_end
        self.is_resumed = is_resumed
        self.loses_context = loses_context
        self.notes: list[Record] = []

    def document(self) -> "dict[str, object]":
        """What differs from its default, for tests and for people."""
        rows = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in rows.items() if value}


def text_of(payload: object, *names: str) -> str:
    """The first of these members that is a text with something in it."""
    if isinstance(payload, dict):
        for name in names:
            value = payload.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def keyed(record: "Record", *parts: str) -> "Record":
    """The record with a key that is the same whenever it is delivered, if the host gave it a number."""
    if parts[-1]:
        record["key"] = ":".join(parts)
    return record


def said(role: str, body: str, *, hook: str, **more: object) -> "Record":
    """A message of a role."""
    return {"hook": hook, "role": role, "body": body, **more}


def noted(title: str, *, hook: str, **more: object) -> "Record":
    """What happened to the session."""
    return {"hook": hook, "role": "system", "title": title, **more}
