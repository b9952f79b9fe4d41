"""Questions that a repository's own names ask: a function's name as written, and its words without the rest.

The public benchmark asks few of them, and users ask them all day. Names come from a plain pattern over the source, not
from the engine, so that what it fails to parse counts against it. Only names that are defined once are asked for.
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path

_DEFINITION = re.compile(
    r"^[ \t]*(?:[\w@.()\[\]]+ +){0,4}?(?:def|defp|func|fn|function|fun|sub)\s+(?:\([^)]*\)\s*)?(?:\w+[.:])?"
    r"([A-Za-z_]\w{5,})",
    re.MULTILINE,
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LARGEST_BYTES = 400_000
_FEWEST_PARTS = 3
_TESTS = re.compile(
    r"(^|[/_.-])(tests?|specs?|mocks?|examples?|fixtures?|bench\w*)([/_.-]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameQuestion:
    """What is asked, and the one place that answers it."""

    query: str
    path: str
    line: int


def ask_names(root: Path, *, count: int, as_words: bool, seed: int = 5) -> list[NameQuestion]:
    """At most `count` questions about functions below `root`, always the same ones.

    Args:
        root: The folder to look through.
        count: How many questions to ask.
        seed: Which ones are drawn.
        as_words: Ask in words, leaving out the first if enough stay ("by id" of `getUserById` needs no "get");
            else by the name as written.
    """
    places: dict[str, list[tuple[str, int]]] = {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST_BYTES:
            continue
        if any(part.startswith(".") for part in file.relative_to(root).parts) or _TESTS.search(
            path
        ):
            continue
        text = file.read_bytes().decode("utf-8", errors="ignore")
        for found in _DEFINITION.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            places.setdefault(found[1], []).append((path, line))
    unique = sorted(
        (name, *where[0])
        for name, where in places.items()
        if len(where) == 1 and len(_PART.findall(name)) >= _FEWEST_PARTS
    )
    chosen = random.Random(seed).sample(unique, min(count, len(unique)))
    return [
        NameQuestion(query=_words(name) if as_words else name, path=path, line=line)
        for name, path, line in chosen
    ]


def _words(name: str) -> str:
    parts = [part.lower() for part in _PART.findall(name)]
    return " ".join(parts[1:] if len(parts) > _FEWEST_PARTS else parts)
