"""The newest activity of several projects, and the hub that hands new activity to open pages.

The hub reads only while a page is open, and only what is newest: it looks every 0.2 s whether a file of a memory's database changed,
which any process may write. It keeps a bounded number of items, and each page has a bounded queue.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from codecairn.core.types.memory import Event, Fact, Session
from codecairn.errors import CodecairnError
from codecairn.memory.excerpts import one_line, shortened
from codecairn.memory.memory import Memory
from codecairn.web.projects import Project, Projects

KINDS = ("event", "fact", "shown")
"""What an item may be about: something that happened, a fact that began or ended, or what an agent was shown."""

MAX_SUBSCRIBERS = 16
"""Open pages with a live feed at once."""

MAX_KEPT = 200
"""Items that a page can catch up on after its connection broke."""

MAX_QUEUED = 100
"""Items that wait for one page; a page that is slower begins again with the newest."""

_LOOK_S = 0.2
_LINGER_S = 30.0
_READ = 40
_SESSIONS = 20
_TITLE_TOKENS = 40
_MAX_SEEN = 2_000


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the feed.

    Attributes:
        key: What it is called: the same thing has the same key.
        project: Its project.
        ts_ms: When.
        kind: One of `KINDS`.
        what: An event's category, what became of a fact, or where something was shown.
        title: A few words.
        session: The session; empty for a fact.
        host: The session's host; empty if it is not known.
        id: The fact or the event; empty for what was shown.
        note: More in a few words: a tool, a type, how many tokens.
        is_failed: Whether a command failed.
    """

    key: str
    project: Project
    ts_ms: int
    kind: str
    what: str
    title: str
    session: str = ""
    host: str = ""
    id: str = ""
    note: str = ""
    is_failed: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items are shown; empty for all."""

    project: str = ""
    host: str = ""
    session: str = ""
    kind: str = ""

    def passes(self, item: Item) -> bool:
        """Whether an item is shown."""
        wanted = (self.project, self.host, self.session, self.kind)
        given = (item.project.key, item.host, item.session, item.kind)
        return all(not each or each == own for each, own in zip(wanted, given, strict=True))


def newest(memory: Memory, project: Project, *, limit: int) -> list[Item]:
    """The newest items of a project, the newest first; nothing that is private."""
    sessions = memory.sessions(limit=_SESSIONS)
    hosts = {each.id: each.host for each in sessions}
    items = [
        *(_of_event(project, event, hosts) for event in memory.events(limit=limit)),
        *_of_facts(project, memory.list(limit=limit, with_history=True)),
        *_of_injections(project, memory, sessions),
    ]
    items.sort(key=lambda item: item.ts_ms, reverse=True)
    return items[:limit]


def newest_of(projects: Projects, wanted: Filter, *, limit: int) -> tuple[list[Item], list[str]]:
    """The newest items of all projects that pass a filter, and what is wrong with projects that can't be read."""
    found: list[Item] = []
    problems: list[str] = []
    for project in projects.all():
        if wanted.project and project.key != wanted.project:
            continue
        try:
            items = newest(projects.workspace(project).memory, project, limit=limit)
        except CodecairnError as err:
            problems.append(f"{project.name}: {err.message}")
            continue
        found += filter(wanted.passes, items)
    found.sort(key=lambda item: item.ts_ms, reverse=True)
    return found[:limit], problems


def _of_event(project: Project, event: Event, hosts: dict[str, str]) -> Item:
    title = event.title or event.body or event.command or event.path
    code = event.exit_code
    parts = (event.tool, event.path, "" if code in {0, None} else f"exit code {code}")
    return Item(
        key=f"{project.key}-{event.id}",
        project=project,
        ts_ms=event.ts_ms,
        kind="event",
        what=event.category,
        title=_title(title),
        session=event.session,
        host=hosts.get(event.session, ""),
        id=event.id,
        note=" · ".join(part for part in parts if part and part != title),
        is_failed=code not in {0, None},
    )


def _of_facts(project: Project, versions: Iterable[Fact]) -> Iterator[Item]:
    for fact in versions:
        title = _title(fact.title or fact.text)
        key = f"{project.key}-{fact.id}-{fact.version}"
        made = "added" if fact.version == 1 else "changed"
        yield Item(key, project, fact.recorded_ms, "fact", made, title, id=fact.id, note=fact.type)
        ended_ms = fact.retracted_ms or fact.invalid_at_ms
        if fact.state in {"superseded", "forgotten"} and ended_ms is not None:
            ended = f"{key}-{fact.state}"
            yield Item(
                ended, project, ended_ms, "fact", fact.state, title, id=fact.id, note=fact.type
            )


def _of_injections(project: Project, memory: Memory, sessions: Sequence[Session]) -> Iterator[Item]:
    for session in sessions:
        for injection in memory.engine().injections(session.id)[-5:]:
            if injection.items:
                amount = len(injection.items)
                yield Item(
                    key=f"{project.key}-{session.id}-{injection.ts_ms}-{injection.placement}",
                    project=project,
                    ts_ms=injection.ts_ms,
                    kind="shown",
                    what=injection.placement,
                    title=f"{amount} {'item' if amount == 1 else 'items'} shown to the agent",
                    session=session.id,
                    host=session.host,
                    note=f"{injection.tokens:,} tokens",
                )


def _title(text: str) -> str:
    return shortened(one_line(text), _TITLE_TOKENS)


@dataclass(slots=True, eq=False)
class Subscription:
    """A subscription of an open page: its filter, and the queue of pending items. `None` in the queue closes it."""

    wanted: Filter
    loop: asyncio.AbstractEventLoop
    queue: "asyncio.Queue[tuple[int, Item] | None]" = field(
        default_factory=lambda: asyncio.Queue(MAX_QUEUED)
    )

    def put(self, entry: tuple[int, Item] | None) -> None:
        """Add an item in the loop's thread; a full queue drops its oldest item."""
        if self.queue.full():
            self.queue.get_nowait()
        self.queue.put_nowait(entry)


class Hub:
    """Reads what is new, and hands it to open pages. Thread-safe."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._subscriptions: list[Subscription] = []
        self._kept: deque[tuple[int, Item]] = deque(maxlen=MAX_KEPT)
        self._seen: dict[str, deque[str]] = {}
        self._number = 0
        self._idle_looks = 0
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self._starting = threading.Lock()
        self._lock = threading.Lock()

    def mark(self) -> int:
        """The number of the last item; from here on new ones are noticed, also before a page subscribes."""
        with self._starting:
            self._idle_looks = 0
            if self._thread is None and not self._closed.is_set():
                self._read(is_first=True)
                self._thread = threading.Thread(target=self._watch, name="feed", daemon=True)
                self._thread.start()
            return self._number

    def subscribe(self, wanted: Filter, *, after: int) -> Subscription | None:
        """Follow the feed after an item; `None` if too many pages do."""
        self.mark()
        subscription = Subscription(wanted, asyncio.get_running_loop())
        with self._lock:
            if len(self._subscriptions) >= MAX_SUBSCRIBERS or self._closed.is_set():
                return None
            for number, item in self._kept:
                if number > after and wanted.passes(item):
                    subscription.put((number, item))
            self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a page's subscription."""
        with self._lock, suppress(ValueError):
            self._subscriptions.remove(subscription)

    def close(self) -> None:
        """End all subscriptions; does not block."""
        self._closed.set()
        with self._lock:
            for each in self._subscriptions:
                with suppress(RuntimeError):  # its loop is closed
                    each.loop.call_soon_threadsafe(each.put, None)

    def _watch(self) -> None:
        before: tuple[object, ...] = ()
        pause_s = _LOOK_S
        while not self._closed.wait(pause_s):
            with self._starting:
                self._idle_looks = 0 if self._subscriptions else self._idle_looks + 1
                if self._idle_looks * _LOOK_S > _LINGER_S:
                    self._thread = None
                    return
            now = tuple(_signature(path) for path in self._databases())
            if now != before:
                before = now
                started_s = time.monotonic()
                self._read(is_first=False)
                # Reading takes a third of the time at most, however much is written.
                pause_s = max(_LOOK_S, 2 * (time.monotonic() - started_s))

    def _databases(self) -> Iterator[Path]:
        paths = set()
        for project in self._projects.all():
            with suppress(CodecairnError):
                paths.add(self._projects.workspace(project).memory.path)
        yield from sorted(paths)

    def _read(self, *, is_first: bool) -> None:
        """Hand on the items that were not seen before, the oldest first; at first all count as seen."""
        fresh: list[Item] = []
        for project in self._projects.all():
            with suppress(CodecairnError):
                memory = self._projects.workspace(project).memory
                fresh += self._unseen(project, newest(memory, project, limit=_READ))
        if is_first:
            return
        fresh.sort(key=lambda item: item.ts_ms)
        with self._lock:
            for item in fresh:
                self._number += 1
                self._kept.append((self._number, item))
                self._hand_on(self._number, item)

    def _hand_on(self, number: int, item: Item) -> None:
        for each in self._subscriptions:
            if each.wanted.passes(item):
                with suppress(RuntimeError):  # its loop is closed
                    each.loop.call_soon_threadsafe(each.put, (number, item))

    def _unseen(self, project: Project, items: Iterable[Item]) -> list[Item]:
        seen = self._seen.setdefault(project.key, deque(maxlen=_MAX_SEEN))
        fresh = [item for item in items if item.key not in seen]
        seen.extend(item.key for item in fresh)
        return fresh


def _signature(path: Path) -> tuple[int, ...]:
    """What changes whenever a process writes to a database: sizes and times of its file and its log."""
    found: list[int] = []
    for file in (path, path.with_name(path.name + "-wal")):
        with suppress(OSError):
            status = file.stat()
            found += (status.st_size, status.st_mtime_ns)
    return tuple(found)
