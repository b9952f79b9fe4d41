"""Which lexer of Pygments colours a language, and which texts are not coloured."""

from collections.abc import Sequence

MAX_COLORED_CHARACTERS = 20_000
MAX_LINE_LENGTH = 1_000

_LEXERS = {"vue": "html", "svelte": "html", "astro": "html", "apex": "java", "starlark": "python"}
"""What languages without a lexer of their own are coloured as."""


def lexer_name(language: str) -> str:
    """The name of the lexer for a language."""
    return _LEXERS.get(language, language)


def may_color(lines: Sequence[str], *, max_characters: int = MAX_COLORED_CHARACTERS) -> bool:
    """Whether lines are coloured: the patterns of some lexers take very long on hostile texts, and on generated lines."""
    return (
        sum(map(len, lines)) + len(lines) <= max_characters
        and max(map(len, lines), default=0) <= MAX_LINE_LENGTH
    )
