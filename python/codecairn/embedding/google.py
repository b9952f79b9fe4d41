"""Google Gemini, `POST /v1beta/models/<model>:batchEmbedContents`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, numbers
from codecairn.remote.request import HttpRequest, Secret, count_of, secrets

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Google:
    """Gemini's embeddings. The key goes in a header: addresses end up in logs."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "google"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:
        """`{"requests": [{"model", "content": {"parts": [{"text"}]}, "taskType", "outputDimensionality"}]}`.

        Models of the second generation know no task types: the purpose of a text is its prefix.
        """
        extra: dict[str, object] = {"outputDimensionality": self.dimensions}
        if "embedding-2" not in self.model:
            extra["taskType"] = "CODE_RETRIEVAL_QUERY" if role == "query" else "RETRIEVAL_DOCUMENT"
        model = f"models/{self.model.removeprefix('models/')}"
        body = {
            "requests": [
                {"model": model, "content": {"parts": [{"text": text}]}, **extra} for text in texts
            ]
        }
        url = f"{self.base_url.rstrip('/')}/{model}:batchEmbedContents"
        headers = {"x-goog-api-key": self.key.reveal()} if self.key else {}
        return HttpRequest(url=url, body=body, headers=headers, secrets=secrets(self.key))

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"embeddings": [{"values": [...]}]}`."""
        rows = cast("Any", document["embeddings"])
        tokens = count_of(document, "usageMetadata", "promptTokenCount")
        return Answer(vectors=[numbers(row["values"]) for row in rows], tokens=tokens)
