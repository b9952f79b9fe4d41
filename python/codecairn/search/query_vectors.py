"""Fetches the vector of a query from the provider within a timeout; otherwise the built-in model's is used."""

import logging
from dataclasses import dataclass, field

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine
from codecairn.core.types.embedding import NOTHING_SPENT
from codecairn.embedding.base import Role
from codecairn.embedding.factory import Embedder, connect
from codecairn.embedding.plan import Plan
from codecairn.embedding.query_cache import QueryCache
from codecairn.errors import BudgetExhausted, ConfigError, ProviderError
from codecairn.search.cost_log import Costs

_LOG = logging.getLogger(__name__)


@dataclass(kw_only=True)
class QueryVectors:
    """Asks for vectors of queries. `notes` gather why one could not be had."""

    plan: Plan
    settings: Settings
    cache: QueryCache
    costs: Costs
    notes: list[str] = field(default_factory=list)
    _embedder: Embedder | None = None
    _has_told: bool = False

    def vector(self, engine: Engine, text: str, *, role: Role = "query") -> bytes | None:
        """The vector of a text to search with; `None` if the built-in model's is to be used."""
        if not engine.uses_outside():
            if not self._has_told:
                self.notes.append(
                    f"the vectors of `{self.plan.space}` are not complete, so the built-in model's were searched; "
                    "`codecairn index` completes them"
                )
            self._has_told = True
            return None
        facts, space = self.plan.facts, self.plan.space
        prompt = facts.prompts.query if role == "query" else facts.prompts.document
        asked = prompt + text[: facts.text_tokens * 2]
        key = f"{space} {role}"
        known = self.cache.get(key, asked, size_bytes=self.plan.dimensions * 4)
        if known is not None:
            return known
        try:
            vector = self._ask(engine, asked, role)
        except (ProviderError, BudgetExhausted, ConfigError) as err:
            _LOG.info("%s", err.message)
            self.notes.append(f"{err.message}; the built-in model's vectors were searched instead")
            return None
        self.cache.put(key, asked, vector)
        return vector

    def close(self) -> None:
        """Let go of connections."""
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None

    def _ask(self, engine: Engine, text: str, role: Role) -> bytes:
        if self._embedder is None:
            _LOG.info("asking %s for vectors of queries", self.plan.destination)
            self._embedder = connect(self.plan, self.settings)
        embedder, spending = self._embedder, NOTHING_SPENT
        embedder.take_note(self.costs.spent(engine))
        timeout_s = self.settings.embedding_query_timeout_ms / 1000
        try:
            embedded = embedder.embed([text], role=role, retries=0, timeout_s=timeout_s)
            spending = embedded.spending
        finally:
            self.costs.put_down(engine, self.plan.space, spending + embedder.unclaimed())
        return embedded.vectors[0]
