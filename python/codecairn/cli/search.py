"""`search`, `peek`, `similar` and `define`."""

from pathlib import Path
from typing import Any

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened, opened_all
from codecairn.cli.output import Form
from codecairn.cli.parameters import on_workspace, on_workspaces, takes
from codecairn.cli.search_screen import SearchScreen
from codecairn.operations.index_operations import OPERATIONS
from codecairn.paths.relative import split_place

Values = Any
"""The values of an operation's parameters, checked by click and passed on as they are."""

_SETTINGS = {"limit": "search.screen_limit"}
"""People see fewer results than programs get, with their code."""


@command("search")
@takes(OPERATIONS["search"], settings=_SETTINGS)
@on_workspaces
def search(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="search", quiet=quiet) as workspace:
        result = OPERATIONS["search"].run(workspace, **values)
        screen = SearchScreen(workspace, result, form, limit=values["limit"])
    screen.print(form, quiet=quiet, explain=values["explain"])


@command("peek")
@takes(OPERATIONS["peek"])
@on_workspaces
def peek(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="peek", quiet=quiet) as workspace:
        result = OPERATIONS["peek"].run(workspace, **values)
        screen = SearchScreen(workspace, result, form, limit=len(result))
    screen.print(form, quiet=quiet, with_text=False)


@command("similar")
@takes(OPERATIONS["similar"], without=("text",), settings=_SETTINGS)
@on_workspace
def similar(
    path: str | None, form: Form | None, *, quiet: bool, place: str, **values: Values
) -> None:
    text = None
    if place == "-":
        from codecairn.cli.standard_input import read_stdin

        text = read_stdin("the code to look for")
    else:
        place = _from_here(place)
    with opened(path, command="similar", quiet=quiet) as workspace:
        result = OPERATIONS["similar"].run(workspace, place=place, text=text, **values)
        screen = SearchScreen(workspace, result, form, limit=values["limit"], has_words=False)
    screen.print(form, quiet=quiet)


@command("define")
@takes(OPERATIONS["define"], settings=_SETTINGS)
@on_workspaces
def define(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="define", quiet=quiet) as workspace:
        result = OPERATIONS["define"].run(workspace, **values)
        screen = SearchScreen(workspace, result, form, limit=values["limit"])
    screen.print(form, quiet=quiet)


def _from_here(place: str) -> str:
    """The place with its file made absolute, if there is such a file seen from the current folder."""
    file, line = split_place(place)
    candidate = Path(file)
    return f"{candidate.resolve()}:{line}" if candidate.is_file() else place
