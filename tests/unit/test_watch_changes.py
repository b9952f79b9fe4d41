"""When a watch takes in what changed: after a moment of quiet, or without one after a while, and later while git is busy."""

import pytest

from codecairn.indexing.watch_changes import Batch, Changes
from support.clock import FakeClock


def _changes_at(*times_s: float) -> tuple[Changes, FakeClock]:
    clock = FakeClock()
    changes = Changes(clock=clock)
    for at, time_s in enumerate(times_s):
        clock.time_s = time_s
        changes.add(f"part{at}.py")
    return changes, clock


@pytest.mark.parametrize(
    ("changed_s", "due_s"),
    [
        ([0.0], 0.5),
        ([0.0, 0.25], 0.75),
        ([0.0, 0.25, 0.5, 0.75], 1.25),
        ([0.25 * at for at in range(18)], 4.75),
        ([0.25 * at for at in range(19)], 5.0),
        ([0.25 * at for at in range(20)], 5.0),
        ([10 + 0.25 * at for at in range(20)], 15.0),
    ],
)
def test_changes_are_due_after_quiet_or_five_seconds(changed_s: list[float], due_s: float) -> None:
    changes, clock = _changes_at(*changed_s)
    assert changes.due_in_s() == pytest.approx(due_s - clock.time_s)
    clock.time_s = due_s - 0.01
    assert changes.due_in_s() == pytest.approx(0.01)
    for clock.time_s in (due_s, due_s + 9):
        assert changes.due_in_s() == 0.0
    assert len(changes.take().paths or ()) == len(changed_s)
    assert changes.due_in_s() is None
    changes.add("later.py")
    assert changes.due_in_s() == 0.5, "the wait begins again"


def test_git_is_waited_for_no_longer_than_a_minute() -> None:
    changes, clock = _changes_at(0.0)
    asked_s: list[float] = []

    def is_busy() -> bool:
        asked_s.append(clock.time_s)
        clock.time_s = {0.5: 30.0, 30.0: 59.9, 59.9: 60.0, 60.0: 61.0}[clock.time_s]
        return True

    clock.time_s = 0.5
    assert changes.wait(is_busy=is_busy) == Batch(paths=("part0.py",))
    assert asked_s == [0.5, 30.0, 59.9], "a minute has passed once it was asked for the last time"


def test_git_that_is_not_busy_is_not_waited_for() -> None:
    changes, clock = _changes_at(0.0)
    clock.time_s = 0.5
    assert changes.wait(is_busy=lambda: False) == Batch(paths=("part0.py",))


@pytest.mark.parametrize(
    ("count", "is_remembered"), [(1, True), (4_095, True), (4_096, True), (4_097, False)]
)
def test_many_changes_are_not_remembered_one_by_one(count: int, *, is_remembered: bool) -> None:
    changes, _ = _changes_at(*[0.0] * count)
    changes.add("part0.py")
    batch = changes.take()
    assert batch.paths is None or len(batch.paths) == count
    assert (batch.paths is not None) is is_remembered
