"""Waiting for another process that writes."""

import pytest

from codecairn import IndexLocked
from codecairn.indexing.lock_retry import LockRetry
from support.clock import FakeClock


class Lock:
    """Held until a time, on a clock that goes on only when somebody sleeps."""

    def __init__(self, *, free_at_s: float) -> None:
        self.clock = FakeClock()
        self.free_at_s = free_at_s
        self.told: list[str] = []

    def work(self) -> str:
        if self.clock.time_s < self.free_at_s:
            raise IndexLocked("the index is being written by somebody")
        return "done"

    def pause(self, seconds: float) -> None:
        self.clock.time_s += seconds

    def lock_retry(self, wait_s: float) -> LockRetry:
        return LockRetry(wait_s=wait_s, notify=self.told.append, clock=self.clock, pause=self.pause)


def test_work_is_done_as_soon_as_the_lock_is_free() -> None:
    lock = Lock(free_at_s=3)
    assert lock.lock_retry(10).until_free(lock.work) == "done"
    assert 3 <= lock.clock.time_s < 3.2
    assert lock.told == ["the index is being written by somebody; waiting until it is done"]


def test_nobody_is_told_of_a_moment() -> None:
    lock = Lock(free_at_s=0.02)
    assert lock.lock_retry(10).until_free(lock.work) == "done"
    assert lock.told == []


def test_patience_ends() -> None:
    lock = Lock(free_at_s=99)
    with pytest.raises(IndexLocked, match="by somebody"):
        lock.lock_retry(2).until_free(lock.work)
    assert lock.clock.time_s < 2.2


def test_no_patience_tries_once() -> None:
    lock = Lock(free_at_s=99)
    with pytest.raises(IndexLocked):
        lock.lock_retry(0).until_free(lock.work)
    assert lock.clock.time_s == 0


def test_what_somebody_else_has_done_meanwhile_will_do() -> None:
    lock = Lock(free_at_s=99)
    found = lock.lock_retry(50).until_free(
        lock.work, instead=lambda: "theirs" if lock.clock.time_s > 1 else None
    )
    assert found == "theirs"
    assert lock.clock.time_s < 1.3


def test_a_pause_can_end_the_wait() -> None:
    lock = Lock(free_at_s=99)
    lock_retry = LockRetry(wait_s=50, clock=lock.clock, pause=lambda _seconds: True)
    with pytest.raises(IndexLocked):
        lock_retry.until_free(lock.work)
