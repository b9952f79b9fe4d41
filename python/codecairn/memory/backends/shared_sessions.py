"""Keeps sessions that go on in the hot tier, and takes over those of the person's other machines.

The local memory is the truth: what the tier lost, or never had, is written again from there; what it has and the memory has
not was recorded elsewhere, and is recorded here, too, as text from outside: who can write to the Redis is not known. An event
has one id everywhere, so nothing comes in twice. A purged event leaves its id behind, without text: no machine writes it
again, nor takes it over.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import MemoryEngine, memory_words
from codecairn.core.types.memory import Event
from codecairn.core.types.outbox import OutboxRow
from codecairn.errors import CodecairnError
from codecairn.memory.backends.episode import cut
from codecairn.memory.backends.graph_recall import cache_keys
from codecairn.memory.backends.hot_tier import RedisTier
from codecairn.memory.backends.reports import DrainReport

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

SINK = "redis"

_MAX_SESSIONS = 200
_MAX_PUSHED = 5_000
_MAX_EVENTS = 2 * _MAX_PUSHED
"""Events of one session, the newest, that are written to the tier, and that are read there with those of other machines."""

_MAX_PURGED = 100_000
_ROWS_AT_ONCE = 500
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
        graph_group: The group of a graph whose last answer is kept there.
        session_s: Seconds that a session is kept after its last event.
    """

    group: str
    graph_group: str
    session_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What of a row is kept in memory: its number, id and state, and when its event happened."""

    number: int
    key: str
    state: str
    ts_ms: int


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
        self._shortened: set[str] = set()
        """Sessions out of which something was taken, whose snapshots are made again."""

    def sync(self) -> DrainReport:
        """Write what the tier lacks, and take over what only the tier has."""
        self._report.taken = note_events(self._engine, self._project.group, since_ms=self._since_ms)
        key = sessions_key(self._project.group)
        purged = self._remove()
        listed = self._tier.values(key, limit=_MAX_SESSIONS)
        # What was purged since then is among them, too.
        known = {row.key for row in self._rows("waiting", "sent", "removing")}
        for session in listed:
            for document in reversed([*self._documents(session)]):
                id_ = document["id"]
                if id_ not in known and id_ not in purged and self._take(session, document):
                    self._report.pulled += 1
        if self._report.pulled:
            note_events(self._engine, self._project.group, since_ms=self._since_ms)
        for session, rows in self._by_session().items():
            self._push(session, rows, purged)
            if session not in listed:
                self._tier.push(key, [session], 2 * self._project.session_s)
        # What was purged while it was written.
        self._remove()
        return self._report

    def _rows(self, *states: str) -> Iterator[OutboxRow]:
        after = 0
        while rows := self._engine.outbox_rows(SINK, states, after=after, limit=_ROWS_AT_ONCE):
            after = rows[-1].number
            yield from rows

    def _by_session(self) -> dict[str, list[_Known]]:
        """The rows of sessions that go on, by root. Those of sessions that are over wait for a purge alone."""
        found = defaultdict[str, list[_Known]](list)
        for row in self._rows("waiting", "sent"):
            if row.event is not None:
                known = _Known(
                    number=row.number, key=row.key, state=row.state, ts_ms=row.event.ts_ms
                )
                found[row.root_session].append(known)
        for session in [*found]:
            if max(row.ts_ms for row in found[session]) < self._since_ms:
                over = found.pop(session)
                changes = [{"number": row.number, "state": "stored"} for row in over]
                self._engine.outbox(SINK, {"mark": changes})
        return found

    def _push(self, session: str, rows: Sequence[_Known], purged: frozenset[str]) -> None:
        """Write the events that the tier lacks, the oldest first."""
        known = {document["id"] for document in self._documents(session)} | purged
        wanted = [
            row.number
            for row in rows[-_MAX_PUSHED:]
            if row.state == "waiting" or row.key not in known
        ]
        count = 0
        for at in range(0, len(wanted), _ROWS_AT_ONCE):
            # Claimed first: what is purged before is not written, and what is purged after is taken out.
            claimed = self._engine.outbox_claim(
                SINK,
                wanted[at : at + _ROWS_AT_ONCE],
                states=("waiting", "sent"),
                place=f"{self._project.group}/{session}",
                sent_ms=self._now_ms,
            )
            texts = [
                json.dumps(_document(row.key, row.event), ensure_ascii=False)
                for row in claimed
                if row.event is not None and row.key not in known
            ]
            self._tier.push(events_key(session), texts, self._project.session_s)
            count += len(texts)
        self._report.sent += count
        self._report.stored += count
        if any(row.key in purged for row in rows):
            self._tier.delete(snapshot_key(session))  # it would show what was purged elsewhere
        elif count or session in self._shortened:
            self._write_snapshot(session)

    def _write_snapshot(self, session: str) -> None:
        snapshot = self._memory.context(
            session, part="compaction", form="xml", is_preview=True
        ).text
        if snapshot:
            self._tier.set(snapshot_key(session), snapshot, 2 * self._project.session_s)

    def _remove(self) -> frozenset[str]:
        """Take purged events out, with what was made of them; the ids of all that were purged, here or elsewhere."""
        key = purged_key(self._project.group)
        purged = frozenset(self._tier.values(key, limit=_MAX_PURGED))
        by_place = defaultdict[str, list[OutboxRow]](list)
        for row in self._rows("removing"):
            by_place[row.place].append(row)
        for place, rows in by_place.items():
            # A purged project's rows are removed by the runs of others, under its own name.
            group, _, session = place.partition("/")
            ids = {row.key for row in rows}
            self._tier.push(purged_key(group), sorted(ids - purged), _PURGED_S)
            texts = [text for text in self._texts(session) if _id_of(text) in ids]
            self._tier.remove(events_key(session), texts)
            self._tier.delete(snapshot_key(session))
            self._shortened.add(session)
            self._report.removed += len(texts)
            self._engine.outbox(SINK, {"removed": [row.number for row in rows]})
            purged |= ids
        if by_place:
            self._tier.delete(*cache_keys(self._project.graph_group))
        return purged

    def _texts(self, session: str) -> list[str]:
        return self._tier.values(events_key(session), limit=_MAX_EVENTS)

    def _documents(self, session: str) -> Iterator[Mapping[str, Any]]:
        """What the tier has of a session, the newest first; what is no event is passed over."""
        for text in self._texts(session):
            if _id_of(text):
                yield json.loads(text)

    def _take(self, session: str, document: Mapping[str, Any]) -> bool:
        """Record an event of another machine; whether it is new here. Privacy and the gate see it as text from outside."""
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
        fields |= {
            "key": key,
            "ts_ms": min(max(ts_ms, 0), self._now_ms),
            "hook": SINK,
            "origin": "external",
            "is_here": False,
        }
        try:
            recorded = self._memory.record(own, str(fields.pop("body", "")), **fields)
        except CodecairnError:
            return False
        return recorded.seq is not None


def note_events(engine: MemoryEngine, group: str, *, since_ms: int) -> int:
    """Make rows of what was recorded since; returns how many."""
    take = {
        "categories": memory_words()["categories"],
        "since_ms": since_ms,
        "is_from_start": False,
        "place": group,
        "has_session": True,
    }
    return engine.outbox(SINK, {"take": take})


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
