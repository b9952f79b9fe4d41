"""Stores entries of frameworks as append-only events of the memory's log; replaying them gives the current state.

Each entry passes privacy and is found by its text. The framework's value is stored in the event's `meta` as JSON.
"""

import hashlib
import json
import threading
import uuid
from collections.abc import Mapping
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Event
from codecairn.integrations.redaction import cleaned, is_something
from codecairn.memory.memory import Memory

_KEPT = "kept"
_FIRST_PAGE, _PAGE = 8, 500
"""Events that are looked at: mostly few are new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: its key, its number in the log (absent while it waits), its time, and its value."""

    key: str
    seq: int | None
    ts_ms: int
    says: Any


class AppendLog:
    """The entries of one session of the log; other processes may add to it. Thread-safe.

    Args:
        memory: The project's memory.
        session: What the session is called in the memory.
        host: Which framework it is.
        is_private: Shown only to callers that ask for private records.
    """

    def __init__(
        self, memory: Memory, session: str, *, host: str, is_private: bool = False
    ) -> None:
        self.memory = memory
        self.session = session if cleaned(session) == session else f"{host}-{_digest(session)}"
        self.lock = threading.RLock()
        self._host = host
        self._privacy_tags = ["private"] if is_private else []
        self._seen = 0
        self._own: dict[str, Entry] = {}

    def add(self, says: Mapping[str, object], **event: object) -> str:
        """Add an entry; `says` is clean, and `event` what people and agents see of it. Returns its key."""
        text, key = json.dumps(says, ensure_ascii=False), uuid.uuid4().hex
        shown = {name: cleaned(value) for name, value in event.items()}
        if not any(is_something(shown.get(name, "")) for name in ("title", "body", "command")):
            shown["title"] = "kept for a framework"  # an event that says nothing is not kept
        recorded = self.memory.record(
            self.session,
            **shown,
            key=key,
            host=self._host,
            hook=self._host,
            meta={_KEPT: text},
            privacy_tags=self._privacy_tags,
        )
        if recorded.is_waiting:  # it is durable, and the next writer drains it
            with self.lock:
                self._own[key] = Entry(key=key, seq=None, ts_ms=0, says=json.loads(text))
        return key

    def read(self) -> tuple[list[Entry], list[Entry]]:
        """The entries that came since the last call, the oldest first, and ours that wait to be taken in."""
        events: list[Event] = []
        while True:
            before, limit = (events[-1].seq, _PAGE) if events else (None, _FIRST_PAGE)
            page = self.memory.events(
                session=self.session, before=before, limit=limit, with_private=True
            )
            new = [event for event in page if event.seq > self._seen]
            events += new
            if len(new) < limit:
                break
        self._seen = max((event.seq for event in events), default=self._seen)
        found = [entry for event in events if (entry := entry_of(event, host=self._host))]
        for entry in found:
            self._own.pop(entry.key, None)
        return found[::-1], list(self._own.values())


def entry_of(event: Event, *, host: str) -> Entry | None:
    """The entry that an event holds, if it is one of this framework."""
    if event.hook != host or _KEPT not in event.meta:
        return None
    says = json.loads(event.meta[_KEPT])
    return Entry(key=event.key, seq=event.seq, ts_ms=event.ts_ms, says=says)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]
