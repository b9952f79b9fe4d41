"""The lines after which an agent need not open the file: the smallest definition around a needed line, whole.

Extents of definitions are those of `syntax.py`, which does not depend on our own parser. Of a definition of more than 60 lines
the 15 lines around the needed one are wanted, and the line with its name; of code outside of definitions, of prose and of
configuration those 15 lines. Empty lines are not asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from benches.quality.lines.questions import Target, ranges_of
from benches.quality.lines.syntax import Extent, Source, language_of

MAX_LINES = 60
AROUND = 15
_MAX_TARGET_LINES = 200
"""Of a target with more lines than these, the first are looked at."""


def wholes(targets: Sequence[Target], texts: Mapping[str, str]) -> tuple[Target, ...]:
    """Targets to be shown with all of their lines, of which one suffices: one for each place that a target needs.

    A target that needs several of its lines is a place of its own; of one that needs any single line, each line is.
    """
    found: dict[Target, None] = {}
    for target in targets:
        text = texts.get(target.path, "")
        for lines in _places(target):
            wanted = _wanted(target.path, text, lines)
            if wanted:
                found[Target(path=target.path, ranges=ranges_of(wanted), at_least=len(wanted))] = (
                    None
                )
    return tuple(found)


def _places(target: Target) -> Iterator[list[int]]:
    lines = [line for first, last in target.ranges for line in range(first, last + 1)]
    if target.at_least > 1:
        yield lines
    else:
        yield from ([line] for line in lines[:_MAX_TARGET_LINES])


def _wanted(path: str, text: str, lines: Sequence[int]) -> list[int]:
    """The lines to show around some needed ones, without empty ones."""
    rows = text.split("\n")
    first, last = min(lines), max(lines)
    around = [each for each in _extents(path, text) if each.first <= first and last <= each.last]
    inner = min(around, key=lambda each: each.last - each.first, default=None)
    if inner is not None and inner.last - inner.first < MAX_LINES:
        wanted = set(range(inner.first, inner.last + 1))
    else:
        lowest, highest = (inner.first, inner.last) if inner is not None else (1, len(rows))
        start = max(lowest, min((first + last) // 2 - AROUND // 2, highest - AROUND + 1))
        wanted = set(range(start, min(start + AROUND, highest + 1))) | set(lines)
        if inner is not None:
            wanted.add(inner.name)
    return sorted(line for line in wanted if 1 <= line <= len(rows) and rows[line - 1].strip())


@lru_cache(maxsize=512)
def _extents(path: str, text: str) -> tuple[Extent, ...]:
    language = language_of(path)
    return tuple(Source(text.encode(), language).extents()) if language else ()
