"""From changed lines to the symbols that they touch."""

from collections.abc import Sequence

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition
from codecairn.graph.changes import Touched


def changed_symbols(
    engine: GraphEngine, touched: Sequence[Touched]
) -> tuple[tuple[Definition, ...], tuple[str, ...]]:
    """The symbols whose lines are touched, by path and line, and the files that the index does not have."""
    indexed = set(engine.engine.paths())
    symbols: dict[tuple[str, int], Definition] = {}
    missing = []
    for each in touched:
        if each.path not in indexed:
            missing.append(each.path)
        elif each.lines is not None:
            for symbol in engine.symbols_in(each.path, each.lines):
                symbols[symbol.place] = symbol
    ordered = sorted(symbols.values(), key=lambda symbol: (symbol.path, symbol.line))
    return tuple(ordered), tuple(sorted(missing))
