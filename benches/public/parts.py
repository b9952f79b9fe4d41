"""The halves of a public set, and intervals that respect its groups.

Settings are chosen on *choose*; *judge* is for scoring alone, before the changes of a release and after them. A group is a
repository or a conversation: its questions are alike, so it is never divided, and intervals draw whole groups.
"""

import hashlib
import random
import statistics
from collections.abc import Mapping, Sequence

PARTS = ("choose", "judge")
_DRAWS = 2000
_SEED = 20_261_129


def part_of(group: str) -> str:
    """The half that a repository or a conversation belongs to, by the hash of its name."""
    return PARTS[hashlib.sha256(group.encode()).digest()[0] % 2]


def interval(groups: Mapping[str, Sequence[float]]) -> tuple[float, float, float]:
    """The mean of all values, and the 2.5th and 97.5th percentile of means of groups drawn with replacement.

    The percentile bootstrap over clusters: Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8.

    Raises:
        ValueError: If there is no value.
    """
    filled = [values for _, values in sorted(groups.items()) if values]
    if not filled:
        raise ValueError("there is nothing to take the mean of")
    lots = random.Random(_SEED)
    means = sorted(
        statistics.fmean(
            value for values in lots.choices(filled, k=len(filled)) for value in values
        )
        for _ in range(_DRAWS)
    )
    mean = statistics.fmean(value for values in filled for value in values)
    return mean, means[_DRAWS // 40], means[_DRAWS - 1 - _DRAWS // 40]
