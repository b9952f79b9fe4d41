"""Counts the tokens of a text: exactly with tiktoken where its vocabulary is available offline, else by an estimate."""

import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.memory.excerpts import tokens

_ENCODING = "cl100k_base"
_VOCABULARY = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""The name of the encoding's file in tiktoken's cache: the SHA-1 of the address that tiktoken loads it from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """Counts tokens; `is_exact` for models that use cl100k_base."""

    count: Callable[[str], int]
    is_exact: bool


@cache
def counter() -> Counter:
    """The best counter there is here. Nothing is ever loaded from the network for it."""
    if find_spec("tiktoken") is None or not _has_vocabulary():
        return Counter(count=tokens, is_exact=False)
    import tiktoken

    encoding = tiktoken.get_encoding(_ENCODING)
    return Counter(
        count=lambda text: len(encoding.encode(text, disallowed_special=())), is_exact=True
    )


def _has_vocabulary() -> bool:
    """Whether tiktoken has its words on this machine."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    place = Path(folder) if folder else Path(tempfile.gettempdir()) / "data-gym-cache"
    return (place / _VOCABULARY).is_file()
