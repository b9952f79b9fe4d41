"""What is asked before code is changed, each operation once; as in `codecairn.operations`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, TypeVar

from codecairn.graph_shapes import Impact
from codecairn.graph_types import ROLES, Uses
from codecairn.operations import Doc, Limit, Operation, Refresh
from codecairn.workspace import Workspace

_Function = TypeVar("_Function", bound=Callable[..., object])
_REGISTRY: dict[str, Operation] = {}

CHANGE_OPERATIONS: Mapping[str, Operation] = MappingProxyType(_REGISTRY)
"""Every operation by name."""


def _operation(function: _Function) -> _Function:
    operation = Operation(function)
    operation.name = operation.name.replace("_", "-")
    _REGISTRY[operation.name] = operation
    return function


@_operation
def uses(
    workspace: Workspace,
    name: Annotated[str, Doc(text="A plain name, without scopes.", metavar="NAME")],
    *,
    roles: Annotated[
        tuple[str, ...],
        Doc(text="Only places of this role.", name="role", metavar="ROLE", choices=ROLES),
    ] = (),
    file: Annotated[str | None, Doc(text="Only in this file or folder.", metavar="FILE")] = None,
    limit: Limit = None,
    refresh: Refresh = None,
) -> Uses:
    """List every place where a name stands, with an exact count of each role.

    Nothing is left out: calls, imports, definitions, comments, strings and keys.
    """
    return workspace.graph.uses(name, roles=roles, path=file, limit=limit, refresh=refresh)


@_operation
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
        Doc(text="A pull request's number, asked of GitHub's `gh`.", metavar="N", minimum=1),
    ] = None,
    files: Annotated[
        tuple[str, ...],
        Doc(text="All symbols of this file instead.", name="file", metavar="FILE"),
    ] = (),
    symbol: Annotated[str | None, Doc(text="This symbol instead.", metavar="NAME")] = None,
    max_depth: Annotated[
        int, Doc(text="How many steps dependents are followed.", metavar="N", minimum=1)
    ] = 5,
    hub_threshold: Annotated[
        int, Doc(text="How many symbols must use one to make it a hub.", metavar="N", minimum=1)
    ] = 10,
    conflicts: Annotated[
        bool, Doc(text="Look for other local branches that touch the same.")
    ] = False,
    refresh: Refresh = None,
) -> Impact:
    """Show what a change reaches: symbols touched, what depends on them, tests, and the risk.

    A ref is compared where its history parts from ours; one in our history tells what changed since.
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
