"""Scores of one question, and averages of many.

A target counts at its first covering result within the top 10; a rank gains at most once, and results that repeat a
file take up ranks. Averages are over repositories: first the questions of each, then the repositories. The standard
error comes from resampling repositories.
"""

import math
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benches.quality.annotations import Question

TOP = 10

Place = tuple[str, int, int]
"""A result: path, first line, last line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well one question was answered."""

    ndcg10: float
    recall10: float
    mrr10: float
    hit1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question of one repository, answered."""

    repository: str
    language: str
    question: Question
    places: tuple[Place, ...]
    score: Score
    milliseconds: float


def score(question: Question, places: Sequence[Place]) -> Score:
    """Judge the places, best first."""
    top = list(places)[:TOP]
    ranks = [
        next((rank for rank, place in enumerate(top, start=1) if target.covers(*place)), None)
        for target in question.targets
    ]
    found = [rank for rank in ranks if rank is not None]
    ideal = sum(_gain(rank) for rank in range(1, min(TOP, len(ranks)) + 1))
    return Score(
        ndcg10=sum(_gain(rank) for rank in set(found)) / ideal if ideal else 0.0,
        recall10=len(found) / len(ranks) if ranks else 0.0,
        mrr10=1 / min(found) if found else 0.0,
        hit1=float(1 in found),
    )


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def mean_by_repository(answers: Iterable[Answered], value: Callable[[Score], float]) -> float:
    """The mean over repositories of their means over questions."""
    return _mean(_repository_means(answers, value).values())


def standard_error(
    answers: Iterable[Answered],
    value: Callable[[Score], float],
    *,
    rounds: int = 1000,
    seed: int = 0,
) -> float:
    """The standard error of `mean_by_repository`, by resampling repositories."""
    means = list(_repository_means(answers, value).values())
    if len(means) < 2:
        return 0.0
    chance = random.Random(seed)
    return statistics.stdev(_mean(chance.choices(means, k=len(means))) for _ in range(rounds))


def grouped(
    answers: Iterable[Answered], key: Callable[[Answered], str]
) -> Mapping[str, list[Answered]]:
    """The answers by group, groups sorted."""
    groups: defaultdict[str, list[Answered]] = defaultdict(list)
    for answer in answers:
        groups[key(answer)].append(answer)
    return dict(sorted(groups.items()))


def _repository_means(
    answers: Iterable[Answered], value: Callable[[Score], float]
) -> dict[str, float]:
    by_repository = grouped(answers, lambda answer: answer.repository)
    return {
        name: _mean(value(each.score) for each in group) for name, group in by_repository.items()
    }


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
