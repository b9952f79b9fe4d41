"""Redacts any JSON by the memory's privacy rules."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from codecairn.core.memory_engine import redacted
from codecairn.errors import UsageError

_MAX_BYTES = 4_000_000
"""Privacy looks at little more than that of one text."""


def cleaned(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The value without what privacy takes out of its texts: the log keeps it as it is then.

    Raises:
        UsageError: If it is no JSON or too large, or its names are secrets.
    """
    try:
        size_bytes = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (TypeError, ValueError) as err:
        raise UsageError(f"it can't be kept as JSON: {err}") from err
    if size_bytes > _MAX_BYTES:
        raise UsageError(
            f"{size_bytes:,} bytes are more than is kept of one thing",
            hint=f"the most is {_MAX_BYTES:,}; keep a large file elsewhere, and its place here",
        )
    text = json.dumps(_each(value, _clean), ensure_ascii=False)
    for _ in range(3):
        again = redacted(text)[0]
        if again == text:
            return json.loads(text)
        try:  # the key may be what makes its value a secret
            text = json.dumps(json.loads(again), ensure_ascii=False)
        except ValueError:
            text = json.dumps(_each(value, lambda _text: "[REDACTED]"), ensure_ascii=False)
    raise UsageError("names in this are secrets, which are not kept", hint="give them other names")


def is_something(text: object) -> bool:
    """Whether privacy has left more of a text than its marks."""
    return bool(str(text).replace("[REDACTED]", "").strip())


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()  # halves of characters, which JSON may hold
    return redacted(whole)[0]


def _each(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each(inner, change) for name, inner in value.items()}
    return [_each(inner, change) for inner in value] if isinstance(value, list | tuple) else value
