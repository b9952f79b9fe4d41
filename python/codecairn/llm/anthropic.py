"""Anthropic, `POST /messages`."""

from collections.abc import Mapping
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.llm.provider import Prompt, Reply, texts
from codecairn.remote.request import HttpRequest, Secret, count_of, secrets

BASE_URL = "https://api.anthropic.com/v1"

_VERSION = "2023-06-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anthropic:
    """Claude models."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    name: str = "anthropic"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    @property
    def thought_tokens(self) -> int:
        """None: these models think only on request."""
        return 0

    def request(self, prompt: Prompt) -> HttpRequest:
        """`{"model", "max_tokens", "system", "messages": [{"role": "user", "content"}]}`."""
        headers = {"anthropic-version": _VERSION}
        if self.key is not None:
            headers["x-api-key"] = self.key.reveal()
        return HttpRequest(
            url=f"{self.base_url.rstrip('/')}/messages",
            body={
                "model": self.model,
                "max_tokens": prompt.max_tokens,
                "system": prompt.system,
                "messages": [{"role": "user", "content": prompt.text}],
            },
            headers=headers,
            secrets=secrets(self.key),
        )

    def reply(self, document: Mapping[str, object]) -> Reply:
        """`{"content": [{"type": "text", "text"}], "stop_reason", "usage"}`."""
        row = cast("Any", document)
        reason = row.get("stop_reason")
        fresh = count_of(document, "usage", "input_tokens")
        cached = count_of(document, "usage", "cache_read_input_tokens") or 0
        written = count_of(document, "usage", "cache_creation_input_tokens") or 0
        return Reply(
            text=texts(row["content"]),
            is_cut=reason == "max_tokens",
            refusal="it stopped with `refusal`" if reason == "refusal" else "",
            input_tokens=None if fresh is None else fresh + cached + written,
            cached_tokens=cached,
            output_tokens=count_of(document, "usage", "output_tokens"),
        )
