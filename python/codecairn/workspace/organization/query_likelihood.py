"""How much more likely the words of a question are in one repository than in all of them.

This is the unigram language model with Jelinek-Mercer smoothing (Zhai and Lafferty, "A Study of Smoothing Methods for Language
Models Applied to Information Retrieval", 2004), by which collections are chosen and their scores made comparable (Si, Jin, Callan
and Ogilvie, "A Language Modeling Framework for Resource Selection and Results Merging", 2002).
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt

from codecairn.core.light_dataclass import dataclass

SMOOTHING = 0.5
"""The share of a word's probability that comes from the repository itself; anything from 0.3 to 0.9 ranks alike."""

WEIGHT = 0.5
"""Points of the ranking model's score for a log-likelihood ratio of 1; fitted by `benches.quality.organization`."""


@dataclass(frozen=True, slots=True)
class StemCounts:
    """The stems of a question in one repository.

    Attributes:
        total: How often any stem is in any text.
        counts: In how many texts each stem is; stems in none are left out.
    """

    total: int
    counts: Mapping[str, int]


def relevances(stems: Sequence[str], repositories: Sequence[StemCounts]) -> list[float]:
    """For each repository, what is added to the scores of its hits.

    A word that no repository has decides nothing. The sum over `n` words is divided by the root of `n`: words of one question
    depend on each other.
    """
    shares = [
        [each.counts.get(stem, 0) / max(each.total, 1) for each in repositories]
        for stem in dict.fromkeys(stems)
    ]
    known = [row for row in shares if any(row)]
    scale = WEIGHT / sqrt(len(known)) if known else 0.0
    means = [sum(row) / len(row) for row in known]
    return [
        scale
        * sum(
            log(SMOOTHING * row[at] / mean + 1 - SMOOTHING)
            for row, mean in zip(known, means, strict=True)
        )
        for at in range(len(repositories))
    ]
