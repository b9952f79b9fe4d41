"""Resolves a symbol from `name`, `Class.name`, `path::name`, `path:line` or `path:line:column`."""

import re
from collections.abc import Sequence

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import DefineRequest
from codecairn.core.types.graph import Definition
from codecairn.errors import SymbolAmbiguous, SymbolNotFound
from codecairn.graph.test_detection import is_test_path

MAX_LINE = 2**31 - 1
"""The last line that a file of the index can have."""

MAX_CANDIDATES = 5
MAX_DEFINITIONS = 1_000
"""Of a name with more definitions, the canonical one is among the best of so many."""

_PLACE = re.compile(r"(?P<path>[^:]*[./][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?")
_IN_FILE = re.compile(r"(?P<path>[^:#]*[./][^:#]*)(?:::|#)(?P<name>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The symbol that a name means: several definitions are overloads of one name; `also` were passed over."""

    symbols: tuple[Definition, ...]
    also: tuple[Definition, ...] = ()


def named(engine: GraphEngine, name: str, *, path: str | None = None) -> tuple[Definition, ...]:
    """All definitions that a name may mean: implementations first, then by path and line.

    Raises:
        SymbolNotFound: If there are none.
    """
    text = name.strip().removesuffix("()")
    at = _PLACE.fullmatch(text)
    if at is not None:
        return _at(engine, at["path"], int(at["line"]), int(at["column"] or 0))
    inside = _IN_FILE.fullmatch(text)
    if inside is not None and (path is None or path == inside["path"]):
        text, path = inside["name"], inside["path"]
    found = engine.symbols(text) if text else ()
    if path is not None:
        found = tuple(each for each in found if _lies_in(each.path, path))
    if not found:
        raise SymbolNotFound(
            f"nothing is defined as `{name}`" + (f" in `{path}`" if path else ""),
            hint="names are matched as they are written, scopes as in `Class.method`; "
            "`codecairn search` finds by meaning",
        )
    return tuple(sorted(found, key=lambda each: (is_test_path(each.path), each.path, each.line)))


def resolve_symbol(engine: GraphEngine, name: str, *, path: str | None = None) -> Found:
    """The one symbol that a name means. Of several, the only one that is no test is meant.

    Raises:
        SymbolNotFound: If nothing has this name.
        SymbolAmbiguous: If several symbols have it.
    """
    groups = _overloads(named(engine, name, path=path))
    own = [group for group in groups if not is_test_path(group[0].path)]
    if len(groups) > 1 and len(own) == 1:
        rest = tuple(each for group in groups if group is not own[0] for each in group)
        return Found(symbols=own[0], also=rest)
    if len(groups) > 1:
        raise _ambiguous(name, groups)
    return Found(symbols=groups[0])


def resolve_canonical(engine: GraphEngine, name: str) -> Found:
    """The symbol that a name means; of several the one that `define` has first, and `also` has the others.

    Raises:
        SymbolNotFound: If nothing has this name.
    """
    groups = _overloads(named(engine, name))
    if len(groups) == 1:
        return Found(symbols=groups[0])
    last = re.split(r"::|[.#]", groups[0][0].qualified_name)[-1]
    hits = engine.engine.define(DefineRequest(last, limit=MAX_DEFINITIONS))
    order = {(hit.path, hit.name): at for at, hit in reversed([*enumerate(hits)])}
    groups.sort(
        key=lambda group: order.get((group[0].path, group[0].qualified_name), MAX_DEFINITIONS)
    )
    rest = tuple(each for group in groups[1:] for each in group)
    return Found(symbols=groups[0], also=rest)


def _at(engine: GraphEngine, path: str, line: int, column: int) -> tuple[Definition, ...]:
    """The innermost definition that holds a line; with a column, from 1, the last whose name begins there or before it."""
    inside = engine.symbols_in(path, [(line, line)]) if line <= MAX_LINE else ()
    if not inside:
        raise SymbolNotFound(
            f"no symbol holds line {line} of `{path}`", hint="name a line of a function or a type"
        )
    before = [each for each in inside if each.line == line and each.column < column]
    if before:
        return (max(before, key=lambda each: each.column),)
    return (min(inside, key=lambda each: (each.end_line - each.start_line, each.line)),)


def _lies_in(path: str, wanted: str) -> bool:
    wanted = wanted.rstrip("/")
    return path == wanted or path.startswith(f"{wanted}/") or path.endswith(f"/{wanted}")


def _overloads(found: Sequence[Definition]) -> list[tuple[Definition, ...]]:
    """The definitions, those of one qualified name in one file together."""
    groups: dict[str, list[Definition]] = {}
    for each in found:
        groups.setdefault(each.title, []).append(each)
    return [tuple(group) for group in groups.values()]


def _ambiguous(name: str, groups: Sequence[Sequence[Definition]]) -> SymbolAmbiguous:
    titles = tuple(group[0].title for group in groups)
    listed = ", ".join(f"`{title}`" for title in titles[:MAX_CANDIDATES])
    more = f" and {len(titles) - MAX_CANDIDATES:,} more" if len(titles) > MAX_CANDIDATES else ""
    return SymbolAmbiguous(
        f"{len(titles):,} symbols are called `{name}`",
        hint=f"give one of {listed}{more}, or the path of its file",
        candidates=titles,
    )
