"""GitHub Copilot: the OAuth token of an installed host, exchanged for one that embeds.

The endpoint is Copilot's own, used by its editors and not documented for others: it may change without notice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.githubcopilot.com"
EXCHANGE_URL = "https://api.github.com/copilot_internal/v2/token"

_HOST_HEADERS = {
    "Editor-Version": "vscode/1.104.1",
    "Editor-Plugin-Version": "copilot-chat/0.31.0",
    "Copilot-Integration-Id": "vscode-chat",
    "User-Agent": "GitHubCopilotChat/0.31.0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Copilot:
    """Copilot's embeddings, with a token that `exchange` brought."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    dimensions: int | None = None
    name: str = "copilot"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:  # noqa: ARG002 - one form for both
        """As OpenAI's, with the headers of an editor."""
        body: dict[str, object] = {"model": self.model, "input": list(texts)}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        return HttpRequest(
            url=f"{self.base_url.rstrip('/')}/embeddings",
            body=body,
            headers={**_HOST_HEADERS, **bearer(self.key)},
            secrets=secrets(self.key),
        )

    def answer(self, document: Mapping[str, object]) -> Answer:
        """As OpenAI's."""
        tokens = count_of(document, "usage", "total_tokens")
        return Answer(vectors=in_order(document["data"]), tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A short-lived token: where it is taken, and until when (seconds since 1970)."""

    token: Secret
    base_url: str
    expires_at_s: float


def exchange(oauth: Secret, *, url: str = EXCHANGE_URL) -> HttpRequest:
    """The request that turns a host's OAuth token into a short-lived one."""
    headers = {"Authorization": f"token {oauth.reveal()}", **_HOST_HEADERS}
    return HttpRequest(url=url, body=None, headers=headers, secrets=(oauth,), method="GET")


def session(document: Mapping[str, object]) -> Session:
    """The token in the answer: `{"token", "expires_at", "endpoints": {"api"}}`.

    Raises:
        KeyError, TypeError, ValueError: If it is not as expected.
    """
    endpoints = cast("dict[str, Any]", document.get("endpoints") or {})
    return Session(
        token=Secret(str(document["token"])),
        base_url=str(endpoints.get("api") or BASE_URL),
        expires_at_s=float(cast("float", document["expires_at"])),
    )
