"""The source of time, which tests replace."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        ...

    def monotonic_s(self) -> float:
        """Seconds since some fixed moment, never going back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        return time.time_ns()

    def monotonic_s(self) -> float:
        """Seconds since some fixed moment, never going back."""
        return time.monotonic()
