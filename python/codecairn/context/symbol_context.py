"""The context of a symbol as pieces: callers, callees, types and tests."""

from collections.abc import Iterable, Sequence

from codecairn.context.pack_pieces import Piece, definition_piece
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Use
from codecairn.graph.test_detection import is_in_tests, is_test

_TYPES = frozenset(("class", "interface", "struct", "enum", "trait", "type"))
_TEST_STEPS = 4
_MAX_TESTS = 10


def caller_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> list[Piece]:
    """The definitions that use a symbol, each with the lines where it does; those of tests last."""
    uses = [use for use in engine.uses_of(symbols) if use.kind != "import"]
    own = {symbol.place for symbol in symbols}
    pieces = []
    for source, theirs in _by_source(uses):
        if source.place not in own:
            lines = sorted({use.line for use in theirs})
            is_fact = any(use.is_resolved for use in theirs)
            why = f"uses it at {', '.join(map(str, lines[:5]))}"
            pieces.append(
                (
                    (not is_fact, is_in_tests(source), source.path, source.line),
                    definition_piece(
                        engine.engine,
                        source,
                        title="Callers" if is_fact else "Candidates that may call it",
                        why=why,
                        lines=lines,
                        is_place=not is_fact,
                    ),
                )
            )
    return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])][:limit]


def _by_source(uses: Iterable[Use]) -> list[tuple[Definition, list[Use]]]:
    found: dict[tuple[str, int], tuple[Definition, list[Use]]] = {}
    for use in uses:
        if use.source is not None:
            found.setdefault(use.source.place, (use.source, []))[1].append(use)
    return list(found.values())


def callee_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> list[Piece]:
    """The functions that a symbol uses, known ones only."""
    targets = _targets(engine, symbols)
    functions = [target for target in targets if target.kind not in _TYPES]
    return [
        definition_piece(engine.engine, target, title="Callees") for target in functions[:limit]
    ]


def type_pieces(engine: GraphEngine, symbols: Sequence[Definition], *, limit: int) -> list[Piece]:
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
    return [
        definition_piece(engine.engine, each, title="Types", max_share=0.2)
        for each in distinct[:limit]
    ]


def test_pieces(engine: GraphEngine, symbols: Sequence[Definition]) -> list[Piece]:
    """The tests that reach a symbol, the nearest first."""
    reached = engine.reached(symbols, direction="callers", max_depth=_TEST_STEPS)
    tests = [each for each in reached if is_test(each.definition)]
    return [
        definition_piece(
            engine.engine,
            each.definition,
            title="Tests that reach it",
            why="directly" if each.distance == 1 else f"in {each.distance} steps",
            is_place=True,
        )
        for each in tests[:_MAX_TESTS]
    ]


def _targets(engine: GraphEngine, symbols: Sequence[Definition]) -> list[Definition]:
    own = {symbol.place for symbol in symbols}
    uses = [use for use in engine.uses_by(symbols) if use.is_resolved]
    found = {target.place: target for use in uses for target in use.targets}
    return [target for place, target in found.items() if place not in own]
