"""Figures by side, and the paired difference between the sides, with 95 % intervals that draw whole questions."""

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benches.agents.programs.scoring import COUNTS, SECONDS, SHARES, USED
from benches.agents.programs.sides import WITH, WITHOUT
from benches.public.parts import interval
from benches.results import Figure

Values = Mapping[str, Sequence[Mapping[str, float]]]
"""Of each question, the measures of its runs."""


def all_figures(values: Mapping[str, Values]) -> Iterator[Figure]:
    """Each side, then the difference."""
    for side, found in values.items():
        yield from by_side(side, found)
    yield from differences(values)


def by_side(side: str, values: Values) -> Iterator[Figure]:
    """The mean of each measure on one side."""
    for measure in (*SHARES, *COUNTS):
        groups = _of(measure, values)
        if groups and (side == WITH or measure != USED):
            yield _figure(f"{side}: {measure}", measure, groups, f"{len(groups)} questions")


def differences(values: Mapping[str, Values]) -> Iterator[Figure]:
    """The mean difference over questions: with codecairn less without it."""
    for measure in (*SHARES, *COUNTS):
        sides = [_of(measure, values.get(side, {})) for side in (WITH, WITHOUT)]
        pairs = {
            question: [statistics.fmean(sides[0][question]) - statistics.fmean(sides[1][question])]
            for question in sides[0]
            if question in sides[1]
        }
        if pairs and measure != USED:
            yield _figure(f"difference: {measure}", measure, pairs, _note(measure, pairs))


def _note(measure: str, pairs: Mapping[str, Sequence[float]]) -> str:
    """The number of pairs and their standard deviation, by which more questions are planned."""
    note = f"{len(pairs)} questions"
    if len(pairs) > 1:
        deviation = statistics.stdev(value for values in pairs.values() for value in values)
        note += f", standard deviation {_factor(measure) * deviation:.3g}"
    return note


def _of(measure: str, values: Values) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for question, runs in values.items():
        for run in runs:
            if measure in run:
                found[question].append(run[measure])
    return dict(found)


def _factor(measure: str) -> int:
    return 1 if measure in COUNTS else 100


def _figure(title: str, measure: str, groups: Mapping[str, Sequence[float]], note: str) -> Figure:
    mean, low, high = (_factor(measure) * each for each in interval(groups))
    unit = "s" if measure == SECONDS else "" if measure in COUNTS else "%"
    return Figure(measure=title, value=mean, low=low, high=high, unit=unit, note=note)
