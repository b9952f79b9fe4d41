"""Budgets of figures: minima, maxima, and the largest loss against a baseline."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from codecairn.config.validation import nearest
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.evaluation.questions import read_json

Figures: TypeAlias = Mapping[str, float]
Budget: TypeAlias = Mapping[str, float]
"""Limits by their keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that is not kept."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    figure: str
    needs_baseline: bool
    is_kept: Callable[[float, float, float], bool]
    """Takes the figure, the limit and the baseline's figure."""
    words: str


def _at_least(figure: str) -> _Limit:
    return _Limit(
        figure=figure,
        needs_baseline=False,
        is_kept=lambda value, limit, _: value >= limit,
        words="at least",
    )


def _at_most(figure: str) -> _Limit:
    return _Limit(
        figure=figure,
        needs_baseline=False,
        is_kept=lambda value, limit, _: value <= limit,
        words="at most",
    )


def _drop(figure: str) -> _Limit:
    return _Limit(
        figure=figure,
        needs_baseline=True,
        is_kept=lambda value, limit, before: before - value <= limit,
        words="below the baseline by at most",
    )


def _times(figure: str) -> _Limit:
    return _Limit(
        figure=figure,
        needs_baseline=True,
        is_kept=lambda value, limit, before: value <= limit * before,
        words="times the baseline at most",
    )


_QUALITY = {
    "HitAt1": "hit@1",
    "HitAt3": "hit@3",
    "HitAt5": "hit@5",
    "HitAt10": "hit@10",
    "MrrAt10": "mrr@10",
    "NdcgAt10": "ndcg@10",
}

LIMITS: Mapping[str, _Limit] = MappingProxyType(
    {
        **{f"min{name}": _at_least(figure) for name, figure in _QUALITY.items()},
        **{
            f"{name[0].lower()}{name[1:]}MaxDrop": _drop(figure)
            for name, figure in _QUALITY.items()
        },
        **{
            f"p{share}LatencyMaxMultiplier": _times(f"latency_p{share}_ms")
            for share in (50, 95, 99)
        },
        **{f"p{share}LatencyMaxMs": _at_most(f"latency_p{share}_ms") for share in (50, 95, 99)},
        "minRawDistinctTop3Ratio": _at_least("distinct_top3"),
        "maxContextResponseTokensMax": _at_most("tokens_most"),
        "minGraphNeighborRecall": _at_least("neighbour_recall"),
        "minRouteAccuracy": _at_least("route_accuracy"),
    }
)
"""Every limit by its key, which is open-codebase-index's where that has it."""


def read_budget(file: Path) -> Budget:
    """The limits in a JSON file: an object, or one under `thresholds`.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If a key is not known or a value is no number.
    """
    found = read_json(file)
    if isinstance(found, dict) and isinstance(found.get("thresholds"), dict):
        found = found["thresholds"]
    if not isinstance(found, dict) or not found:
        raise UsageError(f"`{file}` holds no limits", hint='such as `{"minHitAt5": 0.8}`')
    for key, value in found.items():
        if key not in LIMITS:
            raise UsageError(f"`{file}`: unknown limit `{key}`", hint=nearest(key, LIMITS))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"`{file}`: `{key}` is no number")
    return found


def breaches(budget: Budget, figures: Figures, baseline: Figures | None) -> Iterator[Breach]:
    """The limits that the figures don't keep.

    Raises:
        UsageError: If a limit needs a baseline and there is none, or a figure that no question asks for.
    """
    for key, bound in budget.items():
        limit = LIMITS[key]
        value = _value(figures, limit.figure, key)
        if not limit.needs_baseline:
            before = 0.0
        elif baseline is None:
            raise UsageError(
                f"`{key}` needs something to compare with", hint="give `--baseline REPORT`"
            )
        else:
            before = _value(baseline, limit.figure, key)
        if not limit.is_kept(value, bound, before):
            than = f" (the baseline has {before:g})" if limit.needs_baseline else ""
            yield Breach(
                key=key,
                text=f"{limit.figure} is {value:g}, and must be {_said(limit.words, bound)}{than}",
            )


def _said(words: str, bound: float) -> str:
    return f"{bound:g} {words}" if re.match("times", words) else f"{words} {bound:g}"


def _value(figures: Figures, name: str, key: str) -> float:
    if name not in figures:
        raise UsageError(
            f"`{key}` is about `{name}`, which no question asks for",
            hint="`expectedRoute` and `graphNeighbor` of packs do",
        )
    return figures[name]
