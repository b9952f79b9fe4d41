"""Embeds pending texts of a watch in a thread of its own, for which indexing never waits."""

import threading

from codecairn.clock import Clock, SystemClock
from codecairn.core.closeable import Closeable
from codecairn.core.types.embedding import EmbeddingReport
from codecairn.errors import Cancelled, CodecairnError
from codecairn.indexing.lock_retry import Notify
from codecairn.indexing.store_opening import Opening

FIRST_RETRY_S = 30.0
"""After a failure of the provider, or of a text by itself; the wait doubles with each."""

MAX_RETRY_S = 900.0

_PASSING = frozenset({"provider", "busy"})
"""Reasons for an early end that may pass by themselves."""


class BackgroundEmbedding(Closeable):
    """Has texts embedded outside when it is woken. Its thread begins with the first call and ends with `close`."""

    def __init__(self, notify: Notify, *, clock: Clock | None = None) -> None:
        self._notify = notify
        self._clock = clock or SystemClock()
        self._state = threading.Condition()
        self._opening: Opening | None = None
        self._is_closed = False
        self._destination = ""
        self._trouble = ""
        self._thread: threading.Thread | None = None

    def wake(self, opening: Opening) -> None:
        """There are pending texts; nothing happens without a remote provider."""
        if opening.choice.plan is None or opening.read_only:
            return
        with self._state:
            self._opening = opening
            self._state.notify_all()
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(
                    target=self._run, name="codecairn-watch-embedding", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """Ask it to end: requests under way are given up, what has been answered is taken in."""
        with self._state:
            self._is_closed = True
            self._state.notify_all()

    def close(self) -> None:
        """Stop, and wait until it has ended."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        retry_s = FIRST_RETRY_S
        opening = self._next(None)
        while opening is not None:
            try:
                report = self._embed(opening)
            except Cancelled:
                return
            except CodecairnError as err:
                report = None
                self._tell_trouble(err.message)
            if report is not None and report.stopped not in _PASSING and not report.failed:
                retry_s, wait_s = FIRST_RETRY_S, None
            else:
                retry_s, wait_s = min(2 * retry_s, MAX_RETRY_S), retry_s
            opening = self._next(wait_s, after=opening)

    def _embed(self, opening: Opening) -> EmbeddingReport:
        from codecairn.indexing.index_run import embed_recorded

        engine = opening.open(create=True)
        try:
            is_told = (
                opening.choice.plan is None or opening.choice.plan.destination == self._destination
            )
            report = embed_recorded(
                engine, opening, notify=None if is_told else self._notify, progress=self._check
            )
        finally:
            engine.close()
        self._destination = report.destination
        if report.stopped and report.stopped != "busy":
            self._tell_trouble(f"embedding stopped: {report.detail}")
        elif report.embedded:
            self._trouble = ""
        return report

    def _next(self, wait_s: float | None, *, after: Opening | None = None) -> Opening | None:
        """What to embed for: as soon as it is woken, or `after` once more after a wait; `None` if it ends."""
        ends_s = None if wait_s is None else self._clock.monotonic_s() + wait_s
        with self._state:
            while self._opening is None and not self._is_closed:
                left_s = None if ends_s is None else ends_s - self._clock.monotonic_s()
                if left_s is not None and left_s <= 0:
                    return after
                self._state.wait(left_s)
            opening, self._opening = self._opening, None
            return None if self._is_closed else opening

    def _tell_trouble(self, text: str) -> None:
        """Repeats of one error are reported once, until it has passed."""
        if text != self._trouble:
            self._trouble = text
            self._notify(text)

    def _check(self, _phase: str, _done: int, _total: int) -> None:
        if self._is_closed:
            message = "the watch was closed"
            raise Cancelled(message)
