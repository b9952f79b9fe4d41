"""Cohere, `POST /v2/embed`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, numbers
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.cohere.com/v2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohere:
    """Cohere's embeddings. Long texts are refused rather than cut: they are split and pooled here."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "cohere"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:
        """`{"model", "texts": [...], "input_type", "embedding_types": ["float"], "truncate": "NONE"}`."""
        body: dict[str, object] = {
            "model": self.model,
            "texts": list(texts),
            "input_type": "search_query" if role == "query" else "search_document",
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        if self.dimensions is not None:
            body["output_dimension"] = self.dimensions
        url = f"{self.base_url.rstrip('/')}/embed"
        return HttpRequest(url=url, body=body, headers=bearer(self.key), secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"embeddings": {"float": [...]}, "meta": {"billed_units": {"input_tokens"}}}`."""
        rows = cast("Any", document["embeddings"])["float"]
        tokens = count_of(document, "meta", "billed_units", "input_tokens")
        return Answer(vectors=[numbers(row) for row in rows], tokens=tokens)
