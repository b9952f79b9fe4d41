"""`graph callers | callees | path | hierarchy | communities | unused | cycles | hubs`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from codecairn.cli.command import group
from codecairn.cli.graph_screen import graph_command
from codecairn.graph import render, render_structure
from codecairn.operations.graph_operations import GRAPH_OPERATIONS


@group("graph")
def graph() -> None:
    """Query the code graph."""


def _command(
    name: str,
    lines: Callable[[Any], Iterable[str]],
    rows: Callable[[Any], Sequence[object]],
) -> None:
    graph.add_command(graph_command(GRAPH_OPERATIONS[name], lines, rows, group="graph"))


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
