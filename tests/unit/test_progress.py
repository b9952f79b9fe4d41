"""Progress: one steady fraction, not too often."""

import io
import sys

import pytest

from codecairn.cli.progress import terminal_progress
from codecairn.indexing.progress import PHASE_SHARES, ProgressMeter, Step, overall_fraction
from support.clock import FakeClock


def test_shares_of_all_phases_make_a_whole() -> None:
    assert abs(sum(PHASE_SHARES.values()) - 1) < 1e-9
    assert abs(overall_fraction("finishing", 1, 1) - 1) < 1e-9


def test_unknown_phase_and_empty_phase_are_at_their_beginning() -> None:
    assert overall_fraction("dreaming", 1, 2) == 0
    assert overall_fraction("indexing", 0, 0) == PHASE_SHARES["scanning"]


def test_steps_between_are_passed_on_at_intervals_only() -> None:
    clock = FakeClock()
    steps: list[Step] = []
    meter = ProgressMeter(steps.append, clock=clock, interval_s=1.0)
    meter("indexing", 0, 10)
    meter("indexing", 1, 10)
    clock.time_s = 2.0
    meter("indexing", 2, 10)
    meter("indexing", 10, 10)
    meter("finishing", 1, 10)
    assert [(step.phase, step.done) for step in steps] == [
        ("indexing", 0),
        ("indexing", 2),
        ("indexing", 10),
        ("finishing", 1),
    ]


def test_fraction_never_goes_back() -> None:
    steps: list[Step] = []
    meter = ProgressMeter(steps.append, clock=FakeClock())
    for phase, done in (("indexing", 9), ("scanning", 1), ("indexing", 10), ("finishing", 10)):
        meter(phase, done, 10)
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bar_appears_with_the_first_call_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with terminal_progress(quiet=False) as bar:
        assert bar is not None
        assert stream.getvalue() == ""
        bar("scanning", 10, 10)
        bar("embedding", 5, 20)
    shown = stream.getvalue()
    assert "scanning" in shown or "embedding" in shown
    assert "5 of 20 texts" in shown
    assert shown.rstrip("\n").endswith("\x1b[2K"), "its line is erased"


def test_bar_that_was_never_needed_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal_progress(quiet=False):
        pass
    assert stream.getvalue() == ""


def test_there_is_no_bar_in_a_pipe_nor_where_quiet_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal())
    with terminal_progress(quiet=True) as bar:
        assert bar is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal_progress(quiet=False) as bar:
        assert bar is None
