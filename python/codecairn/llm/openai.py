"""OpenAI's protocol, `POST /chat/completions`, which xAI and many local servers implement."""

import re
from collections.abc import Mapping
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.llm.provider import THOUGHT_TOKENS, Prompt, Reply, texts
from codecairn.remote.request import HttpRequest, Secret, bearer, count_of, secrets

BASE_URL = "https://api.openai.com/v1"

_THINKS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAi:
    """OpenAI itself, and other providers with its protocol."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    name: str = "openai"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    @property
    def thought_tokens(self) -> int:
        """Room for thoughts, with OpenAI's own models that think."""
        thinks = self.name == "openai" and _THINKS.match(self.model) is not None
        return THOUGHT_TOKENS if thinks else 0

    def request(self, prompt: Prompt) -> HttpRequest:
        """`{"model", "messages": [system, user]}`; OpenAI calls the limit of tokens otherwise than those who followed."""
        limit = "max_completion_tokens" if self.name == "openai" else "max_tokens"
        effort = {"reasoning_effort": "low"} if self.thought_tokens else {}
        return HttpRequest(
            url=f"{self.base_url.rstrip('/')}/chat/completions",
            body={
                "model": self.model,
                "messages": [
                    {"role": "system", "content": prompt.system},
                    {"role": "user", "content": prompt.text},
                ],
                limit: prompt.max_tokens + self.thought_tokens,
                **effort,
            },
            headers=bearer(self.key),
            secrets=secrets(self.key),
        )

    def reply(self, document: Mapping[str, object]) -> Reply:
        """`{"choices": [{"message": {"content", "refusal"}, "finish_reason"}], "usage"}`."""
        choice = cast("Any", document)["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        content = message.get("content")
        refusal = message.get("refusal") or ""
        if reason == "content_filter":
            refusal = refusal or "its answer was filtered"
        if content is None and not refusal:
            raise KeyError("content")
        return Reply(
            text=content if isinstance(content, str) else texts(content or []),
            is_cut=reason == "length",
            refusal=str(refusal),
            input_tokens=count_of(document, "usage", "prompt_tokens"),
            cached_tokens=count_of(document, "usage", "prompt_tokens_details", "cached_tokens")
            or 0,
            output_tokens=count_of(document, "usage", "completion_tokens"),
        )
