"""Colours code as HTML, and marks the words of a query in it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from codecairn.core.text_format import visible
from codecairn.search.code_lexer import lexer_name, may_color
from codecairn.search.excerpt import QueryWords

MAX_PAGE_CHARACTERS = 60_000
"""Longer texts have no colours: lexing them takes 0.1 s or more."""

_CLASSES: Mapping[_TokenType, str] = {
    Comment: "c",
    String.Doc: "c",
    String: "s",
    Keyword.Type: "t",
    Keyword: "k",
    Operator.Word: "k",
    Name.Function: "f",
    Name.Class: "f",
    Name.Tag: "f",
    Name.Decorator: "t",
    Name.Attribute: "t",
    Number: "n",
}
"""The classes of `code.css`; a token that is not here has that of the nearest type around it."""


def colored_lines(
    lines: Sequence[str], *, language: str = "", path: str = "", words: QueryWords | None = None
) -> list[Markup]:
    """The lines as HTML without control characters, coloured as their language, or else as the file's name says."""
    shown = [visible(line.rstrip()) for line in lines]
    lexer = _lexer(language, path) if may_color(shown, max_characters=MAX_PAGE_CHARACTERS) else None
    spans = _token_spans(shown, lexer) if lexer is not None else [[] for _ in shown]
    return [
        Markup("").join(_pieces(line, own, words)) for line, own in zip(shown, spans, strict=True)
    ]


def _lexer(language: str, path: str) -> Lexer | None:
    try:
        if language:
            return get_lexer_by_name(lexer_name(language), stripnl=False, ensurenl=False)
        found = find_lexer_class_for_filename(path)
    except ClassNotFound:
        return None
    return None if found is None else found(stripnl=False, ensurenl=False)


def _token_spans(lines: Sequence[str], lexer: Lexer) -> list[list[tuple[int, int, str]]]:
    """Of each line, where tokens with a class begin and end; nothing if the lexer leaves characters out."""
    text = "\n".join(lines)
    spans: list[list[tuple[int, int, str]]] = [[]]
    column = read = 0
    for kind, value in lexer.get_tokens(text):
        name = _class_of(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                spans.append([])
                column = 0
            if name and piece:
                spans[-1].append((column, column + len(piece), name))
            column += len(piece)
        read += len(value)
    is_whole = read == len(text) and len(spans) == len(lines)
    return spans if is_whole else [[] for _ in lines]


def _class_of(kind: _TokenType | None) -> str:
    while kind is not None:
        if kind in _CLASSES:
            return _CLASSES[kind]
        kind = kind.parent
    return ""


def _pieces(
    line: str, spans: Sequence[tuple[int, int, str]], words: QueryWords | None
) -> Iterator[Markup]:
    marks = [*words.spans(line)] if words is not None else []
    borders = {0, len(line)}
    borders.update(place for start, end, _ in spans for place in (start, end))
    borders.update(place for mark in marks for place in mark)
    for start, end in pairwise(sorted(borders)):
        piece = Markup.escape(line[start:end])
        name = next((name for first, last, name in spans if first <= start and end <= last), "")
        if name:
            piece = Markup('<span class="{}">{}</span>').format(name, piece)
        if any(first <= start and end <= last for first, last in marks):
            piece = Markup("<mark>{}</mark>").format(piece)
        yield piece
