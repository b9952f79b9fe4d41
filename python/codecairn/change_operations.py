"""What is asked before code is changed, each operation once; as in `codecairn.operations`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, TypeVar

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
