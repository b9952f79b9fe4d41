"""Assembles pieces to a pack within a token budget: the signatures of all before the bodies of any but the first."""

from collections import Counter as Counts
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codecairn.context.pack import Pack, Section, pack_text
from codecairn.context.pack_pieces import Numbered, Piece
from codecairn.context.token_count import counter
from codecairn.errors import UsageError
from codecairn.memory.excerpts import one_line, shortened

MIN_BUDGET = 128
_LEAD_SHARE = 0.125
"""Of the budget, what the subject may have at most; all notes together may have as much again."""
_MARK = 8
"""Tokens of the line with the number of further lines."""


def packed(
    subject: str,
    pieces: Sequence[Piece],
    *,
    route: str,
    token_budget: int,
    notes: Sequence[str] = (),
    left_out: Sequence[tuple[str, int]] = (),
    unresolved_count: int = 0,
) -> Pack:
    """The pieces, the more important first, as far as the budget allows.

    `left_out` are those that a limit cut off already, by title.

    Raises:
        UsageError: If the budget is too small for anything.
    """
    if token_budget < MIN_BUDGET:
        raise UsageError(f"the token budget is {token_budget}", hint=f"give {MIN_BUDGET} or more")
    room = int(token_budget * _LEAD_SHARE)
    packing = _Packing(
        subject=shortened(one_line(subject), room),
        notes=tuple(shortened(one_line(note), room // len(notes)) for note in notes),
        budget=token_budget,
        cut=Counts(dict(left_out)),
    )
    packing.fill(pieces)
    return packing.made(route, pieces, unresolved_count=unresolved_count)


@dataclass
class _Packing:
    subject: str
    notes: tuple[str, ...]
    budget: int
    cut: Counts[str]

    def __post_init__(self) -> None:
        self._counter = counter()
        self._forms: dict[int, str] = {}
        self._cuts: dict[int, Numbered] = {}

    def fill(self, pieces: Sequence[Piece]) -> None:
        """Give each piece the form that there is room for: the first its body, then heads, then bodies in order."""
        if pieces and not pieces[0].is_place:
            self._grow(pieces, 0)
        for at, piece in enumerate(pieces):
            if at not in self._forms:
                self._try(pieces, at, "place" if piece.is_place else "signature")
        for at in range(len(pieces)):
            if self._forms.get(at) == "signature":
                self._grow(pieces, at)

    def _grow(self, pieces: Sequence[Piece], at: int) -> None:
        """Give a piece its body, cut where it exceeds its share; its form stays where there is no room."""
        piece = pieces[at]
        room = int(self.budget * piece.max_share)
        cut = _cut(piece.body, room, self._counter.count)
        if len(cut) < len(piece.body):
            if at or not cut:
                return
            self._cuts[at] = cut
            self._try(pieces, at, "cut")
        else:
            self._try(pieces, at, "body")

    def _try(self, pieces: Sequence[Piece], at: int, form: str) -> None:
        before = dict(self._forms)
        self._forms[at] = form
        if self._cost(pieces) > self.budget:
            self._forms = before

    def _cost(self, pieces: Sequence[Piece]) -> int:
        text = pack_text(
            self.subject,
            tuple(self.sections(pieces)),
            left_out=self._left_out(pieces),
            notes=self.notes,
        )
        return self._counter.count(text)

    def _left_out(self, pieces: Sequence[Piece]) -> tuple[tuple[str, int], ...]:
        """What a limit cut off and what has no form, by title and count."""
        missing = Counts(piece.title for at, piece in enumerate(pieces) if at not in self._forms)
        return tuple((title.lower(), count) for title, count in (missing + self.cut).items())

    def sections(self, pieces: Sequence[Piece]) -> list[Section]:
        """The pieces in their forms, without lines that one before shows already."""
        shown: set[tuple[str, int]] = set()
        sections = []
        for at, piece in enumerate(pieces):
            form = self._forms.get(at)
            if form is not None:
                sections.append(_section(piece, form, self._lines(piece, at, form), shown))
        return [section for section in sections if section is not None]

    def _lines(self, piece: Piece, at: int, form: str) -> Numbered:
        if form == "cut":
            return self._cuts[at]
        return piece.body if form == "body" else piece.head

    def made(self, route: str, pieces: Sequence[Piece], *, unresolved_count: int) -> Pack:
        sections = tuple(self.sections(pieces))
        left_out = self._left_out(pieces)
        text = pack_text(self.subject, sections, left_out=left_out, notes=self.notes)
        return Pack(
            subject=self.subject,
            route=route,
            token_budget=self.budget,
            tokens=self._counter.count(text),
            is_exact=self._counter.is_exact,
            sections=sections,
            left_out=left_out,
            notes=self.notes,
            unresolved_count=unresolved_count,
        )


def _section(
    piece: Piece, form: str, lines: Numbered, shown: set[tuple[str, int]]
) -> Section | None:
    """A section; `None` if all its lines are shown already."""
    every = piece.body or lines
    first, last = (every[0][0], every[-1][0]) if every else (0, 0)
    text = ""
    if form != "place":
        fresh = [(number, line) for number, line in lines if (piece.path, number) not in shown]
        if not any(line.strip() for _, line in fresh):
            return None
        shown.update((piece.path, number) for number, _ in fresh)
        text = _written(fresh)
        if form == "cut":
            text += f"\n      ⋮ {len(every) - len(lines):,} more lines"
    return Section(
        title=piece.title,
        path=piece.path,
        start_line=first,
        end_line=last,
        about=piece.about,
        form=form,
        text=text,
    )


def _written(lines: Sequence[tuple[int, str]]) -> str:
    """The lines with their numbers; where some are left out, a mark."""
    written = []
    before = None
    for number, line in lines:
        if before is not None and number > before + 1:
            written.append("      ⋮")
        written.append(f"{number:>5} {line}".rstrip())
        before = number
    return "\n".join(written)


def _cut(lines: Numbered, room: int, count: Callable[[str], int]) -> Numbered:
    """The lines from the first that have at most so many tokens."""
    if count(_written(lines)) <= room:
        return lines
    least, most = 0, len(lines)
    while least < most:
        middle = (least + most + 1) // 2
        if count(_written(lines[:middle])) + _MARK <= room:
            least = middle
        else:
            most = middle - 1
    return lines[:least]
