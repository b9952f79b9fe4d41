"""A request to a provider, with its credentials."""

from collections.abc import Mapping
from dataclasses import field

from codecairn.core.light_dataclass import dataclass


class Secret:
    """A credential. `repr` masks it, and only `reveal` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The credential itself, for a request's header."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request; `secrets` never show in an error about it."""

    url: str
    body: Mapping[str, object] | None
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[Secret, ...] = ()
    method: str = "POST"


def bearer(key: Secret | None) -> dict[str, str]:
    """The header by which most providers know their users."""
    return {"Authorization": f"Bearer {key.reveal()}"} if key else {}


def secrets(key: Secret | None) -> tuple[Secret, ...]:
    """The key as a request's secrets."""
    return (key,) if key else ()


def count_of(document: Mapping[str, object], *path: str) -> int | None:
    """A whole number somewhere in a document; `None` if it is not there."""
    value: object = document
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return int(value) if isinstance(value, int | float) else None
