"""Maps the phases of the core to one steady fraction, and limits the rate of callbacks."""

from collections.abc import Callable
from types import MappingProxyType

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass

PHASE_SHARES = MappingProxyType({"scanning": 0.05, "indexing": 0.9, "finishing": 0.05})
"""The core's phases in order, and about what share of a full run's time each takes."""

EMBEDDING = "embedding"
"""The phase after them, where a provider embeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where an indexing run is: the phase, its own count, and the fraction of the whole run."""

    phase: str
    done: int
    total: int
    fraction: float


class ProgressMeter:
    """Takes the core's progress calls and passes on at most one step an interval; never goes back.

    The first step of a phase and its last are always passed on.
    """

    def __init__(
        self,
        show: Callable[[Step], None],
        *,
        clock: Clock | None = None,
        interval_s: float = 0.05,
    ) -> None:
        self._show = show
        self._clock = clock or SystemClock()
        self._interval_s = interval_s
        self._shown_at_s = float("-inf")
        self._phase = ""
        self._fraction = 0.0

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Take one progress call of the core."""
        now_s = self._clock.monotonic_s()
        if phase == EMBEDDING and self._phase != EMBEDDING:
            self._fraction = 0.0
        is_edge = phase != self._phase or done >= total
        if not is_edge and now_s - self._shown_at_s < self._interval_s:
            return
        self._phase = phase
        self._shown_at_s = now_s
        self._fraction = max(self._fraction, overall_fraction(phase, done, total))
        self._show(Step(phase=phase, done=done, total=total, fraction=self._fraction))


class PhaseTimes:
    """Measures how long each phase takes, and passes the core's progress calls on."""

    def __init__(
        self,
        passed_on: Callable[[str, int, int], None] | None = None,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._passed_on = passed_on
        self._clock = clock or SystemClock()
        self._began_s: dict[str, float] = {}

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Take one progress call of the core."""
        self._began_s.setdefault(phase, self._clock.monotonic_s())
        if self._passed_on is not None:
            self._passed_on(phase, done, total)

    def seconds(self) -> dict[str, float]:
        """What each phase took until now, as `scanning_s` and so on."""
        began = [*self._began_s.items(), ("", self._clock.monotonic_s())]
        return {
            f"{phase}_s": began[next_][1] - at for next_, (phase, at) in enumerate(began[:-1], 1)
        }


def overall_fraction(phase: str, done: int, total: int) -> float:
    """The fraction of the whole run that is done, from 0 to 1; 0 for an unknown phase.

    Embedding outside counts by itself: it may take a hundred times as long as all before.
    """
    if phase == EMBEDDING:
        return min(done / total, 1.0) if total else 0.0
    before = 0.0
    for name, share in PHASE_SHARES.items():
        if name == phase:
            return before + share * (min(done / total, 1.0) if total else 0.0)
        before += share
    return 0.0
