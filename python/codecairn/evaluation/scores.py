"""Scores of one result list, and their means.

A target counts at the first of the best ten results that lies in it, and a rank counts for one target at most. Results of
equal path and name count once.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.evaluation.questions import Question

TOP = 10
CUTS = (1, 3, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One result: where it is."""

    path: str
    name: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question with what came back.

    Attributes:
        id: The question's.
        query: What was asked.
        kind: Its sort.
        mode: How it was asked.
        rank: The rank of the first right answer among the best ten, from 1; 0 for none.
        ndcg10: Normalised discounted cumulative gain over the best ten.
        latency_ms: How long it took.
        tokens: About how many tokens came back.
        distinct_top3: Which part of the best three are different files; 1 without results.
        route_is_right: Whether a pack took the way that was expected; `None` if none was.
        has_neighbour: Whether a pack held the symbol that was expected; `None` if none was.
        found: The results, best first.
    """

    id: str
    query: str
    kind: str
    mode: str
    rank: int
    ndcg10: float
    latency_ms: float
    tokens: int
    distinct_top3: float
    route_is_right: bool | None
    has_neighbour: bool | None
    found: tuple[Found, ...]


def judged(question: Question, found: Sequence[Found]) -> tuple[int, float]:
    """The rank of the first right answer (0 for none) and the nDCG of the best ten."""
    best = distinct(found)[:TOP]
    ranks: dict[int, int] = {}
    for target in question.targets:
        rank = next(
            (
                at
                for at, each in enumerate(best, start=1)
                if any(
                    place.covers(each.path, each.name, each.start_line, each.end_line)
                    for place in target.places
                )
            ),
            0,
        )
        if rank:
            ranks[rank] = max(target.relevance, ranks.get(rank, 0))
    gains = sorted((target.relevance for target in question.targets), reverse=True)[:TOP]
    ideal = sum(_gain(relevance, at) for at, relevance in enumerate(gains, start=1))
    gained = sum(_gain(relevance, rank) for rank, relevance in ranks.items())
    return min(ranks, default=0), gained / ideal


def distinct(found: Sequence[Found]) -> list[Found]:
    """The results without those whose path and name came before."""
    seen: dict[tuple[str, str], Found] = {}
    for each in found:
        seen.setdefault((each.path, each.name), each)
    return list(seen.values())


def summary(answers: Sequence[Answered]) -> dict[str, float]:
    """Averages over all questions; a rate that no question asks for is left out."""
    figures = {f"hit@{cut}": _mean(0 < each.rank <= cut for each in answers) for cut in CUTS}
    figures["mrr@10"] = _mean(1 / each.rank if each.rank else 0.0 for each in answers)
    figures["ndcg@10"] = _mean(each.ndcg10 for each in answers)
    times = sorted(each.latency_ms for each in answers)
    for share in (50, 95, 99):
        figures[f"latency_p{share}_ms"] = _quantile(times, share / 100)
    figures["tokens_mean"] = _mean(each.tokens for each in answers)
    figures["tokens_most"] = float(max((each.tokens for each in answers), default=0))
    figures["distinct_top3"] = _mean(each.distinct_top3 for each in answers)
    rates: Mapping[str, list[bool]] = {
        "route_accuracy": [
            each.route_is_right for each in answers if each.route_is_right is not None
        ],
        "neighbour_recall": [
            each.has_neighbour for each in answers if each.has_neighbour is not None
        ],
    }
    figures |= {name: _mean(values) for name, values in rates.items() if values}
    return {name: round(value, 4) for name, value in figures.items()}


def distinct_share(found: Sequence[Found]) -> float:
    """Which part of the best three results are different files."""
    top = [each.path for each in found[:3]]
    return len(set(top)) / len(top) if top else 1.0


def _gain(relevance: int, rank: int) -> float:
    return float(2**relevance - 1) / math.log2(rank + 1)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The least of the sorted values that is not below this share of them."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
