"""Holds pending changes between two threads: one collects them, the other indexes them after a debounce."""

import threading
from collections.abc import Callable

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass

DEBOUNCE_S = 0.5
"""Seconds without a change after which the pending ones are indexed."""

CAP_S = 5.0
"""The maximum delay of a change while further ones arrive, in seconds."""

BUSY_CAP_S = 60.0
"""The maximum delay while git's `index.lock` exists, in seconds."""

MAX_PATHS = 4096
"""More changed paths than this are not remembered one by one: everything is looked at then."""

_BUSY_PAUSE_S = 0.1


class WatchesExhausted(OSError):
    """The system gives no more watches, or no further instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes that are taken in together.

    Attributes:
        paths: What changed, relative to the root; `None` if everything must be looked at.
        git: Whether git's own state changed.
        settings: Whether a file of settings changed.
    """

    paths: tuple[str, ...] | None
    git: bool = False
    settings: bool = False


class Changes:
    """Collects changes until they may be taken. Its memory is bounded, however many there are."""

    def __init__(
        self,
        *,
        debounce_s: float = DEBOUNCE_S,
        cap_s: float = CAP_S,
        max_paths: int = MAX_PATHS,
        clock: Clock | None = None,
    ) -> None:
        self._debounce_s = debounce_s
        self._cap_s = cap_s
        self._max_paths = max_paths
        self._clock = clock or SystemClock()
        self._condition = threading.Condition(threading.RLock())
        self._closed = False
        self._paths: set[str] = set()
        self._everything = self._git = self._settings = False
        self._first_s: float | None = None
        self._last_s = 0.0

    def add(self, path: str) -> None:
        """Something changed at this path or below it."""
        with self._condition:
            if not self._everything:
                self._paths.add(path)
                if len(self._paths) > self._max_paths:
                    self._everything = True
                    self._paths.clear()
            self._stamp()

    def add_everything(self) -> None:
        """Anything may have changed, ignore rules included."""
        with self._condition:
            self._everything = True
            self._paths.clear()
            self._stamp()

    def add_git(self) -> None:
        """Git's own state changed: perhaps another branch or commit is checked out."""
        with self._condition:
            self._git = True
            self._stamp()

    def add_settings(self) -> None:
        """A file of settings changed."""
        with self._condition:
            self._settings = True
            self._stamp()

    def close(self) -> None:
        """No thread waits for changes any longer."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def due_in_s(self) -> float | None:
        """Seconds until the changes should be taken; 0 if that is now, `None` if there are none."""
        with self._condition:
            if self._first_s is None:
                return None
            due_s = min(self._last_s + self._debounce_s, self._first_s + self._cap_s)
            return max(0.0, due_s - self._clock.monotonic_s())

    def age_s(self) -> float:
        """How long the oldest change has been waiting, in seconds."""
        with self._condition:
            return 0.0 if self._first_s is None else self._clock.monotonic_s() - self._first_s

    def take(self) -> Batch:
        """All changes so far, which are forgotten here."""
        with self._condition:
            paths = None if self._everything else tuple(sorted(self._paths))
            batch = Batch(paths=paths, git=self._git, settings=self._settings)
            self._clear()
            return batch

    def wait(
        self,
        *,
        timeout_s: float | None = None,
        is_busy: Callable[[], bool] = lambda: False,
    ) -> Batch | None:
        """The next changes, once it is quiet or has been noisy for too long; `None` once closed.

        Without any changes, everything is due after `timeout_s`. While `is_busy`, more are waited for.
        """
        ends_s = None if timeout_s is None else self._clock.monotonic_s() + timeout_s
        with self._condition:
            while not self._closed:
                due_s = self.due_in_s()
                if due_s == 0.0:
                    if not is_busy() or self.age_s() >= BUSY_CAP_S:
                        return self.take()
                    due_s = _BUSY_PAUSE_S
                elif due_s is None and ends_s is not None:
                    due_s = ends_s - self._clock.monotonic_s()
                    if due_s <= 0:
                        return Batch(paths=None)
                self._condition.wait(due_s)
            return None

    def _stamp(self) -> None:
        self._last_s = self._clock.monotonic_s()
        if self._first_s is None:
            self._first_s = self._last_s
            self._condition.notify_all()

    def _clear(self) -> None:
        self._paths = set()
        self._everything = self._git = self._settings = False
        self._first_s = None
