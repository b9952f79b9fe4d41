"""Fetches the vector of a question to the memory from the memory's provider, within a timeout.

Without one, recall uses the built-in model's vectors: it never fails for want of a provider.
"""

import logging
import os
import sys
import threading
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine, redacted
from codecairn.core.recall_options import QueryEmbedding
from codecairn.core.types.embedding import NOTHING_SPENT
from codecairn.errors import CodecairnError
from codecairn.memory.embedder import (
    EmbeddingCosts,
    is_named,
    own_keys,
    plan_of,
    settings_of_embedder,
)

if TYPE_CHECKING:
    from codecairn.embedding.factory import Embedder
    from codecairn.embedding.plan import Plan
    from codecairn.embedding.query_cache import QueryCache

_LOG = logging.getLogger(__name__)

_PAUSE_S = 30.0
"""After a failure the provider is left alone for so long: one answer may take several recalls."""


def cache_folder(memory_file: Path) -> Path:
    """Where vectors of questions are cached, next to the memory."""
    return memory_file.with_name(memory_file.name + ".queries")


class QueryEmbedder:
    """Embeds questions. Thread-safe; the children of a fork reconnect."""

    def __init__(
        self, memory_file: Path, settings: Settings, costs: EmbeddingCosts, clock: Clock
    ) -> None:
        self._folder = cache_folder(memory_file)
        self._settings = settings
        self._costs = costs
        self._clock = clock
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._plan: Plan | None = None
        self._cache: QueryCache | None = None
        self._embedder: Embedder | None = None
        self._failure = ""
        self._paused_until_s = 0.0

    def embed(self, engine: MemoryEngine, query: str) -> tuple[QueryEmbedding | None, str]:
        """The vector of a question, or a note on why there is none; neither without a provider."""
        if not is_named(self._settings):
            return None, ""
        self._leave_other_process()
        with self._lock:
            now_s = self._clock.monotonic_s()
            try:
                return self._known_or_asked(engine, query, is_paused=now_s < self._paused_until_s)
            except CodecairnError as err:
                _LOG.info("%s", err.message)
                self._failure = (
                    f"{own_keys(err.message)}; the built-in model's vectors were used instead"
                )
                self._paused_until_s = self._clock.monotonic_s() + _PAUSE_S
                return None, self._failure

    def forget_queries(self) -> None:
        """Remove the cached vectors of questions: one of them may hold what is purged."""
        import shutil

        self._leave_other_process()
        with self._lock:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._cache = None

    def close(self) -> None:
        """Let go of connections; the next question makes new ones."""
        self._leave_other_process()
        with self._lock:
            if self._embedder is not None:
                self._embedder.close()
                self._embedder = None

    def _leave_other_process(self) -> None:
        if self._process != os.getpid():
            self._begin()

    def _known_or_asked(
        self, engine: MemoryEngine, query: str, *, is_paused: bool
    ) -> tuple[QueryEmbedding | None, str]:
        from codecairn.embedding.query_cache import QueryCache

        if is_paused and self._plan is None:
            return None, self._failure
        plan = self._plan = self._plan or plan_of(self._settings)
        if plan is None:
            return None, ""
        if not engine.has_remote_vectors(plan.space):
            return None, (
                f"nothing is embedded by `{plan.space}` yet, so the built-in model's vectors were used; "
                "`codecairn memory work` embeds the memory"
            )
        self._cache = self._cache or QueryCache(self._folder)
        text = plan.facts.prompts.query + redacted(query)[0][: plan.facts.text_tokens * 2]
        vector = self._cache.get(plan.space, text, size_bytes=plan.dimensions * 4)
        if vector is None:
            if is_paused:
                return None, self._failure
            vector = self._ask(plan, text)
            self._cache.put(plan.space, text, vector)
        return QueryEmbedding(space=plan.space, values=_numbers(vector)), ""

    def _ask(self, plan: "Plan", text: str) -> bytes:
        from codecairn.embedding.factory import connect

        settings = settings_of_embedder(self._settings)
        if self._embedder is None:
            _LOG.info("asking %s for vectors of questions to the memory", plan.destination)
            self._embedder = connect(plan, settings, spent=self._costs.spent())
        embedder, spending = self._embedder, NOTHING_SPENT
        embedder.take_note(self._costs.spent())
        timeout_s = settings.embedding_query_timeout_ms / 1000
        try:
            embedded = embedder.embed([text], role="query", retries=0, timeout_s=timeout_s)
            spending = embedded.spending
        finally:
            self._costs.note(plan, spending + embedder.unclaimed(), purpose="query")
        return embedded.vectors[0]


def _numbers(vector: bytes) -> tuple[float, ...]:
    """The values of a vector of float32, little-endian."""
    values = array("f")
    values.frombytes(vector)
    if sys.byteorder == "big":
        values.byteswap()
    return tuple(values)
