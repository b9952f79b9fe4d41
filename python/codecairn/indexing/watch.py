"""Keeps an index up to date while files change: in the background of a host process, or as a command.

There are two threads: one receives events from the system and records the changed paths, the other waits for a quiet moment and
takes them in. With a remote provider, a third one embeds new texts. Without events all of them sleep.
"""

import logging
import math
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from codecairn.clock import Clock, SystemClock
from codecairn.core.closeable import Closeable
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.indexing import IndexReport
from codecairn.errors import DiskFull, IndexLocked
from codecairn.indexing.lock_retry import LockRetry, Notify
from codecairn.indexing.store_opening import Opening
from codecairn.indexing.watch_changes import Batch, Changes, WatchesExhausted
from codecairn.indexing.watch_embedding import BackgroundEmbedding
from codecairn.indexing.watch_filter import EventFilter, GitAndSettingsFiles
from codecairn.indexing.watch_target import Target

if TYPE_CHECKING:
    from typing_extensions import Self

POLL_S = 2.0
"""The minimum interval between two full scans, where the system reports no events."""

POLL_SHARE = 20
"""Between two such looks passes at least this many times what one takes."""

_RETRY_S = 30.0

_MANY_CHUNKS = 5000
"""Chunks that one run must have made for it to leave memory behind that is worth giving back."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Changes that a watch has taken in.

    Attributes:
        report: What indexing did.
        paths: What was looked at, relative to the root; `None` for everything.
    """

    report: IndexReport
    paths: tuple[str, ...] | None

    @property
    def has_changes(self) -> bool:
        """Whether the index is another one than before."""
        report = self.report
        return bool(report.added or report.modified or report.removed or report.renamed)


class _Source(Protocol):
    @property
    def watches(self) -> int: ...
    def start(self) -> None: ...
    def resync(self) -> None: ...
    def close(self) -> None: ...


class _Closed(Exception):
    """The watch was closed in the middle of something."""


class Watch(Closeable):
    """Keeps one workspace's index fresh until it is closed. A context manager.

    Attributes:
        ready: Set once the index is up to date for the first time.
        error: What ended the watch, if something did.
    """

    def __init__(
        self,
        opening: Opening,
        *,
        arguments: Mapping[str, object],
        on_update: Callable[[Update], None] | None = None,
        notify: Notify | None = None,
        poll: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.ready = threading.Event()
        self.error: Exception | None = None
        self._on_update = on_update
        self._notify = notify or _log.info
        self._poll = poll
        self._clock = clock or SystemClock()
        self._changes = Changes(clock=self._clock)
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._exhausted = False
        self._took_s = 0.0
        self._branch: str | None = None
        self._target = Target(opening, arguments)
        self._source: _Source | None = None
        self._embedding = BackgroundEmbedding(self._notify, clock=self._clock)
        self._git_and_settings = GitAndSettingsFiles.of(self._target.root)
        self._worker = threading.Thread(target=self._run, name="codecairn-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch; the first look at everything happens in the background."""
        if not self._poll:
            self._start_source()
        self._worker.start()

    def stop(self) -> None:
        """Ask it to end: what is being indexed is broken off, and found again next time."""
        self._stop.set()
        self._changes.close()
        self._embedding.stop()

    def close(self) -> None:
        """Stop, and wait until everything is given back."""
        self.stop()
        if self._worker.is_alive():
            self._worker.join()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the watch has ended; returns whether it has.

        Raises:
            CodecairnError: What ended it, unless that was `close`.
        """
        has_ended = self._ended.wait(timeout_s)
        if has_ended and self.error is not None:
            raise self.error
        return has_ended

    @property
    def is_polling(self) -> bool:
        """Whether it polls with full scans, as the system reports no events."""
        return self._source is None

    @property
    def watches(self) -> int:
        """How many folders the system watches."""
        return 0 if self._source is None else self._source.watches

    def __enter__(self) -> "Self":
        self.start()
        return self

    # The source of events

    def _start_source(self) -> None:
        changes = self._changes
        places = EventFilter(
            self._target.root,
            self._git_and_settings,
            changes,
            is_walked=self._target.is_walked,
        )
        try:
            source = self._new_source(places)
            self._source = source
            source.start()
        except WatchesExhausted:
            self._fall_back()

    def _new_source(self, places: EventFilter) -> _Source:
        if sys.platform.startswith("linux"):
            from codecairn.indexing.watch_inotify import InotifySource

            return InotifySource(
                self._target.root,
                places,
                self._changes,
                folders=self._target.folders,
                exhausted=self._run_out,
            )
        from watchdog.observers import Observer

        from codecairn.indexing.watch_recursive import RecursiveSource

        return RecursiveSource(self._target.root, places, observer=Observer)

    def _run_out(self) -> None:
        """From the reading thread: the system gives no more watches."""
        self._exhausted = True
        self._changes.add_everything()

    def _fall_back(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None
        self._notify(
            "the system gives no more file watches, so changes are looked for from time to time; "
            "raise `fs.inotify.max_user_watches` and `fs.inotify.max_user_instances`"
        )

    # The worker

    def _run(self) -> None:
        try:
            self._take_in(Batch(paths=None))
            self.ready.set()
            while True:
                timeout_s = max(POLL_S, POLL_SHARE * self._took_s) if self.is_polling else None
                batch = self._changes.wait(
                    timeout_s=timeout_s, is_busy=self._git_and_settings.is_git_busy
                )
                if batch is None:
                    break
                self._take_in(batch)
        except _Closed:
            pass
        except Exception as err:  # noqa: BLE001 - the edge of a thread: `wait` raises it
            self.error = err
        finally:
            if self._source is not None:
                self._source.close()
            self._embedding.close()
            self._target.close()
            self.ready.set()
            self._ended.set()

    def _take_in(self, batch: Batch) -> None:
        if self._exhausted:
            self._exhausted = False
            self._fall_back()
        everything = batch.paths is None
        if batch.settings:
            everything = True
            wrong = self._target.reload()
            if wrong:
                self._notify(f"the settings before stay in force: {wrong}")
        if batch.git and self._target.has_moved():
            everything = True
        paths = None if everything else batch.paths
        if paths == ():
            return
        if everything:
            self._resync()
        self._index(paths)

    def _resync(self) -> None:
        if self._source is not None:
            try:
                self._source.resync()
            except WatchesExhausted:
                self._fall_back()

    def _index(self, paths: tuple[str, ...] | None) -> None:
        lock_retry = LockRetry(
            wait_s=math.inf, notify=self._notify, clock=self._clock, pause=self._stop.wait
        )
        started_s = self._clock.monotonic_s()
        try:
            report = self._target.index(paths, lock_retry=lock_retry, progress=self._check)
        except IndexLocked as err:
            raise _Closed from err
        except DiskFull as err:
            self._notify(err.message)
            self._changes.add_everything()
            self._stop.wait(_RETRY_S)
            return
        self._took_s = self._clock.monotonic_s() - started_s
        if report.new_chunks >= _MANY_CHUNKS:
            trim_heap()
        update = Update(report=report, paths=paths)
        is_news = update.has_changes or report.branch != self._branch
        self._branch = report.branch
        if self._on_update is not None and is_news:
            self._on_update(update)
        if report.pending:
            self._embedding.wake(self._target.opening)

    def _check(self, _phase: str, _done: int, _total: int) -> None:
        if self._stop.is_set():
            raise _Closed


def trim_heap() -> None:
    """Return what the C library keeps for reuse.

    The GNU C library keeps freed memory in one arena a thread, for as long as the process lives; after a full index that
    is several times what a process that then waits for changes needs. Elsewhere this does nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
