"""Selects the most informative lines of an answer (names, commands, numbers) without a model.

After Luhn ("The automatic creation of literature abstracts", 1958): the lines with the densest significant words represent a text.
In text about code significant words are recognisable: they are formatted as code, contain digits, or are names.
"""

import re
from collections.abc import Iterable, Iterator

_FENCE = re.compile(r"^\s*(?:```|~~~)\s*([\w+-]*)")
_COMMANDS = frozenset({"bash", "sh", "shell", "console", "zsh", "powershell", "bat", "fish"})
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`])|(?<=[。！？；])")  # noqa: RUF001 - Chinese stops end sentences too
_VALUES = re.compile(
    r"`[^`\n]+`"  # written as code
    r"|(?:[\w.-]*/)+[\w.-]+|\b\w{2,}(?:\.\w{2,})+\b"  # a path, a route or a dotted name
    r"|\b\w*[a-z]\w*[A-Z_]\w*\b|\b[A-Z][A-Z0-9_]{2,}\b"  # names
    r"|\b[\w-]*\d[\w.:%-]*"  # numbers, versions, ports
    r"|(?<=[\w,;:] )[A-Z][a-z]+\w*"  # proper names within a sentence
    r"|--?[a-z][\w-]+"  # options
)
_HEADING_CHARS = 60
_MIN_CHARS = 12
_MIN_WORTH = 2
_SPACED_WORDS = 2


def is_bare(line: str) -> bool:
    """Whether a line reports that something was done, but not what; scripts without spaces are never bare."""
    return line.isascii() and len(line.split()) <= _SPACED_WORDS


def lines_of(text: str) -> Iterator[str]:
    """The sentences, list items and shell commands of a text; an item has its heading before it."""
    fence: str | None = None
    heading = ""
    for raw in text.splitlines():
        found = _FENCE.match(raw)
        if found:
            fence = None if fence is not None else found[1].lower()
            continue
        line = " ".join(raw.split())
        if not line or (fence is not None and (fence not in _COMMANDS or line.startswith("#"))):
            continue
        is_item = fence is not None or _ITEM.match(raw) is not None
        plain = _ITEM.sub("", line).replace("**", "").lstrip("# ").strip()
        if plain.endswith((":", "：")):  # noqa: RUF001 - the Chinese colon
            *before, heading = _SENTENCES.split(plain[:-1].strip())
            yield from before
        elif is_item:
            yield f"{heading}: {plain}" if 0 < len(heading) <= _HEADING_CHARS else plain
        else:
            heading = ""
            yield from (each.strip() for each in _SENTENCES.split(plain) if each.strip())


def worth(line: str) -> int:
    """How many different names, commands and numbers a line holds."""
    return len({found.strip("`").lower() for found in _VALUES.findall(line)})


def gist(texts: Iterable[str], *, most: int) -> list[str]:
    """The lines of some texts that hold most, in their order."""
    lines = [line for text in texts for line in lines_of(text) if len(line) >= _MIN_CHARS]
    lines = list(dict.fromkeys(lines))
    ranked = sorted(range(len(lines)), key=lambda at: (-worth(lines[at]), at))
    return [lines[at] for at in sorted(ranked[:most]) if worth(lines[at]) >= _MIN_WORTH]
