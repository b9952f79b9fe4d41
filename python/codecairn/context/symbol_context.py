"""The context of a symbol as pieces: callers, callees, types and tests."""

from collections import Counter
from collections.abc import Iterable, Sequence

from codecairn.context.pack_pieces import Pieces, definition_piece
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Place, Use
from codecairn.graph.candidates import candidates
from codecairn.graph.test_detection import is_in_tests, is_test

_TYPES = frozenset(("class", "interface", "struct", "enum", "trait", "type"))
_TEST_STEPS = 4
_MAX_TESTS = 10


def caller_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> Pieces:
    """The definitions that use a symbol, each with the lines where it does; those of tests last."""
    every = [use for use in engine.uses_of(symbols) if use.kind != "import"]
    uses = [*(use for use in every if use.is_resolved), *candidates(every, symbols).shown]
    own = {symbol.place for symbol in symbols}
    found = []
    for source, theirs in _by_source(uses):
        if source.place not in own:
            is_fact = any(use.is_resolved for use in theirs)
            order = (not is_fact, is_in_tests(source), source.path, source.line)
            found.append((order, source, sorted({use.line for use in theirs})))
    found.sort(key=lambda each: each[0])
    titles = ["Candidates that may call it" if order[0] else "Callers" for order, _, _ in found]
    return Pieces(
        shown=tuple(
            definition_piece(
                engine.engine,
                source,
                title=title,
                why=f"uses it at {', '.join(map(str, lines[:5]))}",
                lines=lines,
                is_place=order[0],
            )
            for title, (order, source, lines) in zip(titles[:limit], found[:limit], strict=True)
        ),
        left_out=tuple(Counter(titles[limit:]).items()),
    )


def _by_source(uses: Iterable[Use]) -> list[tuple[Definition, list[Use]]]:
    found: dict[Place, tuple[Definition, list[Use]]] = {}
    for use in uses:
        if use.source is not None:
            found.setdefault(use.source.place, (use.source, []))[1].append(use)
    return list(found.values())


def callee_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> Pieces:
    """The functions that a symbol uses, known ones only."""
    targets = _targets(engine, symbols)
    functions = [target for target in targets if target.kind not in _TYPES]
    return _limited(engine, functions, limit=limit, title="Callees", max_share=0.3)


def type_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> Pieces:
    """The types that a symbol uses, and the one it belongs to."""
    owners = {
        (symbol.path, symbol.qualified_name.removesuffix(symbol.name).rstrip(".:"))
        for symbol in symbols
    }
    found = [
        each
        for symbol in symbols
        for each in engine.symbols_in(symbol.path)
        if (each.path, each.qualified_name) in owners
    ]
    found += [target for target in _targets(engine, symbols) if target.kind in _TYPES]
    distinct = list({each.place: each for each in found}.values())
    return _limited(engine, distinct, limit=limit, title="Types", max_share=0.2)


def _limited(
    engine: GraphEngine,
    found: Sequence[Definition],
    *,
    limit: int,
    title: str,
    max_share: float,
) -> Pieces:
    more = len(found) - limit
    return Pieces(
        shown=tuple(
            definition_piece(engine.engine, each, title=title, max_share=max_share)
            for each in found[:limit]
        ),
        left_out=((title, more),) if more > 0 else (),
    )


def test_pieces(engine: GraphEngine, symbols: Sequence[Definition]) -> Pieces:
    """The tests that reach a symbol, the nearest first."""
    reached = engine.reached(symbols, direction="callers", max_depth=_TEST_STEPS)
    tests = [each for each in reached if is_test(each.definition)]
    title, more = "Tests that reach it", len(tests) - _MAX_TESTS
    return Pieces(
        shown=tuple(
            definition_piece(
                engine.engine,
                each.definition,
                title=title,
                why="directly" if each.distance == 1 else f"in {each.distance} steps",
                is_place=True,
            )
            for each in tests[:_MAX_TESTS]
        ),
        left_out=((title, more),) if more > 0 else (),
    )


def _targets(engine: GraphEngine, symbols: Sequence[Definition]) -> list[Definition]:
    own = {symbol.place for symbol in symbols}
    uses = [use for use in engine.uses_by(symbols) if use.is_resolved]
    found = {target.place: target for use in uses for target in use.targets}
    return [target for place, target in found.items() if place not in own]
