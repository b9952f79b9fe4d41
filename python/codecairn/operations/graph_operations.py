"""The operations on the code graph; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.core.requests import Doc, Refresh
from codecairn.core.types.graph import EDGE_KINDS, CallPath, Hierarchy, Neighbours
from codecairn.core.types.graph_analysis import Communities, Cycles, Hubs, UnusedSymbols
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

GRAPH_OPERATIONS = OperationTable()
"""These operations by name."""


Name = Annotated[
    str,
    Doc(
        text="The symbol: `name`, `Class.name`, `path::name` or `path:line`.",
        metavar="NAME",
    ),
]
File = Annotated[
    str | None,
    Doc(
        text="The file or folder that defines it, if several symbols have its name.",
        metavar="FILE",
        place="file",
    ),
]
Kinds = Annotated[
    tuple[str, ...],
    Doc(text="Only this kind of use.", name="kind", metavar="KIND", choices=EDGE_KINDS),
]
Depth = Annotated[int, Doc(text="How many steps to follow.", metavar="N", minimum=1)]
Limit = Annotated[int, Doc(text="How many at most.", letter="n", metavar="N", minimum=1)]


@GRAPH_OPERATIONS.add
def callers(
    workspace: Workspace,
    name: Name,
    *,
    file: File = None,
    kinds: Kinds = (),
    depth: Depth = 1,
    limit: Limit = 100,
    refresh: Refresh = None,
) -> Neighbours:
    """Show who uses a symbol.

    Resolved uses come first; candidates, which may mean another symbol of the same name, are listed separately.
    """
    return workspace.graph.callers(
        name, path=file, kinds=kinds, depth=depth, limit=limit, refresh=refresh
    )


@GRAPH_OPERATIONS.add
def callees(
    workspace: Workspace,
    name: Name,
    *,
    file: File = None,
    kinds: Kinds = (),
    depth: Depth = 1,
    limit: Limit = 100,
    refresh: Refresh = None,
) -> Neighbours:
    """Show what a symbol uses."""
    return workspace.graph.callees(
        name, path=file, kinds=kinds, depth=depth, limit=limit, refresh=refresh
    )


@GRAPH_OPERATIONS.add
def path(
    workspace: Workspace,
    source: Annotated[str, Doc(text="Where it starts.", name="from", metavar="FROM")],
    target: Annotated[str, Doc(text="Where it leads.", name="to", metavar="TO")],
    *,
    source_file: Annotated[
        str | None,
        Doc(
            text="The file that defines the first.", name="from-file", metavar="FILE", place="file"
        ),
    ] = None,
    target_file: Annotated[
        str | None,
        Doc(text="The file that defines the other.", name="to-file", metavar="FILE", place="file"),
    ] = None,
    max_depth: Annotated[int, Doc(text="How many steps at most.", metavar="N", minimum=1)] = 10,
    refresh: Refresh = None,
) -> CallPath:
    """Show a shortest path of uses from one symbol to another."""
    return workspace.graph.path(
        source,
        target,
        source_path=source_file,
        target_path=target_file,
        max_depth=max_depth,
        refresh=refresh,
    )


@GRAPH_OPERATIONS.add
def hierarchy(
    workspace: Workspace, name: Name, *, file: File = None, refresh: Refresh = None
) -> Hierarchy:
    """Show what a type extends and implements, and its subtypes."""
    return workspace.graph.hierarchy(name, path=file, refresh=refresh)


@GRAPH_OPERATIONS.add
def communities(
    workspace: Workspace,
    *,
    min_size: Annotated[
        int, Doc(text="Only communities of at least this many symbols.", metavar="N", minimum=1)
    ] = 2,
    limit: Limit = 20,
    hub_threshold: Annotated[
        int, Doc(text="How many symbols must use one to make it a hub.", metavar="N", minimum=1)
    ] = 5,
    min_coupling: Annotated[
        int,
        Doc(text="Only couplings of at least this many uses.", metavar="N", minimum=1),
    ] = 1,
    coupling_limit: Annotated[
        int, Doc(text="How many couplings at most.", metavar="N", minimum=1)
    ] = 20,
    refresh: Refresh = None,
) -> Communities:
    """Show groups of symbols that use each other, and their couplings."""
    return workspace.graph.communities(
        min_size=min_size,
        limit=limit,
        hub_threshold=hub_threshold,
        min_coupling=min_coupling,
        coupling_limit=coupling_limit,
        refresh=refresh,
    )


@GRAPH_OPERATIONS.add
def unused(workspace: Workspace, *, limit: Limit = 50, refresh: Refresh = None) -> UnusedSymbols:
    """Show symbols without a known use, each with a certainty.

    Tests, entry points, overrides, and symbols that decorators or the language itself call are skipped.
    """
    return workspace.graph.unused(limit=limit, refresh=refresh)


@GRAPH_OPERATIONS.add
def cycles(workspace: Workspace, *, limit: Limit = 20, refresh: Refresh = None) -> Cycles:
    """Show groups of symbols that use each other in a cycle.

    The largest come first.
    """
    return workspace.graph.cycles(limit=limit, refresh=refresh)


@GRAPH_OPERATIONS.add
def hubs(workspace: Workspace, *, limit: Limit = 20, refresh: Refresh = None) -> Hubs:
    """Show the most important symbols, by their users."""
    return workspace.graph.hubs(limit=limit, refresh=refresh)
