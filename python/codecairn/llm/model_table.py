"""The table of known providers and models: addresses, default models, prices."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codecairn.core.light_dataclass import dataclass
from codecairn.llm.agent_program import PROGRAMS
from codecairn.llm.anthropic import BASE_URL as ANTHROPIC_URL
from codecairn.llm.anthropic import Anthropic
from codecairn.llm.google import BASE_URL as GOOGLE_URL
from codecairn.llm.google import Google
from codecairn.llm.openai import BASE_URL as OPENAI_URL
from codecairn.llm.openai import OpenAi
from codecairn.llm.provider import Reply, Shape

PROVIDERS = ("anthropic", "xai", "google", "openai", "compatible", *PROGRAMS)
"""Whom one can name."""

SHAPES: Mapping[str, Callable[..., Shape]] = MappingProxyType(
    {
        "anthropic": Anthropic,
        "xai": OpenAi,
        "google": Google,
        "openai": OpenAi,
        "compatible": OpenAi,
    }
)

BASE_URLS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": ANTHROPIC_URL,
        "xai": "https://api.x.ai/v1",
        "google": GOOGLE_URL,
        "openai": OPENAI_URL,
    }
)

DEFAULT_MODELS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "claude-haiku-4-5-20251001",
        "xai": "grok-4-1-fast-non-reasoning",
        "google": "gemini-3-flash-preview",
        "openai": "gpt-4.1-mini",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """List prices in US dollars for a million tokens."""

    fresh: float
    cached: float
    output: float

    def micro_usd(self, *, fresh: int, cached: int, output: int) -> int:
        """The price of a call in millionths of a dollar, rounded up."""
        return -int(-(fresh * self.fresh + cached * self.cached + output * self.output) // 1)

    def of(self, reply: Reply, *, input_tokens: int, output_tokens: int) -> int:
        """The price of a reply with these tokens."""
        cached = min(reply.cached_tokens, input_tokens)
        return self.micro_usd(fresh=input_tokens - cached, cached=cached, output=output_tokens)


PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "claude-haiku-4-5-20251001": Price(fresh=1.0, cached=0.1, output=5.0),
        "claude-haiku-4-5": Price(fresh=1.0, cached=0.1, output=5.0),
        "grok-4-1-fast-non-reasoning": Price(fresh=0.2, cached=0.05, output=0.5),
        "gemini-3-flash-preview": Price(fresh=0.5, cached=0.05, output=3.0),
        "gpt-4.1-mini": Price(fresh=0.4, cached=0.1, output=1.6),
    }
)
"""Prices at the time of writing; the price of any other model is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPace:
    """How fast a model is asked: one request after the other, as each waits for the answer before."""

    concurrency: int = 1
    interval_ms: int = 0
    backoff_ms: int = 500
    max_backoff_ms: int = 8000
