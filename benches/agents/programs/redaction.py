"""Transcripts without secrets: the user's keys and everything that our redaction knows."""

import json
from collections.abc import Collection

from codecairn.core.memory_engine import redacted

GONE = "[REDACTED:key]"
_MIN_KEY = 6
"""Shorter values are no keys, and would take ordinary words with them."""


def clean(text: str, keys: Collection[str]) -> str:
    """A text without secrets; `keys` are values that go wherever they stand."""
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= _MIN_KEY:
            text = text.replace(key, GONE)
    return redacted(text)[0]


def clean_lines(text: str, keys: Collection[str]) -> str:
    """An output without secrets: lines of JSON stay JSON, as each text in them is cleaned by itself."""
    return "\n".join(_clean_line(line, keys) for line in text.splitlines())


def _clean_line(line: str, keys: Collection[str]) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return clean(line, keys)
    return json.dumps(_cleaned(value, keys), ensure_ascii=False)


def _cleaned(value: object, keys: Collection[str]) -> object:
    if isinstance(value, str):
        return clean(value, keys)
    if isinstance(value, list):
        return [_cleaned(each, keys) for each in value]
    if isinstance(value, dict):
        return {clean(name, keys): _cleaned(each, keys) for name, each in value.items()}
    return value
