"""Whom a search asks outside, if anybody: made when first needed, and loaded only then."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan
    from codecairn.search.query_vectors import QueryVectors
    from codecairn.search.rerank import ExternalRerank


class Helpers:
    """A workspace's connections for searching. Thread-safe."""

    def __init__(self, settings: Settings, plan: "Plan | None") -> None:
        self._settings = settings
        self._plan = plan
        self._lock = threading.Lock()
        self._vectors: QueryVectors | None = None
        self._rerank: ExternalRerank | None = None

    def vectors(self, cache_folder: Callable[[], Path | None]) -> "QueryVectors | None":
        """Who gives vectors of queries; `None` if the built-in model alone does. The folder is asked for once."""
        if self._plan is None:
            return None
        from codecairn.embedding.query_cache import QueryCache
        from codecairn.search.query_vectors import QueryVectors

        with self._lock:
            if self._vectors is None:
                cache = QueryCache(cache_folder())
                self._vectors = QueryVectors(plan=self._plan, settings=self._settings, cache=cache)
            return self._vectors

    def rerank(self) -> "ExternalRerank | None":
        """Who orders hits once more; `None` if nobody does."""
        if self._settings.rerank_provider == "none":
            return None
        from codecairn.search.rerank import ExternalRerank

        with self._lock:
            if self._rerank is None:
                self._rerank = ExternalRerank(settings=self._settings)
            return self._rerank

    def close(self) -> None:
        """Let go of connections; the next search makes new ones."""
        with self._lock:
            for helper in (self._vectors, self._rerank):
                if helper is not None:
                    helper.close()
            self._vectors = self._rerank = None
