"""Ollama, `POST /api/embed`; installed models by `/api/tags` and `/api/show`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, numbers
from codecairn.embedding.models import Model
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "http://127.0.0.1:11434"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ollama:
    """A local or remote Ollama. Long texts are refused rather than cut: they are split and pooled here."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "ollama"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:  # noqa: ARG002 - prompts are in the texts
        """`{"model", "input": [...], "truncate": false}`."""
        body: dict[str, object] = {"model": self.model, "input": list(texts), "truncate": False}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        return self._request("/api/embed", body)

    def answer(self, document: Mapping[str, object]) -> Answer:
        """`{"embeddings": [[...]], "prompt_eval_count"}`."""
        rows = cast("Any", document["embeddings"])
        tokens = count_of(document, "prompt_eval_count")
        return Answer(vectors=[numbers(row) for row in rows], tokens=tokens)

    def tags(self) -> HttpRequest:
        """Asks what is installed."""
        return self._request("/api/tags", None, method="GET")

    def show(self) -> HttpRequest:
        """Asks what the model is like."""
        return self._request("/api/show", {"model": self.model})

    def _request(
        self, path: str, body: Mapping[str, object] | None, *, method: str = "POST"
    ) -> HttpRequest:
        return HttpRequest(
            url=self.base_url.rstrip("/") + path,
            body=body,
            headers=bearer(self.key),
            secrets=secrets(self.key),
            method=method,
        )


def installed(document: Mapping[str, object]) -> list[str]:
    """The models in an answer to `tags`."""
    models = document.get("models")
    rows = models if isinstance(models, list) else []
    return [str(row["name"]) for row in rows if isinstance(row, dict) and "name" in row]


def described(document: Mapping[str, object]) -> Model | None:
    """The model in an answer to `show`; `None` if it does not embed or does not report its dimensions."""
    capabilities = document.get("capabilities")
    if isinstance(capabilities, list) and "embedding" not in capabilities:
        return None
    facts = cast("dict[str, Any]", document.get("model_info") or {})
    by_end = {name.rpartition(".")[2]: value for name, value in facts.items()}
    dimensions, context = by_end.get("embedding_length"), by_end.get("context_length")
    if not isinstance(dimensions, int):
        return None
    return Model(
        dimensions=dimensions, text_tokens=context if isinstance(context, int) else 2048, usd=0
    )
