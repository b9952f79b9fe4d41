"""`search`, `peek`, `similar` and `define`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from codecairn.cli.command import command, option
from codecairn.cli.command_workspace import opened, opened_all
from codecairn.cli.output import Form
from codecairn.cli.parameters import on_workspace, on_workspaces, takes
from codecairn.cli.search_screen import SearchScreen
from codecairn.errors import UsageError
from codecairn.operations.index_operations import OPERATIONS
from codecairn.paths.relative import split_place
from codecairn.workspace.workspace import Workspace

if TYPE_CHECKING:
    from codecairn.cli.search_screen import Source
    from codecairn.core.types.hits import SearchResult

_Function = TypeVar("_Function", bound=Callable[..., object])

Values = Any
"""The values of an operation's parameters, checked by click and passed on as they are."""

_SETTINGS = {"limit": "search.screen_limit"}
"""People see fewer results than programs get, with their code."""


def _or_by_nodes(function: _Function) -> _Function:
    """Give a command `--node` and `--branch`."""
    options = (
        option(
            "--node",
            metavar="URL[,URL]...",
            help="Ask these search nodes of the team, without an index here; `off` for the index here.",
            setting="node.urls",
        ),
        option(
            "--branch",
            metavar="NAME",
            help="Of a node: search this branch. [default: the commit that is checked out]",
        ),
    )
    for each in reversed(options):
        function = each(function)
    return function


@command("search")
@takes(OPERATIONS["search"], settings=_SETTINGS)
@_or_by_nodes
@on_workspaces
def search(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    node: str | None,
    branch: str | None,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="search", quiet=quiet) as workspace:
        source, result = _answered("search", workspace, values, node, branch, form, quiet=quiet)
        screen = SearchScreen(source, result, form, limit=values["limit"])
    screen.print(form, quiet=quiet, explain=values["explain"])


@command("peek")
@takes(OPERATIONS["peek"])
@_or_by_nodes
@on_workspaces
def peek(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    node: str | None,
    branch: str | None,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="peek", quiet=quiet) as workspace:
        source, result = _answered("peek", workspace, values, node, branch, form, quiet=quiet)
        screen = SearchScreen(source, result, form, limit=len(result))
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
@_or_by_nodes
@on_workspaces
def define(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    several: tuple[str, ...],
    is_org: bool,
    node: str | None,
    branch: str | None,
    **values: Values,
) -> None:
    with opened_all(path, several, is_org=is_org, command="define", quiet=quiet) as workspace:
        source, result = _answered("define", workspace, values, node, branch, form, quiet=quiet)
        screen = SearchScreen(source, result, form, limit=values["limit"])
    screen.print(form, quiet=quiet)


def _answered(
    name: str,
    workspace: Values,
    values: dict[str, Values],
    node: str | None,
    branch: str | None,
    form: Form | None,
    *,
    quiet: bool,
) -> "tuple[Source, SearchResult]":
    """The answer of a node if one is named for this workspace, else of the index here; and what it is about."""
    operation = OPERATIONS[name]
    if isinstance(workspace, Workspace):
        if node is not None or branch is not None or workspace.settings.node_urls:
            from codecairn.cli.node_search import asked_nodes

            found = asked_nodes(
                workspace,
                operation,
                values,
                named=node,
                branch=branch,
                has_outlines=form is None,
                quiet=quiet,
            )
            if found is not None:
                return found, found.result
        return workspace, operation.run(workspace, **values)
    if node is not None or branch is not None:
        raise UsageError(
            "a node answers for one workspace", hint="leave out `--workspace` and `--org`"
        )
    return workspace.first, operation.run(workspace, **values)


def _from_here(place: str) -> str:
    """The place with its file made absolute, if there is such a file seen from the current folder."""
    file, line = split_place(place)
    candidate = Path(file)
    return f"{candidate.resolve()}:{line}" if candidate.is_file() else place
