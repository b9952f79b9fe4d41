"""Remote rerankers: Cohere, Jina, Voyage, and servers that implement the protocol of the first two."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from codecairn.config.settings import Settings
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.embedding import NOTHING_SPENT
from codecairn.embedding.factory import given_key
from codecairn.errors import ConfigError, ProviderBroken
from codecairn.remote.budget import Budget
from codecairn.remote.credentials import require_key
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets
from codecairn.remote.transport import Policy, Transport

BASE_URLS = MappingProxyType(
    {
        "cohere": "https://api.cohere.com/v2",
        "jina": "https://api.jina.ai/v1",
        "voyage": "https://api.voyageai.com/v1",
    }
)
DEFAULT_MODELS = MappingProxyType(
    {
        "cohere": "rerank-v3.5",
        "jina": "jina-reranker-v2-base-multilingual",
        "voyage": "rerank-2.5",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens (the query counts once for each document), and for a request."""

    usd_per_million: float = 0.0
    usd_per_request: float = 0.0


FREE = Price()
"""Of rerankers that people run themselves."""

PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "rerank-v3.5": Price(usd_per_request=0.002),
        "rerank-v4.0-pro": Price(usd_per_request=0.002),
        "rerank-v4.0-fast": Price(usd_per_request=0.002),
        "rerank-2.5": Price(usd_per_million=0.05),
        "rerank-2.5-lite": Price(usd_per_million=0.02),
        "rerank-2": Price(usd_per_million=0.05),
        "rerank-2-lite": Price(usd_per_million=0.02),
        "jina-reranker-v2-base-multilingual": Price(usd_per_million=0.05),
        "jina-reranker-v3": Price(usd_per_million=0.05),
    }
)
"""List prices as they were published when the row was written, by model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranker:
    """One reranker's protocol, `POST <base_url>/rerank`. Cut or missing texts are the provider's own business."""

    name: str
    model: str
    base_url: str
    key: Secret | None

    @property
    def label(self) -> str:
        """Its name in the store's sums."""
        return f"{self.name}/{self.model}"

    @property
    def price(self) -> Price | None:
        """What it costs; `None` if that is not known."""
        return FREE if self.name == "compatible" else PRICES.get(self.model)

    def request(self, query: str, documents: Sequence[str]) -> HttpRequest:
        """`{"model", "query", "documents", "top_n"}`; Voyage calls it `top_k`."""
        body: dict[str, object] = {
            "model": self.model,
            "query": query,
            "documents": list(documents),
            ("top_k" if self.name == "voyage" else "top_n"): len(documents),
        }
        if self.name != "cohere":
            body["return_documents"] = False
        return HttpRequest(
            url=f"{self.base_url.rstrip('/')}/rerank",
            body=body,
            headers=bearer(self.key),
            secrets=secrets(self.key),
        )

    def relevances(self, document: Mapping[str, object], *, count: int) -> dict[int, float]:
        """The relevance of each document by its place: `{"results"|"data": [{"index", "relevance_score"}]}`.

        Raises:
            ProviderBroken: If the answer is of another form, or names documents that were not sent.
        """
        try:
            rows = cast("Any", document.get("results") or document["data"])
            found = {int(row["index"]): float(row["relevance_score"]) for row in rows}
        except (KeyError, TypeError, ValueError) as err:
            raise self._broken("JSON of another form than documented") from err
        if not found or not all(0 <= at < count for at in found):
            raise self._broken("places of documents that were not sent")
        if not all(-1e6 < relevance < 1e6 for relevance in found.values()):
            raise self._broken("a relevance that is no number")
        return found

    def tokens(self, document: Mapping[str, object]) -> int | None:
        """The tokens that were charged, `{"usage": {"total_tokens"}}`; `None` where the response lacks them."""
        return count_of(document, "usage", "total_tokens")

    def _broken(self, what: str) -> ProviderBroken:
        hint = "check that `rerank.base_url` leads to what `rerank.provider` names"
        text = f"{self.name} answered 200 with {what}"
        return ProviderBroken(text, hint=hint, provider=self.name, status=200)


def reranker_of(settings: Settings) -> Reranker:
    """The reranker that the settings ask for.

    Raises:
        ConfigError: If something is missing.
        ProviderUnauthorized: If there is no key.
    """
    provider = settings.rerank_provider
    base_url = settings.rerank_base_url or BASE_URLS.get(provider, "")
    model = settings.rerank_model or DEFAULT_MODELS.get(provider, "")
    if not base_url or not model:
        missing = "rerank.model" if base_url else "rerank.base_url"
        raise ConfigError(
            f"`rerank.provider` is `{provider}`, which needs `{missing}`", hint=f"set `{missing}`"
        )
    key = require_key(provider, given_key(settings, "rerank.api_key"))
    return Reranker(name=provider, model=model, base_url=base_url, key=key)


def budget_of(reranker: Reranker, settings: Settings) -> Budget:
    """What a reranker may cost: the budget of embeddings is for both.

    Raises:
        ConfigError: If there is a budget in dollars and the price is not known.
    """
    if settings.embedding_max_usd and reranker.price is None:
        raise ConfigError(
            f"`embedding.max_usd` is set, but the price of `{reranker.model}` is not known",
            hint="take a model whose price is known, or a budget in tokens",
        )
    price = reranker.price or FREE
    return Budget(
        max_tokens=settings.embedding_max_tokens,
        max_usd=settings.embedding_max_usd,
        usd_per_million=price.usd_per_million,
        usd_per_request=price.usd_per_request,
        spent=NOTHING_SPENT,
    )


def transport_of(settings: Settings) -> Transport:
    """The way to the reranker."""
    policy = Policy(
        timeout_s=settings.rerank_timeout_ms / 1000,
        is_custom=bool(settings.rerank_base_url),
        allow_link_local=settings.network_allow_link_local,
    )
    return Transport(settings.rerank_provider, policy)
