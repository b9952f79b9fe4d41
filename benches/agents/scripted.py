"""An agent without a model: how many steps and tokens until it has seen all that a question needs.

It reads the answer of a system. Where a needed line is missing, it opens 80 lines round the best place that is not shown whole,
then round the next. When no place is left, it greps the rarest word of the question, opens 80 lines round the first hits in three
files, and goes on with the next word. It stops when everything needed was seen, or after 30 steps. An agent that has grep alone
begins with grep. The numbers are choices, made before any system was measured by them, and stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benches.quality.lines.answers import CHARACTERS_PER_TOKEN, Reply, Shown
from benches.quality.lines.questions import Target

WINDOW_LINES = 80
MAX_STEPS = 30
MAX_HITS = 50
"""Lines of grep that are printed."""
WINDOWS_PER_WORD = 3
MIN_WORD_CHARACTERS = 3

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """One question, followed to its end.

    Attributes:
        steps: Calls of tools: the answer, windows and greps.
        tokens: The size of all that was printed, in characters / 4.
        is_done: Whether all that was needed was seen.
        windows: Calls that opened a file.
        seen: Line numbers of all lines that were printed, by path.
    """

    steps: int
    tokens: float
    is_done: bool
    windows: int
    seen: Mapping[str, set[int]]


@dataclass(slots=True)
class _Reader:
    """The lines seen so far, and their cost."""

    files: Mapping[str, Sequence[str]]
    targets: Sequence[Target]
    seen: dict[str, set[int]] = field(default_factory=dict)
    steps: int = 0
    windows: int = 0
    characters: int = 0

    @property
    def is_done(self) -> bool:
        """Whether one of the targets was seen as far as it must be."""
        return any(
            sum(map(target.covers, self.seen.get(target.path, ()))) >= target.at_least
            for target in self.targets
        )

    @property
    def may_go_on(self) -> bool:
        return not self.is_done and self.steps < MAX_STEPS

    def see(self, path: str, lines: Iterator[int] | range) -> None:
        self.seen.setdefault(path, set()).update(lines)

    def has_seen(self, path: str, lines: range) -> bool:
        return self.seen.get(path, set()).issuperset(lines)

    def open(self, path: str, middle: int) -> bool:
        """Open the window round a line, unless all of it was seen; whether that was a step."""
        lines = self.files.get(path, ())
        first = max(1, min(middle - WINDOW_LINES // 2, len(lines) - WINDOW_LINES + 1))
        window = range(first, min(first + WINDOW_LINES, len(lines) + 1))
        if not window or self.has_seen(path, window):
            return False
        self.steps += 1
        self.windows += 1
        self.characters += sum(len(lines[line - 1]) + 1 for line in window)
        self.see(path, window)
        return True


Hits = list[list[tuple[str, int]]]
"""Of each word of a question, rarest first, the places where it stands: path and line."""


def follow(
    hits: Hits, targets: Sequence[Target], texts: Mapping[str, str], reply: Reply | None
) -> Walk:
    """Follow the script to its end.

    Args:
        hits: The result of `grep` for the question.
        targets: The needed lines; one target suffices.
        texts: All files by their path.
        reply: The answer of a system; None for an agent that has grep alone.
    """
    reader = _Reader(
        files={path: text.split("\n") for path, text in texts.items()}, targets=targets
    )
    if reply is not None:
        _read(reader, reply)
    for found in hits:
        if not reader.may_go_on:
            break
        _grep(reader, found)
    tokens = reader.characters / CHARACTERS_PER_TOKEN
    return Walk(
        steps=reader.steps,
        tokens=tokens,
        is_done=reader.is_done,
        windows=reader.windows,
        seen=reader.seen,
    )


def _read(reader: _Reader, reply: Reply) -> None:
    """Read all of an answer, then open the places that it does not show whole."""
    reader.steps += 1
    reader.characters += sum(row.size for row in reply.rows)
    for row in reply.rows:
        if row.line:
            reader.see(row.path, range(row.line, row.line + 1))
    for place in reply.places:
        if not reader.may_go_on:
            return
        if not reader.has_seen(place.path, _lines(place)):
            reader.open(place.path, (place.start_line + place.end_line) // 2)


def _grep(reader: _Reader, hits: Sequence[tuple[str, int]]) -> None:
    """Read the hits of one word, then open the files with the most of them."""
    reader.steps += 1
    for path, line in hits[:MAX_HITS]:
        reader.characters += len(f"{path}:{line}:{reader.files[path][line - 1]}\n")
        reader.see(path, range(line, line + 1))
    opened = 0
    for path, line in _first_of_each_file(hits):
        if opened == WINDOWS_PER_WORD or not reader.may_go_on:
            return
        opened += reader.open(path, line)


def _lines(place: Shown) -> range:
    return range(place.start_line, place.end_line + 1)


def grep(query: str, texts: Mapping[str, str]) -> Hits:
    """The hits of each word of the question as `rg --ignore-case --fixed-strings` finds them, rarest word first.

    Words without a hit are left out: an agent sees at once that there is none.
    """
    words = {word for word in _WORD.findall(query.lower()) if len(word) >= MIN_WORD_CHARACTERS}
    found: dict[str, list[tuple[str, int]]] = {word: [] for word in sorted(words)}
    for path in sorted(texts):
        lowered = texts[path].lower()
        inside = [word for word in found if word in lowered]
        for number, line in enumerate(lowered.split("\n"), start=1):
            for word in inside:
                if word in line:
                    found[word].append((path, number))
    return sorted(filter(None, found.values()), key=len)


def _first_of_each_file(hits: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Files with more hits come first; each with its first one."""
    counts = Counter(path for path, _ in hits)
    first = dict(reversed(hits))
    for path, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        yield path, first[path]
