"""Drains the outbox into a Graphiti graph, so that nothing is lost and nothing is there twice.

The server answers "queued" and works on a queue in its memory: an episode that fails, and each that is still queued when the
server stops, is lost without an error. An event therefore counts as stored only when its episode was read back from the graph, by our own name for it.

The server works on the episodes of a group one after the other, in the order in which they came. So when a later one is in the
graph and an earlier one is not, the earlier one failed: it is sent again, and given up after some failures. When nothing comes in
for a while, all that is queued counts as lost, and one episode is sent as a probe until the server stores again. An episode
that was only slow is then there twice; the copy is found by its name and removed.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from codecairn.clock import Clock
from codecairn.core.light_dataclass import dataclass
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import Event
from codecairn.core.types.outbox import OutboxRow
from codecairn.errors import CodecairnError, ConfigError, ProviderError, ProviderRefused
from codecairn.memory.backends.backoff import backoff_ms
from codecairn.memory.backends.episode import episode_of
from codecairn.memory.backends.graph import Graph
from codecairn.memory.backends.graph_recall import purge_recalled
from codecairn.memory.backends.graphiti_client import Episode, ListedEpisode
from codecairn.memory.backends.reports import DrainReport

SINK = "graphiti"

_MAX_OPEN = 1_000
"""Rows that are read back at a time."""

_SETTLED_MS = 3_600_000
"""An hour after the last time that it was sent, no copy of an episode is expected any more."""

_FIRST_PAUSE_S = 0.1
_MAX_PAUSE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainOptions:
    """What a run may do.

    Attributes:
        categories: The categories of events that become episodes.
        since_ms: The first time, the log is taken from this moment on, in milliseconds since the epoch.
        is_from_start: Take the log from its beginning.
        is_forced: Try now, even if the last failure was a moment ago.
        is_verifying: Read back everything that counts as stored, too.
        wait_s: How long to wait for episodes to be read back.
        group: The group of the project.
        batch: Episodes that may be queued at a time.
        batch_bytes: Their bytes, and the maximum bytes of one.
        attempts: How often one may fail where others succeed.
        confirm_ms: Milliseconds without any new episode after which what is queued counts as lost.
    """

    categories: tuple[str, ...]
    since_ms: int
    group: str
    is_from_start: bool = False
    is_forced: bool = False
    is_verifying: bool = False
    wait_s: float = 0.0
    batch: int = 20
    batch_bytes: int = 51_200
    attempts: int = 3
    confirm_ms: int = 120_000


class Drain:
    """One run for one project."""

    def __init__(
        self,
        engine: MemoryEngine,
        graph: Graph,
        options: DrainOptions,
        *,
        clock: Clock,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._engine = engine
        self._graph = graph
        self._options = options
        self._clock = clock
        self._pause = pause or threading.Event().wait
        self._report = DrainReport(name=SINK)
        self._processed_ms: dict[str, int] = {}
        self._progress_ms = 0

    def run(self) -> DrainReport:
        """Take, send and read back until nothing is left or the time is over; failures are in the report, and noted.

        Raises:
            ConfigError: If the settings do not lead to a graph that can be read.
        """
        options, report = self._options, self._report
        report.taken = take_new(
            self._engine,
            categories=options.categories,
            since_ms=options.since_ms,
            group=options.group,
            is_from_start=options.is_from_start,
        )
        status = self._engine.outbox_status(SINK)
        self._processed_ms = dict(status.processed_ms)
        self._progress_ms = status.stored_ms
        if options.is_forced:
            self._note(due_ms=0)
        if options.is_verifying:
            self._guarded(self._verify)
        deadline_s = self._clock.monotonic_s() + options.wait_s
        pause_s = _FIRST_PAUSE_S
        while True:
            has_moved = self._guarded(self._step)
            if self._left() == 0 or self._clock.monotonic_s() >= deadline_s:
                break
            pause_s = _FIRST_PAUSE_S if has_moved else min(pause_s * 1.5, _MAX_PAUSE_S)
            self._pause(pause_s)
        status = self._engine.outbox_status(SINK)
        report.left = status.waiting + status.sent + status.removing
        report.obstacle = status.error if report.left else ""
        return report

    def _left(self) -> int:
        status = self._engine.outbox_status(SINK)
        return status.waiting + status.sent + status.removing

    def _guarded(self, work: Callable[[], bool]) -> bool:
        """Do some of the work; after a failure the next is not tried before its time."""
        try:
            return work()
        except ConfigError:
            raise
        except CodecairnError as err:
            if not isinstance(err, ProviderError):
                raise
            self._back_off(err.message)
            return False

    def _step(self) -> bool:
        now_ms = self._now_ms()
        if now_ms < self._engine.outbox_status(SINK).due_ms:
            return False
        is_confirmed = self._confirm()
        is_cleaned = self._remove() | self._settle()
        return is_confirmed | is_cleaned | self._send()

    def _confirm(self) -> bool:
        """Read back what was sent; whether any of it moved."""
        rows = self._engine.outbox_rows(SINK, ("sent",), limit=_MAX_OPEN)
        if not rows:
            return False
        found = self._found(rows)
        there = [row for row in rows if found[row.number]]
        self._store(there, found)
        missing = [row for row in rows if not found[row.number]]
        lost = [row for row in missing if row.sent_ms < self._processed_ms.get(row.place, 0)]
        for row in lost:
            self._fail(row, "the graph took later episodes, but not this one")
        if not lost and not there:
            return self._give_up_queue(missing)
        return True

    def _store(
        self, rows: Sequence[OutboxRow], found: Mapping[int, Sequence[ListedEpisode]]
    ) -> None:
        if not rows:
            return
        now_ms = self._now_ms()
        changes = []
        for row in rows:
            if row.sends == 1:
                self._processed_ms[row.place] = max(
                    self._processed_ms.get(row.place, 0), row.sent_ms
                )
            has_copies = row.sends > 1 or len(found[row.number]) > 1
            changes.append(
                {
                    "number": row.number,
                    "state": "settling" if has_copies else "stored",
                    "place": self._place_of(row),
                    "remote": found[row.number][0].uuid,
                    "due_ms": 0,
                    "error": "",
                }
            )
        self._mark(changes)
        self._progress_ms = now_ms
        self._note(failures=0, due_ms=0, stored_ms=now_ms, error="")
        self._report.stored += len(rows)

    def _give_up_queue(self, rows: Sequence[OutboxRow]) -> bool:
        """Send again what was queued and did not come in, once nothing came in for a while."""
        now_ms = self._now_ms()
        since_ms = max(self._progress_ms, max((row.sent_ms for row in rows), default=now_ms))
        if not rows or now_ms - since_ms <= self._options.confirm_ms:
            return False
        message = (
            f"{len(rows):,} queued episodes did not come into the graph within "
            f"{self._options.confirm_ms / 1000:g} s: the server's model may fail, see its log"
        )
        if len(rows) == 1 and self._engine.outbox_status(SINK).failures == 0:
            # The graph took others until it came to this one, so it may be the episode's own fault. In an outage that is
            # counted once: afterwards the sink is known to fail.
            self._fail(rows[0], message)
        else:
            changes = [
                {"number": each.number, "state": "waiting", "error": message} for each in rows
            ]
            self._mark(changes)
        self._back_off(message)
        return True

    def _send(self) -> bool:
        """Send what is due, one as a probe after a failure; whether anything was sent."""
        options, now_ms = self._options, self._now_ms()
        status = self._engine.outbox_status(SINK)
        room = (options.batch if status.failures == 0 else 1) - status.sent
        if now_ms < status.due_ms or room <= 0 or not status.waiting:
            return False
        rows = self._engine.outbox_rows(SINK, ("waiting",), due_ms=now_ms, limit=room)
        if not rows:
            return False
        self._graph.require_readable()
        # What another machine sent, a run that ended between sending and noting, or an episode that was only slow.
        found = self._found(rows)
        self._store([row for row in rows if found[row.number]], found)
        size = 0
        for row in rows:
            if row.event is None or found[row.number]:
                continue
            size += len(self._episode(row, row.event).body.encode())
            if size > options.batch_bytes and row.number != rows[0].number:
                break
            now_ms = max(self._now_ms(), now_ms + 1)
            self._send_one(row, now_ms)
        return True

    def _send_one(self, row: OutboxRow, sent_ms: int) -> None:
        """Claim a row and send its event as it is then: what was purged or dropped since it was read is not sent."""
        # Noted before it is sent: of a run that dies in between nothing is lost, and nothing sent blindly again.
        claimed = self._engine.outbox_claim(
            SINK, [row.number], states=("waiting",), place=self._place_of(row), sent_ms=sent_ms
        )
        for each in claimed:
            if each.event is None:
                continue
            try:
                self._graph.add_episode(self._episode(each, each.event))
            except ProviderRefused as err:
                self._graph.require_working()
                self._fail(each, err.message)
            self._report.sent += 1

    def _episode(self, row: OutboxRow, event: Event) -> Episode:
        return episode_of(
            row, event, group=self._place_of(row), max_bytes=self._options.batch_bytes
        )

    def _place_of(self, row: OutboxRow) -> str:
        """The group that a row's episode was sent to, or is to be sent to."""
        is_new = row.state == "waiting" and row.sends == 0
        return self._options.group if is_new or not row.place else row.place

    def _remove(self) -> bool:
        """Remove from the graph what was purged; a row goes when the graph holds its episode no more, nor will."""
        now_ms = self._now_ms()
        rows = self._engine.outbox_rows(SINK, ("removing",), due_ms=now_ms, limit=_MAX_OPEN)
        found = self._found(rows)
        over: list[int] = []
        gone: list[str] = []
        later: list[Mapping[str, object]] = []
        for row in rows:
            for episode in found[row.number]:
                gone.extend(self._graph.delete_episode(self._place_of(row), episode.uuid))
            if found[row.number]:
                self._report.removed += 1
            was_there = row.remote != "" or bool(found[row.number])
            # What was never sent from here was looked up in case another machine had sent it.
            if row.sends == 0 or (row.sends == 1 and was_there) or self._is_processed(row):
                over.append(row.number)
            else:
                due_ms = now_ms + self._options.confirm_ms
                later.append({"number": row.number, "state": "removing", "due_ms": due_ms})
        purge_recalled(self._engine, gone)
        self._engine.outbox(SINK, {"removed": over})
        self._mark(later)
        return bool(rows)

    def _settle(self) -> bool:
        """Remove copies of what was sent more than once."""
        now_ms = self._now_ms()
        rows = self._engine.outbox_rows(SINK, ("settling",), due_ms=now_ms, limit=_MAX_OPEN)
        found = self._found(rows)
        changes: list[Mapping[str, object]] = []
        for row in rows:
            for copy in found[row.number][1:]:
                self._graph.delete_episode(self._place_of(row), copy.uuid)
                self._report.copies += 1
            if self._is_processed(row):
                changes.append({"number": row.number, "state": "stored"})
            else:
                due_ms = now_ms + min(self._options.confirm_ms, 5_000)
                changes.append({"number": row.number, "state": "settling", "due_ms": due_ms})
        self._mark(changes)
        return False

    def _verify(self) -> bool:
        """Read back everything that counts as stored; what is gone is sent again."""
        after = 0
        while rows := self._engine.outbox_rows(
            SINK, ("stored", "settling"), after=after, limit=_MAX_OPEN
        ):
            after = rows[-1].number
            found = self._found(rows)
            gone = [row for row in rows if not found[row.number]]
            self._mark(
                [
                    {"number": row.number, "state": "waiting", "remote": "", "due_ms": 0}
                    for row in gone
                ]
            )
            self._report.missing += len(gone)
        return True

    def _is_processed(self, row: OutboxRow) -> bool:
        """Whether the server has processed all that was sent of a row."""
        is_passed = self._processed_ms.get(row.place, 0) > row.sent_ms
        return is_passed or self._now_ms() - row.sent_ms > _SETTLED_MS

    def _found(self, rows: Sequence[OutboxRow]) -> dict[int, Sequence[ListedEpisode]]:
        """The episodes of each row that are in the graph, the oldest first, by the row's number."""
        names = defaultdict[str, list[str]](list)
        for row in rows:
            names[self._place_of(row)].append(row.key)
        listed = defaultdict[tuple[str, str], list[ListedEpisode]](list)
        for place, keys in names.items():
            for episode in self._graph.episodes(place, keys):
                listed[place, episode.name].append(episode)
        return {row.number: listed[self._place_of(row), row.key] for row in rows}

    def _fail(self, row: OutboxRow, reason: str) -> None:
        """Note the failure of one episode where others succeed."""
        failures = row.failures + 1
        is_dead = failures >= self._options.attempts
        change = {
            "number": row.number,
            "state": "dead" if is_dead else "waiting",
            "failures": failures,
            "due_ms": 0 if is_dead else self._now_ms() + backoff_ms(failures),
            "error": reason,
        }
        self._mark([change])
        self._report.dead += is_dead

    def _back_off(self, error: str) -> None:
        failures = self._engine.outbox_status(SINK).failures + 1
        self._note(failures=failures, due_ms=self._now_ms() + backoff_ms(failures), error=error)

    def _mark(self, changes: Sequence[Mapping[str, object]]) -> None:
        if changes:
            self._engine.outbox(SINK, {"mark": list(changes)})

    def _note(self, **fields: object) -> None:
        self._engine.outbox(SINK, {"note": fields})

    def _now_ms(self) -> int:
        return self._clock.now_ns() // 1_000_000


def take_new(
    engine: MemoryEngine,
    *,
    categories: Sequence[str],
    since_ms: int,
    group: str,
    is_from_start: bool = False,
) -> int:
    """Make rows of what was recorded since the last run; returns how many."""
    take = {
        "categories": [*categories],
        "since_ms": since_ms,
        "is_from_start": is_from_start,
        "place": group,
    }
    return engine.outbox(SINK, {"take": take})
