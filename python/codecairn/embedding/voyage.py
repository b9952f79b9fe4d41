"""Voyage AI, `POST /v1/embeddings` with input types."""

from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.voyageai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voyage:
    """Voyage's embeddings. Long texts are refused rather than cut: they are split and pooled here."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "voyage"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:
        """`{"model", "input": [...], "input_type": "query"|"document", "truncation": false, "output_dimension"?}`."""
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "input_type": role,
            "truncation": False,
        }
        if self.dimensions is not None:
            body["output_dimension"] = self.dimensions
        url = f"{self.base_url.rstrip('/')}/embeddings"
        return HttpRequest(url=url, body=body, headers=bearer(self.key), secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"data": [{"index", "embedding"}], "usage": {"total_tokens"}}`."""
        tokens = count_of(document, "usage", "total_tokens")
        return Answer(vectors=in_order(document["data"]), tokens=tokens)
