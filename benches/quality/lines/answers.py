"""An answer as an agent reads it, row by row, and how much of it must be read for a needed line.

Tokens are characters / 4. Headers and fences are rows without a line number and count like any other.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benches.quality.lines.questions import Target

CHARACTERS_PER_TOKEN = 4
_FENCE = "```"
_ALSO = "also: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A printed line of place `rank`, from 1; `line` is its number in the file, 0 for headers."""

    rank: int
    path: str
    line: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A place of an answer as the system scored it."""

    path: str
    start_line: int
    end_line: int
    score: float
    kind: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A rendered answer."""

    rows: tuple[Row, ...]
    places: tuple[Shown, ...] = field(default=())

    @property
    def tokens(self) -> float:
        """What reading all of it takes."""
        return sum(row.size for row in self.rows) / CHARACTERS_PER_TOKEN


def need(rows: Iterable[Row], targets: Sequence[Target]) -> float:
    """The tokens up to the row with which one of the targets is shown; infinite if none is."""
    missing = [target.at_least for target in targets]
    seen: set[tuple[str, int]] = set()
    characters = 0
    for row in rows:
        characters += row.size
        if not row.line or (row.path, row.line) in seen:
            continue
        seen.add((row.path, row.line))
        for at, target in enumerate(targets):
            if row.path == target.path and target.covers(row.line):
                missing[at] -= 1
                if not missing[at]:
                    return characters / CHARACTERS_PER_TOKEN
    return math.inf


def rank_of(rows: Sequence[Row], targets: Sequence[Target]) -> int | None:
    """The first place that shows a target by itself."""
    by_rank: dict[int, list[Row]] = {}
    for row in rows:
        by_rank.setdefault(row.rank, []).append(row)
    return next((rank for rank in sorted(by_rank) if need(by_rank[rank], targets) < math.inf), None)


def render(places: Iterable[Shown], texts: Mapping[str, str], *, language: str = "") -> Reply:
    """Places as our server renders them: a header with path and lines, and fenced code. For other systems."""
    rows: list[Row] = []
    shown = tuple(places)
    for rank, place in enumerate(shown, start=1):
        header = f"[{rank}] {place.path}:{place.start_line}-{place.end_line} ({place.score:.2f})"
        fence = f"{_FENCE}{language}"
        rows += [_row(rank, place.path, 0, header), _row(rank, place.path, 0, fence)]
        lines = texts.get(place.path, "").split("\n")
        for line in range(place.start_line, min(place.end_line, len(lines)) + 1):
            rows.append(_row(rank, place.path, line, lines[line - 1].rstrip("\r")))
        rows.append(_row(rank, place.path, 0, f"{_FENCE}\n"))
    return Reply(rows=tuple(rows), places=shown)


def parse(
    text: str, paths: Sequence[str], starts: Sequence[int], texts: Mapping[str, str]
) -> Reply:
    """The rows of a text that our server has rendered.

    A header begins with `[RANK] ` and names the path of that rank. The number of each other line is found by comparing
    it with the file: the line after the one before it, else the next that is equal, so that answers may leave out lines,
    put marks between parts, and show several parts of a file.

    Args:
        text: The answer.
        paths: The file of each place.
        starts: The line with which each place's text begins.
        texts: The files by path.
    """
    rows: list[Row] = []
    rank, aligner = 0, _Aligner("", 1)
    printed = text.split("\n")
    for at, line in enumerate(printed):
        if rank < len(paths) and line.startswith(f"[{rank + 1}] ") and paths[rank] in line:
            rank += 1
            aligner = _Aligner(texts.get(paths[rank - 1], ""), starts[rank - 1])
            rows.append(_row(rank, paths[rank - 1], 0, line))
            continue
        if line.startswith(_ALSO) and rank < len(paths):
            named = (path for path in paths[rank:] if path in line)
            rows += [
                Row(rank=rank + more, path=path, line=0, size=0)
                for more, path in enumerate(named, start=1)
            ]
        following = printed[at + 1] if at + 1 < len(printed) else ""
        number = aligner.number(line, following) if rank else 0
        # What is said above the first place is read with it.
        path = paths[max(rank, 1) - 1] if paths else ""
        rows.append(_row(max(rank, 1), path, number, line))
    return Reply(rows=tuple(rows))


class _Aligner:
    """Numbers printed lines by the file that they are from."""

    def __init__(self, text: str, start: int) -> None:
        self._lines = [line.strip() for line in text.split("\n")]
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines, start=1):
            self._places.setdefault(line, []).append(number)
        self._next, self._is_begun = start, False

    def number(self, printed: str, following: str) -> int:
        """The number of a printed line; 0 for one that is not the file's."""
        line = printed.strip()
        if self._at(self._next) != line:
            if line.startswith(_FENCE):
                self._next = 0 if self._is_begun else self._next
                return 0
            found = self._search(line, following.strip())
            if not found:
                return 0
            self._next = found
        self._next, self._is_begun = self._next + 1, True
        return self._next - 1

    def _search(self, line: str, following: str) -> int:
        """The first such line after the last one, else in the file, that has the same neighbour if any has it."""
        if not line:
            return 0
        places = self._places.get(line, [])
        ordered = sorted(
            places, key=lambda at: (self._at(at + 1) != following, at < self._next, at)
        )
        return ordered[0] if ordered else 0

    def _at(self, number: int) -> str | None:
        return self._lines[number - 1] if 1 <= number <= len(self._lines) else None


def _row(rank: int, path: str, line: int, text: str) -> Row:
    return Row(rank=rank, path=path, line=line, size=len(text) + 1)
