"""The callers and callees of a symbol."""

from collections.abc import Collection, Sequence

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Neighbours, Reached, Use
from codecairn.graph.symbol_resolution import Found

MAX_UNRESOLVED = 5
"""Unresolved uses that are listed; all are counted."""

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
    uses = [use for use in engine.uses_of(found.symbols) if not kinds or use.kind in kinds]
    known = [use for use in uses if use.is_resolved]
    possible = [use for use in uses if not use.is_resolved]
    unresolved, unresolved_count = engine.unresolved_uses(
        found.symbols, limit=_EVERY_USE if kinds else MAX_UNRESOLVED
    )
    if kinds:
        unresolved = tuple(use for use in unresolved if use.kind in kinds)
        unresolved_count = len(unresolved)
    return _neighbours(
        "callers",
        engine,
        found,
        known,
        possible,
        unresolved=unresolved[:MAX_UNRESOLVED],
        unresolved_count=unresolved_count,
        limit=limit,
        depth=depth,
    )


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
    known = [use for use in uses if use.is_resolved]
    possible = [use for use in uses if not use.is_resolved and use.targets]
    outside = tuple(dict.fromkeys(use.name for use in uses if not use.targets))
    return _neighbours(
        "callees", engine, found, known, possible, outside=outside, limit=limit, depth=depth
    )


def _neighbours(
    direction: str,
    engine: GraphEngine,
    found: Found,
    known: Sequence[Use],
    possible: Sequence[Use],
    *,
    limit: int | None,
    depth: int,
    outside: tuple[str, ...] = (),
    unresolved: tuple[Use, ...] = (),
    unresolved_count: int = 0,
) -> Neighbours:
    shown = known[:limit]
    room = None if limit is None else limit - len(shown)
    candidates = possible[:room]
    further: tuple[Reached, ...] = ()
    if depth > 1:
        reached = engine.reached(found.symbols, direction=direction, max_depth=depth)
        further = tuple(each for each in reached if each.distance > 1)
    return Neighbours(
        direction=direction,
        symbols=found.symbols,
        also=found.also,
        uses=tuple(shown),
        possible=tuple(candidates),
        outside=outside,
        left_out=len(known) + len(possible) - len(shown) - len(candidates),
        further=further[:limit],
        unresolved=unresolved,
        unresolved_count=unresolved_count,
    )


def leads_to(use: Use, symbols: Collection[Definition]) -> bool:
    """Whether a use may mean any of these definitions."""
    places = {symbol.place for symbol in symbols}
    return any(target.place in places for target in use.targets)
