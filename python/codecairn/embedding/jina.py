"""Jina AI, `POST /v1/embeddings` with tasks."""

from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.jina.ai/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jina:
    """Jina's embeddings. What a task is called depends on the family of the model."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "jina"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:
        """`{"model", "input": [...], "task"?, "truncate": false, "embedding_type": "float", "dimensions"?}`."""
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "truncate": False,
            "embedding_type": "float",
        }
        task = _task(self.model, role)
        if task:
            body["task"] = task
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        url = f"{self.base_url.rstrip('/')}/embeddings"
        return HttpRequest(url=url, body=body, headers=bearer(self.key), secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"data": [{"index", "embedding"}], "usage": {"total_tokens"}}`."""
        tokens = count_of(document, "usage", "total_tokens")
        return Answer(vectors=in_order(document["data"]), tokens=tokens)


def _task(model: str, role: Role) -> str:
    is_query = role == "query"
    if model.startswith("jina-code-embeddings"):
        return "nl2code.query" if is_query else "nl2code.passage"
    if model.startswith("jina-embeddings-v4"):
        return "code.query" if is_query else "code.passage"
    if model.startswith("jina-embeddings-v3"):
        return "retrieval.query" if is_query else "retrieval.passage"
    return ""
