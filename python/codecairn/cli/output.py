"""Prints results to stdout and everything else to stderr; colours and progress bars only on a terminal."""

import enum
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO, TypeAlias

import click

from codecairn.cli.terminal import Screen, make_console, wants_pager
from codecairn.core.text_format import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Part: TypeAlias = str | tuple[str, str] | tuple[str, str, str]
"""A piece of a line: text, text with a rich style, or text with a rich style and the URL that it links to."""

Line: TypeAlias = tuple[Part, ...]

CUT = -1
"""The indent of a line that is cut where it is wider than the terminal."""

Indent: TypeAlias = int | Callable[[Line], int] | None
"""The column below which a line goes on that is wider than the terminal; `None` leaves it to the terminal."""

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
    """Prints lines to one stream: plain, or through rich where it is a terminal or colours are asked for."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._screen = Screen.of(stream)
        self._in_ascii = str.maketrans({} if _holds(stream, "│⋮…") else {"│": "|", "⋮": ":"})

    def lines(
        self, lines: Iterable[Line], *, indent: Indent = None, is_paged: bool = False
    ) -> None:
        """Print lines. Control characters in them are made visible: text from files can't steer the terminal.

        `is_paged` shows lines that fill more than the screen of a terminal in the user's pager.
        """
        screen = self._screen
        if not screen.is_terminal and not screen.is_colored:
            for line in lines:
                text = "".join(visible(part_text(part)) for part in line)
                self._stream.write(text.translate(self._in_ascii) + "\n")
            return
        console = make_console(self._stream, screen)
        given = list(lines)
        texts = [self._fitted(line, indent, has_links=screen.is_terminal) for line in given]
        if is_paged and _rows(texts, screen.width) >= screen.height and wants_pager():
            from codecairn.cli.pager import page

            # Older pagers show the sequences of a link as they are.
            plain = [self._fitted(line, indent, has_links=False) for line in given]
            if page(self._rendered(console, plain).encode("utf-8", "backslashreplace")):
                return
        self._stream.write(self._rendered(console, texts))

    def _fitted(self, line: Line, indent: Indent, *, has_links: bool) -> "Text":
        from rich.style import Style
        from rich.text import Text

        text = Text(tab_size=4)
        for part in line:
            shown = visible(part_text(part)).translate(self._in_ascii)
            style = Style() if isinstance(part, str) else Style.parse(part[1])
            if has_links and not isinstance(part, str) and len(part) == 3 and part[2]:
                style += Style(link=part[2])
            text.append(shown, style=style)
        width = self._screen.width
        if width is None or indent is None:
            return text
        text.expand_tabs()
        column = indent(line) if callable(indent) else indent
        if column == CUT:
            text.truncate(width, overflow="ellipsis")
            return text
        return _hanging(text, width, column)

    def _rendered(self, console: "Console", texts: "Sequence[Text]") -> str:
        with console.capture() as captured:
            for text in texts:
                console.print(text)
        return captured.get().replace("…", "~") if self._in_ascii else captured.get()


def print_result(
    form: Form | None,
    *,
    document: Callable[[], Mapping[str, object]],
    documents: Callable[[], Iterable[Mapping[str, object]]],
    lines: Callable[[], Iterable[Line]],
    indent: Indent = None,
    is_paged: bool = True,
) -> None:
    """Print a result on stdout: one document, one a line, or for people, as `Printer.lines` does."""
    if form is Form.JSON:
        print_json(document(), indent=2)
    elif form is Form.JSON_LINES:
        for each in documents():
            print_json(each, indent=None)
    else:
        Printer(sys.stdout).lines(lines(), indent=indent, is_paged=is_paged)


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


def _rows(texts: "Iterable[Text]", width: int | None) -> int:
    """The rows that texts take on a terminal, which wraps what is too wide."""
    from rich.cells import cell_len

    lines = (line for text in texts for line in text.plain.split("\n"))
    return sum(max(1, -(-cell_len(line) // width)) if width else 1 for line in lines)


def _hanging(text: "Text", width: int, indent: int) -> "Text":
    """The text in as many lines as it needs, of which all but the first are indented."""
    from rich.text import Text

    breaks: list[int] = []
    start, room = 0, width
    first = indent
    while (place := _line_break(text.plain[start:], room, first=first)) is not None:
        start += place
        breaks.append(start)
        room, first = max(width - indent, 1), 0
    lines = text.divide(breaks)
    for line in lines:
        line.rstrip()
    return Text("\n" + " " * indent).join(lines)


def _line_break(text: str, width: int, *, first: int) -> int | None:
    """Where the next line begins, from `first` on; `None` if the text is narrow enough.

    That is after the last item of a list, if it leaves little of the line empty, or else after the last word. A word that
    is wider than a line stays whole, so that a path can be copied; the terminal breaks it.
    """
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return None
    ends = [match.end() for match in re.finditer(r"(?<=\S)\s+(?=\S)", text) if match.end() > first]
    fitting = [end for end in ends if cell_len(text[:end].rstrip()) <= width]
    items = [end for end in fitting if text[:end].rstrip()[-1] in ",;:" and 5 * end >= 3 * width]
    return next(iter([*items[-1:], *fitting[-1:], *ends[:1]]), None)


def part_text(part: Part) -> str:
    """The text of a piece."""
    return part if isinstance(part, str) else part[0]
