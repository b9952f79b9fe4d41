"""The outline of a class: the signatures of its members, from the index."""

from codecairn.core.engine import Engine
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition
from codecairn.core.types.hits import Hit
from codecairn.errors import CodecairnError

_MAX_SIGNATURE_LINES = 12


def member_signatures(engine: Engine, hit: Hit) -> tuple[tuple[int, str], ...]:
    """The line and the signature of each member of a class in the same file, in order; empty where a hit has more than a class.

    A signature of several lines is joined into one. The members of a type that are defined apart from it, as in Rust, count.
    """
    starts = (f"{hit.name}.", f"{hit.name}::")
    try:
        symbols = GraphEngine(engine).symbols_in(hit.path)
        if not any(_holds(symbol, hit) for symbol in symbols):
            return ()
        lines = {symbol.line for symbol in symbols if symbol.qualified_name.startswith(starts)}
        return tuple((line, _signature(engine, hit.path, line)) for line in sorted(lines))
    except CodecairnError:
        return ()  # the file changed meanwhile


def _holds(symbol: Definition, hit: Hit) -> bool:
    """Whether a symbol is the class of a hit, and all of the hit."""
    is_named = symbol.qualified_name == hit.name
    return is_named and hit.start_line <= symbol.line and hit.end_line <= symbol.end_line


def _signature(engine: Engine, path: str, line: int) -> str:
    text, first, _last = engine.text_at(path, line)
    joined, *others = (each.rstrip() for each in text.split("\n")[max(line - first, 0) :])
    for more in others[:_MAX_SIGNATURE_LINES]:
        if joined.count("(") <= joined.count(")"):
            break
        joined = f"{joined}{'' if joined.endswith('(') else ' '}{more.strip()}"
    joined = joined.replace(", )", ")").replace(",)", ")").replace(" )", ")")
    return joined.removesuffix("{").rstrip().removesuffix(":")
