"""Reranks the best hits remotely; after an error or a timeout the built-in order is kept."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine
from codecairn.core.types.embedding import Spending
from codecairn.core.types.hits import Contribution, Hit
from codecairn.embedding.rerankers import Reranker, budget_of, reranker_of, transport_of
from codecairn.errors import BudgetExhausted, ConfigError, ProviderError
from codecairn.remote.batches import tokens_in
from codecairn.remote.budget import Budget
from codecairn.remote.transport import Transport
from codecairn.search.cost_log import Costs

_LOG = logging.getLogger(__name__)

_MAX_CHARACTERS = 4000
"""The maximum length of one hit's text: more costs, and hardly changes the order."""


@dataclass(kw_only=True)
class ExternalRerank:
    """Orders hits by an external reranker. `notes` gather why it could not."""

    settings: Settings
    costs: Costs
    notes: list[str] = field(default_factory=list)
    _reranker: Reranker | None = None
    _budget: Budget | None = None
    _transport: Transport | None = None

    def wants(self, query: str) -> bool:
        """Whether a query is one that rerankers are made for: words, not a name or a path, which the core knows."""
        return len(query.split()) > 1

    @property
    def depth(self) -> int:
        """How many hits it looks at."""
        return self.settings.rerank_top_n

    def order(self, engine: Engine, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits in their new order. Those beyond the depth follow as they were."""
        first, rest = list(hits[: self.depth]), list(hits[self.depth :])
        if len(first) < 2:
            return [*first, *rest]
        try:
            relevances = self._ask(engine, query, [document_of(hit) for hit in first])
        except (ProviderError, BudgetExhausted, ConfigError) as err:
            _LOG.info("%s", err.message)
            self.notes.append(f"{err.message}; the built-in order stays")
            return [*first, *rest]
        least = min(relevances.values())
        # A score must not contradict the place: all that were looked at come before the others.
        floor = max((hit.score for hit in rest), default=0.0) - min(least, 0.0)
        ordered = sorted(range(len(first)), key=lambda at: (-relevances.get(at, least - 1.0), at))
        return [
            *(_scored(first[at], relevances.get(at, least), floor) for at in ordered),
            *rest,
        ]

    def close(self) -> None:
        """Let go of connections."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def _ask(self, engine: Engine, query: str, documents: list[str]) -> dict[int, float]:
        if self._reranker is None or self._budget is None:
            self._reranker = reranker_of(self.settings)
            self._budget = budget_of(self._reranker, self.settings)
        if self._transport is None:
            self._transport = transport_of(self.settings)
            _LOG.info("asking %s to rerank", self._reranker.base_url)
        reserved = sum(map(tokens_in, documents)) + len(documents) * tokens_in(query)
        self._budget.take_note(self.costs.spent(engine))
        self._budget.reserve(reserved)
        used = 0
        try:
            answer = self._transport.send(self._reranker.request(query, documents))
            used = self._reranker.tokens(answer) or reserved
            return self._reranker.relevances(answer, count=len(documents))
        except ProviderError as err:
            used = used or (reserved if err.may_be_charged else 0)
            raise
        finally:
            cost = self._budget.settle(reserved, used)
            if used:
                paid = Spending(requests=1, texts=len(documents), tokens=used, micro_usd=cost)
                self.costs.put_down(engine, f"rerank {self._reranker.label}", paid)


def document_of(hit: Hit) -> str:
    """A hit as a reranker gets it: its location and its text."""
    return f"{hit.breadcrumb or hit.path}\n{hit.text}"[:_MAX_CHARACTERS]


def _scored(hit: Hit, relevance: float, floor: float) -> Hit:
    rerank = Contribution(feature="external-rerank", value=relevance, part=relevance)
    contributions = (*hit.contributions, rerank) if hit.contributions else ()
    return replace(hit, score=floor + relevance, contributions=contributions)
