"""Formats hits for people, within the height of their screen."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from codecairn.cli.output import Line, Part
from codecairn.search.excerpt import ExcerptLine, QueryWords, make_excerpt, numbered_lines

if TYPE_CHECKING:
    from codecairn.cli.shown_paths import ShownPaths
    from codecairn.cli.terminal import Screen
    from codecairn.core.types.hits import Hit, SearchResult

MAX_EXCERPT_LINES = 10
"""The most lines of a hit that is not the first."""

MAX_FIRST_LINES = 16
Outline = Sequence[tuple[int, str]]
"""The line and the signature of each member of a class."""


class HitFormat:
    """How hits are shown.

    Attributes:
        screen: Where.
        paths: How their paths are shown.
        rows: The rows that all of them may take.
        with_text: Whether their code is shown.
        explain: Whether it is shown what their scores are made of.
        has_words: Whether the query has words to look for; a place has none.
    """

    def __init__(
        self,
        *,
        screen: "Screen",
        paths: "ShownPaths",
        rows: int,
        with_text: bool,
        explain: bool,
        has_words: bool = True,
    ) -> None:
        self.screen = screen
        self.paths = paths
        self.rows = rows
        self.with_text = with_text
        self.explain = explain
        self.has_words = has_words

    def lines(self, result: "SearchResult", outlines: Sequence[Outline]) -> Iterator[Line]:
        """Each hit's place, and below it an excerpt, or its outline, and what its score is made of, if wanted."""
        words = QueryWords(result.query if self.has_words else "")
        stale = frozenset(result.stale)
        has_spans = any(hit.spans for hit in result.hits)
        bodies = [_Body(*each) for each in zip(result.hits, outlines, strict=True)]
        shares = self._shares(bodies)
        for at, (body, max_lines) in enumerate(zip(bodies, shares, strict=True)):
            hit = body.hit
            if at and self.with_text and not (has_spans and not hit.spans):
                yield ()
            is_outlined = self.with_text and body.is_outlined(max_lines)
            members = len(body.outline) if is_outlined else 0
            yield self._place(hit, members=members, is_stale=hit.path in stale)
            if hit.blame is not None:
                yield ((f"  {hit.blame.line}", "dim"),)
            if self.explain:
                yield from _explanation(hit)
            if not self.with_text or has_spans != bool(hit.spans):
                continue
            parts = self._colors(hit, words)
            if has_spans:
                yield from _span_lines(hit, parts)
            else:
                yield from _numbered(body.excerpt(words, max_lines), parts)

    def _shares(self, bodies: "Sequence[_Body]") -> list[int]:
        """The lines of code of each hit."""
        if any(body.has_context for body in bodies):
            return [
                2 * (body.hit.start_line - body.hit.context_start_line) + MAX_EXCERPT_LINES
                for body in bodies
            ]
        others = sum(1 + (body.hit.blame is not None) for body in bodies) + len(bodies) - 1
        return shared_lines([body.length for body in bodies], self.rows - others)

    def _place(self, hit: "Hit", *, members: int, is_stale: bool) -> Line:
        """`path:start-end  kind name, members  [base]  stale`."""
        url = self.paths.url(hit.path, hit.start_line) if self.screen.is_colored else ""
        last = f"-{hit.end_line}" if hit.end_line > hit.start_line else ""
        line: list[Part] = [
            (self.paths.relative(hit.path), "bold cyan", url),
            (f":{hit.start_line}{last}", "cyan", url),
            f"  {hit.kind}",
        ]
        if hit.name:
            line += [" ", (hit.name, "bold")]
        if members:
            from codecairn.core.text_format import amount

            line.append((f", {amount(members, 'member')}", "dim"))
        if self.explain:
            line.append((f"  {hit.score:.3f}", "dim"))
        if hit.base:
            line.append((f"  [{hit.base}]", "magenta"))
        if is_stale:
            line.append(("  stale", "yellow"))
        return tuple(line)

    def _colors(self, hit: "Hit", words: QueryWords) -> "_Colors":
        if not self.screen.is_colored:
            return lambda line: (line.text,)
        from codecairn.cli.code_color import colored_lines

        color = partial(colored_lines, language=hit.language, words=words)
        own = color(hit.text)

        def parts(line: ExcerptLine) -> tuple[Part, ...]:
            at = line.number - hit.context_start_line
            is_own = not hit.spans and 0 <= at < len(own)
            if is_own and "".join(part_texts(own[at])).rstrip() == line.text:
                return own[at]
            return color(line.text)[0]

        return parts


_Colors = Callable[[ExcerptLine], tuple[Part, ...]]


class _Body:
    """The code of a hit: the outline of a class that is too long, or its text."""

    def __init__(self, hit: "Hit", outline: Outline) -> None:
        self.hit = hit
        self.outline = [ExcerptLine(number=number, text=text) for number, text in outline]
        self.own_lines = numbered_lines(hit)

    @property
    def has_context(self) -> bool:
        return self.hit.context_start_line < self.hit.start_line

    @property
    def length(self) -> int:
        return max(len(self.own_lines), len(self.outline) + 1 if self.outline else 0)

    def is_outlined(self, max_lines: int) -> bool:
        """Whether the outline is shown, not the text: where there is more of the class than fits."""
        is_whole = len(self.own_lines) == self.length <= max_lines
        return bool(self.outline) and not is_whole

    def excerpt(self, words: QueryWords, max_lines: int) -> list[ExcerptLine]:
        """At most so many lines; of a class too long for them, its first line and the members with most of the words.

        The words of the class's own name say nothing about a member. Members that begin with `_` come last.
        """
        if not self.is_outlined(max_lines):
            return make_excerpt(
                self.own_lines, name=self.hit.name, words=words, max_lines=max_lines
            )
        no_words = QueryWords("")
        (head,) = make_excerpt(self.own_lines, name=self.hit.name, words=no_words, max_lines=1)
        telling = words.without(self.hit.name)

        def rank(member: ExcerptLine) -> tuple[int, bool]:
            return -telling.count(member.text), " _" in member.text.partition("(")[0]

        best = sorted(self.outline, key=rank)[: max_lines - 1]
        return [head, *sorted(best, key=lambda line: line.number)]


def shared_lines(lengths: Sequence[int], rows: int) -> list[int]:
    """Shares rows among texts of these lengths: one each, then two fifths for the first, then the others in turn."""
    shares = [min(length, 1) for length in lengths]
    left = rows - sum(shares)
    if not lengths or left <= 0:
        return shares
    first = min(left, max(0, min(lengths[0], MAX_FIRST_LINES, 2 * rows // 5) - shares[0]))
    shares[0] += first
    left -= first
    most = [min(length, MAX_EXCERPT_LINES) for length in lengths]
    while left > 0:
        open_ones = [at for at in range(1, len(shares)) if shares[at] < most[at]]
        for at in open_ones[:left]:
            shares[at] += 1
        left -= len(open_ones[:left])
        if not open_ones:
            shares[0] += min(left, max(0, min(lengths[0], MAX_FIRST_LINES) - shares[0]))
            break
    return shares


def _explanation(hit: "Hit") -> Iterator[Line]:
    parts = sorted(hit.contributions, key=lambda part: (-abs(part.part), part.feature))
    for part in parts:
        if part.part:
            yield ((f"  {part.part:+.4f}  {part.feature} = {part.value:.4f}", "dim"),)


def _span_lines(hit: "Hit", parts: _Colors) -> Iterator[Line]:
    """The lines of all spans, each once."""
    lines: list[ExcerptLine] = []
    seen: set[int] = set()
    for number, text in (
        (number, text)
        for span in hit.spans
        for first, texts in span.parts
        for number, text in enumerate(texts, start=first)
    ):
        if number not in seen:
            seen.add(number)
            follows_gap = bool(lines) and number != lines[-1].number + 1
            lines.append(ExcerptLine(number=number, text=text, follows_gap=follows_gap))
    yield from _numbered(lines, parts)


def _numbered(lines: Sequence[ExcerptLine], parts: _Colors) -> Iterator[Line]:
    """Lines with their numbers; `⋮` after the number where some are left out before."""
    width = max((len(str(line.number)) for line in lines), default=1)
    for line in lines:
        mark = "⋮" if line.follows_gap else "│"
        end = " " if line.text else ""
        yield ((f"  {line.number:>{width}} {mark}{end}", "dim"), *parts(line))


def part_texts(parts: Sequence[Part]) -> Iterator[str]:
    """The texts of the pieces of a line."""
    return (part if isinstance(part, str) else part[0] for part in parts)
