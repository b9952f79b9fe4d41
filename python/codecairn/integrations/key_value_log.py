"""A key-value store in the memory's log: the last entry of a key is its value."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from codecairn.clock import SystemClock
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.integrations.append_log import AppendLog, Entry, entry_of
from codecairn.integrations.redaction import cleaned
from codecairn.memory.memory import Memory

Name: TypeAlias = tuple[str, ...]

_FEWEST_ASKED_FOR = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What is kept under a name, since when, and when it was last put; times in milliseconds since 1970.

    `is_found` says whether there is a text that it is found by.
    """

    key: str
    is_found: bool
    value: Any
    created_ms: int
    updated_ms: int


class KeyValueLog:
    """Values by name in one session of the log. Thread-safe; what other processes put is seen, too."""

    def __init__(
        self, memory: Memory, session: str, *, host: str, is_private: bool = False
    ) -> None:
        self._ledger = AppendLog(memory, session, host=host, is_private=is_private)
        self._host = host
        self._values: dict[Name, Value] = {}
        self._entries = 0

    def put(self, name: Name, value: object, *, text: str) -> object:
        """Keep a value, which is found by `text`; returns it without what privacy took out.

        Raises:
            UsageError: If the name is a secret, or the value is too large.
        """
        if cleaned(list(name)) != list(name):
            raise UsageError(
                "privacy takes this name for a secret", hint="name it by plain words or a UUID"
            )
        known, value = self.all().get(name), cleaned(value)
        now_ms = SystemClock().now_ns() // 1_000_000
        says = {
            "put": name,
            "value": value,
            "is_found": bool(text),
            "created_ms": known.created_ms if known else now_ms,
            "updated_ms": now_ms,
        }
        # What the system itself says, as that a session starts, is never recalled; a value is a tool's content.
        self._ledger.add(says, role="tool", body=text, tags=list(name))
        return value

    def remove(self, name: Name) -> None:
        """Remove a key; its history stays in the log."""
        if name in self.all():
            self._ledger.add({"remove": name}, role="system", title=f"removed: {'/'.join(name)}")

    def all(self) -> dict[Name, Value]:
        """All that is kept, the least lately put first."""
        with self._ledger.lock:
            settled, waiting = self._ledger.read()
            for entry in settled:
                self._entries += 1
                _apply(entry, self._values)
            values = dict(self._values)
            for entry in waiting:
                _apply(entry, values)
            return values

    def ranked(self, query: str, *, limit: int, names: Sequence[Name]) -> list[tuple[Name, float]]:
        """Which of these names' values answer a question, best first, with their scores."""
        values = self.all()
        wanted = {
            values[name].key: name for name in names if name in values and values[name].is_found
        }
        size = max(_FEWEST_ASKED_FOR, 4 * limit)
        if not query.strip():
            return []
        while True:
            found = list(self._found(query, size))
            hits = [(wanted[key], score) for key, score in found if key in wanted]
            if len(hits) >= min(limit, len(wanted)) or size > self._entries:
                return hits[:limit]
            size *= 8

    def _found(self, query: str, size: int) -> Iterator[tuple[str, float]]:
        memory, session = self._ledger.memory, self._ledger.session
        for each in memory.recall(
            query, kinds=["event"], session=session, limit=size, evidence=0.0, with_private=True
        ):
            entry = entry_of(each.event, host=self._host) if each.event else None
            if entry is not None:
                yield entry.key, each.score


def _apply(entry: Entry, values: dict[Name, Value]) -> None:
    name = tuple(entry.says.get("put") or entry.says["remove"])
    values.pop(name, None)  # put again, it is the latest
    if "put" in entry.says:
        values[name] = Value(
            key=entry.key,
            is_found=entry.says["is_found"],
            value=entry.says["value"],
            created_ms=entry.says["created_ms"],
            updated_ms=entry.says["updated_ms"],
        )
