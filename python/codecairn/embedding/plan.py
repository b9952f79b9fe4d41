"""The provider, model and vector space that the settings ask for, resolved without a key and without a request."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.embedding import (
    cohere,
    copilot,
    google,
    jina,
    mistral,
    ollama,
    openai,
    voyage,
)
from codecairn.embedding.models import (
    DEFAULT_MODELS,
    LIMITS,
    PROMPTED_BY_PROVIDER,
    Limits,
    Model,
    Prompts,
    find_model,
    list_price,
)
from codecairn.errors import ConfigError

BASE_URLS = {
    "openai": openai.BASE_URL,
    "google": google.BASE_URL,
    "copilot": copilot.BASE_URL,
    "ollama": ollama.BASE_URL,
    "voyage": voyage.BASE_URL,
    "mistral": mistral.BASE_URL,
    "cohere": cohere.BASE_URL,
    "jina": jina.BASE_URL,
}

LOCAL = frozenset({"model2vec", "fastembed"})
"""Providers that embed in this process."""

_HEAD = 1 << 16
"""Bytes at the beginning and the end of a file that identify it."""

_CUT_HERE = frozenset({"compatible", "ollama", "model2vec", "fastembed"})
"""Providers that are not asked for shorter vectors: theirs are cut here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who embeds, and into which space.

    Attributes:
        provider: The provider's name.
        model: The model, as the provider knows it.
        identity: What the space is named after: the model, or its folder's name and content.
        facts: What is known of it, with the settings' own values put in.
        dimensions: Length of the vectors.
        asked_dimensions: What the provider is asked for; `None` where it gives the model's own.
        base_url: Where its API is; empty where texts stay in this process.
        is_custom: Whether the user chose that address.
        limits: How it is asked.
    """

    provider: str
    model: str
    identity: str
    facts: Model
    dimensions: int
    asked_dimensions: int | None
    base_url: str
    is_custom: bool
    limits: Limits

    @property
    def space(self) -> str:
        """The name of the vector space: vectors of different names never meet.

        It names the model, its dimensions and the prompt of documents, as these decide a vector; not the address.
        """
        prompt = self.facts.prompts.document
        mark = "#" + hashlib.sha256(prompt.encode()).hexdigest()[:8] if prompt else ""
        return f"{self.provider}/{self.identity}@{self.dimensions}{mark}"

    @property
    def destination(self) -> str:
        """Where texts go, as shown to the user."""
        return self.base_url or "this machine"


def make_plan(settings: Settings, provider: str, facts: Model | None = None) -> Plan:
    """The plan for a provider; `facts` are those of a model that the table does not know.

    Raises:
        ConfigError: If something is missing or does not fit.
    """
    model = settings.embedding_model or DEFAULT_MODELS.get(provider, "")
    if not model:
        raise ConfigError(
            f"`embedding.provider` is `{provider}`, which has no model of its own",
            hint="set `embedding.model`",
        )
    if provider == "compatible" and not settings.embedding_base_url:
        raise ConfigError(
            "`embedding.provider` is `compatible`, whose address is not known",
            hint="set `embedding.base_url`, such as `http://localhost:1234/v1`",
        )
    known = facts or find_model(model) or _unknown(settings, model)
    return Plan(
        provider=provider,
        model=model,
        identity=_identity(provider, model),
        facts=_adjusted(known, settings, provider),
        dimensions=_dimensions(known, settings, model),
        asked_dimensions=_asked(known, settings, provider),
        base_url=_base_url(settings, provider),
        # A local server is reached directly too, never through a proxy.
        is_custom=bool(settings.embedding_base_url) or provider == "ollama",
        limits=_limits(LIMITS[provider], settings),
    )


def _identity(provider: str, model: str) -> str:
    """A folder goes by what lies in it: it may move, and another model may take its place."""
    folder = Path(model)
    if provider not in LOCAL or not folder.is_dir():
        return model
    marks = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.is_file():
            with file.open("rb") as opened:
                head = opened.read(_HEAD)
                opened.seek(max(0, file.stat().st_size - _HEAD))
                marks.update(f"{file.name}:{file.stat().st_size}:".encode() + head + opened.read())
    return f"{folder.resolve().name}-{marks.hexdigest()[:12]}"


def _base_url(settings: Settings, provider: str) -> str:
    if settings.embedding_base_url:
        return settings.embedding_base_url
    host = os.environ.get("OLLAMA_HOST", "") if provider == "ollama" else ""
    if host:
        return host if "://" in host else f"http://{host}"
    return BASE_URLS.get(provider, "")


def _unknown(settings: Settings, model: str) -> Model:
    if not settings.embedding_dimensions:
        raise ConfigError(
            f"nothing is known of the model `{model}`",
            hint="set `embedding.dimensions` to the length of its vectors",
        )
    return Model(dimensions=settings.embedding_dimensions)


def _dimensions(known: Model, settings: Settings, model: str) -> int:
    wanted = settings.embedding_dimensions or known.dimensions
    if wanted != known.dimensions and not known.shorter:
        raise ConfigError(
            f"`embedding.dimensions` is {wanted}, but vectors of `{model}` have {known.dimensions}",
            hint="take the setting away: this model's vectors can't be cut",
        )
    return wanted


def _asked(known: Model, settings: Settings, provider: str) -> int | None:
    wanted = settings.embedding_dimensions or known.dimensions
    if provider in _CUT_HERE:
        return None
    # Gemini's own length differs from what is known here as its usual one.
    return wanted if wanted != known.dimensions or provider == "google" else None


def _adjusted(known: Model, settings: Settings, provider: str) -> Model:
    own = Prompts() if provider in PROMPTED_BY_PROVIDER else known.prompts
    query, document = settings.embedding_query_prompt, settings.embedding_document_prompt
    price = settings.embedding_usd_per_million_tokens
    return replace(
        known,
        prompts=Prompts(
            own.query if query == "auto" else query,
            own.document if document == "auto" else document,
        ),
        text_tokens=settings.embedding_text_tokens or known.text_tokens,
        usd=list_price(provider, known) if price < 0 else price,
    )


def _limits(usual: Limits, settings: Settings) -> Limits:
    interval = settings.embedding_interval_ms
    return replace(
        usual,
        batch_texts=settings.embedding_batch_texts or usual.batch_texts,
        batch_tokens=settings.embedding_batch_tokens or usual.batch_tokens,
        concurrency=settings.embedding_concurrency or usual.concurrency,
        interval_ms=usual.interval_ms if interval < 0 else interval,
    )
