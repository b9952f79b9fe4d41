"""Commands about the code graph: their paths are those of the current folder, and what names a place takes one line."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import CUT, Form, Line, Part, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.cli.shown_paths import ShownPaths
from codecairn.cli.terminal import Screen
from codecairn.operations.json_output import plain_document
from codecairn.operations.operation import Operation

_PLACE = re.compile(
    r"(?P<lead>\s*(?:\d[\d,]* steps?  )?(?:[a-z_]+  )?)(?P<file>[^\s:]+):(?P<line>\d+)(?P<end>[-:]\d+)?(?=  )"
)
_HOW = re.compile(r"  \[[^\[\]]+\]$")
_TITLE = re.compile(r"\S.*:$")


def graph_command(
    operation: Operation,
    lines: Callable[[Any], Iterable[str]],
    rows: Callable[[Any], Sequence[object]],
    *,
    group: str = "",
) -> click.Command:
    """A command of an operation: opens the workspace, runs it, shows its result or the rows of it."""

    def run(path: str | None, form: Form | None, *, quiet: bool, **values: Any) -> None:  # noqa: ANN401
        whole_name = f"{group} {operation.name}".strip()
        with opened(path, command=whole_name, quiet=quiet) as workspace:
            paths = ShownPaths(workspace.root)
            result = operation.run(workspace, **paths.inner(values))
        print_result(
            form,
            document=lambda: plain_document(result),
            documents=lambda: map(plain_document, rows(result)),
            lines=lambda: graph_lines(lines(paths.shown(result)), paths),
            indent=_indent,
        )

    return command(operation.name)(takes(operation)(on_workspace(run)))


def graph_lines(lines: Iterable[str], paths: ShownPaths) -> Iterator[Line]:
    """Lines of text with styles: places, titles, and how a use was resolved; places are links."""
    is_colored = Screen.of(sys.stdout).is_colored
    for line in lines:
        yield tuple(_parts(line, paths)) if is_colored else (line,)


def _parts(line: str, paths: ShownPaths) -> Iterator[Part]:
    place = _PLACE.match(line)
    if place is None:
        yield (line, "bold" if _TITLE.fullmatch(line) else "")
        return
    url = paths.url_from_here(place["file"], int(place["line"]))
    yield place["lead"]
    yield (place["file"], "bold cyan", url)
    yield (f":{place['line']}{place['end'] or ''}", "cyan", url)
    rest = line[place.end() :]
    how = _HOW.search(rest)
    yield rest if how is None else rest[: how.start()]
    if how is not None:
        yield (how[0], "dim")


def _indent(line: Line) -> int:
    """Lines with a place are cut, so that places can be read as a column; sentences go on in the next line."""
    text = "".join(part if isinstance(part, str) else part[0] for part in line)
    return CUT if _PLACE.match(text) else len(text) - len(text.lstrip()) + 2
