"""Ranking as the textbooks write it, in as few lines as they need: what the index is compared with."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import bm25s

from codecairn import Hit

_Key = TypeVar("_Key", bound=Hashable)

RRF_LISTS = ("body", "names", "file_body", "path", "vector", "symbol")
"""The features by which the retrievers bring files to the pool."""


def terms(text: str) -> list[str]:
    """The terms of a text in lower case: `get_user` gives `getuser get user`."""
    found: list[str] = []
    for word in re.findall(r"[a-z0-9_]+", text):
        parts = [part for part in word.split("_") if part]
        found += ["".join(parts), *parts] if len(parts) > 1 else parts
    return found


def stems(text: str) -> list[str]:
    """The terms of a text of which none ends in `s` but plurals."""
    return [term.removesuffix("s") for term in terms(text)]


def bm25(
    documents: Mapping[_Key, Sequence[str]], query: Iterable[str], *, k1: float = 1.2, b: float
) -> dict[_Key, float]:
    """Each document's score by Lucene's form of BM25; none where nothing is found."""
    index = bm25s.BM25(method="lucene", k1=k1, b=b)
    index.index([list(tokens) for tokens in documents.values()], show_progress=False)
    known = {token for tokens in documents.values() for token in tokens}
    wanted = [token for token in dict.fromkeys(query) if token in known]
    if not wanted:
        return {}
    scores = zip(documents, index.get_scores(wanted), strict=True)
    return {key: float(score) for key, score in scores if score > 0}


def shares(scores: Mapping[_Key, float]) -> dict[_Key, float]:
    """Each score divided by the best."""
    best = max(scores.values(), default=1.0)
    return {key: score / best for key, score in scores.items()}


def values(hits: Iterable[Hit], feature: str) -> dict[str, float]:
    """A feature of explained hits by path, where it is not zero."""
    return {
        hit.path: part.value
        for hit in hits
        for part in hit.contributions
        if part.feature == feature and part.value
    }


def reciprocal_rank_fusion(
    lists: Iterable[Mapping[str, float]], *, k: int = 60
) -> dict[str, float]:
    """Each path's sum of `1 / (k + rank)` over the lists that have it; equal scores rank by path."""
    fused: dict[str, float] = {}
    for scores in lists:
        for rank, path in enumerate(sorted(scores, key=lambda path: (-scores[path], path)), 1):
            fused[path] = fused.get(path, 0.0) + 1 / (k + rank)
    return fused


def weighted_fusion(
    lists: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> dict[str, float]:
    """Each path's weighted sum of its shares of the lists' best scores."""
    fused: dict[str, float] = {}
    for name, scores in lists.items():
        for path, share in shares(scores).items():
            fused[path] = fused.get(path, 0.0) + weights[name] * share
    return fused


def by_score(scores: Mapping[str, float]) -> list[str]:
    """Paths, best first, equal ones by path."""
    return sorted(scores, key=lambda path: (-scores[path], path))
