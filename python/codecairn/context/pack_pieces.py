"""The pieces of a pack: a definition or a hit, from its location alone to its full text."""

from collections.abc import Sequence

from codecairn.core.engine import Engine
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Definition
from codecairn.core.types.hits import Hit
from codecairn.graph.source_lines import source_lines

_MAX_HEAD_LINES = 8
_MAX_LINES_ABOVE = 20
_ENDS = (":", "{", ";", "=", "->", "do", "then", "where")
_ABOVE = ("@", "#[", "///", "//!", "/**", "*", "*/", "//", "# ", "--", "[")

Numbered = tuple[tuple[int, str], ...]
"""Lines with their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something that may go into a pack.

    Attributes:
        title: The section it belongs to.
        path: Its file; for a memory its id.
        about: Its kind and name, and why it is here.
        body: All its lines; none for an entry of one line.
        head: The lines that are shown where the body has no room: its signature, and the lines that matter.
        is_place: Whether only its place is given, whatever the room.
        max_share: The largest part of the budget that its body may have.
    """

    title: str
    path: str
    about: str
    body: Numbered = ()
    head: Numbered = ()
    is_place: bool = False
    max_share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Pieces for a pack, and how many more of each title a limit cut off."""

    shown: tuple[Piece, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: "Pieces") -> "Pieces":
        return Pieces(shown=self.shown + other.shown, left_out=self.left_out + other.left_out)


def definition_piece(
    engine: Engine,
    symbol: Definition,
    *,
    title: str,
    why: str = "",
    lines: Sequence[int] = (),
    is_place: bool = False,
    max_share: float = 0.3,
    with_lead: bool = False,
) -> Piece:
    """A definition; `lines` are shown with its signature, `with_lead` adds the decorators and comments above it."""
    about = f"{symbol.kind} {symbol.qualified_name}" + (f", {why}" if why else "")
    text = source_lines(engine, symbol.path, symbol.start_line, symbol.end_line)
    body = tuple(enumerate(text, start=symbol.start_line))
    lead = _lead(engine, symbol) if with_lead else ()
    signature = _signature(body, symbol.line)
    shown = {number for number, _ in signature} | set(lines)
    head = tuple((number, line) for number, line in body if number in shown)
    return Piece(
        title=title,
        path=symbol.path,
        about=about,
        body=(*lead, *body),
        head=head,
        is_place=is_place,
        max_share=max_share,
    )


def hit_piece(hit: Hit, *, title: str) -> Piece:
    """A hit of a search."""
    text = hit.text.split("\n")
    body = tuple(enumerate(text, start=hit.context_start_line))
    filled = [pair for pair in body if pair[1].strip()]
    return Piece(
        title=title,
        path=hit.path,
        about=f"{hit.kind} {hit.name}".strip(),
        body=body,
        head=_signature(tuple(filled), filled[0][0]) if filled else (),
        max_share=0.5,
    )


def _signature(body: Numbered, name_line: int) -> Numbered:
    """From the first line to the one that ends what is before the body."""
    found: list[tuple[int, str]] = []
    for number, line in body[:_MAX_HEAD_LINES]:
        found.append((number, line))
        if number >= name_line and line.rstrip().endswith(_ENDS):
            break
    else:
        found = [pair for pair in found if pair[0] <= name_line]
    return tuple(found)


def _lead(engine: Engine, symbol: Definition) -> Numbered:
    """The decorators, attributes and comments right above a definition."""
    first = max(symbol.start_line - _MAX_LINES_ABOVE, 1)
    above = source_lines(engine, symbol.path, first, symbol.start_line - 1)
    numbered = list(enumerate(above, start=first))
    found: list[tuple[int, str]] = []
    if first + len(above) < symbol.start_line:
        return ()
    for number, line in reversed(numbered):
        if not line.lstrip().startswith(_ABOVE):
            break
        found.insert(0, (number, line))
    return tuple(found)
