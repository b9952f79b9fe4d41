"""Read what a SCIP index says about where names are defined.

A SCIP index is one protocol buffer. Only four messages and nine fields of it matter here, so it is decoded by hand.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from benches.quality.graph.places import Place, byte_column, line_of

# Fields of scip.proto.
_INDEX_DOCUMENTS = 2
_DOCUMENT_PATH, _DOCUMENT_OCCURRENCES = 1, 2
_RANGE, _SYMBOL, _ROLES = 1, 2, 3
_DEFINITION = 1
# What is left of a symbol beyond the class: the companion itself, or a method of class or companion that nobody wrote.
_WRITTEN = re.compile(r"(?<![).])[.#]((apply|copy|unapply|tupled|curried)\((\+\d+)?\)\.)?$")
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class ScipIndex:
    """Where each symbol is defined, and which symbol is at each place."""

    def __init__(self, index: Path, *, root: Path) -> None:
        self._symbols: dict[Place, list[str]] = defaultdict(list)
        self._definitions: dict[str, list[Place]] = defaultdict(list)
        for number, document in fields(index.read_bytes()):
            if number == _INDEX_DOCUMENTS and isinstance(document, bytes):
                self._add(document, root)

    def definitions(self, place: Place) -> list[Place] | None:
        """Where the name at this place is defined: empty if outside the project, None if nothing is known."""
        symbols = self._symbols.get(place)
        if symbols is None:
            return None
        return sorted({target for symbol in symbols for target in self._defined(symbol)})

    def _defined(self, symbol: str) -> list[Place]:
        found = self._definitions.get(symbol, [])
        # In Scala a class and its companion bear one name, and the compiler writes a companion with `apply` and more.
        owner = _WRITTEN.sub("#", symbol)
        if owner != symbol and (not found or symbol[:-1] == owner[:-1]):
            return found + self._definitions.get(owner, [])
        return found

    def _add(self, document: bytes, root: Path) -> None:
        known = list(fields(document))
        path = _text(next(value for number, value in known if number == _DOCUMENT_PATH))
        lines = (root / path).read_bytes().split(b"\n") if (root / path).is_file() else []
        for number, value in known:
            if number != _DOCUMENT_OCCURRENCES or not isinstance(value, bytes):
                continue
            occurrence: Mapping[int, int | bytes] = dict(fields(value))
            symbol = _text(occurrence.get(_SYMBOL, b""))
            packed = occurrence.get(_RANGE, b"")
            if not symbol or not isinstance(packed, bytes):
                continue
            line, column, *_ = varints(packed)
            place = Place(
                path=path,
                line=line + 1,
                column=byte_column(line_of(lines, line + 1), column),
            )
            # A local symbol's name is unique in its document only.
            key = f"{path} {symbol}" if symbol.startswith("local ") else symbol
            self._symbols[place].append(key)
            roles = occurrence.get(_ROLES, 0)
            if isinstance(roles, int) and roles & _DEFINITION:
                self._definitions[key].append(place)


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protocol buffer, in order: number and value."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield number, value
        elif kind == _BYTES:
            length, at = _varint(message, at)
            yield number, message[at : at + length]
            at += length
        elif kind in {_FIXED64, _FIXED32}:
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind} is not one of protocol buffers")


def varints(packed: bytes) -> list[int]:
    """Numbers packed one after the other."""
    numbers, at = [], 0
    while at < len(packed):
        number, at = _varint(packed, at)
        numbers.append(number)
    return numbers


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def _text(value: int | bytes) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
