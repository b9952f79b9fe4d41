"""Embeds what the memory's provider has not embedded yet, as a part of the background work on a memory.

Pending texts are derived from the database, and each response is stored at once: after a killed process the next run
continues with those that are left.
"""

from collections.abc import Callable, Sequence

from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine, redacted
from codecairn.core.types.embedding import (
    Delivery,
    EmbeddingEstimate,
    EmbeddingReport,
    Spending,
)
from codecairn.embedding.plan import Plan
from codecairn.embedding.text_queue import drain, waiting_tokens
from codecairn.errors import CodecairnError, IndexLocked
from codecairn.memory.embedder import EmbeddingCosts, own_keys, plan_of, settings_of_embedder

_MAX_CHARS = 8_000
"""Longer texts are embedded up to here: an agent's long answer begins with what it is about."""


class _MemoryTexts:
    """The texts of a project's memory as a queue."""

    def __init__(self, engine: MemoryEngine, plan: Plan, costs: EmbeddingCosts) -> None:
        self._engine = engine
        self._plan = plan
        self._costs = costs

    def waiting_hashes(self) -> list[bytes]:
        return [*self._engine.texts_without_vector(self._plan.space)]

    def waiting_texts(self, hashes: Sequence[bytes]) -> list[tuple[bytes, str]]:
        """Without what is private or secret: they were stored without it, by the rules of that time."""
        texts = self._engine.texts_to_embed(hashes)
        return [(hash_, redacted(text)[0][:_MAX_CHARS]) for hash_, text in texts]

    def deliver(self, delivery: Delivery) -> None:
        self._costs.note(self._plan, delivery.spending, purpose="embedding")
        rows: list[tuple[bytes, bytes | None]] = [*delivery.vectors]
        rows += [(hash_, None) for hash_, _ in delivery.failures]
        while rows:
            try:
                self._engine.put_remote_vectors(self._plan.space, self._plan.dimensions, rows)
            except IndexLocked:
                continue  # it has waited for half a minute, and what came is paid for
            return

    def spending(self) -> Sequence[tuple[str, Spending]]:
        return ((self._plan.space, self._costs.spent()),)


def embed_waiting(
    engine: MemoryEngine,
    settings: Settings,
    costs: EmbeddingCosts,
    *,
    notify: Callable[[str], None],
) -> EmbeddingReport | None:
    """Embed the project's texts that wait; `None` without a provider. One process at a time, by the lease of the work.

    Failures do not raise: the report has them.

    Raises:
        Cancelled: If Ctrl-C or the like stopped it.
    """
    try:
        plan = plan_of(settings)
    except CodecairnError as err:
        provider = settings.memory_embedding_provider
        detail = f"{err.message}; {err.hint}".rstrip("; ")
        return EmbeddingReport(space=provider, destination="", stopped="settings", detail=detail)
    if plan is None:
        return None
    queue = _MemoryTexts(engine, plan, costs)
    report = drain(queue, plan, settings_of_embedder(settings), notify=notify)
    return EmbeddingReport(
        space=report.space,
        destination=report.destination,
        embedded=report.embedded,
        failed=report.failed,
        pending=report.pending,
        spending=report.spending,
        stopped=report.stopped,
        detail=own_keys(report.detail),
    )


def estimate(
    engine: MemoryEngine, settings: Settings, costs: EmbeddingCosts
) -> EmbeddingEstimate | None:
    """What embedding the texts that wait would take; `None` without a provider. Nothing is sent.

    Raises:
        ConfigError: If something is missing or does not fit.
    """
    plan = plan_of(settings)
    if plan is None:
        return None
    queue = _MemoryTexts(engine, plan, costs)
    hashes = queue.waiting_hashes()
    tokens = waiting_tokens(queue, hashes)
    usd = plan.facts.usd
    return EmbeddingEstimate(
        space=plan.space,
        destination=plan.destination,
        texts=len(hashes),
        tokens=tokens,
        usd=None if usd is None else tokens * usd / 1_000_000,
    )
