"""The difference of two systems on the same questions, with a bootstrap over repositories."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benches.quality.lines.scoring import MEASURES, Outcome, groups

ROUNDS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The mean difference per question, and what holds 95 % of the means of resampled repositories."""

    mean: float
    low: float
    high: float


def difference(
    ours: Sequence[Outcome],
    theirs: Sequence[Outcome],
    value: Callable[[Outcome], float],
    *,
    seed: int = 0,
) -> Difference:
    """Ours minus theirs. Repositories are drawn with all of their questions, so those with more weigh more.

    Raises:
        ValueError: If the questions are not the same.
    """
    by_id = {each.id: each for each in theirs}
    if by_id.keys() != {each.id for each in ours}:
        raise ValueError("the two results are not about the same questions")
    by_repository: dict[str, list[float]] = {}
    for each in sorted(ours, key=lambda each: each.id):
        gain = value(each) - value(by_id[each.id])
        by_repository.setdefault(each.repository, []).append(gain)
    pairs = [(sum(gains), len(gains)) for gains in by_repository.values()]
    chance = random.Random(seed)
    means = sorted(_mean(chance.choices(pairs, k=len(pairs))) for _ in range(ROUNDS))
    return Difference(mean=_mean(pairs), low=means[ROUNDS // 40], high=means[-ROUNDS // 40 - 1])


def table(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> str:
    """All differences by set, in Markdown: per cent of questions, and tokens."""
    labels = [label for label in MEASURES if not label.startswith("bound")]
    lines = [f"| set | questions | {' | '.join(labels)} |", f"|{'---|' * (len(labels) + 2)}"]
    others = groups(theirs)
    for name, group in groups(ours).items():
        cells = []
        for label in labels:
            found = difference(group, others.get(name, []), MEASURES[label])
            factor = 1 if label == "tokens" else 100
            low, mean, high = (factor * each for each in (found.low, found.mean, found.high))
            cells.append(f"{mean:+.1f} ({low:+.1f} to {high:+.1f})")
        lines.append(f"| {name} | {len(group)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(pairs: Sequence[tuple[float, int]]) -> float:
    count = sum(count for _, count in pairs)
    return math.fsum(total for total, _ in pairs) / count if count else 0.0
