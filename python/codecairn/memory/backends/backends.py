"""`Workspace.memory.upkeep.backends`: what the settings name beside the local memory, and how each fares."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine
from codecairn.errors import ConfigError, ProviderError, UsageError
from codecairn.memory.anchor_status import NO_DEFINITIONS, Definitions
from codecairn.memory.backends.backoff import backoff_ms
from codecairn.memory.backends.group_names import (
    former_group_name,
    group_name,
    require_group,
)
from codecairn.memory.backends.reports import BackendStatus, DeadLetter, DrainReport
from codecairn.paths.file_lock import lease

if TYPE_CHECKING:
    from codecairn.memory.backends.graph_recall import GraphRecall
    from codecairn.memory.backends.hot_tier import Cache
    from codecairn.memory.memory import Memory

_GRAPHITI = "graphiti"
_REDIS = "redis"
_MAX_LETTERS = 20
_FIRST_S = 86_400
"""The first time, the events of so many seconds are sent: those of sessions that go on."""

_BACKGROUND_S = 120.0
"""How long the background process of a hook waits for the graph; what is left is read back by the next."""

_NOTHING_RECORDED = (
    "nothing is recorded of this project on this machine yet: agents' hooks do that (`codecairn install`), and "
    "`codecairn memory search` shows the records of other machines"
)

_NOTHING_NEW = (
    "no record of the last day is of `memory.graphiti_categories`: `--all` sends older ones"
)

_PROMPTS = 50
"""Events among which the newest prompt is looked for."""

_QUESTION_CHARS = 1_000


class Backends:
    """The backends of one project's memory. Nothing here is on the way of a hook."""

    def __init__(
        self,
        memory: "Memory",
        settings: Settings,
        *,
        clock: Clock,
        notify: Callable[[str], None],
        definitions: Definitions = NO_DEFINITIONS,
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._clock = clock
        self._notify = notify
        self._definitions = definitions

    @property
    def is_any(self) -> bool:
        """Whether the settings name one."""
        return bool(self._settings.memory_graphiti_url or self._settings.memory_redis_url)

    def status(self) -> tuple[BackendStatus, ...]:
        """How each backend fares; no connection is made."""
        return self._graphiti_status(), self._redis_status()

    def drain(
        self,
        *,
        wait_s: float = 0.0,
        is_from_start: bool = False,
        is_forced: bool = False,
        is_verifying: bool = False,
    ) -> tuple[DrainReport, ...]:
        """Send pending events, and read them back. Those that fail stay pending for the next run; the report gives the reason.

        Args:
            wait_s: How long to wait until all is read back.
            is_from_start: Send the log from its beginning, not only from the time when the backend was named.
            is_forced: Try now, even if the last failure was a moment ago.
            is_verifying: Read back what counts as stored, too, and send again what is gone.

        Raises:
            ConfigError: If the settings name no backend, or one that can't be used.
        """
        if not self.is_any:
            raise ConfigError(
                "the settings name no backend of the memory",
                hint="`codecairn config set --user memory.graphiti_url http://localhost:8000/mcp`",
            )
        with self._lease() as is_ours:
            if not is_ours:
                return (DrainReport(name=_GRAPHITI, is_busy=True),)
            reports = []
            # First, as it does not wait.
            if self._settings.memory_redis_url:
                reports.append(self._sync_redis(is_forced=is_forced))
            if self._settings.memory_graphiti_url:
                reports.append(
                    self._drain_graphiti(
                        wait_s=wait_s,
                        is_from_start=is_from_start,
                        is_forced=is_forced,
                        is_verifying=is_verifying,
                    )
                )
            return tuple(reports)

    def recall(self) -> "GraphRecall":
        """Recall from the graph that the settings name.

        Raises:
            ConfigError: If a setting of it does not fit.
            UsageError: If nothing is remembered of the project yet.
        """
        from codecairn.memory.backends.graph import open_graph
        from codecairn.memory.backends.graph_recall import GraphRecall, RecallSettings
        from codecairn.memory.backends.graphiti_client import load_client

        settings = self._settings
        others = [
            require_group(group, setting="memory.graphiti_read_groups")
            for group in settings.memory_graphiti_read_groups
        ]
        path = self._memory.path
        return GraphRecall(
            self._engine,
            lambda: open_graph(settings),
            path.with_name(f"{path.name}.graph.json"),
            RecallSettings(
                groups=(self.group(), *self._former_groups(), *others),
                ttl_ms=settings.memory_graphiti_cache_s * 1000,
                drift=settings.memory_graphiti_drift,
                budget_s=settings.memory_graphiti_recall_ms / 1000,
            ),
            definitions=self._definitions,
            now_ms=lambda: self._clock.now_ns() // 1_000_000,
            notify=self._notify,
            load=load_client,
            cache=self._cache(),
        )

    def run_in_background(self) -> str:
        """Drain for a while, and ask the graph what belongs to the newest prompts; returns why something is left."""
        if not self.is_any:
            return ""
        reports = self.drain(wait_s=_BACKGROUND_S)
        if self._settings.memory_graphiti_url and self._settings.memory_graphiti_recall:
            prompts = [each for each in self._memory.events(limit=_PROMPTS) if each.role == "user"]
            if prompts:
                self.recall().fetch(prompts[0].body[:_QUESTION_CHARS])
        return "; ".join(report.obstacle for report in reports if report.obstacle)

    def note_new(self) -> None:
        """Make rows of what was recorded since the last run, so that its purge is followed; nothing is sent.

        Raises:
            ConfigError: If a setting of a group does not fit.
        """
        settings, now_ms = self._settings, self._clock.now_ns() // 1_000_000
        if settings.memory_graphiti_url and self._engine.outbox_status(_GRAPHITI).identity:
            from codecairn.memory.backends.drain import take_new

            take_new(
                self._engine,
                categories=settings.memory_graphiti_categories,
                since_ms=now_ms - _FIRST_S * 1000,
                group=self.group(),
            )
        if settings.memory_redis_url and self._engine.outbox_status(_REDIS).identity:
            from codecairn.memory.backends.shared_sessions import note_events

            since_ms = now_ms - settings.memory_redis_session_s * 1000
            note_events(self._engine, self._redis_group(), since_ms=since_ms)

    def retry(self, numbers: Sequence[int] = ()) -> int:
        """Let dead letters wait again, those of these numbers or all; returns how many."""
        return self._engine.outbox(_GRAPHITI, {"retry": list(numbers)})

    def drop(self, numbers: Sequence[int] = ()) -> int:
        """Drop pending and dead-letter events from the outbox: those of these numbers, or all. Returns how many; the memory keeps them."""
        return self._engine.outbox(_GRAPHITI, {"drop": list(numbers)})

    def group(self) -> str:
        """The group of the graph that the project's events are put in.

        Raises:
            ConfigError: If a setting of it may not stand in a group's name.
            UsageError: If nothing is remembered of the project yet.
        """
        settings = self._settings
        if settings.memory_graphiti_group:
            return require_group(settings.memory_graphiti_group, setting="memory.graphiti_group")
        status = self._engine.outbox_status(_GRAPHITI)
        if not status.identity:
            raise UsageError("nothing is remembered of this project yet")
        return self._own_group(status.project, status.identity)

    @property
    def _engine(self) -> MemoryEngine:
        return self._memory.engine()

    def _drain_graphiti(
        self, *, wait_s: float, is_from_start: bool, is_forced: bool, is_verifying: bool
    ) -> DrainReport:
        from codecairn.memory.backends.drain import Drain, DrainOptions
        from codecairn.memory.backends.graph import open_graph

        settings = self._settings
        if not self._engine.outbox_status(_GRAPHITI).identity:
            return DrainReport(name=_GRAPHITI, obstacle=_NOTHING_RECORDED)
        options = DrainOptions(
            categories=settings.memory_graphiti_categories,
            since_ms=self._clock.now_ns() // 1_000_000 - _FIRST_S * 1000,
            is_from_start=is_from_start,
            is_forced=is_forced,
            is_verifying=is_verifying,
            wait_s=wait_s,
            group=self.group(),
            batch=settings.memory_graphiti_batch,
            batch_bytes=settings.memory_graphiti_batch_bytes,
            attempts=settings.memory_graphiti_attempts,
            confirm_ms=settings.memory_graphiti_confirm_s * 1000,
        )
        with open_graph(settings) as graph:
            report = Drain(self._engine, graph, options, clock=self._clock).run()
        status = self._engine.outbox_status(_GRAPHITI)
        is_empty = not (report.taken or status.waiting or status.sent or status.stored)
        if is_empty and not report.obstacle and self._memory.events(limit=1):
            report.obstacle = _NOTHING_NEW
        return report

    def _sync_redis(self, *, is_forced: bool) -> DrainReport:
        from codecairn.memory.backends.hot_tier import open_redis
        from codecairn.memory.backends.shared_sessions import SharedProject, SharedSessions

        status, now_ms = self._engine.outbox_status(_REDIS), self._clock.now_ns() // 1_000_000
        if not status.identity or (now_ms < status.due_ms and not is_forced):
            obstacle = status.error if status.identity else _NOTHING_RECORDED
            return DrainReport(name=_REDIS, left=status.unread, obstacle=obstacle)
        project = SharedProject(
            group=self._redis_group(),
            graph_group=self.group(),
            session_s=self._settings.memory_redis_session_s,
        )
        with open_redis(self._settings) as tier:
            try:
                report = SharedSessions(self._memory, tier, project, now_ms=now_ms).sync()
            except ProviderError as err:
                failures = status.failures + 1
                due_ms = now_ms + backoff_ms(failures)
                note = {"failures": failures, "due_ms": due_ms, "error": err.message}
                self._engine.outbox(_REDIS, {"note": note})
                left = self._engine.outbox_status(_REDIS).waiting
                return DrainReport(name=_REDIS, left=left, obstacle=err.message)
        note = {"failures": 0, "due_ms": 0, "stored_ms": now_ms, "error": ""}
        self._engine.outbox(_REDIS, {"note": note})
        return report

    def _redis_status(self) -> BackendStatus:
        address = self._settings.memory_redis_url
        if not address:
            return BackendStatus(name=_REDIS)
        from codecairn.memory.backends.endpoint import shown

        status = self._engine.outbox_status(_REDIS)
        is_behind = bool(status.unread or status.waiting or status.removing)
        return BackendStatus(
            name=_REDIS,
            address=shown(address),
            group=self._redis_group() if status.identity else "",
            state="failing" if status.failures else "behind" if is_behind else "idle",
            unread=status.unread,
            waiting=status.waiting,
            stored=status.sent,
            removing=status.removing,
            stored_ms=status.stored_ms,
            due_ms=status.due_ms,
            error=status.error,
        )

    def _cache(self) -> "Cache | None":
        if not self._settings.memory_redis_url:
            return None
        from codecairn.memory.backends.hot_tier import FallbackCache, open_redis

        return FallbackCache(open_redis(self._settings), self._clock)

    def _redis_group(self) -> str:
        status = self._engine.outbox_status(_REDIS)
        return self._own_group(status.project, status.identity)

    def _former_groups(self) -> tuple[str, ...]:
        """The group that this folder's events came into while its name was a part of the group's, where that is another."""
        if self._settings.memory_graphiti_group:
            return ()
        status = self._engine.outbox_status(_GRAPHITI)
        prefix = self._settings.memory_graphiti_prefix
        former = former_group_name(prefix, status.project, status.identity)
        return () if former == self.group() else (former,)

    def _own_group(self, project: str, identity: str) -> str:
        return group_name(self._settings.memory_graphiti_prefix, project, identity)

    def _graphiti_status(self) -> BackendStatus:
        address = self._settings.memory_graphiti_url
        if not address:
            return BackendStatus(name=_GRAPHITI)
        from codecairn.memory.backends.endpoint import shown

        status = self._engine.outbox_status(_GRAPHITI)
        dead = self._engine.outbox_rows(_GRAPHITI, ("dead",), limit=_MAX_LETTERS)
        is_behind = bool(status.unread or status.waiting or status.sent or status.removing)
        state = "failing" if status.failures else "behind" if is_behind else "idle"
        return BackendStatus(
            name=_GRAPHITI,
            address=shown(address),
            group=self.group() if status.identity else "",
            state=state,
            unread=status.unread,
            waiting=status.waiting,
            sent=status.sent,
            stored=status.stored,
            removing=status.removing,
            dead=status.dead,
            stored_ms=status.stored_ms,
            due_ms=status.due_ms,
            error=status.error,
            dead_letters=tuple(
                DeadLetter(
                    number=row.number, item=row.item, reason=row.error, failures=row.failures
                )
                for row in dead
            ),
        )

    def _lease(self) -> AbstractContextManager[bool]:
        return lease(self._memory.path.with_name(self._memory.path.name + ".drain.lock"))
