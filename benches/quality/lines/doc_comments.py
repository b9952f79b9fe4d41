"""Doc comments as text: which comments are some, how they are blanked, and what their first sentence is."""

import re
from collections.abc import Iterable, Sequence

from benches.quality.lines.syntax import Source, Span

MIN_WORDS, MAX_WORDS = 5, 25

_MARKS = ("/**", "///", "//!", "/*!")
# Languages in which any comment above a declaration is its documentation.
_UNMARKED = frozenset({"go", "c", "cpp", "ruby"})
# Comments that compilers and tools read.
_DIRECTIVE = re.compile(
    r"#!|#\s*(?:frozen_string_literal|encoding|-\*-)|//(?:go:|\s*\+build|export )"
)
_DECORATION = re.compile(r"^\s*(?:/\*[*!]*<?|\*+/|\*(?!\*)|//[/!]*<?|#+'?|=+)?[ \t]?|\*+/\s*$")
_MARKUP = re.compile(r"\{@\w+\s+([^}]*)\}|</?\w[^>]*>|[`*]{1,2}")
_TAG = re.compile(r"\s*(?:[@\\]\w+|:(?:param|return|raise|type)|(?:Args|Parameters|Returns):)")
_BRIEF = re.compile(r"^[@\\]brief\s+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|:\s*$|:\n")
_NOT_DESCRIPTION = re.compile(
    r"copyright|licen[cs]e|^todo|^fixme|^deprecated|https?://|^see |^@|inheritdoc|^\W*$",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp)|\b[A-Z])\.$", re.IGNORECASE)


def doc_spans(source: Source) -> list[Span]:
    """The comments and docstrings of a file that document something.

    Where the language marks them (`/**`, `///`), these; where it does not, all that begin a line outside of functions.
    """
    if source.language == "python":
        return source.docstrings()
    if source.language not in _UNMARKED:
        return [span for span in source.comments() if source.text(span).startswith(_MARKS)]
    bodies = [each.body for each in source.definitions()]
    return [
        span
        for span in source.comments()
        if not _DIRECTIVE.match(source.text(span))
        and not any(start <= span[0] < end for start, end in bodies)
    ]


def blanked(content: bytes, spans: Iterable[Span], *, is_python: bool) -> bytes:
    """The content without these spans. Line breaks stay; a docstring leaves an empty string."""
    parts: list[bytes] = []
    at = 0
    for start, end in sorted(spans):
        if start < at:
            continue
        breaks = b"\n" * content.count(b"\n", start, end)
        parts += [content[at:start], b'""' if is_python else b"", breaks]
        at = end
    return b"".join([*parts, content[at:]])


def first_sentence(comments: Sequence[str]) -> str:
    """The first sentence of a doc comment, without marks, tags and markup; empty if there is none."""
    text = "\n".join(comments)
    summary = re.search(r"<summary>(.*?)</summary>", text, re.DOTALL)
    lines = [_undecorated(line) for line in (summary[1] if summary else text).split("\n")]
    paragraph: list[str] = []
    for line in lines:
        if paragraph and (not line.strip() or _TAG.match(line)):
            break
        if line.strip():
            paragraph.append(line.strip())
    plain = _BRIEF.sub("", _MARKUP.sub(lambda found: found[1] or "", "\n".join(paragraph)))
    return " ".join(_until_end(plain).split()).lstrip("- ")


def docstring_text(literal: str) -> str:
    """The text between a docstring's quotes."""
    return re.sub(r"^[rRuUbB]*(\"\"\"|'''|\"|')(.*)\1$", r"\2", literal, flags=re.DOTALL)


def description(sentence: str, name: str) -> str:
    """The sentence as a query: without the function's name in front; empty if it is no good description.

    description("Parse reads a header from r.", "Parse")  # "reads a header from r"
    """
    bare = re.split(r"\W+", name)[-1]
    query = re.sub(rf"^(?:the\s+)?{re.escape(bare)}(?:\(\))?\s+", "", sentence, flags=re.IGNORECASE)
    query = query.strip(" .:;")
    has_name = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", query, re.IGNORECASE)
    is_short = not MIN_WORDS <= len(query.split()) <= MAX_WORDS
    return "" if is_short or has_name or _NOT_DESCRIPTION.search(query) else query


def _undecorated(line: str) -> str:
    return _DECORATION.sub("", _DECORATION.sub("", line, count=1).rstrip())


def _until_end(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        found = text[: end.start() + 1]
        if not _ABBREVIATION.search(found):
            return found
    return text
