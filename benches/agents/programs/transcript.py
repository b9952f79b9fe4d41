"""One form for the transcripts of all programs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Line: TypeAlias = Mapping[str, Any]
"""One JSON object that a program printed."""

MAX_ARGUMENTS = 200
"""Characters of a call's arguments that are kept."""

_OPENING = re.compile(r"\b(?:cat|sed|head|tail|less|more|bat|nl|awk)\b")
_SHELLS = frozenset({"bash", "shell", "exec_command", "command_execution", "run_shell_command"})
_OPENERS = frozenset({"read", "view", "read_file", "read_many_files"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A call of a tool.

    Attributes:
        name: The tool's, as the program has it.
        arguments: As one line of JSON, shortened.
        result: Everything that came back, as text.
    """

    name: str
    arguments: str
    result: str

    @property
    def is_ours(self) -> bool:
        """Whether codecairn answered."""
        return "codecairn" in self.name

    @property
    def is_opening(self) -> bool:
        """Whether it showed a file: by a tool for that, or by a command such as `cat` or `sed`."""
        name = self.name.lower()
        return name in _OPENERS or (name in _SHELLS and _OPENING.search(self.arguments) is not None)

    def row(self) -> dict[str, object]:
        """Its summary, without the result's text."""
        return {"name": self.name, "arguments": self.arguments, "characters": len(self.result)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A session with one question.

    Attributes:
        looks: The calls of tools, in order; None if the program doesn't tell.
        tokens_in: Tokens that the model read, cached ones among them, as the program counts; None if it doesn't.
        tokens_cached: Those of them that came from a cache.
        tokens_out: Tokens that the model wrote, thoughts among them.
        answer: The last text of the model.
    """

    answer: str
    looks: tuple[Look, ...] | None = None
    tokens_in: int | None = None
    tokens_cached: int | None = None
    tokens_out: int | None = None

    @property
    def tokens(self) -> int | None:
        """All tokens, read and written."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out

    def row(self) -> dict[str, object]:
        """Its summary."""
        return {
            "answer": self.answer,
            "looks": None if self.looks is None else [look.row() for look in self.looks],
            "tokens_in": self.tokens_in,
            "tokens_cached": self.tokens_cached,
            "tokens_out": self.tokens_out,
        }


def lines_of(text: str) -> list[Line]:
    """The JSON objects of an output, one a line; other lines are passed over."""
    return [value for line in text.splitlines() if isinstance(value := _json(line), dict)]


def _json(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def short(arguments: object) -> str:
    """Arguments of a call as one line of limited length."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= MAX_ARGUMENTS else f"{line[: MAX_ARGUMENTS - 1]}…"


def text_of(content: object) -> str:
    """The text in a result: a text, a list of parts, or an object with `text`, `content` or `output`."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if isinstance(content, dict):
        named = (content.get(key) for key in ("text", "content", "output"))
        return next((text for each in named if (text := text_of(each))), "")
    return ""


def total(rows: Sequence[Line], *names: str) -> int | None:
    """The sum of the named counts over all rows; None if there is none."""
    counts = [*_counts(rows, names)]
    return sum(counts) if counts else None


def _counts(rows: Sequence[Line], names: Sequence[str]) -> Iterator[int]:
    for row in rows:
        for name in names:
            value: object = row
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if isinstance(value, int) and not isinstance(value, bool):
                yield value
