"""Progress: one steady fraction, not too often."""

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
