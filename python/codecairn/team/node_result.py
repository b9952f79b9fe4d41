"""Reads the result of a search back from the document that a node made of it."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from codecairn.core.types.hits import Contribution, Hit, SearchResult, Span
from codecairn.core.types.provenance import Blame
from codecairn.errors import RemoteUntrusted

Outline = tuple[tuple[int, str], ...]

MAX_NUMBER = (1 << 63) - 1
MAX_LINE = (1 << 31) - 1
"""More lines than any file has that is indexed."""

_Data = TypeVar("_Data")


def search_result(document: Mapping[str, Any]) -> SearchResult:
    """The result in a node's answer.

    Raises:
        RemoteUntrusted: If it is none, as from another version.
    """
    try:
        row = document["result"]
        return _read(
            SearchResult,
            row,
            hits=tuple(map(_hit, _list(row["hits"]))),
            stale=tuple(map(str, _list(row["stale"]))),
            notes=tuple(map(str, _list(row["notes"]))),
        )
    except (KeyError, TypeError, ValueError) as err:
        raise RemoteUntrusted(
            "the node's answer is none of this version of codecairn",
            hint="use one version on the node and here",
        ) from err


def outlines(document: Mapping[str, Any], count: int) -> tuple[Outline, ...]:
    """The line and the signature of each member of the classes among so many hits; empty for what is no class."""
    try:
        found = tuple(
            tuple((_line(line), str(signature)) for line, signature in each)
            for each in document["outlines"]
        )
    except (KeyError, TypeError, ValueError):
        found = ()
    return found if len(found) == count else ((),) * count


def _hit(row: Mapping[str, Any]) -> Hit:
    blame = row["blame"]
    _require_lines(row["start_line"], row["end_line"])
    _require_lines(row["context_start_line"], row["start_line"])
    return _read(
        Hit,
        row,
        contributions=_contributions(row["contributions"]),
        blame=None if blame is None else _read(Blame, blame),
        spans=tuple(map(_span, _list(row["spans"]))),
    )


def _span(row: Mapping[str, Any]) -> Span:
    _require_lines(row["start_line"], row["end_line"])
    return _read(
        Span,
        row,
        shown=_ranges(row["shown"]),
        contributions=_contributions(row["contributions"]),
        ways=tuple(map(_ranges, _list(row["ways"]))),
    )


def _contributions(rows: object) -> tuple[Contribution, ...]:
    return tuple(_read(Contribution, row) for row in _list(rows))


def _ranges(rows: object) -> tuple[tuple[int, int], ...]:
    return tuple(_require_lines(first, last) for first, last in _list(rows))


def _require_lines(first: object, last: object) -> tuple[int, int]:
    """The first and the last of some lines, in this order."""
    found = _line(first), _line(last)
    if found[0] > found[1]:
        raise ValueError(f"{first}-{last}")
    return found


def _line(value: object) -> int:
    if type(value) is not int:
        raise TypeError(type(value).__name__)
    if not 1 <= value <= MAX_LINE:
        raise ValueError(f"line {value}")
    return value


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError(type(value).__name__)
    return value


def _read(cls: type[_Data], row: Mapping[str, Any], **nested: object) -> _Data:
    """Data of a class from a document: `nested` fields as they are given, the others as plain values of their types."""
    values = dict(nested)
    for field in dataclasses.fields(cls):  # type: ignore[arg-type] # all are data classes
        if field.name not in nested:
            value = row[field.name]
            if not isinstance(value, field.type):  # type: ignore[arg-type] # a type or a union of some
                raise TypeError(field.name)
            if isinstance(value, int | float) and not abs(value) <= MAX_NUMBER:  # as NaN, too
                raise ValueError(field.name)
            values[field.name] = value
    return cls(**values)
