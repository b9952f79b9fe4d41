"""The halves of a public set, and intervals that respect its groups.

Settings are chosen on *choose*; *judge* is for scoring alone, before the changes of a release and after them. A group is a
repository or a conversation: its questions are alike, so it is never divided, and intervals draw whole groups. Repositories that
the rankers were fitted on are in *choose*.
"""

import hashlib
import random
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benches.quality.lines.listing import load

PARTS = ("choose", "judge")
_FITTED = Path(__file__).with_name("fitted.txt")
"""The repositories that the weights of the files' ranker were fitted on."""
_DRAWS = 2000
_SEED = 20_261_129


def part_of(group: str) -> str:
    """The half that a repository or a conversation belongs to, by the hash of its name unless a ranker was fitted on it."""
    if group.lower() in _fitted():
        return PARTS[0]
    return PARTS[hashlib.sha256(group.encode()).digest()[0] % 2]


@cache
def _fitted() -> frozenset[str]:
    """The repositories that the rankers of files and of spans were fitted on, in lower case."""
    of_files = _FITTED.read_text(encoding="utf-8").split()
    return frozenset([*of_files, *(each.name.lower() for each in load() if each.split == "fit")])


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
