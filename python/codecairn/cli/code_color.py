"""Colours code by its syntax, and marks the words of a query in it. It is loaded only where colours are shown."""

from collections.abc import Iterator
from itertools import pairwise

from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.text import Text

from codecairn.cli.output import Part
from codecairn.core.text_format import visible
from codecairn.search.code_lexer import lexer_name, may_color
from codecairn.search.excerpt import QueryWords

_THEME = ANSISyntaxTheme(
    {
        Token: Style(),
        Comment: Style(dim=True),
        Keyword: Style(color="magenta"),
        Keyword.Type: Style(color="cyan"),
        Name.Function: Style(color="blue"),
        Name.Class: Style(color="blue"),
        Name.Decorator: Style(color="cyan"),
        Name.Tag: Style(color="blue"),
        Name.Attribute: Style(color="cyan"),
        Number: Style(color="cyan"),
        Operator.Word: Style(color="magenta"),
        String: Style(color="green"),
        String.Doc: Style(dim=True),
    }
)
"""Colours that can be read on a dark and on a light background."""

_MARK = Style(bold=True, underline=True)


def colored_lines(text: str, *, language: str, words: QueryWords) -> list[tuple[Part, ...]]:
    """The pieces of each line of a text, with their styles; without control characters."""
    lines = [visible(line.rstrip()) for line in text.split("\n")]
    shown = Text("\n".join(lines))
    if may_color(lines):
        colored = Syntax("", lexer_name(language), theme=_THEME).highlight(shown.plain)
        colored.rstrip()
        # Some lexers leave characters out.
        shown = colored if colored.plain == shown.plain.rstrip() else shown
    rows = [*shown.split("\n", allow_blank=True), *(Text() for _ in lines)]
    return [tuple(_pieces(row, words)) for row in rows[: len(lines)]]


def _pieces(row: Text, words: QueryWords) -> Iterator[Part]:
    for start, end in words.spans(row.plain):
        row.stylize(_MARK, start, end)
    borders = {0, len(row), *(place for span in row.spans for place in (span.start, span.end))}
    places = sorted(place for place in borders if 0 <= place <= len(row))
    for start, end in pairwise(places):
        covering = [span.style for span in row.spans if span.start <= start and end <= span.end]
        style = Style.combine([Style(), *(Style.parse(str(each)) for each in covering)])
        yield row.plain[start:end], str(style)
