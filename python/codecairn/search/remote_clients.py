"""The remote clients of a search, created on first use and imported only then."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine
from codecairn.core.store_log import Logbook
from codecairn.embedding.choice import Choice

if TYPE_CHECKING:
    from codecairn.core.types.freshness import Freshness
    from codecairn.search.cost_log import Costs
    from codecairn.search.query_vectors import QueryVectors
    from codecairn.search.rerank import ExternalRerank
    from codecairn.search.searcher import Searcher


class RemoteClients:
    """A workspace's connections for searching. Thread-safe; the children of a fork make their own."""

    def __init__(self, settings: Settings, choice: Choice) -> None:
        self._settings = settings
        self._choice = choice
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._vectors: QueryVectors | None = None
        self._rerank: ExternalRerank | None = None
        self._costs: Costs | None = None

    def searcher(
        self, engine: Engine, *, ready: "Callable[[], Freshness | None]", logbook: Logbook
    ) -> "Searcher":
        """Who puts one question to an engine, with this help; `ready` makes the current branch fit to be asked."""
        from codecairn.search.searcher import Searcher  # indexing need not wait for it

        obstacle = self._choice.obstacle
        return Searcher(
            engine=engine,
            settings=self._settings,
            freshness=ready(),
            ready=ready,
            logbook=logbook,
            vectors=self._query_vectors(engine),
            rerank=self._external_rerank(),
            notes=() if obstacle is None else (obstacle.message,),
        )

    def close(self) -> None:
        """Let go of connections; the next search makes new ones."""
        self._leave_other_process()
        with self._lock:
            for helper in (self._vectors, self._rerank):
                if helper is not None:
                    helper.close()
            self._vectors = self._rerank = None

    def _query_vectors(self, engine: Engine) -> "QueryVectors | None":
        """Who gives vectors of queries; `None` if the built-in model alone does.

        They are kept next to the engine's store; in memory alone if nothing is to be written there.
        """
        plan = self._choice.plan
        if plan is None:
            return None
        from codecairn.embedding.query_cache import QueryCache
        from codecairn.search.query_vectors import QueryVectors

        self._leave_other_process()
        with self._lock:
            if self._vectors is None:
                options = engine.options
                cache = QueryCache(None if options.read_only else options.store / "queries")
                self._vectors = QueryVectors(
                    plan=plan, settings=self._settings, cache=cache, costs=self._put_down()
                )
            return self._vectors

    def _external_rerank(self) -> "ExternalRerank | None":
        """The reranker; `None` without one."""
        if self._settings.rerank_provider == "none":
            return None
        from codecairn.search.rerank import ExternalRerank

        self._leave_other_process()
        with self._lock:
            if self._rerank is None:
                self._rerank = ExternalRerank(settings=self._settings, costs=self._put_down())
            return self._rerank

    def _put_down(self) -> "Costs":
        """Where costs are put down, the same for all."""
        from codecairn.search.cost_log import Costs

        self._costs = self._costs or Costs()
        return self._costs

    def _leave_other_process(self) -> None:
        if self._process != os.getpid():
            self._begin()
