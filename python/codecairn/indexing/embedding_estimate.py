"""Estimates tokens and cost of remote embedding before anything is sent, and reports its progress."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from codecairn.clock import Clock, SystemClock
from codecairn.config.settings import Settings
from codecairn.core.engine import Engine

if TYPE_CHECKING:
    from codecairn.core.types.embedding import EmbeddingEstimate, EmbeddingStatus, ProviderEstimate
    from codecairn.core.types.indexing import IndexPreview
    from codecairn.embedding.plan import Plan

INDEX_SHARE = 1.9
"""How long indexing takes for each second of looking ahead, which reads and parses, but neither embeds nor stores; see
`benches/runs`."""


def look_ahead(
    engine: Engine, plan: "Plan | None", *, clock: Clock | None = None
) -> "IndexPreview":
    """What indexing would do, how long that would take here, and what embedding would cost."""
    clock = clock or SystemClock()
    started_s = clock.monotonic_s()
    preview = engine.preview()
    return replace(
        preview,
        seconds=(clock.monotonic_s() - started_s) * INDEX_SHARE,
        embedding=estimate(plan, preview, engine),
        providers=provider_estimates(texts=preview.texts, tokens=preview.tokens),
    )


def estimate(
    plan: "Plan | None", preview: "IndexPreview", engine: Engine
) -> "EmbeddingEstimate | None":
    """Texts, tokens and price of new and of pending texts; `None` without a remote provider."""
    if plan is None:
        return None
    from codecairn.core.types.embedding import EmbeddingEstimate
    from codecairn.embedding.text_queue import waiting_tokens

    hashes = engine.waiting_hashes()
    tokens = preview.tokens + waiting_tokens(engine, hashes)
    usd = plan.facts.usd
    return EmbeddingEstimate(
        space=plan.space,
        destination=plan.destination,
        texts=preview.texts + len(hashes),
        tokens=tokens,
        usd=None if usd is None else tokens * usd / 1_000_000,
    )


def provider_estimates(*, texts: int, tokens: int) -> "tuple[ProviderEstimate, ...]":
    """What each provider with a model of its own would charge for texts, and how long it would take; nothing for none."""
    if not texts:
        return ()
    from codecairn.core.types.embedding import ProviderEstimate
    from codecairn.embedding.models import DEFAULT_MODELS, LIMITS, find_model, list_price

    estimates = []
    for provider, model in DEFAULT_MODELS.items():
        facts, limits = find_model(model), LIMITS[provider]
        usd = None if facts is None else list_price(provider, facts)
        if usd is None:
            continue
        requests = max(math.ceil(texts / limits.batch_texts), tokens / limits.batch_tokens)
        estimates.append(
            ProviderEstimate(
                provider=provider,
                model=model,
                usd=tokens * usd / 1_000_000,
                seconds=math.ceil(requests) * limits.interval_ms / 1000,
            )
        )
    return tuple(estimates)


def embedding_status(
    plan: "Plan | None", settings: Settings, engine: Engine
) -> "EmbeddingStatus | None":
    """Progress and cost of remote embedding; `None` without a remote provider or without an index."""
    if plan is None or not engine.is_indexed():
        return None
    from codecairn.core.types.embedding import EmbeddingStatus

    return EmbeddingStatus(
        space=plan.space,
        destination=plan.destination,
        state=engine.outside_state(),
        max_tokens=settings.embedding_max_tokens,
        max_usd=settings.embedding_max_usd,
    )
