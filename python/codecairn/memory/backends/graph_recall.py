"""Brings facts of a graph into the local memory, where recall finds them like any other: by the same gate, within the same budgets.

They are kept as facts of external origin, made by `graph`, so that they are quoted and never open a session nor end what was
learned here; a symbol that one names is its anchor. What was asked for is asked again when it is old, or when the question has
drifted from the one before: when the Jaccard similarity of their words is below a threshold, as opencode-graphiti has it. A recall
waits for that no longer than its budget, and uses what came before.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import MemoryEngine, redacted
from codecairn.errors import CodecairnError
from codecairn.memory.anchor_resolution import anchors_of
from codecairn.memory.anchor_status import Definitions
from codecairn.memory.backends.graph import Graph
from codecairn.memory.backends.hot_tier import Cache
from codecairn.paths.atomic_write import write_atomically

MAKER = "graph"
"""What made a fact that came from a graph, and the tag that it has."""

MAX_FACTS = 8
MAX_NODES = 12
"""How many are asked for, as opencode-graphiti does."""

_TYPE = "conversation"
"""The type of facts that neither open a session nor are compared with what was learned here."""

_CONFIDENCE = 0.5
_MAX_CHARS = 600
_MAX_ID_CHARS = 128
_MAX_GROUP_CHARS = 256
_MAX_ENTITY_CHARS = 200
_MAX_LISTED = 10_000
_ENDED = "the graph ended it"
_REDACTED = "[REDACTED]"
_KEPT_MS = 7 * 86_400_000
"""A fact that the graph was not seen to hold for so long is shown no more."""

_FINISH_S = 5.0
"""How long the end of a process waits for an answer that the next one uses: a command ends before most servers answer."""

_PATIENCE_MS = 30_000
"""After a refresh that did not end, no recall waits for the next one for so long."""

_Row: TypeAlias = Mapping[str, object]

_WORD = re.compile(r"[\w./-]{2,}")
_MAX_GROUPS = 256


def cache_keys(group: str) -> tuple[str, str]:
    """Where an answer of the graph is kept in the hot tier, and what is known of it."""
    return f"memory-cache:{group}", f"memory-cache:{group}:meta"


def words_of(question: str) -> frozenset[str]:
    """The words of a question as short hashes: what is kept of it to see drift holds no text."""
    found = _WORD.findall(question.lower())
    return frozenset(
        hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=6).hexdigest()
        for word in found
    )


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of words that two questions have in common: 1 if both have none."""
    union = first | second
    return len(first & second) / len(union) if union else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheState:
    """What was asked of a group last.

    Attributes:
        words: The question's words, hashed.
        asked_ms: When it was asked, in milliseconds since the epoch.
        answered_ms: When the answer came; 0 if none did.
    """

    words: frozenset[str] = frozenset()
    asked_ms: int = 0
    answered_ms: int = 0

    def state(self, question: frozenset[str], now_ms: int, *, ttl_ms: int, drift: float) -> str:
        """`miss`, `stale`, `drifted` or `aligned`: all but the last ask the graph."""
        if not self.answered_ms:
            return "miss"
        if now_ms - self.answered_ms > ttl_ms:
            return "stale"
        return "aligned" if jaccard(self.words, question) >= drift else "drifted"


class CacheFile:
    """The states by group, in a file next to the memory. A file that can't be read holds none."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, group: str) -> CacheState:
        """The state of a group."""
        row = self._rows().get(group)
        if not isinstance(row, dict):
            return CacheState()
        return CacheState(
            words=_texts(row.get("words")),
            asked_ms=_number(row.get("asked_ms")),
            answered_ms=_number(row.get("answered_ms")),
        )

    def write(self, group: str, state: CacheState) -> None:
        """Keep the state of a group; where that can't be done the graph is asked more often."""
        rows = self._rows()
        rows.pop(group, None)
        rows[group] = {
            "words": sorted(state.words),
            "asked_ms": state.asked_ms,
            "answered_ms": state.answered_ms,
        }
        newest = dict([*rows.items()][-_MAX_GROUPS:])
        try:
            write_atomically(self._path, json.dumps(newest).encode())
        except OSError:
            return

    def _rows(self) -> dict[str, object]:
        try:
            rows = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return rows if isinstance(rows, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How a graph is asked.

    Attributes:
        groups: The project's group, and others that are read.
        ttl_ms: After which time it is asked again.
        drift: The similarity below which a question has drifted.
        budget_s: How long a recall waits.
    """

    groups: tuple[str, ...]
    ttl_ms: int
    drift: float
    budget_s: float


class GraphRecall:
    """One project's recall from a graph. Thread-safe."""

    def __init__(
        self,
        engine: MemoryEngine,
        open_graph: Callable[[], Graph],
        file: Path,
        settings: RecallSettings,
        *,
        definitions: Definitions,
        now_ms: Callable[[], int],
        notify: Callable[[str], None],
        load: Callable[[], None],
        cache: Cache | None = None,
    ) -> None:
        self._engine = engine
        self._open_graph = open_graph
        self._load = load
        self._file = CacheFile(file)
        self._settings = settings
        self._definitions = definitions
        self._now_ms = now_ms
        self._notify = notify
        self._cache = cache
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None
        self._is_slow = False

    def refresh(self, question: str) -> str:
        """Ask the graph if that is due, for the budget at most; the cache's state before.

        The budget is the graph's: loading its client comes before, which takes longer than that in a new process. A failure is reported once and not raised: recall goes on with the cached facts.
        """
        words = words_of(question)
        group = self._settings.groups[0]
        now_ms = self._now_ms()
        with self._lock:
            kept = self._file.read(group)
            state = kept.state(
                words, now_ms, ttl_ms=self._settings.ttl_ms, drift=self._settings.drift
            )
            if state == "aligned" or not words:
                return state
            if self._running is not None and self._running.is_alive():
                return state
            self._is_slow = (
                kept.asked_ms > kept.answered_ms and now_ms - kept.asked_ms < _PATIENCE_MS
            )
            if not self._is_slow:
                self._load()
            self._file.write(
                group,
                CacheState(words=kept.words, asked_ms=now_ms, answered_ms=kept.answered_ms),
            )
            thread = threading.Thread(
                target=self._fetch, args=(question, words, group, kept), daemon=True
            )
            self._running = thread
            thread.start()
        if not self._is_slow:
            thread.join(self._settings.budget_s)
        return state

    def finish(self) -> None:
        """Wait a while for an answer that is under way, unless the graph did not answer before either."""
        running = self._running
        if running is not None and not self._is_slow:
            running.join(_FINISH_S)

    def fetch(self, question: str) -> int:
        """Ask the graph now, and keep what it answers; returns how many facts are new or seen again.

        Raises:
            ProviderError: If it does not answer.
            ConfigError: If the settings do not lead to it.
        """
        question = redacted(question)[0]
        if not question.replace(_REDACTED, "").strip():
            return 0
        facts, nodes = self._shared(question) or self._asked(question)
        now_ms = self._now_ms()
        found = [*_facts(facts[:MAX_FACTS], now_ms), *_nodes(nodes[:MAX_NODES])]
        self._end([each.subject for each in found if each.is_ended])
        hidden = self._hidden()
        return sum(
            self._keep(each, now_ms)
            for each in found
            if not each.is_ended
            and each.subject not in hidden
            and _normalized(redacted(each.text)[0]) not in hidden
        )

    def _asked(self, question: str) -> tuple[Sequence[_Row], Sequence[_Row]]:
        groups = self._settings.groups
        with self._open_graph() as graph:
            facts = graph.search_facts(question, groups, MAX_FACTS)[:MAX_FACTS]
            nodes = graph.search_nodes(question, groups, MAX_NODES)[:MAX_NODES]
        self._share(question, facts, nodes)
        return facts, nodes

    def _shared(self, question: str) -> tuple[Sequence[_Row], Sequence[_Row]] | None:
        """What another process or machine got for the question, or one like it, a moment ago."""
        if self._cache is None:
            return None
        try:
            document = json.loads(self._cache.get(cache_keys(self._settings.groups[0])[0]) or "")
        except (ValueError, RecursionError, CodecairnError):
            return None
        if not isinstance(document, dict) or not isinstance(document.get("query"), str):
            return None
        age_ms = self._now_ms() - _number(document.get("refreshedAt"))
        is_near = jaccard(words_of(document["query"]), words_of(question)) >= self._settings.drift
        if not is_near or not 0 <= age_ms <= self._settings.ttl_ms:
            return None
        return _rows(document.get("facts")), _rows(document.get("nodes"))

    def _share(self, question: str, facts: Sequence[_Row], nodes: Sequence[_Row]) -> None:
        """Leave an answer to other processes and machines."""
        if self._cache is None:
            return
        now_ms = self._now_ms()
        document = {
            "query": question,
            "refreshedAt": now_ms,
            "facts": list(facts),
            "nodes": list(nodes),
            "episodeSummaries": [],
            "nodeRefs": [_text(row, "uuid") for row in nodes],
        }
        key, meta_key = cache_keys(self._settings.groups[0])
        ttl_s = max(1, self._settings.ttl_ms // 1000)
        try:
            self._cache.set(key, json.dumps(document), ttl_s)
            fields = {"lastQuery": question, "lastRefresh": str(now_ms)}
            self._cache.set_fields(meta_key, fields, ttl_s)
        except CodecairnError as err:
            self._notify(f"facts of the graph are not shared: {err.message}")

    def _fetch(self, question: str, words: frozenset[str], group: str, kept: CacheState) -> None:
        try:
            self.fetch(question)
        except CodecairnError as err:
            self._file.write(
                group, kept
            )  # it failed and does not hang: the next recall may wait for it
            self._notify(f"facts of the graph are not up to date: {err.message}")
            return
        now_ms = self._now_ms()
        self._file.write(group, CacheState(words=words, asked_ms=now_ms, answered_ms=now_ms))

    def _hidden(self) -> frozenset[str]:
        """Subjects and texts of what a person hid: it stays hidden, under whatever id the graph holds it.

        What the graph ended stays so by its id alone, as the same text may hold again.
        """
        hidden = self._engine.list({"is_forgotten": True}, limit=_MAX_LISTED)
        subjects = [fact.subject for fact in hidden if fact.maker == MAKER]
        texts = [_normalized(fact.text) for fact in hidden if fact.reason != _ENDED]
        return frozenset([*subjects, *texts])

    def _end(self, subjects: Sequence[str]) -> None:
        """End what the graph ended."""
        if not subjects:
            return
        for fact in self._engine.list({"types": [_TYPE]}, limit=_MAX_LISTED):
            if fact.maker == MAKER and fact.subject in subjects:
                self._engine.withdraw(fact.id, reason=_ENDED)

    def _keep(self, found: "_Found", now_ms: int) -> int:
        try:
            self._engine.add(
                {
                    "text": found.text,
                    "type": _TYPE,
                    "title": found.title,
                    "subject": found.subject,
                    "predicate": MAKER,
                    "tags": [MAKER],
                    "origin": "external",
                    "maker": MAKER,
                    "confidence": _CONFIDENCE,
                    "valid_from_ms": found.valid_from_ms,
                    "expires_ms": now_ms + _KEPT_MS,
                    "meta": {"graph": found.group, "graph_uuid": found.uuid},
                    "anchors": self._anchors(found),
                }
            )
        except CodecairnError:
            return 0  # privacy leaves nothing of it
        return 1

    def _anchors(self, found: "_Found") -> list[dict[str, str]]:
        """The symbols that it names between backticks, and the entity itself if it is one."""
        try:
            named = anchors_of(self._engine, found.text, (), self._definitions)
            if not named and found.entity:
                named = anchors_of(self._engine, f"`{found.entity}`", (), self._definitions)
        except CodecairnError:
            return []
        return named


def purge_recalled(engine: MemoryEngine, ids: Sequence[str]) -> None:
    """Purge what was recalled of facts and entities that a purge removed from the graph."""
    if not ids:
        return
    subjects = frozenset(f"graph:{id_}" for id_ in ids)
    for is_forgotten in (False, True):
        facts = engine.list({"types": [_TYPE], "is_forgotten": is_forgotten}, limit=_MAX_LISTED)
        items = [fact.id for fact in facts if fact.maker == MAKER and fact.subject in subjects]
        if items:
            engine.purge({"items": items})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A fact or an entity of a graph, as a statement."""

    uuid: str
    group: str
    text: str
    title: str
    entity: str
    valid_from_ms: int | None
    is_ended: bool

    @property
    def subject(self) -> str:
        return f"graph:{self.uuid}"


def _facts(rows: Sequence[Mapping[str, object]], now_ms: int) -> Iterable[_Found]:
    for row in rows:
        text, uuid, group = (_text(row, part) for part in ("fact", "uuid", "group_id"))
        if not text or not _is_id(uuid) or len(group) > _MAX_GROUP_CHARS:
            continue
        ended = [_moment(row, name) for name in ("invalid_at", "expired_at")]
        yield _Found(
            uuid=uuid,
            group=group,
            text=text[:_MAX_CHARS],
            title=_text(row, "name").replace("_", " ").lower()[:80],
            entity="",
            valid_from_ms=_moment(row, "valid_at"),
            is_ended=any(moment is not None and moment <= now_ms for moment in ended),
        )


def _nodes(rows: Sequence[Mapping[str, object]]) -> Iterable[_Found]:
    for row in rows:
        name, summary = _text(row, "name"), _text(row, "summary")
        uuid, group = _text(row, "uuid"), _text(row, "group_id")
        if not name or not summary or not _is_id(uuid) or len(group) > _MAX_GROUP_CHARS:
            continue
        yield _Found(
            uuid=uuid,
            group=group,
            text=f"{name}: {summary}"[:_MAX_CHARS],
            title=name[:80],
            entity=name[:_MAX_ENTITY_CHARS],
            valid_from_ms=None,
            is_ended=False,
        )


def _is_id(text: str) -> bool:
    return 0 < len(text) <= _MAX_ID_CHARS


def _normalized(text: str) -> str:
    return " ".join(text.casefold().split())


def _rows(value: object) -> Sequence[_Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _moment(row: Mapping[str, object], name: str) -> int | None:
    """A moment in milliseconds since the epoch; `None` for none, or one that no date can be written for."""
    try:
        moment = datetime.fromisoformat(_text(row, name).replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _texts(value: object) -> frozenset[str]:
    texts = value if isinstance(value, list) else []
    return frozenset(each for each in texts if isinstance(each, str))
