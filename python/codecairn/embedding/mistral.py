"""Mistral, `POST /v1/embeddings`: OpenAI's protocol with `output_dimension`."""

from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.mistral.ai/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistral:
    """Mistral's embeddings."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "mistral"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:  # noqa: ARG002 - one form for both
        """`{"model", "input": [...], "output_dimension"?}`."""
        body: dict[str, object] = {"model": self.model, "input": list(texts)}
        if self.dimensions is not None:
            body["output_dimension"] = self.dimensions
        url = f"{self.base_url.rstrip('/')}/embeddings"
        return HttpRequest(url=url, body=body, headers=bearer(self.key), secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """As OpenAI's."""
        tokens = count_of(document, "usage", "total_tokens")
        return Answer(vectors=in_order(document["data"]), tokens=tokens)
