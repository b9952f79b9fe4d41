"""Retries while another process holds the write lock of a store."""

import time
from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias, TypeVar

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import IndexLocked

Notify: TypeAlias = Callable[[str], None]
"""Called with a message about a wait or an unusual condition."""

_Result = TypeVar("_Result")

_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRetry:
    """How long to wait while another process writes, and how to report the wait.

    Attributes:
        wait_s: Seconds to wait at most; 0 for not at all.
        notify: Told once who it is that writes.
        clock: Measures the wait.
        pause: Sleeps for some seconds; true if the caller no longer waits.
    """

    wait_s: float
    notify: Notify | None = None
    clock: Clock = field(default_factory=SystemClock)
    pause: Callable[[float], bool | None] = time.sleep

    def until_free(
        self, work: Callable[[], _Result], *, instead: Callable[[], _Result | None] | None = None
    ) -> _Result:
        """What `work` gives as soon as no other process writes.

        Args:
            work: Fails with `IndexLocked` while another process writes.
            instead: Asked meanwhile for something that makes the work needless.

        Raises:
            IndexLocked: If another process still writes after the wait.
        """
        ends_s = self.clock.monotonic_s() + self.wait_s
        pause_s, is_told = _FIRST_PAUSE_S, False
        while True:
            try:
                return work()
            except IndexLocked as err:
                found = instead() if instead is not None else None
                if found is not None:
                    return found
                if self.clock.monotonic_s() >= ends_s:
                    raise
                if self.notify is not None and not is_told and pause_s >= _LONGEST_PAUSE_S:
                    self.notify(f"{err.message}; waiting until it is done")
                    is_told = True
            if self.pause(pause_s):
                raise IndexLocked("the wait was cancelled")
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
