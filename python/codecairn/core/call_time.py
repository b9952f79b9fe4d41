"""The time budget that all git processes of one call share. Only the time spent waiting for git counts."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

TIMEOUT_S = 30
"""How long one git may take, and all of a call together."""


class CallTime:
    """The rest of a budget, in seconds. Time in which several git processes are waited for counts once. Thread-safe."""

    def __init__(self, total_s: float) -> None:
        self._lock = threading.Lock()
        self._left_s = total_s
        self._waiting = 0
        self._since_s = 0.0

    def left_s(self) -> float:
        """How much is left now; less than zero if a git took longer."""
        with self._lock:
            return self._left_s - (time.monotonic() - self._since_s if self._waiting else 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Take the time of the block, in which a git is waited for."""
        with self._lock:
            if not self._waiting:
                self._since_s = time.monotonic()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._left_s -= time.monotonic() - self._since_s


_of_call: ContextVar[CallTime | None] = ContextVar("git_call_time", default=None)


@contextmanager
def one_call() -> Iterator[None]:
    """Give all gits that are started inside, in this context, `TIMEOUT_S` together; inside another call they have its time."""
    token = _of_call.set(_of_call.get() or CallTime(TIMEOUT_S))
    try:
        yield
    finally:
        _of_call.reset(token)


def call_time() -> CallTime:
    """The time of the call; outside of one it has no end."""
    return _of_call.get() or CallTime(float("inf"))
