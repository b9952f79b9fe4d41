"""The excerpt of a hit: its first line and the lines that match the query best."""

import re
from collections.abc import Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.hits import Hit

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_MIN_WORD_LENGTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptLine:
    """A line of an excerpt; `number` is `None` where lines are left out."""

    number: int | None
    text: str


def query_words(query: str) -> frozenset[str]:
    """The words of a query that are worth looking for in a line; parts of identifiers count as words."""
    words = {word.lower() for word in _WORD.findall(query)}
    return frozenset(word for word in words if len(word) >= _MIN_WORD_LENGTH or not word.isascii())


def make_excerpt(hit: Hit, *, words: frozenset[str], max_lines: int) -> list[ExcerptLine]:
    """At most about `max_lines` lines of the hit: all, or its first and the best run of the others.

    The best run is the one in which most distinct query words occur, counted line by line; the earliest wins.
    Blank lines at either end are not shown.
    """
    lines = hit.text.split("\n")
    numbered = [
        ExcerptLine(number=hit.context_start_line + offset, text=line.rstrip())
        for offset, line in enumerate(lines)
    ]
    numbered = _without_blank_ends(numbered)
    if len(numbered) <= max_lines:
        return numbered
    head, rest = numbered[:1], numbered[1:]
    start = _best_run(rest, words=words, length=max_lines - 1)
    shown = head if start == 0 else [*head, ExcerptLine(number=None, text="")]
    shown = shown + rest[start : start + max_lines - 1]
    if start + max_lines - 1 < len(rest):
        shown.append(ExcerptLine(number=None, text=""))
    return shown


def _without_blank_ends(lines: Sequence[ExcerptLine]) -> list[ExcerptLine]:
    filled = [position for position, line in enumerate(lines) if line.text]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def _best_run(lines: Sequence[ExcerptLine], *, words: frozenset[str], length: int) -> int:
    """The start of the run of `length` lines with the highest sum of distinct query words a line."""
    counts = [sum(word in line.text.lower() for word in words) for line in lines]
    best_start = 0
    best = current = sum(counts[:length])
    for start in range(1, len(counts) - length + 1):
        current += counts[start + length - 1] - counts[start - 1]
        if current > best:
            best, best_start = current, start
    return best_start
