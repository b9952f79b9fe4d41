"""The engine as the fit and the figures ask it: every file that any retriever brings, with its features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codecairn.core.engine import Engine
from codecairn.core.options import EngineOptions
from codecairn.core.requests import SearchRequest

# More than the engine ever puts into a pool.
LIMIT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file of a pool: its path and its features by name."""

    path: str
    features: dict[str, float]


@contextmanager
def indexed(root: Path, store: Path, embedder: str) -> Iterator[Engine]:
    """An engine over an index of `root` that is kept in `store`."""
    options = EngineOptions(
        root=root,
        store=store,
        embedder=embedder,
        include=(),
        exclude=(),
        read_only=False,
        writer="quality",
        user_ignore=None,
    )
    engine = Engine(options)
    try:
        engine.index(force=False, progress=None)
        yield engine
    finally:
        engine.close()


def pool(engine: Engine, query: str, *, ranking: str = "fusion") -> Sequence[Candidate]:
    """All files that are candidates for a query.

    They come in the order of the fused score: an order by fitted weights would let these choose what they are fitted
    on and judged by.
    """
    hits = engine.search(
        SearchRequest(query, limit=LIMIT, context_lines=0, explain=True),
        ranking=ranking,
        fusion="rrf",
        text=False,
    )
    return [
        Candidate(path=hit.path, features={part.feature: part.value for part in hit.contributions})
        for hit in hits
    ]
