"""Parses unified diffs to the changed lines of both sides of each file."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Lines = tuple[int, int]
"""First and last line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Lines that are replaced. With a count of 0 the place is behind the line of the start."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file that changes; a path is `None` on the side that has no such file.

    Without hunks its content is the same, or no text.
    """

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...] = ()

    @property
    def path(self) -> str:
        """What it is called now, or was."""
        return self.new_path or self.old_path or ""

    def new_lines(self) -> list[Lines]:
        """The lines that are new, and the places where some went."""
        return [_span(hunk.new_start, hunk.new_count) for hunk in self.hunks]

    def old_lines(self) -> list[Lines]:
        """The lines that go, and the places where some come."""
        return [_span(hunk.old_start, hunk.old_count) for hunk in self.hunks]

    def moved(self, line: int) -> int:
        """The line of the new file that corresponds to one of the old file; an approximate one if it was replaced."""
        shift = 0
        for hunk in self.hunks:
            end = hunk.old_start + max(hunk.old_count, 1)
            if line >= end:
                shift += hunk.new_count - hunk.old_count
            elif hunk.old_count and line >= hunk.old_start:
                inside = min(line - hunk.old_start, max(hunk.new_count - 1, 0))
                return max(hunk.new_start + inside, 1)
        return line + shift


def _span(start: int, count: int) -> Lines:
    first = max(start, 1)
    return first, first + max(count, 1) - 1


@dataclass
class _Reading:
    """A file's part of a diff, while it is read."""

    old_path: str | None
    new_path: str | None
    hunks: list[Hunk] = field(default_factory=list)

    def made(self) -> ChangedFile:
        return ChangedFile(old_path=self.old_path, new_path=self.new_path, hunks=tuple(self.hunks))


def parse_diff(text: str) -> tuple[ChangedFile, ...]:
    """The files of a diff in git's form with prefixes `a/` and `b/`, with or without lines of context."""
    files: list[_Reading] = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("diff --git "):
            files.append(_Reading(*_names(line.removeprefix("diff --git "))))
        elif files:
            _read_header(files[-1], line)
            found = _HUNK.match(line)
            if found is not None:
                old, new = int(found[1]), int(found[3])
                counts = int(found[2] or 1), int(found[4] or 1)
                files[-1].hunks += _hunks(lines, (old, new), counts)
    return tuple(each.made() for each in files)


def _read_header(file: _Reading, line: str) -> None:
    for mark, side in (
        ("--- ", "old_path"),
        ("+++ ", "new_path"),
        ("rename from ", "old_path"),
        ("rename to ", "new_path"),
    ):
        if line.startswith(mark) and not file.hunks:
            name = line.removeprefix(mark)
            is_plain = mark.startswith("rename")
            setattr(file, side, _unquoted(name) if is_plain else _path(name))
    if line.startswith("deleted file"):
        file.new_path = None
    elif line.startswith("new file"):
        file.old_path = None


def _hunks(lines: Iterator[str], starts: Lines, counts: tuple[int, int]) -> Iterable[Hunk]:
    """The runs of changed lines in a hunk; its lines are counted, for they may look like headers."""
    old, new = (start if count else start + 1 for start, count in zip(starts, counts, strict=True))
    old_left, new_left = counts
    gone = come = 0
    while old_left or new_left:
        line = next(lines, "")
        if line.startswith("\\"):
            continue
        if line.startswith("-") and old_left:
            gone, old_left = gone + 1, old_left - 1
        elif line.startswith("+") and new_left:
            come, new_left = come + 1, new_left - 1
        else:
            yield from _run(old, gone, new, come)
            old, new, gone, come = old + gone + 1, new + come + 1, 0, 0
            old_left, new_left = max(old_left - 1, 0), max(new_left - 1, 0)
    yield from _run(old, gone, new, come)


def _run(old: int, gone: int, new: int, come: int) -> Iterable[Hunk]:
    if gone or come:
        yield Hunk(
            old_start=old if gone else old - 1,
            old_count=gone,
            new_start=new if come else new - 1,
            new_count=come,
        )


def _names(both: str) -> tuple[str | None, str | None]:
    """The two names of a header where they are equal; else the following lines contain them."""
    if both.startswith('"'):
        first, _, second = both.partition('" ')
        return _path(f'{first}"'), _path(second)
    half = len(both) // 2
    if both[:half].removeprefix("a/") == both[half + 1 :].removeprefix("b/"):
        return _path(both[:half]), _path(both[half + 1 :])
    return None, None


def _path(name: str) -> str | None:
    found = _unquoted(name.rstrip("\t\r"))
    return None if found == "/dev/null" else found.removeprefix("a/").removeprefix("b/")


def _unquoted(name: str) -> str:
    """A name without the quotes and escapes that git puts around unusual ones."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name
    raw, _ = codecs.escape_decode(name[1:-1].encode())
    decoded: str = raw.decode("utf-8", "replace")
    return decoded


def joined(spans: Sequence[Lines]) -> list[Lines]:
    """The spans in order, overlapping ones as one."""
    found: list[Lines] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found
