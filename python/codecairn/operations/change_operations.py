"""The operations that prepare a change; see `codecairn.operations.index_operations`."""

from typing import Annotated

from codecairn.context.pack import Pack
from codecairn.context.requests import ContextRequest, EditContextRequest
from codecairn.core.requests import Doc, Limit, Refresh
from codecairn.core.types.graph import ROLES, Uses
from codecairn.core.types.graph_analysis import Impact
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

CHANGE_OPERATIONS = OperationTable()
"""These operations by name."""


@CHANGE_OPERATIONS.add
def uses(
    workspace: Workspace,
    name: Annotated[str, Doc(text="A plain name, without scopes.", metavar="NAME")],
    *,
    roles: Annotated[
        tuple[str, ...],
        Doc(text="Only occurrences with this role.", name="role", metavar="ROLE", choices=ROLES),
    ] = (),
    file: Annotated[
        str | None, Doc(text="Only in this file or folder.", metavar="FILE", place="file")
    ] = None,
    limit: Limit = None,
    refresh: Refresh = None,
) -> Uses:
    """List every occurrence of a name.

    With an exact count of each role. Nothing is left out: calls, imports, definitions, comments, strings and keys.
    """
    return workspace.graph.uses(name, roles=roles, path=file, limit=limit, refresh=refresh)


@CHANGE_OPERATIONS.add
def impact(
    workspace: Workspace,
    ref: Annotated[
        str | None,
        Doc(
            text="A branch, tag or commit; without one, the working tree's changes.",
            metavar="REF",
            is_positional=True,
        ),
    ] = None,
    *,
    pr: Annotated[
        int | None,
        Doc(text="The number of a pull request, read with GitHub's `gh`.", metavar="N", minimum=1),
    ] = None,
    files: Annotated[
        tuple[str, ...],
        Doc(
            text="All symbols of this file, in place of a ref.",
            name="file",
            metavar="FILE",
            place="file",
        ),
    ] = (),
    symbol: Annotated[
        str | None, Doc(text="This symbol, in place of a ref.", metavar="NAME")
    ] = None,
    max_depth: Annotated[
        int, Doc(text="How many steps dependents are followed.", metavar="N", minimum=1)
    ] = 5,
    hub_threshold: Annotated[
        int, Doc(text="How many symbols must use one to make it a hub.", metavar="N", minimum=1)
    ] = 10,
    conflicts: Annotated[
        bool, Doc(text="Look for other local branches that change the same files and symbols.")
    ] = False,
    refresh: Refresh = None,
) -> Impact:
    """Show what a change affects.

    The changed symbols, their dependents, tests, and the risk. A ref is compared with its merge base; a ref in the current history shows what changed since.
    """
    return workspace.graph.impact(
        ref,
        pr=pr,
        files=files,
        symbol=symbol,
        max_depth=max_depth,
        hub_threshold=hub_threshold,
        conflicts=conflicts,
        refresh=refresh,
    )


@CHANGE_OPERATIONS.add
def context(workspace: Workspace, request: ContextRequest) -> Pack:
    """Collect what answers a question, within a token budget.

    The path between two symbols, a definition with its callers and callees, or the best hits; each line once.
    """
    return workspace.packs.context(request)


@CHANGE_OPERATIONS.add
def edit_context(workspace: Workspace, request: EditContextRequest) -> Pack:
    """Collect what to know before changing a symbol.

    Within a token budget: its source, callers, callees, types, the tests that reach it, and memories about it.
    """
    return workspace.packs.edit_context(request)
