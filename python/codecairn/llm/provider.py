"""The protocol of a provider: it shapes requests and reads responses; the transport is shared."""

from collections.abc import Mapping
from typing import Protocol

from codecairn.core.light_dataclass import dataclass
from codecairn.remote.request import HttpRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is asked: what it has to do, and the text to do it with."""

    system: str
    text: str
    max_tokens: int = 4000

    @property
    def chars(self) -> int:
        """Its length."""
        return len(self.system) + len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply of a model.

    Attributes:
        text: Its answer.
        is_cut: Whether it ended because it became too long.
        refusal: Why it does not want to answer; empty if it does.
        input_tokens: Tokens that went in, cached ones included; `None` where a provider does not tell.
        cached_tokens: Of these, tokens that the provider had cached.
        output_tokens: Tokens that came out, thoughts included; `None` where a provider does not tell.
    """

    text: str
    is_cut: bool = False
    refusal: str = ""
    input_tokens: int | None = None
    cached_tokens: int = 0
    output_tokens: int | None = None


class _Described(Protocol):
    """What a model is called, where texts go, and how its response is read."""

    @property
    def name(self) -> str:
        """The provider's name."""
        ...

    @property
    def model(self) -> str:
        """The model's name, never empty."""
        ...

    @property
    def destination(self) -> str:
        """Where texts go, as shown to the user."""
        ...

    @property
    def thought_tokens(self) -> int:
        """Tokens for what the model thinks before it answers, which providers count as answer; 0 if it does not think."""
        ...

    def reply(self, document: Mapping[str, object]) -> Reply:
        """Parses the response.

        Raises:
            KeyError, TypeError, ValueError, IndexError: If it is not as documented.
        """
        ...


class Shape(_Described, Protocol):
    """One provider's protocol. It sends nothing."""

    def request(self, prompt: Prompt) -> HttpRequest:
        """The request that asks this."""
        ...


class Model(_Described, Protocol):
    """Anything that answers prompts."""

    def send(self, prompt: Prompt) -> Mapping[str, object]:
        """The response to a prompt.

        Raises:
            ProviderError: If there is none.
        """
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


THOUGHT_TOKENS = 8000
"""Tokens for the thoughts of a model with minimal thinking."""


def texts(parts: object) -> str:
    """The texts of parts like `{"type": "text", "text": …}`, joined.

    Raises:
        TypeError: If parts are not like that.
    """
    if not isinstance(parts, list):
        message = "an answer's parts must be an array"
        raise TypeError(message)
    found = []
    for part in parts:
        is_thought = part.get("thought") is True or part.get("type", "text") != "text"
        if not is_thought and isinstance(part.get("text"), str):
            found.append(part["text"])
    return "".join(found)
