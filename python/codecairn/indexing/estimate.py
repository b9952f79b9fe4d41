"""What embedding outside would take, before anything is sent, and how far it has come."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.engine import Engine
from codecairn.types import EmbeddingEstimate, EmbeddingStatus, IndexPreview

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan

_BYTES_PER_TOKEN = 4
_TEXTS_READ = 8192


def estimated(plan: "Plan | None", engine: Engine) -> IndexPreview:
    """What indexing would do, with what embedding outside would take."""
    preview = engine.preview()
    return replace(preview, embedding=estimate(plan, preview, engine))


def estimate(
    plan: "Plan | None", preview: IndexPreview, engine: Engine
) -> EmbeddingEstimate | None:
    """Texts, tokens and price of what indexing would add and of what waits already; `None` if nobody embeds outside."""
    if plan is None:
        return None
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


def waiting_tokens(engine: Engine, hashes: Sequence[bytes]) -> int:
    """The tokens of texts that wait for a vector, estimated at four bytes each."""
    tokens = 0
    for first in range(0, len(hashes), _TEXTS_READ):
        texts = engine.waiting_texts(hashes[first : first + _TEXTS_READ])
        tokens += sum(len(text.encode()) // _BYTES_PER_TOKEN + 1 for _, text in texts)
    return tokens


def embedding_status(
    plan: "Plan | None", settings: Settings, engine: Engine
) -> EmbeddingStatus | None:
    """How far embedding outside has come and what it has cost; `None` if nobody does, or nothing is indexed here."""
    if plan is None or not engine.is_indexed():
        return None
    return EmbeddingStatus(
        space=plan.space,
        destination=plan.destination,
        state=engine.outside_state(),
        max_tokens=settings.embedding_max_tokens,
        max_usd=settings.embedding_max_usd,
    )
