"""Renders results of the graph as lines of text, for people and for models."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from codecairn.core.graph_engine import MAX_PLACES
from codecairn.core.types.graph import (
    CallPath,
    Definition,
    Hierarchy,
    Kin,
    Mention,
    Neighbours,
    Reached,
    Use,
    Uses,
)

CANDIDATES = "candidates, not facts:"


def place(symbol: Definition) -> str:
    """`path:start-end  kind qualified-name`."""
    return f"{symbol.path}:{symbol.start_line}-{symbol.end_line}  {symbol.kind} {symbol.qualified_name}"


def counted(count: int, noun: str) -> str:
    """`1 use`, `2,000 uses`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def neighbours_lines(found: Neighbours) -> Iterator[str]:
    """The symbol, its uses or what it uses, and apart from them the candidates."""
    yield from map(place, found.symbols)
    is_callers = found.direction == "callers"
    row = _caller_row if is_callers else _callee_row
    if found.uses:
        yield ""
        yield f"{'used by' if is_callers else 'uses'}:"
        yield from _rows(found.uses, row)
    if found.possible:
        yield ""
        yield CANDIDATES
        yield from _rows(found.possible, row)
    name = _name_of_places(found) if is_callers else ""
    yield from unresolved_lines(
        found.unresolved, found.unresolved_count, of=f" of `{name}`" if name else "", name=name
    )
    if found.into_tests:
        yield into_tests_line(found.into_tests)
    if not found.uses and not found.possible and not found.unresolved_count:
        yield ""
        yield "no use is known" if is_callers else "it uses nothing that the index defines"
    yield from _rest_of_neighbours(found)


def _name_of_places(found: Neighbours) -> str:
    """The name by which a symbol is used: a constructor has that of its type."""
    own = found.symbols[0].name
    names = [use.name for use in found.unresolved]
    return own if own in names or not names else names[0]


def unresolved_words(count: int, *, of: str = "", name: str = "") -> str:
    """`12 places of touched names could not be resolved`, with the command that lists all of a name."""
    listing = f" (`codecairn uses {name}`)" if _is_plain(name) else ""
    more = " or more" if count >= MAX_PLACES else ""
    return (
        f"{count:,}{more} {'place' if count == 1 else 'places'}{of} could not be resolved{listing}"
    )


def unresolved_lines(
    found: Sequence[Use], count: int, *, of: str = "", name: str = ""
) -> Iterator[str]:
    """How many places could not be resolved, the likeliest with their code, and how many more there are."""
    if count:
        yield ""
        yield f"{unresolved_words(count, of=of, name=name)}:"
        yield from _rows(found, _source_and_code)
    if count > len(found):
        least = "at least " if count >= MAX_PLACES else ""
        yield f"  {least}{count - len(found):,} more"


def _is_plain(name: str) -> bool:
    """Whether `uses` takes a name."""
    return bool(name) and all(char.isalnum() or char in "_$?!" for char in name)


def _source_and_code(use: Use) -> str:
    source = "" if use.source is None else f"in {use.source.qualified_name}  "
    return f"{source}{use.kind}  {use.code or use.name}"


def into_tests_line(count: int) -> str:
    """How many uses are not shown as candidates for symbols of tests."""
    return f"{counted(count, 'use')} outside of tests left out as candidates for symbols of tests"


def _rows(uses: Sequence[Use], words: Callable[[Use], str]) -> Iterator[str]:
    """A row for each line that uses something: `path:line  words`, or `path:line:columns  words` for several uses."""
    for (path, line, text), group in groupby(uses, lambda use: (use.path, use.line, words(use))):
        columns = [str(use.column + 1) for use in group]
        at = f":{','.join(columns)}" if len(columns) > 1 else ""
        yield f"  {path}:{line}{at}  {text}"


def _source_and_name(use: Use) -> str:
    source = "at the top of the file" if use.source is None else f"in {use.source.qualified_name}"
    return f"{source}  {use.kind} {use.name}"


def _rest_of_neighbours(found: Neighbours) -> Iterator[str]:
    if found.left_out:
        yield f"  {found.left_out:,} more left out"
    if found.further:
        yield ""
        yield "further:"
        yield from reached_lines(found.further)
    if found.outside:
        yield ""
        yield f"not defined in the index: {', '.join(found.outside)}"
    if found.also:
        yield ""
        yield f"passed over: {', '.join(f'`{each.title}`' for each in found.also)}"


def reached_lines(found: Sequence[Reached]) -> Iterator[str]:
    """What is reached, with its distance."""
    for each in found:
        yield f"  {counted(each.distance, 'step')}  {place(each.definition)}"


def _caller_row(use: Use) -> str:
    return f"{_source_and_name(use)}  {_how(use)}"


def _callee_row(use: Use) -> str:
    targets = ", ".join(
        f"{each.qualified_name} {each.path}:{each.line}" for each in use.targets[:3]
    )
    more = f" and {len(use.targets) - 3:,} more" if len(use.targets) > 3 else ""
    return f"{use.kind} {use.name} -> {targets}{more}  {_how(use)}"


def _how(use: Use) -> str:
    if use.is_resolved:
        return f"[{use.how}]"
    if len(use.targets) > 1:
        return f"[{use.how}, one of {len(use.targets):,}]"
    return f"[{use.how}, {use.confidence:.2f}]"


def call_path_lines(found: CallPath) -> Iterator[str]:
    """Each step under the one before."""
    if not found.hops or found.is_reversed:
        yield f"no way of known uses from `{found.source}` to `{found.target}`"
    if found.is_reversed:
        yield f"but one from `{found.target}` to `{found.source}`:"
    if found.hops:
        yield counted(len(found.hops) - 1, "step")
    for hop in found.hops:
        if hop.use is not None:
            yield f"  --{hop.use.kind}, {hop.use.path}:{hop.use.line} [{hop.use.how}]-->"
        yield place(hop.definition)
    if found.possible:
        yield CANDIDATES
        yield from _rows(found.possible, _callee_row)


def hierarchy_lines(found: Hierarchy) -> Iterator[str]:
    """The type, those above it and those below."""
    yield from map(place, found.symbols)
    for title, kin in (("bases:", found.bases), ("derived:", found.derived)):
        if kin:
            yield ""
            yield title
            yield from (_kin_line(each) for each in kin)
    if found.outside:
        yield ""
        yield f"bases not defined in the index: {', '.join(found.outside)}"
    if not found.bases and not found.derived and not found.outside:
        yield ""
        yield "no base and nothing derived is known"


def _kin_line(kin: Kin) -> str:
    doubt = "" if kin.is_resolved else "  [candidate]"
    return f"{'  ' * kin.distance}{kin.kind}  {place(kin.definition)}{doubt}"


def uses_lines(found: Uses) -> Iterator[str]:
    """The count of each role, and each place."""
    if not found.total:
        yield f"`{found.name}` stands nowhere in the index"
        return
    yield (
        f"`{found.name}` stands in {counted(found.total, 'place')} of {counted(found.files, 'file')}: "
        + ", ".join(f"{role} {count:,}" for role, count in found.counts)
    )
    yield from (_mention_line(each) for each in found.places)
    if found.left_out:
        yield f"{found.left_out:,} more left out"


def _mention_line(found: Mention) -> str:
    line = f"{found.path}:{found.line}:{found.column + 1}  {found.role}"
    if found.targets:
        first = found.targets[0]
        more = f" or {len(found.targets) - 1:,} more" if len(found.targets) > 1 else ""
        return f"{line} -> {first.qualified_name} {first.path}:{first.line}{more}  [{found.how}]"
    return f"{line}  [{found.how}]" if found.how else line
