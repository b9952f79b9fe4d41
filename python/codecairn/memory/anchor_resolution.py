"""Resolves what a person or an agent writes to anchors: `path::Symbol`, `path:line`, `path`, or a name alone."""

import dataclasses
import re
from collections.abc import Sequence

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import Anchor, AnchoredDefinition
from codecairn.errors import SymbolAmbiguous, UsageError
from codecairn.memory.anchor_status import Definitions

_NAMED = re.compile(r"`([A-Za-z_][\w]*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?`")
_NAME = re.compile(r"\w+(?:(?:\.|::|#)\w+)*")
_LINE = re.compile(r"(.+):(\d{1,9})")
_MAX_NAMED = 5
_MAX_CANDIDATES = 12
_HINT = (
    'for example "src/app.py::Session.get", "src/app.py:12" or "src/app.py"; a name alone is '
    "found if it is indexed"
)


def anchors_of(
    engine: MemoryEngine, text: str, places: Sequence[str], definitions: Definitions
) -> list[dict[str, str]]:
    """The anchors of a statement: the given places, or else the symbols that it names between backticks.

    Raises:
        SymbolAmbiguous: If a place names several symbols.
        UsageError: If there is no such place.
    """
    found = (
        [resolve_anchor(engine, place, definitions) for place in places]
        if places
        else _named_symbols(engine, text, definitions)
    )
    return [dataclasses.asdict(anchor) for anchor in dict.fromkeys(found)]


def resolve_anchor(engine: MemoryEngine, place: str, definitions: Definitions) -> Anchor:
    """The symbol, file or line at a place, as it is now.

    Raises:
        SymbolAmbiguous: If it names several symbols.
        UsageError: If there is no such place.
    """
    place = place.strip().removeprefix("./")
    file = engine.file_anchor(place)
    if file is not None:
        return file
    if line := _LINE.fullmatch(place):
        anchor = _at_line(engine, line[1], int(line[2]))
        if anchor is not None:
            return anchor
    path, separator, name = place.replace("#", "::", 1).partition("::")
    if separator and engine.file_anchor(path) is not None:
        found = _matching(engine.definitions_in(path), name)
    elif _NAME.fullmatch(place):
        found = _defined(engine, place, definitions)
    else:
        found = []
    if not found:
        raise UsageError(f"there is no symbol, file or line `{place}`", hint=_HINT)
    if len(found) > 1:
        raise _ambiguous(place, found)
    return found[0].anchor


def _named_symbols(engine: MemoryEngine, text: str, definitions: Definitions) -> list[Anchor]:
    """The symbols that a text names between backticks; only those that one place alone defines."""
    names = dict.fromkeys(_NAMED.findall(text))
    found = [_defined(engine, name, definitions) for name in names]
    return [symbols[0].anchor for symbols in found if len(symbols) == 1][:_MAX_NAMED]


def _defined(engine: MemoryEngine, name: str, definitions: Definitions) -> list[AnchoredDefinition]:
    """The definitions of a name in all files that the index knows to define it."""
    paths = definitions.paths(re.split(r"\.|::|#", name)[-1])
    return _matching([each for path in paths for each in engine.definitions_in(path)], name)


def _matching(found: Sequence[AnchoredDefinition], written: str) -> list[AnchoredDefinition]:
    """Those of exactly this qualified name, or else those whose name ends with it."""
    name = re.sub(r"::|#", ".", written)
    exact = [each for each in found if each.anchor.name == name]
    return exact or [each for each in found if each.anchor.name.endswith(f".{name}")]


def _at_line(engine: MemoryEngine, path: str, line: int) -> Anchor | None:
    """The innermost symbol around a line, or else the line itself."""
    around = [
        each for each in engine.definitions_in(path) if each.first_line <= line <= each.last_line
    ]
    if around:
        return min(around, key=lambda each: each.last_line - each.first_line).anchor
    return engine.line_anchor(path, line)


def _ambiguous(place: str, found: Sequence[AnchoredDefinition]) -> SymbolAmbiguous:
    """An error with the candidates, each in a way that chooses it."""
    names = [f"{each.anchor.path}::{each.anchor.name}" for each in found]
    candidates = tuple(
        f"{each.anchor.path}:{each.first_line}" if names.count(name) > 1 else name
        for each, name in zip(found, names, strict=True)
    )
    shown = ", ".join(f"`{each}`" for each in candidates[:_MAX_CANDIDATES])
    more = len(candidates) - _MAX_CANDIDATES
    return SymbolAmbiguous(
        f"`{place}` names {len(found)} symbols",
        hint=f"one of {shown}" + (f" and {more} more" if more > 0 else ""),
        candidates=candidates,
    )
