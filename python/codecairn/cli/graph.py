"""`graph callers | callees | path | hierarchy | communities | unused | cycles | hubs`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from codecairn.cli.command import group
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.graph import render, render_structure
from codecairn.operations.graph_operations import GRAPH_OPERATIONS
from codecairn.operations.json_output import plain_document


@group("graph")
def graph() -> None:
    """Query the code graph."""


def _command(
    name: str,
    lines: Callable[[Any], Iterable[str]],
    rows: Callable[[Any], Sequence[object]],
) -> None:
    """Make a command of an operation: open the workspace, run it, show its result or the rows of it."""
    operation = GRAPH_OPERATIONS[name]

    def run(path: str | None, form: Form | None, *, quiet: bool, **values: Any) -> None:  # noqa: ANN401
        with opened(path, command=f"graph {name}", quiet=quiet) as workspace:
            result = operation.run(workspace, **values)
        print_result(
            form,
            document=lambda: plain_document(result),
            documents=lambda: map(plain_document, rows(result)),
            lines=lambda: ((line,) for line in lines(result)),
        )

    graph.command(name)(takes(operation)(on_workspace(run)))


_command("callers", render.neighbours_lines, lambda found: (*found.uses, *found.possible))
_command("callees", render.neighbours_lines, lambda found: (*found.uses, *found.possible))
_command("path", render.call_path_lines, lambda found: found.hops)
_command("hierarchy", render.hierarchy_lines, lambda found: (*found.bases, *found.derived))
_command("communities", render_structure.communities_lines, lambda found: found.communities)
_command("unused", render_structure.unused_lines, lambda found: found.found)
_command(
    "cycles",
    render_structure.cycles_lines,
    lambda found: tuple(symbol for group in found.groups for symbol in group),
)
_command("hubs", render_structure.hubs_lines, lambda found: found.hubs)
