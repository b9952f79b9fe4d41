"""The time that all gits of one call of ours have together."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

TIMEOUT_S = 30
"""How long one git may take, and all of a call together."""

_ends_s: ContextVar[float] = ContextVar("git_ends_s", default=math.inf)


@contextmanager
def one_call() -> Iterator[None]:
    """Give all gits that are started inside, in this context, `TIMEOUT_S` together; inside another call they have its time."""
    token = _ends_s.set(min(_ends_s.get(), time.monotonic() + TIMEOUT_S))
    try:
        yield
    finally:
        _ends_s.reset(token)


def call_ends_s() -> float:
    """When the time of the call ends, on the monotonic clock in seconds; infinity outside of one."""
    return _ends_s.get()
