"""Limits the rate of requests: concurrency, interval, tokens a minute; slower after a refusal.

All threads that use one provider share a limiter. After "too many requests" no request starts before the time that the provider
named, and the limit of concurrent requests is halved; it grows by one after each run of successes.
"""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from codecairn.clock import Clock, SystemClock
from codecairn.errors import Cancelled

_CALM_ANSWERS = 8
"""Good answers in a row after which one more request may be under way."""


class Stop:
    """Stops all threads of a run; waiting ones wake at once."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End the run."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether the run ends."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, unless the run ends before.

        Raises:
            Cancelled: If it does.
        """
        if self._event.wait(seconds):
            message = "the run was stopped"
            raise Cancelled(message)


class Pace(Protocol):
    """How fast one provider may be asked."""

    @property
    def concurrency(self) -> int:
        """Requests under way at once."""
        ...

    @property
    def interval_ms(self) -> int:
        """Milliseconds between the starts of two requests."""
        ...

    @property
    def backoff_ms(self) -> int:
        """Milliseconds of the first wait after a failure."""
        ...

    @property
    def max_backoff_ms(self) -> int:
        """Milliseconds of the longest such wait."""
        ...


class Limiter:
    """Lets requests start when the limits allow it."""

    def __init__(
        self,
        limits: Pace,
        *,
        tokens_per_minute: int = 0,
        stop: Stop | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._limits = limits
        self._tokens_per_s = tokens_per_minute / 60
        self._stop = stop or Stop()
        self._clock = clock or SystemClock()
        self._state = threading.Condition()
        self._allowed = limits.concurrency
        self._under_way = 0
        self._calm = 0
        self._next_start_s = 0.0
        # A minute's tokens may be used at once, and come back steadily.
        self._tokens = float(tokens_per_minute)
        self._filled_at_s = self._clock.monotonic_s()

    @contextmanager
    def turn(self, tokens: int) -> Iterator[None]:
        """Hold one of the places while a request is under way.

        Raises:
            Cancelled: If the run is stopped while waiting.
        """
        self._enter(tokens)
        try:
            yield
        finally:
            with self._state:
                self._under_way -= 1
                self._state.notify_all()

    def refused(self, attempt: int, retry_after_s: float | None, *, is_limit: bool) -> float:
        """Take note of a failed request; returns the seconds to wait before it is tried again.

        Without advice from the provider the wait doubles with each attempt and has jitter, so that many clients do not
        come back at once. Advice is kept to as it is, and a little more.
        """
        base_s = min(self._limits.backoff_ms * 2**attempt, self._limits.max_backoff_ms) / 1000
        jitter = random.uniform(0.5, 1.0)  # noqa: S311 - not for secrets
        wait_s = base_s * jitter if retry_after_s is None else retry_after_s + 0.05 * jitter
        if is_limit:
            with self._state:
                self._calm = 0
                self._allowed = max(1, self._allowed // 2)
                self._next_start_s = max(self._next_start_s, self._clock.monotonic_s() + wait_s)
        return wait_s

    def answered(self) -> None:
        """Take note of a good answer."""
        with self._state:
            self._calm += 1
            if self._calm >= _CALM_ANSWERS and self._allowed < self._limits.concurrency:
                self._calm = 0
                self._allowed += 1
                self._state.notify_all()

    def _enter(self, tokens: int) -> None:
        while True:
            with self._state:
                if self._stop.is_set:
                    message = "the run was stopped"
                    raise Cancelled(message)
                if self._under_way >= self._allowed:
                    self._state.wait(0.05)
                    continue
                wait_s = self._wait_s(tokens)
                if wait_s <= 0:
                    now_s = self._clock.monotonic_s()
                    self._under_way += 1
                    self._next_start_s = max(
                        self._next_start_s, now_s + self._limits.interval_ms / 1000
                    )
                    self._tokens -= tokens
                    return
            self._stop.wait(wait_s)

    def _wait_s(self, tokens: int) -> float:
        now_s = self._clock.monotonic_s()
        wait_s = self._next_start_s - now_s
        if self._tokens_per_s:
            most = self._tokens_per_s * 60
            self._tokens = min(
                most, self._tokens + (now_s - self._filled_at_s) * self._tokens_per_s
            )
            self._filled_at_s = now_s
            missing = min(tokens, most) - self._tokens
            wait_s = max(wait_s, missing / self._tokens_per_s)
        return wait_s
