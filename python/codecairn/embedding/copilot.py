"""GitHub Copilot: the OAuth token of an installed host, exchanged for one that may embed.

The endpoint is Copilot's own, used by its editors and not documented for others: it may change without notice.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.embedding.base import Answer, Role, in_order
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.githubcopilot.com"
EXCHANGE_URL = "https://api.github.com/copilot_internal/v2/token"

RENEWAL_S = 60
"""Seconds before its end from which on a token counts as expired: a request that is on its way must not outlive it."""

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


class SessionCache:
    """The short-lived tokens of this process, by the address they came from and the OAuth token they were exchanged for.

    They are held in memory only, until they expire or a request with them is refused: a token lives for about half an
    hour, and every exchange is a request to GitHub. Thread-safe, as each method is one operation on a `dict`; two
    threads that miss at once exchange twice, and the later session stays.
    """

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], Session] = {}

    def get(self, url: str, oauth: Secret, *, now_s: float) -> Session | None:
        """The session that is still valid at `now_s`."""
        session = self._sessions.get(_cache_key(url, oauth))
        is_valid = session is not None and session.expires_at_s - RENEWAL_S > now_s
        return session if is_valid else None

    def put(self, url: str, oauth: Secret, session: Session) -> None:
        """Keep a session in place of the one before."""
        self._sessions[_cache_key(url, oauth)] = session

    def discard(self, refused: Session) -> None:
        """Forget a session whose token was refused; one that was exchanged since stays."""
        for key, session in list(self._sessions.items()):
            if session is refused:
                self._sessions.pop(key, None)

    def clear(self) -> None:
        """Forget all sessions."""
        self._sessions.clear()


SESSIONS = SessionCache()
"""The sessions that all connections of this process share."""


def _cache_key(url: str, oauth: Secret) -> tuple[str, str]:
    return url, hashlib.sha256(oauth.reveal().encode()).hexdigest()


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
