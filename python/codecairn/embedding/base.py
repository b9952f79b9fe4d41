"""The protocol of a provider: it shapes requests and reads responses; the transport is shared."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.remote.request import HttpRequest

Role: TypeAlias = Literal["query", "document"]
"""Whether a text is asked with or to be found; many models embed the two differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Vectors in the order of the texts, and the tokens that were charged; `None` where a provider does not report them."""

    vectors: Sequence[Sequence[float]]
    tokens: int | None = None


class Provider(Protocol):
    """The shape of one provider's protocol. It sends nothing."""

    @property
    def name(self) -> str:
        """The provider's name, as errors have it."""
        ...

    @property
    def destination(self) -> str:
        """Where texts go, as shown to the user."""
        ...

    def request(self, texts: Sequence[str], *, role: Role) -> HttpRequest:
        """The request that embeds these texts."""
        ...

    def answer(self, document: Mapping[str, object]) -> Answer:
        """The vectors in a response.

        Raises:
            KeyError, TypeError, ValueError: If it is not as documented.
        """
        ...


def numbers(vector: object) -> list[float]:
    """A JSON array of numbers.

    Raises:
        TypeError: If it is anything else.
    """
    if not isinstance(vector, list) or not all(type(value) in {int, float} for value in vector):
        message = "a vector must be an array of numbers"
        raise TypeError(message)
    return vector


def in_order(rows: object) -> list[list[float]]:
    """The vectors of rows like `{"index": 0, "embedding": [...]}`, by their index.

    Raises:
        KeyError, TypeError, ValueError: If rows are not like that, or an index is missing or there twice.
    """
    if not isinstance(rows, list):
        message = "`data` must be an array"
        raise TypeError(message)
    placed = {row.get("index", at): numbers(row["embedding"]) for at, row in enumerate(rows)}
    if sorted(placed) != list(range(len(rows))):
        message = "an index is missing or there twice"
        raise ValueError(message)
    return [placed[at] for at in range(len(rows))]
