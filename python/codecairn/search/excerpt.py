"""The excerpt of a hit: its first line and the lines that match the query best."""

import re
from collections.abc import Iterator, Sequence

from codecairn.core.engine import stemmed_words
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.hits import Hit

_MIN_WORD_LENGTH = 3
_SHARED_LETTERS = 2
_PART_START = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
_PART_END = r"(?:[a-z]+|(?<=[A-Z])[A-Z]+(?![a-z]))?"
_NOT_CODE = ("#[", "# ", "#!", "@", "//", "/*", "*", "--", ";", '"""')
"""The beginnings of lines that name a symbol without defining it: comments, decorators, attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptLine:
    """A line of an excerpt; lines are left out before it where it `follows_gap`."""

    number: int
    text: str
    follows_gap: bool = False


class QueryWords:
    """The words of a query, as they are looked for in lines of code: by their stems, as the index groups them.

    A word occurs where a word, or a part of an identifier, has its stem: `redacted` in `RedactionPolicy`, but `port` not in
    `import`. Words such as `the` are looked for only if there are no others.
    """

    def __init__(self, query: str, *, without: str = "") -> None:
        words = [
            (word, stem)
            for word, stem in stemmed_words(query)
            if len(word) >= _MIN_WORD_LENGTH or not word.isascii()
        ]
        known = QueryWords(without).stems if without else frozenset()
        self.stems: frozenset[str] = frozenset(stem for _, stem in words) - known
        self._query = query
        self._pattern = _pattern_of({_beginning(*each) for each in words if each[1] in self.stems})
        self._stem_of_run: dict[str, str | None] = {}

    def without(self, name: str) -> "QueryWords":
        """The words that are not those of a name."""
        return QueryWords(self._query, without=name)

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Where in a line they are, from the first character up to the one after the last."""
        yield from (span for span, _ in self._found(line))

    def count(self, line: str) -> int:
        """How many of them occur in a line."""
        return len({stem for _, stem in self._found(line)})

    def _found(self, line: str) -> Iterator[tuple[tuple[int, int], str]]:
        """The places of the words with their stems; the pattern finds runs that may be forms of them."""
        for match in self._pattern.finditer(line) if self._pattern is not None else ():
            stem = self._stem(match[0].lower())
            if stem is not None:
                yield match.span(), stem

    def _stem(self, run: str) -> str | None:
        """The stem of a run of letters, if it is one of the query's."""
        if run not in self._stem_of_run:
            stems = {stem for _, stem in stemmed_words(run)} | {run}
            self._stem_of_run[run] = next(iter(sorted(stems & self.stems)), None)
        return self._stem_of_run[run]


def make_excerpt(
    lines: list[ExcerptLine], *, name: str, words: QueryWords, max_lines: int
) -> list[ExcerptLine]:
    """At most `max_lines` of a hit's lines: all, or the line that defines its name and the best run.

    The best run is the one in which most distinct query words occur, counted line by line; the one that begins with the
    defining line wins a tie, and then the earliest. Of a single line, it is the best alone. Blank lines at the ends are not
    shown.
    """
    if len(lines) <= max_lines:
        return lines
    head = _defining_line(lines, name)
    if max_lines <= 1:
        counts = [words.count(line.text) for line in lines]
        best = max(counts)
        return [lines[head if counts[head] == best else counts.index(best)]][:max_lines]
    length = max_lines - 1
    start = _best_run(lines, words=words, length=length, preferred=head)
    # A run that has the defining line leaves room for one more.
    stop = start + length + (start <= head < start + length)
    start = min(start, len(lines) - (stop - start))
    run = list(range(start, min(stop, len(lines))))
    while run and not lines[run[-1]].text:
        run.pop()
    chosen = sorted({head, *run})
    return [
        ExcerptLine(
            number=lines[at].number,
            text=lines[at].text,
            follows_gap=place > 0 and at != chosen[place - 1] + 1,
        )
        for place, at in enumerate(chosen)
    ]


def numbered_lines(hit: Hit) -> list[ExcerptLine]:
    """The lines of a hit without blank ones at either end."""
    lines = [
        ExcerptLine(number=hit.context_start_line + offset, text=line.rstrip())
        for offset, line in enumerate(hit.text.split("\n"))
    ]
    filled = [position for position, line in enumerate(lines) if line.text]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _defining_line(lines: Sequence[ExcerptLine], name: str) -> int:
    """The position of the first line of code that has the name, or else of the first line."""
    last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
    if not last:
        return 0
    for position, line in enumerate(lines):
        if last not in line.text or not _has_word(line.text, last):
            continue
        if not line.text.lstrip().startswith(_NOT_CODE):
            return position
    return 0


def _has_word(text: str, word: str) -> bool:
    """Whether a text has a word that is no part of another."""
    start = text.find(word)
    while start >= 0:
        around = text[max(start - 1, 0) : start] + text[start + len(word) :][:1]
        if not any(each.isalnum() or each == "_" for each in around):
            return True
        start = text.find(word, start + 1)
    return False


def _best_run(
    lines: Sequence[ExcerptLine], *, words: QueryWords, length: int, preferred: int
) -> int:
    """The start of the run of `length` lines with the highest sum of distinct query words a line."""
    counts = [words.count(line.text) for line in lines]
    current = sum(counts[:length])
    sums = [current]
    for start in range(1, len(counts) - length + 1):
        current += counts[start + length - 1] - counts[start - 1]
        sums.append(current)
    best = max(sums)
    preferred = min(preferred, len(sums) - 1)
    return preferred if sums[preferred] == best else sums.index(best)


def _beginning(word: str, stem: str) -> str:
    """What all forms of a word begin with: its first letters, if its stem has them too. Endings change more: `verifi` is the stem."""
    is_plain = word.isascii() and word.isalpha()
    shared = word[:_SHARED_LETTERS]
    return shared if is_plain and stem.startswith(shared) else word


def _pattern_of(beginnings: set[str]) -> "re.Pattern[str] | None":
    """Matches runs of letters that start with one of the beginnings, and others as they are, the longest first."""
    longest_first = sorted(beginnings, key=lambda each: (-len(each), each))
    letters = [each for each in longest_first if each.isascii() and each.isalpha()]
    others = [re.escape(each) for each in longest_first if each not in letters]
    parts = []
    if letters:
        parts.append(f"{_PART_START}(?i:{'|'.join(letters)}){_PART_END}")
    if others:
        parts.append(rf"(?<!\d)(?i:{'|'.join(others)})")
    return re.compile("|".join(parts)) if parts else None
