"""The base types of a type, and the types derived from it."""

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Hierarchy, Kin, Use
from codecairn.graph.symbol_resolution import Found

_KINDS = ("inherit", "implement")


def hierarchy(engine: GraphEngine, found: Found) -> Hierarchy:
    """All types above and below one, nearest first; candidates are labelled, and not followed further."""
    outside: dict[str, None] = {}
    bases = _climb(engine, found.symbols, outside=outside, is_up=True)
    derived = _climb(engine, found.symbols, outside={}, is_up=False)
    return Hierarchy(
        symbols=found.symbols, bases=bases, derived=derived, outside=tuple(sorted(outside))
    )


def _climb(
    engine: GraphEngine,
    starts: tuple[Definition, ...],
    *,
    outside: dict[str, None],
    is_up: bool,
) -> tuple[Kin, ...]:
    seen = {start.place for start in starts}
    front, found, distance = list(starts), [], 0
    while front:
        distance += 1
        after: list[Definition] = []
        for use in _uses(engine, front, is_up=is_up):
            ends = use.targets if is_up else (use.source,)
            if not use.targets:
                outside[use.name] = None
            for end in ends:
                if end is not None and end.place not in seen:
                    seen.add(end.place)
                    kin = Kin(
                        definition=end,
                        distance=distance,
                        kind=use.kind,
                        is_resolved=use.is_resolved,
                    )
                    found.append(kin)
                    if use.is_resolved:
                        after.append(end)
        front = after
    return tuple(found)


def _uses(engine: GraphEngine, front: list[Definition], *, is_up: bool) -> list[Use]:
    """The uses of these types' heads, or those that name them as a base; facts first."""
    places = {symbol.place for symbol in front}
    uses = engine.uses_by(front) if is_up else engine.uses_of(front)
    wanted = [
        use
        for use in uses
        if use.kind in _KINDS
        and use.source is not None
        and (not is_up or use.source.place in places)
    ]
    return sorted(wanted, key=lambda use: not use.is_resolved)
