"""The memory's own embedder: which provider the user's settings name for it, and what it has cost.

Nothing is sent unless `memory.embedding_provider` names a provider, which a workspace's file may not set.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.embedding import NOTHING_SPENT, Spending
from codecairn.core.types.memory import MemoryEmbeddingStatus
from codecairn.errors import CodecairnError
from codecairn.llm.cost_log import Cost, CostBook

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan

_OWN_KEYS = re.compile(
    r"\bembedding\.(provider|model|base_url|api_key|dimensions|max_tokens|max_usd)\b"
)
"""The settings of an embedder that the memory has of its own."""


def is_named(settings: Settings) -> bool:
    """Whether the settings name a provider for the memory."""
    return settings.memory_embedding_provider != "builtin"


def settings_of_embedder(settings: Settings) -> Settings:
    """The settings with those of the memory's embedder in the place of the index's.

    An address and a key belong to one provider, dimensions, prompts and price to one model: they are shared where both
    embedders have the same. Limits of time and rate are shared always.
    """
    provider, model = settings.memory_embedding_provider, settings.memory_embedding_model
    is_same_provider = provider == settings.embedding_provider
    is_same_model = is_same_provider and model in ("", settings.embedding_model)
    own: dict[str, object] = {
        "embedding_provider": provider,
        "embedding_model": settings.embedding_model if is_same_model else model,
        "embedding_base_url": settings.memory_embedding_base_url
        or (settings.embedding_base_url if is_same_provider else ""),
        "embedding_api_key": settings.memory_embedding_api_key
        or (settings.embedding_api_key if is_same_provider else ""),
        "embedding_dimensions": settings.memory_embedding_dimensions
        or (settings.embedding_dimensions if is_same_model else 0),
        "embedding_max_tokens": settings.memory_embedding_max_tokens,
        "embedding_max_usd": settings.memory_embedding_max_usd,
    }
    if not is_same_model:
        own |= {
            "embedding_query_prompt": "auto",
            "embedding_document_prompt": "auto",
            "embedding_text_tokens": 0,
            "embedding_usd_per_million_tokens": -1.0,
        }
    return replace(settings, **own)  # type: ignore[arg-type]


@contextmanager
def own_keys_named() -> Iterator[None]:
    """Errors inside name the memory's settings instead of the index's."""
    try:
        yield
    except CodecairnError as err:
        err.message, err.hint = own_keys(err.message), own_keys(err.hint)
        err.args = (err.message,)
        raise


def own_keys(text: str) -> str:
    """A message with the memory's settings in the place of the index's."""
    return _OWN_KEYS.sub(r"memory.embedding_\1", text)


def plan_of(settings: Settings) -> "Plan | None":
    """The provider, model and vector space of the memory's embedder; `None` without one. Sends no text.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnavailable: If Ollama has to be asked about its model and does not answer.
    """
    if not is_named(settings):
        return None
    from codecairn.embedding.choice import plan_of as chosen_plan

    with own_keys_named():
        return chosen_plan(settings_of_embedder(settings))


def require_embedder(settings: Settings) -> None:
    """Check the settings of the memory's embedder and its key. Nothing is sent.

    Raises:
        ConfigError: If something is missing or does not fit.
        ProviderUnauthorized: If there is no key.
    """
    plan = plan_of(settings)
    if plan is None:
        return
    from codecairn.embedding.factory import connect, given_key
    from codecairn.embedding.plan import LOCAL
    from codecairn.remote.credentials import require_key

    with own_keys_named():
        own = settings_of_embedder(settings)
        if plan.provider not in LOCAL:
            connect(plan, own).close()
            require_key(plan.provider, given_key(own, "embedding.api_key"))


class EmbeddingCosts:
    """What the memory's embedder has cost, over all projects: a line for each response, in a file next to the memory."""

    def __init__(self, memory_file: Path, clock: Clock) -> None:
        self.book = CostBook(memory_file.with_name(memory_file.name + ".embedding-costs.jsonl"))
        self._clock = clock

    def spent(self) -> Spending:
        """What was paid so far, by all processes."""
        tokens, micro_usd = self.book.spent()
        return Spending(tokens=tokens, micro_usd=micro_usd)

    def note(self, plan: "Plan", spending: Spending, *, purpose: str) -> None:
        """Write down what was paid for texts or for a query."""
        if spending == NOTHING_SPENT:
            return
        self.book.note(
            Cost(
                ts_ms=self._clock.now_ns() // 1_000_000,
                provider=plan.provider,
                model=plan.model,
                purpose=purpose,
                input_tokens=spending.tokens,
                cached_tokens=0,
                output_tokens=0,
                micro_usd=spending.micro_usd,
                duration_ms=0,
                is_ok=True,
            )
        )


def embedding_status(
    engine: MemoryEngine, settings: Settings, costs: EmbeddingCosts
) -> MemoryEmbeddingStatus | None:
    """The memory's embedder and how far it has come; `None` without one."""
    try:
        plan = plan_of(settings)
    except CodecairnError as err:
        provider = settings.memory_embedding_provider
        return MemoryEmbeddingStatus(space=provider, destination="", problem=err.message)
    if plan is None:
        return None
    counts, spent = engine.remote_vector_counts(plan.space), costs.spent()
    return MemoryEmbeddingStatus(
        space=plan.space,
        destination=plan.destination,
        texts=counts.texts,
        embedded=counts.embedded,
        pending=counts.texts - counts.embedded,
        refused=counts.refused,
        tokens=spent.tokens,
        micro_usd=spent.micro_usd,
    )
