"""Prints results to stdout and everything else to stderr; colour and progress bars only on a terminal."""

import enum
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TextIO, TypeAlias

import click

if TYPE_CHECKING:
    from rich.console import Console

Part: TypeAlias = str | tuple[str, str]
"""A piece of a line: text, or text with the name of a rich style."""

Line: TypeAlias = tuple[Part, ...]

_INVISIBLE = {
    **{code: f"\\x{code:02x}" for code in (*range(9), *range(10, 32), *range(127, 160))},
    **{code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}


_document_count = 0


class OutputFailed(Exception):
    """Our output can't be written, as on a full disk."""


class ReaderLeft(Exception):
    """The reader of stdout has closed it."""


class Form(enum.Enum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"
    JSON_LINES = "jsonl"


class Printer:
    """Prints lines to one stream; through rich if that is a terminal, plain if not."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._in_ascii = str.maketrans({} if _holds(stream, "│⋮") else {"│": "|", "⋮": ":"})
        self._console = _console(stream) if stream.isatty() else None

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines. Control characters in them are made visible: text from files can't steer the terminal."""
        for line in lines:
            if self._console is None:
                text = "".join(visible(_text(part)) for part in line)
                self._stream.write(text.translate(self._in_ascii) + "\n")
            else:
                self._print_styled(self._console, line)

    @staticmethod
    def _print_styled(console: "Console", line: Line) -> None:
        from rich.text import Text

        text = Text()
        for part in line:
            text.append(visible(_text(part)), style=None if isinstance(part, str) else part[1])
        console.print(text)


def visible(text: str) -> str:
    """The text with control characters, and those that reorder text, written as escapes; tabs stay."""
    return text if text.isascii() and text.isprintable() else text.translate(_INVISIBLE)


def print_result(
    form: Form | None,
    *,
    document: Callable[[], Mapping[str, object]],
    documents: Callable[[], Iterable[Mapping[str, object]]],
    lines: Callable[[], Iterable[Line]],
) -> None:
    """Print a result on stdout: one document, one a line, or for people."""
    if form is Form.JSON:
        print_json(document(), indent=2)
    elif form is Form.JSON_LINES:
        for each in documents():
            print_json(each, indent=None)
    else:
        Printer(sys.stdout).lines(lines())


def note(message: str, *, quiet: bool = False) -> None:
    """Print a message on stderr, apart from the result."""
    if not quiet:
        click.echo(f"note: {visible(message)}", err=True)


def print_json(document: Mapping[str, object], *, indent: int | None) -> None:
    """Print one document on stdout; on one line without an indent."""
    import json

    global _document_count  # noqa: PLW0603 - one standard output
    _document_count += 1

    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(document, indent=indent, ensure_ascii=not is_utf8)
    sys.stdout.write(text + "\n")


def document_count() -> int:
    """How many documents this process has printed."""
    return _document_count


def _holds(stream: TextIO, text: str) -> bool:
    """Whether a stream's encoding has these characters."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _console(stream: TextIO) -> "Console":
    from rich.console import Console

    return Console(file=stream, highlight=False, soft_wrap=True)


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part[0]
