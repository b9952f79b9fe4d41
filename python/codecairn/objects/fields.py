"""Reads fields of documents that came from elsewhere, with an error that names what is wrong."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from codecairn.errors import RemoteUntrusted

MAX_COUNT = 2**53 - 1
"""The greatest number in a document: JSON readers agree up to here."""

MAX_TEXT_CHARACTERS = 4096

_SHA_256 = re.compile(r"[0-9a-f]{64}")


def text(document: Mapping[str, Any], name: str) -> str:
    """A text of bounded length without control characters; `RemoteUntrusted` if it is none."""
    value = document.get(name)
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARACTERS or not _is_plain(value):
        raise _wrong(name)
    return value


def count(document: Mapping[str, Any], name: str, *, maximum: int = MAX_COUNT) -> int:
    """A number from 0 to `maximum`; `RemoteUntrusted` if it is none."""
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= maximum:
        raise _wrong(name)
    return value


def moment_ns(document: Mapping[str, Any], name: str) -> int:
    """A moment in nanoseconds since 1970; `RemoteUntrusted` if it is none."""
    return count(document, name, maximum=2**63 - 1)


def digest(document: Mapping[str, Any], name: str) -> str:
    """A SHA-256 in hexadecimal digits; `RemoteUntrusted` if it is none."""
    value = document.get(name)
    if not isinstance(value, str) or not _SHA_256.fullmatch(value):
        raise _wrong(name)
    return value


def rows(document: Mapping[str, Any], name: str, *, max_rows: int) -> Sequence[Mapping[str, Any]]:
    """A list of objects, at most `max_rows`; `RemoteUntrusted` if it is none."""
    value = document.get(name)
    if not isinstance(value, list) or len(value) > max_rows:
        raise _wrong(name)
    if not all(isinstance(row, dict) for row in value):
        raise _wrong(name)
    return value


def _is_plain(value: str) -> bool:
    return all(char.isprintable() for char in value)


def _wrong(name: str) -> RemoteUntrusted:
    return RemoteUntrusted(f"a document of the shared index has no valid `{name}`")
