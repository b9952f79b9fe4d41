"""OpenAI's protocol, `POST /embeddings`, which many other servers implement."""

from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAi:
    """OpenAI itself, and other providers with its protocol.

    `dimensions` is sent only where vectors shorter than the model's own are asked for.
    """

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "openai"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:  # noqa: ARG002 - prompts are in the texts
        """`{"model", "input": [...], "encoding_format": "float"}`."""
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        url = f"{self.base_url.rstrip('/')}/embeddings"
        return HttpRequest(url=url, body=body, headers=bearer(self.key), secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"data": [{"index", "embedding"}], "usage": {"total_tokens"}}`."""
        tokens = count_of(document, "usage", "total_tokens")
        return Answer(vectors=in_order(document["data"]), tokens=tokens)
