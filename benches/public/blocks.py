"""The text that a model is shown, made of whole texts."""

from collections.abc import Iterable

from codecairn.memory.excerpts import shortened, tokens


def filled(texts: Iterable[str], max_tokens: int) -> str:
    """The texts in their order, as many as there is room for; the last is cut."""
    parts: list[str] = []
    left = max_tokens
    for text in texts:
        parts.append(shortened(text, left))
        left -= tokens(parts[-1])
        if left <= 0:
            break
    return "\n".join(parts)
