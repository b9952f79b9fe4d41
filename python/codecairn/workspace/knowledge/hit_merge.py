"""Merges the hits of several roots to one list.

Scores of different stores are compared as they are. The features of the ranking model are relative to the best file of a store, so
scores of two stores are not the same measure; yet evidence that distinguishes a store with an answer from one without, such as
names and paths that match the query, raises them. Measured (`benches/quality/merging`), the right file keeps nearly the rank
that it has in its store alone, while a merge by rank places every store's best guess before everything else. Where it is known how
likely the question is about each store, its hits gain by that. Where two stores rank by different rules, only ranks can be
compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.hits import Contribution, Hit, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The result of one root.

    Attributes:
        base: What it is called, empty for the workspace itself.
        prefix: What precedes its paths.
        result: Its hits, best first.
        relevance: What is added to their scores.
    """

    base: str
    prefix: str
    result: SearchResult
    relevance: float = 0.0


def merged(
    parts: Sequence[Part], *, limit: int, by_rank: bool, notes: Sequence[str] = ()
) -> SearchResult:
    """The best hits of all parts, which come in the order that decides between equals.

    The hits of a part keep their order: one that comes after a hit with a lower score counts as that one does.
    """
    keyed = [
        ((place, at) if by_rank else (-score, at, place), _placed(hit, part))
        for at, part in enumerate(parts)
        for place, (hit, score) in enumerate(zip(part.result.hits, _descending(part), strict=True))
    ]
    hits = tuple(hit for _, hit in sorted(keyed, key=lambda pair: pair[0])[:limit])
    shown = {hit.path for hit in hits}
    results = [part.result for part in parts]
    stale = [part.prefix + path for part in parts for path in part.result.stale]
    counts = [result.unchecked for result in results if result.unchecked is not None]
    told = [
        f"`{part.base}`: {note}" if part.base else note
        for part in parts
        for note in part.result.notes
    ]
    return SearchResult(
        query=results[0].query,
        branch=results[0].branch,
        hits=hits,
        stale=tuple(path for path in stale if path in shown),
        unchecked=sum(counts) if counts else None,
        locked=any(result.locked for result in results),
        obstacle=next((result.obstacle for result in results if result.obstacle), ""),
        notes=(*told, *notes),
    )


def _descending(part: Part) -> Iterator[float]:
    """The scores of a part's hits, each at most the one before."""
    return accumulate((hit.score + part.relevance for hit in part.result.hits), min)


def _placed(hit: Hit, part: Part) -> Hit:
    if not part.base and not part.prefix:
        return hit
    placed = replace(hit, path=part.prefix + hit.path, base=part.base)
    if not part.relevance:
        return placed
    reason = Contribution(feature="repository", value=part.relevance, part=part.relevance)
    return replace(
        placed,
        score=hit.score + part.relevance,
        contributions=(*hit.contributions, reason) if hit.contributions else (),
    )
