"""The callers and callees of a symbol."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Neighbours, Reached, Use
from codecairn.graph.candidates import Candidates, candidates
from codecairn.graph.source_lines import source_lines
from codecairn.graph.symbol_resolution import Found

MAX_UNRESOLVED = 5
"""Unresolved places that are listed; all are counted."""

_MAX_CODE_CHARS = 120

_EVERY_USE = 2**31 - 1


def callers(
    engine: GraphEngine,
    found: Found,
    *,
    kinds: Collection[str] = (),
    limit: int | None = None,
    depth: int = 1,
) -> Neighbours:
    """Who uses a symbol; facts and candidates apart."""
    symbols = with_definitions(engine, found.symbols)
    uses = [use for use in engine.uses_of(symbols) if not kinds or use.kind in kinds]
    unresolved, count = engine.unresolved_uses(
        symbols, limit=_EVERY_USE if kinds else MAX_UNRESOLVED
    )
    if kinds:
        # Where a name merely stands, any kind of use may be meant.
        unresolved = tuple(use for use in unresolved if use.kind in (*kinds, "mention"))
        count = len(unresolved)
    return _neighbours(
        "callers",
        engine,
        found,
        [use for use in uses if use.is_resolved],
        candidates(uses, symbols),
        unresolved=unresolved,
        unresolved_count=count,
        limit=limit,
        depth=depth,
    )


def unresolved_uses(
    engine: GraphEngine, symbols: Sequence[Definition]
) -> tuple[tuple[Use, ...], int]:
    """The likeliest places of these symbols' names that could not be resolved or may mean many symbols, and their number."""
    symbols = with_definitions(engine, symbols)
    loose, count = engine.unresolved_uses(symbols, limit=MAX_UNRESOLVED)
    wide = candidates(engine.uses_of(symbols), symbols).wide if symbols else ()
    return with_code(engine, (*wide, *loose)[:MAX_UNRESOLVED]), count + len(wide)


def with_definitions(engine: GraphEngine, symbols: Sequence[Definition]) -> tuple[Definition, ...]:
    """The same symbols, and of one that is only declared, the definitions of its name: uses lead to these."""
    found = dict.fromkeys(symbols)
    for symbol in symbols:
        named = [
            each
            for each in engine.symbols(symbol.qualified_name)
            if each.qualified_name == symbol.qualified_name and each.kind == symbol.kind
        ]
        if symbol.place not in {each.place for each in named}:
            found |= dict.fromkeys(named)
    return tuple(found)


def with_code(engine: GraphEngine, uses: Sequence[Use]) -> tuple[Use, ...]:
    """The same uses with their lines, cut around the name if they are long."""
    return tuple(replace(use, code=_code(engine, use)) for use in uses)


def _code(engine: GraphEngine, use: Use) -> str:
    line = "".join(source_lines(engine.engine, use.path, use.line, use.line))
    column = len(line.encode()[: use.column].decode(errors="ignore"))
    if column >= len(line):  # a line of several chunks, of which this is the first
        return ""
    start = max(0, column - _MAX_CODE_CHARS // 2) if len(line) > _MAX_CODE_CHARS else 0
    return line[start : start + _MAX_CODE_CHARS].strip()


def callees(
    engine: GraphEngine,
    found: Found,
    *,
    kinds: Collection[str] = (),
    limit: int | None = None,
    depth: int = 1,
) -> Neighbours:
    """What a symbol uses; facts and candidates apart, and the names that lead out of the index."""
    uses = [use for use in engine.uses_by(found.symbols) if not kinds or use.kind in kinds]
    loose = [use for use in uses if not use.targets and use.how != "local"]
    defined = {name for name in {use.name for use in loose} if engine.symbols(name)}
    # A use that seems to leave the branch may still mean a definition of its name, but less likely.
    unresolved = tuple(
        use
        for how in ("unknown", "outside")
        for use in loose
        if use.how == how and use.name in defined
    )
    outside = tuple(dict.fromkeys(use.name for use in loose if use.name not in defined))
    return _neighbours(
        "callees",
        engine,
        found,
        [use for use in uses if use.is_resolved],
        candidates(uses),
        outside=outside,
        unresolved=unresolved,
        unresolved_count=len(unresolved),
        limit=limit,
        depth=depth,
    )


def _neighbours(
    direction: str,
    engine: GraphEngine,
    found: Found,
    known: Sequence[Use],
    doubtful: Candidates,
    *,
    limit: int | None,
    depth: int,
    outside: tuple[str, ...] = (),
    unresolved: tuple[Use, ...] = (),
    unresolved_count: int = 0,
) -> Neighbours:
    shown = known[:limit]
    room = None if limit is None else limit - len(shown)
    possible = doubtful.shown[:room]
    loose = (*doubtful.wide, *unresolved)[:MAX_UNRESOLVED]
    further: tuple[Reached, ...] = ()
    if depth > 1:
        reached = engine.reached(found.symbols, direction=direction, max_depth=depth)
        further = tuple(each for each in reached if each.distance > 1)
    return Neighbours(
        direction=direction,
        symbols=found.symbols,
        also=found.also,
        uses=tuple(shown),
        possible=possible,
        outside=outside,
        left_out=len(known) + len(doubtful.shown) - len(shown) - len(possible),
        further=further[:limit],
        unresolved=with_code(engine, loose),
        unresolved_count=unresolved_count + len(doubtful.wide),
        into_tests=doubtful.into_tests,
    )


def leads_to(use: Use, symbols: Collection[Definition]) -> bool:
    """Whether a use may mean any of these definitions."""
    places = {symbol.place for symbol in symbols}
    return any(target.place in places for target in use.targets)
