"""Formats hits for the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codecairn.cli.output import Line
from codecairn.search.excerpt import QueryWords, make_excerpt

if TYPE_CHECKING:
    from codecairn.core.types.hits import Hit, SearchResult

EXCERPT_LINES = 10


def result_lines(result: "SearchResult", *, with_text: bool, explain: bool) -> Iterator[Line]:
    """Each hit's place, and below it an excerpt and what its score is made of, if wanted."""
    words = QueryWords(result.query)
    stale = frozenset(result.stale)
    has_spans = any(hit.spans for hit in result.hits)
    for hit in result.hits:
        yield place_line(hit, is_stale=hit.path in stale)
        if hit.blame is not None:
            yield ((f"    {hit.blame.line}", "dim"),)
        if explain:
            yield from _explanation(hit)
        if with_text and has_spans == bool(hit.spans):
            yield from _spans(hit) if has_spans else _excerpt(hit, words=words)
            yield ()


def place_line(hit: "Hit", *, is_stale: bool) -> Line:
    """`path:start-end  kind name  score  [base]`."""
    line: list[str | tuple[str, str]] = [
        (hit.path, "bold cyan"),
        (f":{hit.start_line}-{hit.end_line}", "cyan"),
        f"  {hit.kind}",
    ]
    if hit.name:
        line += [" ", (hit.name, "bold")]
    line.append((f"  {hit.score:.3f}", "dim"))
    if hit.base:
        line.append((f"  [{hit.base}]", "magenta"))
    if is_stale:
        line.append(("  stale", "yellow"))
    return tuple(line)


def _explanation(hit: "Hit") -> Iterator[Line]:
    parts = sorted(hit.contributions, key=lambda part: (-abs(part.part), part.feature))
    for part in parts:
        if part.part:
            yield ((f"    {part.part:+.4f}  {part.feature} = {part.value:.4f}", "dim"),)


def _spans(hit: "Hit") -> Iterator[Line]:
    width = len(str(max(span.end_line for span in hit.spans)))
    parts = [part for span in hit.spans for part in span.parts]
    for at, (first, lines) in enumerate(parts):
        if at:
            yield ((f"    {'⋮':>{width}}", "dim"),)
        for number, text in enumerate(lines, start=first):
            yield ((f"    {number:>{width}} │ ", "dim"), text)


def _excerpt(hit: "Hit", *, words: QueryWords) -> Iterator[Line]:
    max_lines = max(EXCERPT_LINES, 2 * (hit.start_line - hit.context_start_line) + EXCERPT_LINES)
    lines = make_excerpt(hit, words=words, max_lines=max_lines)
    width = max((len(str(line.number)) for line in lines), default=1)
    for line in lines:
        mark = "⋮" if line.follows_gap else "│"
        yield ((f"    {line.number:>{width}} {mark} ", "dim"), line.text)
