"""Places in text: lines from 1, columns from 0 in bytes of UTF-8; language servers count in UTF-16."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Place:
    """Where a name begins. `path` is relative to the project's top, with forward slashes."""

    path: str
    line: int
    column: int


def utf16_column(line: bytes, column: int) -> int:
    """Turn a byte column into one of UTF-16 code units."""
    return len(line[:column].decode("utf-8", errors="replace").encode("utf-16-le")) // 2


def byte_column(line: bytes, utf16: int) -> int:
    """Turn a column of UTF-16 code units into bytes; the line's end if it lies beyond."""
    units = line.decode("utf-8", errors="replace").encode("utf-16-le")[: utf16 * 2]
    return len(units.decode("utf-16-le", errors="replace").encode("utf-8"))


def line_of(lines: Sequence[bytes], number: int) -> bytes:
    """The line with this number, empty beyond the end."""
    return lines[number - 1] if 0 < number <= len(lines) else b""
