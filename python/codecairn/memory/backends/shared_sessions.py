"""Keeps sessions that go on in the hot tier, and takes over those of the person's other machines.

The local memory is the truth: what the tier lost, or never had, is written again from there; what it has and the memory has
not was recorded elsewhere, and is recorded here, too. An event has one id everywhere, so nothing comes in twice. A purged event
leaves its id behind, without text: no machine writes it again, nor takes it over.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import memory_words
from codecairn.core.types.memory import Event
from codecairn.core.types.outbox import OutboxRow
from codecairn.errors import CodecairnError
from codecairn.memory.backends.episode import cut
from codecairn.memory.backends.hot_tier import RedisTier
from codecairn.memory.backends.reports import DrainReport

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

SINK = "redis"

_MAX_SESSIONS = 200
_MAX_EVENTS = 10_000
_MAX_ROWS = 100_000
_MAX_BODY = 16_384
_SUMMARY_CHARS = 200
_PURGED_S = 30 * 86_400
_ROLES = frozenset({"user", "assistant", "tool", "system"})
_TEXT_FIELDS = ("category", "role", "title", "body", "tool", "command", "path", "branch", "commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedProject:
    """A project as all machines know it.

    Attributes:
        group: The name under which its sessions are listed.
        session_s: Seconds that a session is kept after its last event.
    """

    group: str
    session_s: int


def events_key(session: str) -> str:
    """The list of a root session's events."""
    return f"session:{session}:events"


def snapshot_key(session: str) -> str:
    """A session's snapshot."""
    return f"session:{session}:snapshot"


def sessions_key(group: str) -> str:
    """The list of a project's root sessions."""
    return f"project:{group}:sessions"


def purged_key(group: str) -> str:
    """The list of the ids of a project's purged events."""
    return f"project:{group}:purged"


class SharedSessions:
    """The sessions of one project."""

    def __init__(
        self, memory: "Memory", tier: RedisTier, project: SharedProject, *, now_ms: int
    ) -> None:
        self._memory = memory
        self._engine = memory.engine()
        self._tier = tier
        self._project = project
        self._now_ms = now_ms
        self._since_ms = now_ms - project.session_s * 1000
        self._report = DrainReport(name=SINK)

    def sync(self) -> DrainReport:
        """Write what the tier lacks, and take over what only the tier has."""
        self._report.taken = self._new()
        purged = self._remove()
        listed = self._tier.values(sessions_key(self._project.group), limit=_MAX_SESSIONS)
        known = {row.key for row in self._rows()}
        for session in listed:
            for document in reversed([*self._documents(session)]):
                id_ = document["id"]
                if id_ not in known and id_ not in purged and self._take(session, document):
                    self._report.pulled += 1
        if self._report.pulled:
            self._new()
        for session, rows in self._by_session().items():
            self._push(session, rows, purged)
            if session not in listed:
                key = sessions_key(self._project.group)
                self._tier.push(key, [session], 2 * self._project.session_s)
        return self._report

    def _new(self) -> int:
        """Take what was recorded since."""
        return self._engine.outbox(
            SINK,
            {
                "take": {
                    "categories": memory_words()["categories"],
                    "since_ms": self._since_ms,
                    "is_from_start": False,
                }
            },
        )

    def _rows(self) -> tuple[OutboxRow, ...]:
        return self._engine.outbox_rows(SINK, ("waiting", "sent"), limit=_MAX_ROWS)

    def _by_session(self) -> dict[str, list[OutboxRow]]:
        """The rows of sessions that go on, by root; those of sessions that are over there need no row any more."""
        found = defaultdict[str, list[OutboxRow]](list)
        for row in sorted(self._rows(), key=lambda row: row.number):
            found[row.root_session].append(row)
        over = [
            session
            for session, rows in found.items()
            if max((row.event.ts_ms for row in rows if row.event), default=0) < self._since_ms
        ]
        for session in over:
            rows = found.pop(session)
            self._mark([{"number": row.number, "state": None} for row in rows])
        return found

    def _push(self, session: str, rows: Sequence[OutboxRow], purged: frozenset[str]) -> None:
        """Write the events that the tier lacks, the oldest first."""
        key = events_key(session)
        known = {document["id"] for document in self._documents(session)}
        texts = [
            json.dumps(_document(row.key, row.event), ensure_ascii=False)
            for row in rows
            if row.event is not None and row.key not in known and row.key not in purged
        ]
        new = [row for row in rows if row.state == "waiting"]
        # Noted first: of what is purged while it is written, the id is known.
        self._mark(
            [
                {"number": row.number, "state": "sent", "place": session, "sent_ms": self._now_ms}
                for row in new
            ]
        )
        if not texts and not new:
            return
        self._tier.push(key, texts, self._project.session_s)
        self._report.sent += len(texts)
        self._report.stored += len(texts)
        snapshot = self._memory.context(
            session, part="compaction", form="xml", is_preview=True
        ).text
        if snapshot:
            self._tier.set(snapshot_key(session), snapshot, 2 * self._project.session_s)

    def _remove(self) -> frozenset[str]:
        """Take purged events out; the ids of all that were purged, here or elsewhere."""
        key = purged_key(self._project.group)
        purged = frozenset(self._tier.values(key, limit=_MAX_ROWS))
        rows = self._engine.outbox_rows(SINK, ("removing",), limit=_MAX_ROWS)
        for row in rows:
            texts = [
                text
                for text in self._tier.values(events_key(row.place), limit=_MAX_EVENTS)
                if _id_of(text) == row.key
            ]
            if row.key not in purged:
                self._tier.push(key, [row.key], _PURGED_S)
            self._tier.remove(events_key(row.place), texts)
            self._report.removed += bool(texts)
        self._mark([{"number": row.number, "state": None} for row in rows])
        return purged | {row.key for row in rows}

    def _documents(self, session: str) -> Iterator[Mapping[str, Any]]:
        """What the tier has of a session, the newest first; what is no event is passed over."""
        for text in self._tier.values(events_key(session), limit=_MAX_EVENTS):
            if _id_of(text):
                yield json.loads(text)

    def _take(self, session: str, document: Mapping[str, Any]) -> bool:
        """Record an event of another machine; whether it is new here. Privacy sees it as any other."""
        meta = document.get("metadata")
        meta = meta if isinstance(meta, dict) else {}
        key, ts_ms = meta.get("key"), document.get("ts")
        if not isinstance(key, str) or type(ts_ms) is not int or document.get("role") not in _ROLES:
            return False
        fields: dict[str, object] = {
            name: value
            for name in _TEXT_FIELDS
            if isinstance(value := meta.get(name, document.get(name)), str) and value
        }
        child = meta.get("session")
        own = child if isinstance(child, str) and child else session
        if own != session:
            fields["parent_session"] = session
        fields |= {"key": key, "ts_ms": ts_ms, "hook": SINK, "is_here": False}
        try:
            recorded = self._memory.record(own, str(fields.pop("body", "")), **fields)
        except CodecairnError:
            return False
        return recorded.seq is not None

    def _mark(self, changes: Sequence[Mapping[str, object]]) -> None:
        if changes:
            self._engine.outbox(SINK, {"mark": list(changes)})


def _id_of(text: str) -> str:
    """The id of an event in the tier; empty if the text is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    id_ = document.get("id") if isinstance(document, dict) else None
    return id_ if isinstance(id_, str) else ""


def _document(id_: str, event: Event) -> Mapping[str, object]:
    """A session event in the form of opencode-graphiti, with what is needed to record it elsewhere."""
    first = next((line for line in event.body.splitlines() if line.strip()), "")
    metadata = {name: getattr(event, name) for name in ("title", "tool", "command", "path")}
    metadata |= {"branch": event.branch, "commit": event.commit, "key": event.key}
    return {
        "id": id_,
        "ts": event.ts_ms,
        "category": event.category,
        "priority": event.priority,
        "role": event.role,
        "summary": (event.title or first)[:_SUMMARY_CHARS],
        "body": cut(event.body, _MAX_BODY, note=" [cut]"),
        "keywords": list(event.tags[:8]),
        "refs": [event.path] if event.path else [],
        "metadata": {name: text for name, text in metadata.items() if text}
        | {"session": event.session},
    }
