"""Metrics of the recent use of a store, computed from its log."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.core.store_log import Entry, forget, read_entries
from codecairn.workspace.effectiveness import Effectiveness


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How one number of one kind of entry is spread. `median`, `p95` and `greatest` are of the same unit as it.

    Attributes:
        category: The entries' category.
        message: What was done.
        name: Which of its numbers; times end in `_s` and are in seconds.
        count: How many entries have it.
        total: Their sum.
    """

    category: str
    message: str
    name: str
    count: int
    total: float
    median: float
    p95: float
    greatest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Figures of a store.

    Attributes:
        since_ns: When the oldest entry was written, nanoseconds since 1970; 0 if there is none.
        entries: How many entries they are made from.
        problems: How many of these are warnings or errors.
        measures: By category, message and name.
        effectiveness: What became of what agents were shown; `None` if nothing was shown or it was not computed.
    """

    since_ns: int
    entries: int
    problems: int
    measures: tuple[Measure, ...]
    effectiveness: Effectiveness | None = None


def measure_store(store: Path, *, reset: bool) -> Metrics:
    """The figures of a store's log; with `reset` it is cleared afterwards."""
    found = measure(read_entries(store))
    if reset:
        forget(store)
    return found


def measure(entries: Iterable[Entry]) -> Metrics:
    """The figures of these entries."""
    listed = list(entries)
    spread: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for entry in listed:
        for name, value in entry.numbers.items():
            spread[entry.category, entry.message, name].append(value)
    return Metrics(
        since_ns=min((entry.time_ns for entry in listed), default=0),
        entries=len(listed),
        problems=sum(entry.level in {"warn", "error"} for entry in listed),
        measures=tuple(_measure(key, sorted(values)) for key, values in sorted(spread.items())),
    )


def _measure(key: tuple[str, str, str], values: list[float]) -> Measure:
    category, message, name = key
    return Measure(
        category=category,
        message=message,
        name=name,
        count=len(values),
        total=round(sum(values), 6),
        median=_quantile(values, 0.5),
        p95=_quantile(values, 0.95),
        greatest=values[-1],
    )


def _quantile(values: list[float], share: float) -> float:
    """The least of the sorted values that is not below this share of them."""
    return values[max(0, -int(-share * len(values) // 1) - 1)]
