"""Google Gemini, `POST /v1beta/models/<model>:generateContent`."""

import re
from collections.abc import Mapping
from typing import Any, cast

from codecairn.core.light_dataclass import dataclass
from codecairn.llm.provider import THOUGHT_TOKENS, Prompt, Reply, texts
from codecairn.remote.request import HttpRequest, Secret, count_of, secrets

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"

_OBEYS = re.compile(r"gemini-(?:1|2\.0|2\.5-flash)|gemma")
_FINISHED = frozenset({"STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED", None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Google:
    """Gemini models. The key goes into a header: addresses are written to logs."""

    model: str
    base_url: str = BASE_URL
    key: Secret | None = None
    name: str = "google"

    @property
    def destination(self) -> str:
        """Where texts go."""
        return self.base_url

    @property
    def thought_tokens(self) -> int:
        """Tokens for thoughts of models whose thinking can't be turned off."""
        return 0 if _OBEYS.match(self.model) else THOUGHT_TOKENS

    def request(self, prompt: Prompt) -> HttpRequest:
        """`{"systemInstruction", "contents": [{"role": "user", "parts"}], "generationConfig"}`."""
        return HttpRequest(
            url=f"{self.base_url.rstrip('/')}/models/{self.model}:generateContent",
            body={
                "systemInstruction": {"parts": [{"text": prompt.system}]},
                "contents": [{"role": "user", "parts": [{"text": prompt.text}]}],
                "generationConfig": {
                    "maxOutputTokens": prompt.max_tokens + self.thought_tokens,
                    "responseMimeType": "application/json",
                    **self._thinking(),
                },
            },
            headers={"x-goog-api-key": self.key.reveal()} if self.key else {},
            secrets=secrets(self.key),
        )

    def _thinking(self) -> dict[str, object]:
        """The minimum of thinking that the model allows; models before 2.5 lack the option."""
        if self.model.startswith("gemini-3"):
            return {"thinkingConfig": {"thinkingLevel": "low"}}
        if self.model.startswith("gemini-2.5-flash"):
            return {"thinkingConfig": {"thinkingBudget": 0}}
        return {}

    def reply(self, document: Mapping[str, object]) -> Reply:
        """`{"candidates": [{"content": {"parts"}, "finishReason"}], "usageMetadata"}`, or `promptFeedback` alone."""
        row = cast("Any", document)
        input_tokens = count_of(document, "usageMetadata", "promptTokenCount")
        cached_tokens = count_of(document, "usageMetadata", "cachedContentTokenCount") or 0
        blocked = (row.get("promptFeedback") or {}).get("blockReason")
        if blocked:
            return Reply(
                text="", refusal=f"the prompt was blocked: {blocked}", input_tokens=input_tokens
            )
        candidate = row["candidates"][0]
        reason = candidate.get("finishReason")
        said = count_of(document, "usageMetadata", "candidatesTokenCount")
        thought = count_of(document, "usageMetadata", "thoughtsTokenCount") or 0
        parts = (candidate.get("content") or {}).get("parts") or []
        return Reply(
            text=texts(parts),
            is_cut=reason == "MAX_TOKENS",
            refusal="" if reason in _FINISHED else f"it stopped with `{reason}`",
            output_tokens=None if said is None else said + thought,
            input_tokens=input_tokens,
            cached_tokens=cached_tokens,
        )
