"""The outline of a class: the signatures of its members, from the index."""

from codecairn.core.engine import Engine
from codecairn.core.types.hits import Hit
from codecairn.errors import CodecairnError

_MAX_SIGNATURE_LINES = 12


def member_signatures(engine: Engine, hit: Hit) -> tuple[tuple[int, str], ...]:
    """The line and the signature of each member of a class in the same file, in order; empty where a hit has more than a class.

    A signature of several lines is joined into one. The members of a type that are defined apart from it, as in Rust, count.
    """
    starts = (f"{hit.name}.", f"{hit.name}::")
    try:
        symbols = engine.symbol_lines(hit.path)
        is_all_of_hit = any(
            name == hit.name and hit.start_line <= line and hit.end_line <= last
            for name, line, last in symbols
        )
        if not is_all_of_hit:
            return ()
        lines = {line for name, line, _last in symbols if name.startswith(starts)}
        return tuple((line, _signature(engine, hit.path, line)) for line in sorted(lines))
    except CodecairnError:
        return ()  # the file changed meanwhile


def _signature(engine: Engine, path: str, line: int) -> str:
    text, first, _last = engine.text_at(path, line)
    joined, *others = (each.rstrip() for each in text.split("\n")[max(line - first, 0) :])
    for more in others[:_MAX_SIGNATURE_LINES]:
        if joined.count("(") <= joined.count(")"):
            break
        joined = f"{joined}{'' if joined.endswith('(') else ' '}{more.strip()}"
    joined = joined.replace(", )", ")").replace(",)", ")").replace(" )", ")")
    return joined.removesuffix("{").rstrip().removesuffix(":")
